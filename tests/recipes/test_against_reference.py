"""The engine against a slow tree in plain Python, split by split and answer by answer."""

import numpy as np
import pytest

import riparian as rp
from riparian.bounds import hoeffding, normal
from riparian.storage import modelfile
from tests.compositions import policies_of
from tests.effort import in_turn
from tests.split_by_split import STREAMS, assert_same_splits, assert_same_tree, learn, numbers

# Fractions of two, whose sums are exact: labels of equal cost are so in any order. With two
# classes the third row would be the cheapest label, but is none yet.
COSTS = [[0.0, 4.0, 2.0], [4.0, 0.0, 4.0], [2.0, 1.0, 0.0]]


def gini(counts):
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0.0, total, 1.0)
    return 1.0 - (shares * shares).sum(axis=-1)


def half_of_hoeffding(evidence):
    return 0.5 * hoeffding(evidence.n, delta=evidence.delta, gain_range=evidence.gain_range)


def what_the_variance_says(evidence):
    """Normal where the delta method knows the variance, Rutkowski's threshold elsewhere."""
    known = normal(evidence.n, delta=evidence.delta) * np.sqrt(2.0 * evidence.variance)
    rough = normal(evidence.n, delta=evidence.delta)
    return np.where(np.isnan(evidence.variance), rough, np.minimum(known, rough))


SETTINGS = {
    # growth and leaves
    "VFDT": {"leaf": "majority"},
    "adaptive": {"leaf": "adaptive"},
    "idbd": {"leaf": "idbd", "idbd_theta": 0.02, "idbd_alpha": 0.1},
    "idbd, limits": {"leaf": "idbd", "inherit_counts": "none", "max_leaves": 7},
    "the best of three": {"leaf": ("majority", "naive-bayes", "idbd")},
    "the best of idbd and the majority": {
        "leaf": ["idbd", "majority"],
        "categorical_cuts": "both",
        "inherit_counts": "count",
    },
    "the best of idbd and naive Bayes": {"leaf": ("idbd", "naive-bayes"), "grace_period": 50},
    "costs, adaptive": {"leaf": "adaptive", "costs": COSTS},
    "costs, the best of three": {
        "leaf": ("majority", "naive-bayes", "idbd"),
        "costs": COSTS,
        "impurity": "gini",
    },
    "gini, two epsilons": {"leaf": "naive-bayes", "impurity": "gini", "epsilons": 2},
    "both cuts, any runner-up": {
        "leaf": "adaptive",
        "categorical_cuts": "both",
        "runner_up": "cut",
    },
    "one against the rest": {"categorical_cuts": "one-against-rest", "clip_to_range": False},
    "counts inherited": {"inherit_counts": "count", "n_cuts": 4},
    "no rival, any runner-up": {"missing_second": "-inf", "runner_up": "cut", "n_cuts": 3},
    "limits": {
        "max_depth": 3,
        "max_leaves": 9,
        "inherit_counts": "none",
        "min_branch_fraction": 0.1,
    },
    "no ties": {"tau": 0.0, "delta": 0.9, "grace_period": 10},
    "delta spent": {"spend_delta": True, "grace_period": 50},
    "adaptive grace": {"adaptive_grace": True},
    "adaptive grace, many checks": {
        "adaptive_grace": True,
        "grace_period": 5,
        "delta": 1e-4,
        "tau": 0.1,
    },
    "adaptive grace, hybrid": {"adaptive_grace": True, "impurity": "hybrid", "grace_period": 10},
    "adaptive grace, eq. 8": {
        "adaptive_grace": True,
        "bound": "confidence-practical",
        "confidence_c": 0.05,
        "grace_period": 10,
    },
    "adaptive grace, delta method": {
        "adaptive_grace": True,
        "bound": "delta-method",
        "grace_period": 10,
        "short_memory": 50,
    },
    "adaptive grace, callable bound": {
        "adaptive_grace": True,
        "bound": half_of_hoeffding,
        "epsilons": 2,
        "grace_period": 10,
    },
    "poor features": {"drop_poor_features": True},
    "poor features, hybrid": {"drop_poor_features": True, "impurity": "hybrid", "delta": 0.3},
    "poor features, exhaustive": {
        "drop_poor_features": True,
        "statistics": "exhaustive",
        "runner_up": "cut",
    },
    "poor features, paired": {
        "drop_poor_features": True,
        "bound": "delta-method",
        "pairing": "paired",
        "tau": 0.05,
    },
    "poor features, delayed cuts": {"drop_poor_features": True, "cuts": "delayed", "tau": 0.1},
    "poor features, short memory, adaptive grace": {
        "drop_poor_features": True,
        "short_memory": 100,
        "adaptive_grace": True,
        "grace_period": 10,
        "delta": 0.1,
        "categorical_cuts": "both",
    },
    "short memory": {"short_memory": 100},
    "short memory in the bound": {
        "short_memory": 300,
        "short_memory_in_bound": True,
        "inherit_counts": "count",
        "leaf": "adaptive",
    },
    "short memory, nothing inherited": {
        "short_memory": 200,
        "inherit_counts": "none",
        "leaf": "naive-bayes",
    },
    "short memory, exhaustive": {"short_memory": 1000, "statistics": "exhaustive"},
    # impurities
    "Kearns and Mansour": {"impurity": "kearns-mansour"},
    "misclassification": {"impurity": "misclassification"},
    "accuracy": {"impurity": "accuracy", "categorical_cuts": "both"},
    "loss": {"impurity": "loss", "costs": COSTS, "delta": 0.2},
    "hybrid": {"impurity": "hybrid", "bound": "normal", "delta": 0.05},
    "hybrid, Hoeffding": {"impurity": "hybrid", "categorical_cuts": "both"},
    "hybrid, McDiarmid": {"impurity": "hybrid", "bound": "mcdiarmid", "delta": 0.1},
    "callable impurity": {"impurity": gini, "categorical_cuts": "both"},
    # evaluators
    "prequential": {"impurity": "accuracy", "evaluator": "prequential", "delta": 0.05},
    "prequential loss": {
        "tau": 0.3,
        "impurity": "loss",
        "evaluator": "prequential",
        "costs": COSTS,
        "delta": 0.1,
        "inherit_counts": "count",
    },
    "holdout": {"impurity": "accuracy", "evaluator": "holdout", "delta": 0.05},
    "holdout loss": {
        "tau": 0.3,
        "impurity": "loss",
        "evaluator": "holdout",
        "holdout_examples": 60,
        "costs": COSTS,
        "delta": 0.1,
        "cuts": "intersections",
    },
    # cuts
    "intersections": {"cuts": "intersections"},
    "intersections, equal variances skipped": {
        "cuts": "intersections",
        "equal_variance": "skip",
        "variance": "population",
        "clip_to_range": False,
    },
    "delayed": {"cuts": "delayed", "n_cuts": 3},
    "delayed, hybrid": {"cuts": "delayed", "impurity": "hybrid", "n_cuts": 3},
    "combined": {"cuts": "combined", "variance": "population", "runner_up": "cut"},
    "qda": {"cuts": "qda", "impurity": "gini"},
    # bounds
    "McDiarmid, Gini": {"impurity": "gini", "bound": "mcdiarmid", "tau": 0.5, "delta": 0.5},
    "confidence": {"bound": "confidence", "delta": 0.5, "tau": 2.0, "impurity": "gini"},
    "confidence, entropy": {"bound": "confidence", "delta": 0.5, "tau": 20.0},
    "confidence, Kearns and Mansour": {
        "bound": "confidence",
        "impurity": "kearns-mansour",
        "delta": 0.5,
        "tau": 1.5,
    },
    "eq. 8": {"bound": "confidence-practical", "impurity": "gini", "confidence_c": 0.2},
    "eq. 8, derived": {
        "bound": "confidence-practical",
        "impurity": "kearns-mansour",
        "confidence_c": 0.1,
        "confidence_form": "derived",
        "inherit_counts": "count",
    },
    "eq. 8, entropy": {"bound": "confidence-practical", "confidence_c": 0.05},
    "normal": {"bound": "normal", "impurity": "misclassification", "delta": 0.05},
    "normal, accuracy": {"bound": "normal", "impurity": "accuracy", "tau": 0.1},
    "normal, Gini": {"bound": "normal", "impurity": "gini", "delta": 0.2, "tau": 0.3},
    "delta method": {"bound": "delta-method"},
    "empirical Bernstein": {"bound": "empirical-bernstein", "delta": 0.2, "tau": 0.3},
    "delta method, Gini": {
        "bound": "delta-method",
        "impurity": "gini",
        "pairing": "conservative",
        "categorical_cuts": "both",
    },
    "delta method, paired": {"bound": "delta-method", "pairing": "paired"},
    "delta method, paired Gini": {"bound": "delta-method", "impurity": "gini", "pairing": "paired"},
    "delta method, paired accuracy": {
        "bound": "delta-method",
        "impurity": "accuracy",
        "pairing": "paired",
        "spend_delta": True,
        "categorical_cuts": "one-against-rest",
    },
    "callable bound": {"bound": half_of_hoeffding, "epsilons": 2},
    "callable bound with the variance": {"bound": what_the_variance_says, "impurity": "gini"},
    # statistics
    "exhaustive": {"statistics": "exhaustive"},
    "exhaustive, any runner-up": {
        "statistics": "exhaustive",
        "impurity": "kearns-mansour",
        "runner_up": "cut",
        "leaf": "majority",
    },
    "exhaustive, delta method": {
        "statistics": "exhaustive",
        "impurity": "gini",
        "bound": "delta-method",
        "pairing": "paired",
    },
    "exhaustive, callable impurity": {"statistics": "exhaustive", "impurity": gini},
    "histogram": {"statistics": "histogram", "n_bins": 12},
    "histogram, no bound": {"statistics": "histogram", "n_bins": 7, "bound": "none"},
    "no bound": {"bound": "none", "max_depth": 4},
}


@pytest.mark.parametrize(("stream", "settings"), in_turn(SETTINGS, STREAMS, ["mixed"]))
def test_every_split_and_every_answer_is_that_of_the_reference(stream, settings):
    options = {"leaf": "majority", "grace_period": 50, "delta": 0.01, "tau": 0.15} | settings
    _, reference = assert_same_tree(rp.HoeffdingTree, options, stream, 1000)
    assert reference.splits


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_the_legacy_gain_splits_on_the_rounding_that_it_leaves(stream):
    options = {"leaf": "majority", "grace_period": 50, "tau": 0.15, "impurity": "misclassification"}
    options |= {"legacy_gain": True, "min_gain": 1e-3}
    model, reference, _, _ = learn(rp.HoeffdingTree, options, stream, 1500)
    # What is left of a gain of 0 is not the same in any two orders of summation: the trees
    # agree up to the first split on it.
    noise = [s.gain < 1e-12 for s in reference.splits]
    same = noise.index(True) if any(noise) else len(noise)
    assert same > 0
    del reference.splits[same:]
    assert_same_splits(model, reference, first=same)
    assert all(s.gain > 0.0 for s in model.splits())


def alone(rng, n):
    """One number and nothing else."""
    x = rng.normal(size=(n, 1))
    return x, (np.abs(x[:, 0]) > 0.7).astype(int), np.ones(n), [False]


@pytest.mark.parametrize("cuts", ["bins", "intersections", "combined"])
def test_a_cut_without_a_rival_is_forced_where_no_second_means_minus_infinity(cuts):
    options = {"leaf": "majority", "grace_period": 50, "tau": 0.0, "cuts": cuts}
    waits, _ = assert_same_tree(rp.HoeffdingTree, options, alone, 200)
    assert not waits.splits()
    options["missing_second"] = "-inf"
    model, _ = assert_same_tree(rp.HoeffdingTree, options, alone, 200)
    assert {s.reason for s in model.splits()} == {"forced"}
    assert model.splits()[0].runner_up == "no split"
    assert model.splits()[0].runner_up_gain == -np.inf


@pytest.mark.parametrize("runner_up", ["feature", "cut"])
@pytest.mark.parametrize("numbers", [0, 1, 2])
@pytest.mark.parametrize("constants", [1, 4])
def test_a_column_that_never_changes_is_no_rival(constants, numbers, runner_up):
    def stream(rng, n):
        x = np.hstack([np.full((n, constants), 2.0), rng.normal(size=(n, numbers))])
        inside = np.abs(x[:, constants:]).max(axis=1, initial=0.0) < 0.7
        y = inside if numbers else rng.random(n) < 0.5
        return x, y.astype(int), np.ones(n), [False] * (constants + numbers)

    options = {"leaf": "majority", "grace_period": 50, "tau": 0.0, "delta": 1e-7, "cuts": "bins"}
    options |= {"missing_second": "-inf", "runner_up": runner_up}
    model, _ = assert_same_tree(rp.HoeffdingTree, options, stream, 400)
    forced = numbers == 1 and runner_up == "feature"
    assert {s.reason for s in model.splits()} == ({"forced"} if forced else set())


def test_two_values_of_missing_second_differ_only_without_a_rival():
    options = {"leaf": "majority", "grace_period": 50, "delta": 0.01, "tau": 0.15}
    for stream in STREAMS.values():
        one, _ = assert_same_tree(
            rp.HoeffdingTree, options | {"missing_second": "-inf"}, stream, 600
        )
        assert one.splits()
        assert all(s.reason != "forced" or len(s.candidates) == 1 for s in one.splits())


def test_mcdiarmid_for_entropy_cannot_split_on_a_short_stream():
    # epsilon < 1 takes more than a million examples; without ties nothing else splits.
    for stream in STREAMS.values():
        options = {"bound": "mcdiarmid", "delta": 0.5, "tau": 0.0, "leaf": "majority"}
        model, reference = assert_same_tree(rp.HoeffdingTree, options, stream, 600)
        assert not model.splits()
        assert model.pending()[0].epsilon == pytest.approx(
            reference.nodes[0].last.epsilon, rel=1e-6
        )


def test_costs_give_the_same_tree_in_batches_of_any_size():
    # The third label would be the cheapest from the start, but comes after half of the rows.
    X, y, _, categorical = STREAMS["categories"](np.random.default_rng(5), 1000)
    for evaluator in ("resubstitution", "prequential", "holdout"):
        options = {
            "impurity": "loss",
            "costs": COSTS,
            "evaluator": evaluator,
            "grace_period": 50,
            "delta": 0.2,
            "tau": 0.15,
            "categorical_features": np.flatnonzero(categorical),
        }
        options = policies_of(options)
        whole = rp.HoeffdingTree(**options).partial_fit(X, y)
        parts = rp.HoeffdingTree(**options)
        for start in range(0, len(y), 123):
            parts.partial_fit(X[start : start + 123], y[start : start + 123])
        assert whole.splits()
        assert modelfile.to_bytes(whole) == modelfile.to_bytes(parts)


@pytest.mark.parametrize("bound", ["hoeffding", "normal", "delta-method"])
def test_pending_tells_the_evidence_of_the_reference(bound):
    options = {"grace_period": 300, "delta": 1e-6, "tau": 0.02, "leaf": "majority"}
    options |= {"impurity": "misclassification", "bound": bound}
    model, reference = assert_same_tree(rp.HoeffdingTree, options, numbers, 1000)
    pending = model.pending()
    leaves = [i for i, node in enumerate(reference.nodes) if node.cut is None]
    assert [p.leaf for p in pending] == leaves
    last = [(got, reference.nodes[got.leaf].last) for got in pending]
    assert all((got.reason_waiting == "no check") == (want is None) for got, want in last)
    waiting = [(got, want) for got, want in last if want is not None and want.reason == "bound"]
    assert waiting
    for got, want in waiting:
        assert got.checked_at == want.n
        assert got.gain_error == 0.0
        assert got.gain == pytest.approx(want.gain, rel=1e-6)
        assert got.gap == pytest.approx(want.gain - want.runner_up_gain, abs=1e-6)
        assert got.epsilon == pytest.approx(want.epsilon, rel=1e-6)
        since = reference.nodes[got.leaf].weight - reference.nodes[got.leaf].checked
        assert got.examples_needed == pytest.approx(want.examples_needed - since, rel=1e-5, abs=1.0)
        assert got.reason_waiting == "bound"
