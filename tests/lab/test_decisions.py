"""The laboratory against a slow simulation with the same random numbers, draw by draw."""

import numpy as np
import pytest

from riparian import lab
from riparian.impurities import Accuracy
from riparian.policies import resolve
from tests import inside
from tests.compositions import policies_of
from tests.reference import lab as reference

LONGEST = 400
REPETITIONS = 120


def outcomes(node, repetitions=REPETITIONS, seed=5, **changed):
    """The attribute and the number of examples of each repetition."""
    return [told[:2] for told in all_told(node, repetitions, seed, **changed)]


def all_told(node, repetitions=REPETITIONS, seed=5, **changed):
    """The same, with the impurity of a hybrid and whether labels were misjudged.

    The names are those of the specification; the evaluator "fixed" judges with the right labels.
    """
    method = {
        "impurity": "entropy",
        "bound": "hoeffding",
        "epsilons": 1.0,
        "delta": 0.05,
        "spend_delta": False,
        "grace_period": 1,
        "first_check": 1,
        "max_examples": LONGEST,
        "null_cut": False,
        "tau": 0.0,
        "random_checks": False,
        "workers": 1,
        **changed,
    }
    fixed = method.get("evaluator") == "fixed"
    if fixed:
        del method["evaluator"]
    method = policies_of(method) | {"fixed_labels": fixed}
    method |= {axis: resolve(axis, method[axis]).checked(axis) for axis in ("impurity", "bound")}
    costs = np.ravel(method.pop("costs", np.zeros(0))).astype(float)
    shape = node.probabilities.shape
    engine = inside.core.Lab(shape[:-1], shape[-1], node.probabilities.ravel(), method, costs, seed)
    told = engine.run(0, repetitions, 2)
    return list(zip(*(column.tolist() for column in told), strict=True))


def drawn(node, repetitions=REPETITIONS, seed=5):
    for repetition in range(repetitions):
        yield reference.examples(node.probabilities, seed, repetition, LONGEST)


def hoeffding(delta, gain_range=1.0, spend=False):
    def epsilon(n, j):
        share = delta / (j * (j + 1)) if spend else delta
        return gain_range * np.sqrt(np.log(1 / share) / (2 * n))

    return epsilon


@pytest.fixture
def three():
    """Three attributes, three classes, cells without probability."""
    p = np.random.default_rng(3).gamma(0.5, size=(2, 3, 2, 3))
    p[0, 1] = 0.0
    return lab.Node(p / p.sum())


@pytest.mark.parametrize("null_cut", [False, True])
@pytest.mark.parametrize("impurity", ["entropy", "gini", "kearns-mansour", "misclassification"])
def test_decisions_are_those_of_the_slow_simulation(impurity, null_cut):
    node = lab.s1_node()
    gain_range = 0.5 if impurity == "kearns-mansour" else 1.0
    want = [
        reference.first_decision(
            reference.gains_of_counts(x, node.probabilities.shape, impurity),
            hoeffding(0.1, gain_range),
            epsilons=1,
            null_cut=null_cut,
        )
        for x in drawn(node)
    ]
    assert outcomes(node, impurity=impurity, delta=0.1, null_cut=null_cut) == want
    assert len(set(want)) > 20


def test_decisions_of_three_attributes_and_classes(three):
    want = [
        reference.first_decision(
            reference.gains_of_counts(x, three.probabilities.shape, "entropy"),
            hoeffding(0.3, np.log2(3)),
            epsilons=1,
            grace=7,
            first=20,
        )
        for x in drawn(three)
    ]
    assert outcomes(three, delta=0.3, grace_period=7, first_check=20) == want
    assert {a for a, _ in want} == {-1, 1, 2}


def test_delta_is_spent_check_by_check():
    node = lab.s1_node()
    want = [
        reference.first_decision(
            reference.gains_of_counts(x, node.probabilities.shape, "entropy"),
            hoeffding(0.2, spend=True),
            epsilons=1,
        )
        for x in drawn(node)
    ]
    assert outcomes(node, delta=0.2, spend_delta=True) == want


@pytest.mark.parametrize("evaluator", ["prequential", "holdout", "fixed"])
def test_labels_are_judged_as_the_evaluator_says(evaluator):
    node = lab.s1_node()
    held_out = 12 if evaluator == "holdout" else 0
    hits = {"n_0": held_out, "probabilities": node.probabilities}
    want = [
        reference.first_decision(
            reference.gains_of_hits(x, node.probabilities.shape, evaluator, **hits),
            lambda n, j: hoeffding(0.1)(n - held_out, j),
            epsilons=1,
        )
        for x in drawn(node, 60)
    ]
    got = outcomes(
        node, 60, impurity="accuracy", evaluator=evaluator, delta=0.1, holdout_examples=12
    )
    assert got == want


@pytest.mark.parametrize("evaluator", ["prequential", "holdout", "fixed"])
def test_costs_are_judged_as_the_evaluator_says(evaluator, three):
    costs = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])
    hits = {"n_0": 12, "probabilities": three.probabilities, "costs": costs}
    held_out = 12 if evaluator == "holdout" else 0
    want = [
        reference.first_decision(
            reference.gains_of_hits(x, three.probabilities.shape, evaluator, **hits),
            lambda n, j: hoeffding(0.5)(n - held_out, j),
            epsilons=1,
        )
        for x in drawn(three, 40)
    ]
    got = outcomes(
        three,
        40,
        impurity="loss",
        evaluator=evaluator,
        delta=0.5,
        costs=costs,
        holdout_examples=12,
    )
    assert got == want


@pytest.mark.parametrize("null_cut", [False, True])
@pytest.mark.parametrize("evaluator", ["prequential", "holdout", "fixed"])
def test_misjudged_is_by_the_expected_gains_of_the_labels(evaluator, null_cut):
    # Labels of 5 examples are often wrong, and one epsilon at 0.4 errs often.
    node = lab.s1_node()
    told = all_told(
        node,
        impurity="accuracy",
        evaluator=evaluator,
        holdout_examples=5,
        delta=0.4,
        null_cut=null_cut,
    )
    kinds = set()
    for x, (chosen, n, _, misjudged) in zip(drawn(node), told, strict=True):
        if chosen < 0:
            assert not misjudged
            continue
        seen = [values[:n] for values in x]
        expected = reference.expected_gains_of_hits(seen, node.probabilities, evaluator, n_0=5)
        assert misjudged == reference.is_misjudged(expected[:, -1], chosen, null_cut)
        kinds.add((chosen == 0, misjudged))
    # Fixed labels are right, so wrong decisions and no others are misjudged.
    some = {(True, 0), (False, 1)} | ({(False, 0)} if evaluator == "holdout" else set())
    assert kinds >= some
    assert evaluator != "fixed" or kinds == some


@pytest.mark.parametrize("evaluator", ["prequential", "holdout"])
def test_misjudged_with_costs(evaluator, three):
    costs = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])
    told = all_told(
        three, impurity="loss", evaluator=evaluator, delta=0.7, costs=costs, holdout_examples=4
    )
    found = set()
    for x, (chosen, n, _, misjudged) in zip(drawn(three), told, strict=True):
        if chosen < 0:
            continue
        expected = reference.expected_gains_of_hits(
            [values[:n] for values in x], three.probabilities, evaluator, n_0=4, costs=costs
        )
        assert misjudged == reference.is_misjudged(expected[:, -1], chosen)
        found.add(misjudged)
    assert found == {0, 1}


def test_where_no_labels_are_judged_wrong_is_misjudged():
    for impurity in ("entropy", "accuracy"):
        found = lab.decisions(impurity=impurity, delta=0.3, repetitions=500)
        assert found.misjudged == found.wrong > 0
        assert not found.judges_labels
        assert found.misjudged_interval == found.interval


def test_fixed_labels_are_right_so_wrong_is_misjudged():
    found = lab.decisions(impurity="accuracy", fixed_labels=True, delta=0.3, repetitions=2000)
    assert found.misjudged == found.wrong > 0


@pytest.mark.parametrize("null_cut", [False, True])
@pytest.mark.parametrize("grace", [1, 7])
def test_a_hybrid_asks_gini_where_misclassification_waits(grace, null_cut):
    # Class 0 leads in every branch, so misclassification sees no gain in what Gini does.
    first, second = np.array([[0.30, 0.20], [0.29, 0.21]]), np.array([[0.39, 0.03], [0.20, 0.38]])
    blind = lab.Node(np.einsum("ik,jk->ijk", first, second / [0.59, 0.41]))
    z = 0.5244005127080407  # the normal quantile of 0.7
    of_normal = (lambda n, j: z * np.sqrt(1 / (2 * n)), lambda n, j: z * np.sqrt(2 * 8 / n))
    of_hoeffding = (hoeffding(0.6), hoeffding(0.6))
    for node, bound, delta, widths in (
        (lab.s1_node(), "normal", 0.3, of_normal),
        (lab.s1_node(), "hoeffding", 0.6, of_hoeffding),
        (blind, "hoeffding", 0.6, of_hoeffding),
    ):
        shape = node.probabilities.shape
        want = [
            reference.first_decision_of_two(
                [reference.gains_of_counts(x, shape, i) for i in ("misclassification", "gini")],
                widths,
                epsilons=1,
                grace=grace,
                first=grace,
                null_cut=null_cut,
            )
            for x in drawn(node)
        ]
        got = all_told(
            node,
            impurity="hybrid",
            bound=bound,
            delta=delta,
            grace_period=grace,
            first_check=grace,
            null_cut=null_cut,
        )
        assert [told[:3] for told in got] == want
    assert {which for _, _, which in want} == {0, 1}


def test_a_hybrid_is_wrong_by_the_impurity_that_decided():
    # By misclassification the first attribute is better (0.06 against 0.02), by Gini the second.
    first, second = np.array([[0.40, 0.14], [0.20, 0.26]]), np.array([[0.22, 0.0], [0.38, 0.40]])
    node = lab.Node(np.einsum("ik,jk->ijk", first, second / [0.6, 0.4]))
    assert node.true_gains("misclassification") == pytest.approx([0.06, 0.02])
    assert node.true_gains("gini").argmax() == 1
    how = {"impurity": "hybrid", "delta": 0.2, "max_examples": 2000}
    told = all_told(node, 400, **how)
    wrong = sum(a >= 0 and a != which for a, _, which, _ in told)
    assert {(a, which) for a, _, which, _ in told} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    found = lab.decisions(node, **how, repetitions=400, seed=5)
    assert (found.wrong, found.decided) == (wrong, 400)


def test_a_gap_of_the_delta_method_needs_large_cells():
    # Nothing below 100 examples; the cell of class c2 with value C has probability 0.01.
    node = lab.s1_node()
    first = min(n for _, n in outcomes(node, 2000, bound="delta-method", max_examples=10_000))
    assert first == 100


def test_paired_variance_is_that_of_the_difference():
    # Two copies of one attribute: their gains never differ, so nothing is ever decided.
    table = np.array([[0.4, 0.1], [0.1, 0.4]])
    p = np.zeros((2, 2, 2))
    p[0, 0], p[1, 1] = table
    found = outcomes(lab.Node(p), 50, bound="delta-method", pairing="paired", max_examples=3000)
    assert {a for a, _ in found} == {-1}


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_number_of_threads_changes_nothing(jobs):
    for method in (
        {},
        {"impurity": Accuracy(evaluator="prequential"), "epsilons": 2},
        {"impurity": "gini", "bound": "mcdiarmid", "grace_period": 1000},
    ):
        alone = lab.decisions(**method, repetitions=3000, n_jobs=1)
        assert lab.decisions(**method, repetitions=3000, n_jobs=jobs) == alone


def test_counts_drawn_at_once_decide_like_single_examples():
    # 90 examples are drawn one by one, 100 at once; the rates agree.
    single = lab.decisions(grace_period=90, first_check=90, delta=0.4, repetitions=40_000)
    at_once = lab.decisions(grace_period=100, first_check=100, delta=0.4, repetitions=40_000)
    exact = lab.decisions(grace_period=95, first_check=95, delta=0.4, repetitions=40_000)
    low, high = sorted([single.mean_examples, at_once.mean_examples])
    assert low < exact.mean_examples < high
    assert at_once.wrong <= single.wrong


def test_a_split_of_noise_is_wrong_only_where_no_split_competes():
    noise = lab.Node(np.full((2, 2, 2), 1 / 8))
    assert lab.decisions(noise, repetitions=500, max_examples=2000).wrong == 0
    found = lab.decisions(noise, null_cut=True, repetitions=500, max_examples=2000)
    assert found.wrong == found.decided > 0
