"""`join`: the members of forests that were learned apart, in one forest."""

from __future__ import annotations

import re

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Alternates
from riparian.storage.modelfile import from_bytes, to_bytes
from riparian.storage.relabelling import relabelled_tree
from tests import inside

MEMBER = rp.HoeffdingTree(grace_period=50, delta=0.01, categorical_cuts="both")
KINDS = [
    (rp.OnlineBagging, {"estimator": MEMBER}),
    (rp.LeveragingBagging, {}),
    (rp.StreamForest, {}),
    (rp.AdaptiveRandomForest, {"estimator": MEMBER, "warning": 0.5, "drift": 0.3}),
    (rp.StreamingRandomPatches, {}),
    (rp.Forest, {"estimator": rp.VFDT(grace_period=50, delta=0.01, leaf="majority")}),
]


def rows(n, seed, names="abcd"):
    rng = np.random.default_rng(seed)
    a, b, e = rng.normal(size=(3, n))
    c, d = rng.choice(["u", "v", "w", "z"], n), rng.choice(["p", "q"], n)
    y = np.where(a + (c == "u") > 0.3, "yes", np.where(b > 0.5, "no", "maybe"))
    a[rng.random(n) < 0.1] = np.nan
    X = {"a": a, "b": b, "c": c, "d": d, "e": e}
    return {name: X[name] for name in names}, y


def apart(kind, parameters, names="dcbae"):
    """Two forests that know names in another order."""
    here = kind(n_estimators=3, **parameters).partial_fit(*rows(1500, 1))
    there = kind(n_estimators=2, random_state=5, **parameters).partial_fit(*rows(1500, 2, names))
    return here, there


def votes(forest, n=30, names="abcde"):
    X, _ = rows(n, 3, names)
    return [forest.explain_one({k: v[i] for k, v in X.items()}) for i in range(n)]


def assert_same_votes(apart_votes, together):
    for expected, found in zip(apart_votes, together, strict=True):
        for mine, own in zip(expected, found, strict=True):
            assert own.weight == mine.weight
            for label, share in mine.probabilities.items():
                assert own.probabilities[label] == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(("kind", "parameters"), KINDS, ids=lambda k: getattr(k, "__name__", ""))
def test_members_vote_as_they_did_apart(kind, parameters):
    here, there = apart(kind, parameters)
    assert list(here.classes_) != list(there.classes_)
    before = [to_bytes(here), to_bytes(there)]
    both = kind.join([here, there])
    assert_same_votes(
        [a + b for a, b in zip(votes(here, names="abcd"), votes(there), strict=True)], votes(both)
    )
    assert both.n_seen_ == here.n_seen_ + there.n_seen_
    assert list(both.feature_names_in_) == ["a", "b", "c", "d", "e"]
    assert [to_bytes(here), to_bytes(there)] == before


@pytest.mark.parametrize(("kind", "parameters"), KINDS, ids=lambda k: getattr(k, "__name__", ""))
def test_a_joined_forest_is_saved_and_goes_on(kind, parameters):
    both = kind.join(apart(kind, parameters))
    again = from_bytes(to_bytes(both))
    assert to_bytes(again) == to_bytes(both)
    X, y = rows(2000, 7, "abcde")
    y[1000:] = np.where(X["e"][1000:] > 1, "new", y[1000:])
    both.partial_fit(X, y)
    for start in range(0, 2000, 100):
        again.partial_fit({k: v[start : start + 100] for k, v in X.items()}, y[start : start + 100])
    assert to_bytes(again) == to_bytes(both)
    assert list(both.classes_)[-1] == "new"
    # Members of both forests draw their own weights.
    assert len({m.accuracy for m in both.members()}) == 5


def test_certificates_keep_their_names():
    here, there = apart(rp.OnlineBagging, {"estimator": MEMBER})
    both = rp.OnlineBagging.join([here, there])
    found = [[str(s) for s in of] for of in both.splits()]
    assert found == [[str(s) for s in of] for of in here.splits() + there.splits()]
    texts = [both.export_text(member=m) for m in range(5)]
    expected = [f.export_text(member=m) for f in (here, there) for m in range(f.n_estimators)]

    def words(text):
        # Branches and classes of equal weight are listed in the order of their codes.
        return sorted(sorted(re.findall(r"[\w.%<>=]+", line)) for line in text.splitlines())

    assert [words(text) for text in texts] == [words(text) for text in expected]

    def cuts(tree):
        # What the last checks of the leaves have found.
        return sorted((p.n, str(p.cut), str(p.runner_up)) for p in tree.pending())

    trees = here.estimators_ + there.estimators_
    assert [cuts(tree) for tree in both.estimators_] == [cuts(tree) for tree in trees]


def test_three_forests_in_another_order_have_the_same_members():
    here, there = apart(rp.OnlineBagging, {"estimator": MEMBER})
    third = rp.OnlineBagging(estimator=MEMBER, n_estimators=1, random_state=8)
    third.partial_fit(*rows(700, 4, "ec"))
    joined = rp.OnlineBagging.join([third, there, here])
    assert_same_votes(
        [
            a + b + c
            for a, b, c in zip(
                votes(third, names="ec"), votes(there), votes(here, names="abcd"), strict=True
            )
        ],
        votes(joined),
    )


def test_codes_go_there_and_back():
    forest = rp.AdaptiveRandomForest(estimator=MEMBER, n_estimators=1).partial_fit(*rows(3000, 1))
    arrays = inside.snapshot(forest)
    tree = {k.removeprefix("tree0."): v for k, v in arrays.items() if k.startswith("tree0.")}
    features, classes = [2, 0, 3, 1], [1, 2, 0]
    categories = [[], [], [3, 1, 0, 2], [1, 0]]
    moved = relabelled_tree(tree, features, categories, classes)
    back = relabelled_tree(
        moved,
        np.argsort(features),
        [np.argsort(categories[f]) for f in np.argsort(features)],
        np.argsort(classes),
    )
    assert back.keys() == tree.keys()
    for name, values in tree.items():
        assert back[name].dtype == values.dtype
        np.testing.assert_array_equal(back[name], values, err_msg=name)
    assert any(not np.array_equal(moved[name], tree[name]) for name in ("gaussian", "cells"))


def test_limits_are_added():
    here, there = (
        rp.OnlineBagging(n_estimators=2, max_bytes=n).partial_fit(*rows(1500, 1))
        for n in ("1MB", 500_000)
    )
    both = rp.OnlineBagging.join([here, there])
    assert both.max_bytes == 1_500_000
    assert both.memory_bytes_ < 1_500_000


def test_forests_whose_limit_was_reached_are_joined_with_others():
    """The first one does not know a feature, and nodes of it were inactive."""
    member = rp.VFDT(grace_period=10, delta=0.5)
    here = rp.OnlineBagging(n_estimators=2, estimator=member, max_bytes=80_000)
    there = rp.OnlineBagging(n_estimators=2, estimator=member, max_bytes=300_000)
    here.partial_fit(*rows(3000, 1))
    there.partial_fit(*rows(1000, 2, "dcbae"))
    assert inside.snapshot(here)["tree0.inactive"].any()
    both = rp.OnlineBagging.join([here, there])
    assert_same_votes([a[:2] for a in votes(here, names="abcd")], [b[:2] for b in votes(both)])
    assert both.memory_bytes_ < both.max_bytes == 380_000


SOFTMAX = rp.HoeffdingTree(grace_period=50, leaf="softmax")
CHANGING = rp.HoeffdingTree(grace_period=50, adaptation=Alternates())


@pytest.mark.parametrize("member", [SOFTMAX, CHANGING], ids=["softmax", "alternates"])
def test_any_members_can_be_joined_if_the_order_of_names_is_the_same(member):
    here, there = (
        rp.OnlineBagging(estimator=member, n_estimators=2, random_state=s).partial_fit(
            *rows(800, s), classes=["no", "maybe", "yes"]
        )
        for s in (1, 2)
    )
    # Categories come in the order of the rows.
    X, y = rows(800, 2, "ab")
    there = rp.OnlineBagging(estimator=member, n_estimators=2, random_state=2).partial_fit(
        X, y, classes=["no", "maybe", "yes"]
    )
    both = rp.OnlineBagging.join([here, there])
    expected = [
        a + b for a, b in zip(votes(here, names="abcd"), votes(there, names="ab"), strict=True)
    ]
    assert_same_votes(expected, votes(both))


@pytest.mark.parametrize(("member", "parameter"), [(SOFTMAX, "leaf"), (CHANGING, "adaptation")])
def test_states_that_have_no_codes_are_refused_by_name(member, parameter):
    with pytest.raises(ValueError, match=rf"forests\[1\] knows names .* because of {parameter}"):
        rp.OnlineBagging.join(apart(rp.OnlineBagging, {"estimator": member}))


def test_unlike_forests_are_refused():
    X, y = rows(300, 1)
    forest = rp.OnlineBagging(n_estimators=2).partial_fit(X, y)
    join = rp.OnlineBagging.join
    with pytest.raises(ValueError, match="at least one forest"):
        join([])
    with pytest.raises(
        ValueError, match=r"forests\[1\] must be a OnlineBagging.*LeveragingBagging"
    ):
        join([forest, rp.LeveragingBagging().partial_fit(X, y)])
    with pytest.raises(ValueError, match=r"forests\[1\] must be a OnlineBagging.*VFDT"):
        join([forest, rp.VFDT().partial_fit(X, y)])
    with pytest.raises(ValueError, match=r"forests\[1\] has learned nothing"):
        join([forest, rp.OnlineBagging()])
    with pytest.raises(ValueError, match=r"forests\[1\] is in the list twice"):
        join([forest, forest])
    with pytest.raises(ValueError, match=r"the same rate, got 1\.0 .* and 2\.0"):
        join([forest, rp.OnlineBagging(rate=2.0).partial_fit(X, y)])
    with pytest.raises(ValueError, match="the same estimator"):
        join([forest, rp.OnlineBagging(estimator=rp.VFDT()).partial_fit(X, y)])
    with pytest.raises(ValueError, match="max_bytes must be set in all forests or in none"):
        join([forest, rp.OnlineBagging(max_bytes="5MB").partial_fit(X, y)])
    numbers = rp.OnlineBagging().partial_fit({"c": np.arange(300.0)}, y)
    with pytest.raises(ValueError, match="'c' is categorical in one forest and numeric in another"):
        join([forest, numbers])


def test_a_matrix_of_costs_needs_the_same_classes():
    costs = [[0, 1, 1], [2, 0, 1], [1, 1, 0]]
    here, there = apart(rp.OnlineBagging, {"costs": costs})
    with pytest.raises(ValueError, match="costs must be a dict of labels"):
        rp.OnlineBagging.join([here, there])
    pairs = {("yes", "no"): 2.0}
    both = rp.OnlineBagging.join(apart(rp.OnlineBagging, {"costs": pairs}))
    assert both.n_estimators == 5


def test_identifiers_must_be_the_same():
    X, y = rows(1200, 1)
    X["id"] = np.array([f"id{i}" for i in range(1200)])
    with pytest.warns(UserWarning, match="identifier"):
        here = rp.OnlineBagging(n_estimators=2).partial_fit(X, y)
    with pytest.warns(UserWarning, match="identifier"):
        there = rp.OnlineBagging(n_estimators=1, random_state=1).partial_fit(
            {k: X[k] for k in ("id", "b", "a")}, y
        )
    both = rp.OnlineBagging.join([here, there])
    assert to_bytes(from_bytes(to_bytes(both))) == to_bytes(both)
    some = {k: v[:300] for k, v in X.items()}
    few = rp.OnlineBagging(random_state=2).partial_fit(some, y[:300])
    with pytest.raises(ValueError, match="feature 'id' was left out as an identifier"):
        rp.OnlineBagging.join([here, few])
