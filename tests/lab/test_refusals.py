"""What the laboratory refuses, and how it words what it found."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from riparian import lab
from riparian.bounds import ConfidencePractical, DeltaMethod
from riparian.impurities import Accuracy
from riparian.lab.outcome import clopper_pearson


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"impurity": "entropie"}, "did you mean 'entropy'"),
        ({"bound": "hoefding"}, "did you mean 'hoeffding'"),
        ({"fixed_labels": True}, "is only for the impurities 'accuracy' and 'loss', got 'entropy'"),
        ({"impurity": Accuracy(evaluator="guess")}, "impurity__evaluator must be one of"),
        ({"bound": DeltaMethod(pairing="twice")}, "bound__pairing must be one of"),
        (
            {"impurity": "accuracy", "bound": "mcdiarmid"},
            "supports the impurities 'entropy', 'gini'",
        ),
        ({"impurity": "loss", "bound": "delta-method"}, "supports the impurities"),
        (
            {"impurity": Accuracy(evaluator="holdout"), "bound": "delta-method"},
            "needs evaluator 'resubstitution'",
        ),
        (
            {"impurity": Accuracy(evaluator="prequential"), "bound": "empirical-bernstein"},
            "needs evaluator 'resubstitution'",
        ),
        ({"impurity": "loss"}, "needs costs"),
        ({"impurity": "loss", "costs": np.zeros((2, 2))}, "not all be 0"),
        ({"impurity": "loss", "costs": np.ones((3, 3))}, "shape"),
        ({"impurity": "loss", "costs": {("c1", "c9"): 1.0}}, "must be pairs .predicted, true. of"),
        ({"costs": np.ones((2, 2))}, "costs are only for impurity 'loss', got 'entropy'"),
        ({"impurity": "hybrid", "fixed_labels": True}, "is only for the impurities 'accuracy'"),
        ({"impurity": "hybrid", "bound": "confidence"}, "supports the impurities"),
        ({"impurity": "hybrid", "bound": "delta-method"}, "supports the impurities"),
        ({"impurity": "gini", "bound": "normal", "delta": 0.5}, "delta must be below 0.5"),
        ({"delta": 0.0}, "delta must be a probability"),
        ({"delta": 1.5}, "delta must be a probability"),
        ({"epsilons": 3}, "epsilons must be 1 or 2"),
        ({"grace_period": 0}, "grace_period must be from 1"),
        ({"repetitions": 0}, "repetitions must be from 1"),
        ({"seed": -1}, "seed must be from 0"),
        ({"bound": ConfidencePractical(c=-1.0)}, "bound__c must be a number from 0"),
        ({"n_jobs": 0}, "n_jobs must be from 1"),
    ],
)
def test_wrong_parameters(parameters, says):
    with pytest.raises(ValueError, match=says):
        lab.decisions(**parameters)


@pytest.mark.parametrize("name", ["impurity", "bound"])
def test_a_callable(name):
    with pytest.raises(TypeError, match="the laboratory does not support callables"):
        lab.decisions(**{name: lambda *_: 0.0})


@pytest.mark.parametrize("name", ["repetitions", "grace_period", "seed"])
def test_numbers_that_are_not_whole(name):
    with pytest.raises(TypeError, match=f"{name} must be a whole number"):
        lab.decisions(**{name: 1.5})


@pytest.mark.parametrize(
    ("probabilities", "says"),
    [
        ([0.5, 0.5], "one axis per feature"),
        ([[1.0]], "two classes"),
        ([[0.5, 0.6]], "sum to 1, got 1.1"),
        ([[1.5, -0.5]], "not negative"),
        ([[np.nan, 1.0]], "finite"),
        ([[0.5, 0.5 + 1e-8]], "sum to 1"),
    ],
)
def test_a_table_that_is_no_distribution(probabilities, says):
    with pytest.raises(ValueError, match=says):
        lab.Node(probabilities)


def test_names_must_fit_the_table():
    with pytest.raises(ValueError, match="features must be 1 different names"):
        lab.Node([[0.5, 0.5]], features=["x", "y"])
    with pytest.raises(ValueError, match="classes must be 2 different names"):
        lab.Node([[0.5, 0.5]], classes=["c", "c"])


def test_one_attribute_needs_no_split_as_its_rival():
    node = lab.Node([[0.4, 0.1], [0.1, 0.4]])
    with pytest.raises(ValueError, match="null_cut=True"):
        lab.decisions(node)
    found = lab.decisions(node, null_cut=True, repetitions=100)
    assert (found.decided, found.wrong) == (100, 0)


def test_true_gains_of_the_controlled_node():
    node = lab.s1_node()
    assert node.true_gains() == pytest.approx([0.135305, 0.001463], abs=5e-7)
    # Accuracies of 0.6975 and 0.5225, against 0.5175 without a split.
    assert node.true_gains("accuracy") == pytest.approx([0.18, 0.005])
    costs = {("c1", "c2"): 2.0, ("c2", "c1"): 2.0}
    assert node.true_gains("loss", costs) == pytest.approx([0.18, 0.005])


def test_a_hybrid_has_no_gain_of_its_own():
    with pytest.raises(ValueError, match="use 'misclassification' or 'gini'"):
        lab.s1_node().true_gains("hybrid")


def test_misjudged_decisions_are_told_where_they_differ():
    found = lab.decisions(
        impurity=Accuracy(evaluator="holdout"), delta=0.2, repetitions=300, max_examples=1000
    )
    assert found.misjudged != found.wrong
    assert f"{found.misjudged} decisions were misjudged with the labels" in str(found)
    assert "misjudged" not in str(lab.decisions(repetitions=100))


def test_the_interval_is_exact():
    # From tables of Clopper and Pearson's limits.
    assert lab.decisions(repetitions=1).interval == pytest.approx((0.0, 0.975))
    assert clopper_pearson(5, 10) == pytest.approx((0.18709, 0.81291), abs=1e-5)
    assert clopper_pearson(10, 10)[1] == 1.0


def test_a_leaf_that_cannot_decide_says_so():
    found = lab.decisions(bound="mcdiarmid", max_examples=1_000, repetitions=50)
    assert (found.decided, found.wrong, found.quantiles[0.5]) == (0, 0, np.inf)
    assert "50 were not decided" in str(found)


def test_the_verdict_follows_the_interval():
    few = lab.decisions(impurity=Accuracy(evaluator="prequential"), repetitions=100)
    assert few.interval[0] < few.delta < few.interval[1]
    assert few.verdict == "open"
    assert "neither kept nor broken" in str(few)


def test_a_rule_that_rarely_decides_is_judged_by_its_decisions():
    found = lab.decisions(repetitions=100)
    rare = dataclasses.replace(
        found, repetitions=1000, decided=30, wrong=20, interval=clopper_pearson(20, 1000)
    )
    assert rare.interval[1] < rare.delta
    assert rare.decided_rate == 20 / 30
    assert rare.decided_interval == clopper_pearson(20, 30)
    assert rare.verdict == "broken"
    assert "970 were not decided; 66.7 % of the others were wrong" in str(rare)
    none = dataclasses.replace(rare, decided=0, wrong=0, interval=clopper_pearson(0, 1000))
    assert (none.verdict, none.decided_interval) == ("kept", (0.0, 1.0))


def test_progress_is_told():
    seen = []
    lab.compare({"a": {}}, repetitions=500, progress=lambda *told: seen.append(told))
    assert seen[-1] == ("a", 500, 500)


def test_the_picture_numbers_every_method():
    import matplotlib as mpl

    mpl.use("agg")
    methods = {"one": {}, "two": {"epsilons": 2}, "never": {"max_examples": 1}}
    ax = lab.plot(lab.compare(methods, repetitions=500))
    legend: Any = ax.artists[0]
    key = [text.get_text() for text in legend.get_texts()]
    assert key == ["1  one", "2  two"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["δ kept", "δ broken"]
    mpl.pyplot.close("all")


def test_the_picture_shows_misjudged_decisions_and_does_not_crowd_its_axes():
    import matplotlib as mpl

    mpl.use("agg")
    held_out = {"impurity": Accuracy(evaluator="holdout"), "epsilons": 2}
    found = lab.compare({"one": held_out}, repetitions=5_000, max_examples=2_000)
    ax = lab.plot(found)
    assert ax.get_legend().get_texts()[-1].get_text() == "misjudged with its labels"
    # 0.01 % would stand on "none", which is at 0.008 %.
    assert [text.get_text() for text in ax.get_yticklabels()][:2] == ["none", "0.1 %"]
    assert len([x for x in ax.get_xticks() if ax.get_xlim()[0] < x < ax.get_xlim()[1]]) >= 2
    mpl.pyplot.close("all")
