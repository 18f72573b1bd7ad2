"""Each impurity against its formula, and the properties of gains."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from riparian import impurities

NAMES = ["entropy", "gini"]
REFERENCE = {"entropy": reference.entropy, "gini": reference.gini}

tables = st.tuples(st.integers(2, 5), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.just(0.0) | st.floats(1e-3, 1e6))
)


@pytest.mark.parametrize("name", NAMES)
def test_an_impurity_is_its_formula(name):
    counts = np.random.default_rng(1).uniform(0, 1e4, size=(500, 7))
    counts[counts < 500] = 0.0
    got = getattr(impurities, name)(counts)
    np.testing.assert_allclose(got, REFERENCE[name](counts), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "parent", "gain"),
    [("entropy", 0.934068055, 0.361266695), ("gini", 0.455, 0.213333333)],
)
def test_the_worked_table_of_the_specification(name, parent, gain):
    table = [[30, 10], [5, 55]]
    assert getattr(impurities, name)([35, 65]) == pytest.approx(parent, abs=5e-10)
    assert impurities.gain(table, name) == pytest.approx(gain, abs=5e-10)


@pytest.mark.parametrize("name", NAMES)
@given(table=tables)
def test_a_gain_is_that_of_the_reference_and_never_negative(name, table):
    got = impurities.gain(table, name)
    assert got >= -1e-9
    if table.sum() > 0:
        want = reference.gain(table, REFERENCE[name])
        assert got == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
@given(table=tables, factor=st.floats(0.1, 10))
def test_order_and_scale_change_nothing(name, table, factor):
    gain = impurities.gain(table, name)
    assert impurities.gain(table[::-1, ::-1], name) == pytest.approx(gain, abs=1e-9)
    assert impurities.gain(table * factor, name) == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_branches_like_their_parent_gain_nothing(name):
    table = np.outer([1, 2, 3], [5.0, 3.0, 2.0])
    assert impurities.gain(table, name) == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
@given(table=tables)
def test_merging_two_branches_never_gains(name, table):
    merged = np.vstack([table[0] + table[1], table[2:]])
    merged = np.vstack([merged, np.zeros_like(table[0])])
    assert impurities.gain(merged, name) <= impurities.gain(table, name) + 1e-9


def test_an_unknown_impurity_names_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'gini'"):
        impurities.gain([[1, 2], [3, 4]], "ginni")


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="not negative"):
        impurities.entropy([1, -1])


def test_gain_ranges_are_those_of_the_specification():
    assert impurities.gain_range("entropy", 8) == 3.0
    assert impurities.gain_range("entropy", 1) == 1.0
    assert impurities.gain_range("gini", 8) == 1.0
