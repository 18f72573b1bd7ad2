"""The leaves of the reference, against the numbers of the specification."""

import numpy as np
import pytest

from tests.reference.idbd import Unit, Units, idbd
from tests.reference.leaves import best_of, cheapest_class
from tests.reference.tree import ReferenceTree


def test_idbd_is_the_vector_of_the_specification():
    errors, alpha, weights, traces = idbd([[1, 2], [1, -1], [1, 0.5]], [1, -1, 1])
    np.testing.assert_allclose(errors, [1.0, -0.95, 0.923704870], rtol=0, atol=5e-10)
    np.testing.assert_allclose(alpha[1], [0.04997626, 0.05004752], rtol=0, atol=5e-9)
    np.testing.assert_allclose(alpha[2], [0.04997627, 0.05008048], rtol=0, atol=5e-9)
    np.testing.assert_allclose(weights[2], [0.04868588, 0.17067494], rtol=0, atol=5e-9)
    np.testing.assert_allclose(traces[1], [2.374436e-5, 0.142540394], rtol=0, atol=5e-10)


def test_a_step_is_scaled_to_reach_its_target_and_no_further():
    unit = Unit(alpha=1.0)
    delta, alpha = unit.learn({"bias": 1.0, 0: 3.0}, 5.0)
    assert delta == 5.0
    assert alpha["bias"] + 9.0 * alpha[0] == pytest.approx(1.0)
    assert unit.output({"bias": 1.0, 0: 3.0}) == pytest.approx(5.0)


def test_a_third_class_changes_no_answer_by_itself():
    rng = np.random.default_rng(0)
    units = Units(["numeric", "numeric"], 0.01, 0.05)
    rows = rng.normal(size=(200, 2)).tolist()
    for row in rows:
        units.learn(row, int(row[0] > 0), 1.0, 2)
    before = [units.probabilities(row, 2) for row in rows]
    (unit,) = units.units
    units.units = [unit.half(-1.0), unit.half(1.0), Unit()]
    for row, (no, yes) in zip(rows, before, strict=True):
        assert units.probabilities(row, 3) == pytest.approx([no, yes, 0.0], abs=1e-12)


def test_moments_are_those_of_all_classes_and_a_child_keeps_little_of_them():
    x = np.random.default_rng(1).normal(5.0, 2.0, size=400)
    units = Units(["numeric"], 0.01, 0.05)
    for i, value in enumerate(x.tolist()):
        units.learn([value], i % 2, 1.0, 2)
    weight, mean, squares = units.moments[0]
    assert (weight, mean) == (400.0, pytest.approx(x.mean()))
    assert squares / weight == pytest.approx(x.var())
    weight, mean, squares = units.for_child().moments[0]
    assert (weight, mean) == (30.0, pytest.approx(x.mean()))
    assert squares / weight == pytest.approx(x.var())


def test_the_first_of_equals_answers():
    names = {"majority": 3.0, "naive-bayes": 3.0, "idbd": 3.0}
    assert best_of(names) == "idbd"
    assert best_of({k: v for k, v in names.items() if k != "idbd"}) == "naive-bayes"
    assert best_of(names | {"majority": 3.5}) == "majority"


def test_the_cheapest_class_flips_at_the_threshold_of_the_specification():
    costs = [[0.0, 10.0], [0.1, 0.0]]
    for p, answer in ((0.00990098, 0), (0.009901, 1)):
        assert cheapest_class([1.0 - p, p], costs, 2) == answer
    assert cheapest_class([0.2, 0.8], [[1.0, 1.0], [1.0, 1.0]], 2) == 0


def test_a_tree_with_costs_answers_none_before_it_has_learned():
    tree = ReferenceTree(["numeric"], costs=[[0.0, 1.0], [1.0, 0.0]])
    assert tree.predict([0.0]) is None
