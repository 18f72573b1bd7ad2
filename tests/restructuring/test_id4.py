"""ID4 follows its listing, forgets what it discards, and does not learn what ID5R learns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import riparian as rp
from tests import inside
from tests.reference.restructuring import Id4, chi_square
from tests.whole_trees import tree_of


def test_chi_square_worked_by_hand():
    statistic, freedom, log_tail = inside.core.chi_square(np.array([[30.0, 10.0], [5.0, 55.0]]))
    assert statistic == pytest.approx(46.88644689, abs=5e-9)
    assert freedom == 1
    assert log_tail < math.log(0.01)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 6).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 400), min_size=k, max_size=k), min_size=1, max_size=6
        )
    )
)
def test_chi_square_is_the_formula_and_its_tail_that_of_scipy(table):
    rows = [row for row in table if any(row)] or [[1] * len(table[0])]
    got, freedom, log_tail = inside.core.chi_square(np.array(rows, dtype=float))
    want, degrees = chi_square(rows)
    assert freedom == degrees
    if degrees:
        assert got == pytest.approx(want, rel=1e-12, abs=1e-12)
        # SciPy's tail ends where a double does.
        theirs = chi2.logsf(want, degrees)
        assert log_tail == pytest.approx(theirs, rel=1e-9, abs=1e-9) or theirs < -700 > log_tail


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.01, 0.3]),
    st.booleans(),
)
def test_every_step_is_that_of_the_listing(seed, alpha, count_when_pure):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(250, 4))
    y = ((X[:, 0] == X[:, 1]) ^ (rng.random(250) < 0.1)).astype(int) + (X[:, 2] == 2)
    model = rp.ID4(alpha=alpha, count_when_pure=count_when_pure)
    slow = Id4(4, alpha, count_when_pure=count_when_pure)
    for n, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        model.partial_fit([row], [label])
        slow.learn(row, label)
        if n % 25 == 24:
            assert tree_of(model) == slow.root.tree()
            assert model.n_restructurings_ == slow.discarded


def alternating(n):
    """The label is that a and b agree. Neither says anything alone, and which of the two seems
    to say more changes from one example to the next."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, size=(n, 5))
    return X, (X[:, 0] == X[:, 1]).astype(int)


def test_id4_thrashes_where_two_attributes_alternate_and_id5r_learns():
    X, y = alternating(1_500)
    thrashing = rp.ID4(alpha=0.5).fit(X, y)
    learned = rp.ID5R().fit(X, y)
    assert thrashing.n_restructurings_ > 20
    rest, truth = alternating(3_000)
    rest, truth = rest[1_500:], truth[1_500:]
    assert learned.score(rest, truth) == 1.0
    assert thrashing.score(rest, truth) < 0.9
    # The guard at its usual level does not even begin.
    assert rp.ID4().fit(X, y).score(rest, truth) < 0.6


def test_no_example_is_kept():
    X, y = alternating(4_000)
    model = rp.ID4().fit(X[:2_000], y[:2_000])
    before = model.memory_bytes_
    model.partial_fit(X[2_000:], y[2_000:])
    assert model.memory_bytes_ < before + 20_000
    assert not hasattr(model, "n_examples_")


def test_an_empty_child_answers_as_its_parent():
    # The last example installs the attribute; its children have seen nothing.
    X = [["a"], ["b"]] * 10
    model = rp.ID4(count_when_pure=True).partial_fit(X, ["yes", "no"] * 10)
    text = model.export_text()
    assert model.n_leaves_ == 2, text
    assert model.predict([["a"], ["b"]]).tolist() == ["yes", "no"]
    fresh = rp.ID4(alpha=0.9).partial_fit([["a"], ["b"]], ["yes", "no"])
    assert fresh.predict_proba_one({0: "a"}) == pytest.approx({"yes": 0.5, "no": 0.5})
