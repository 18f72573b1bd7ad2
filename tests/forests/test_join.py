"""`join`: the members of forests that were learned apart, in one forest."""

from __future__ import annotations

import re

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Alternates, Options
from riparian.storage.modelfile import from_bytes, to_bytes
from riparian.storage.relabelling import relabelled_tree
from tests import inside

MEMBER = rp.HoeffdingTree(grace_period=50, delta=0.01, categorical_cuts="both")
SOFTMAX = rp.HoeffdingTree(grace_period=50, leaf="softmax")
SEVERAL = ("majority", "naive-bayes", "softmax")
CHANGING = rp.HoeffdingTree(
    grace_period=50,
    delta=0.01,
    leaf=SEVERAL,
    adaptation=Alternates(drift_delta=0.05),
    categorical_cuts="both",
)
MIXED = {
    "estimator": MEMBER,
    "replacement": "background",
    "warning": 0.01,
    "drift": 0.001,
    "vote_power": 12,
    "vote_memory": 1000,
    "last_member": rp.StreamTree(),
}
KINDS = [
    (rp.OnlineBagging, {"estimator": MEMBER}),
    (rp.LeveragingBagging, {}),
    (rp.StreamForest, {}),
    (rp.AdaptiveRandomForest, {"estimator": MEMBER, "warning": 0.5, "drift": 0.3}),
    (rp.StreamingRandomPatches, {}),
    (rp.Forest, {"estimator": rp.VFDT(grace_period=50, delta=0.01, leaf="majority")}),
    (rp.Forest, MIXED),
    (rp.OnlineBagging, {"estimator": SOFTMAX}),
    (rp.LeveragingBagging, {"estimator": CHANGING}),
]
IDS = [*("bagging", "leveraging", "stream-forest", "adaptive", "patches", "forest")]
IDS += ["mixed", "softmax", "changing"]


def rows(n, seed, names="abcd"):
    rng = np.random.default_rng(seed)
    a, b, e = rng.normal(size=(3, n))
    c, d = rng.choice(["u", "v", "w", "z"], n), rng.choice(["p", "q"], n)
    y = np.where(a + (c == "u") > 0.3, "yes", np.where(b > 0.5, "no", "maybe"))
    a[rng.random(n) < 0.1] = np.nan
    X = {"a": a, "b": b, "c": c, "d": d, "e": e}
    return {name: X[name] for name in names}, y


def turning(n, seed, names="abcd"):
    """After half of the rows, those of two categories get other labels."""
    rng = np.random.default_rng(seed)
    a, b, e = rng.normal(size=(3, n))
    c, d = rng.choice(["u", "v", "w", "z"], n), rng.choice(["p", "q"], n)
    first = np.where(c == "u", 2, np.where(c == "z", 1, 0)) + (b > 0.3) + (a > 1) * (d == "p")
    turned = (np.arange(n) >= n // 2) & np.isin(c, ["u", "z"])
    y = np.array(["no", "maybe", "yes"])[(first + turned) % 3]
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


@pytest.mark.parametrize(("kind", "parameters"), KINDS, ids=IDS)
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


@pytest.mark.parametrize(("kind", "parameters"), KINDS, ids=IDS)
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


def trees_of(forest):
    """The arrays of each tree."""
    arrays = inside.snapshot(forest)
    return [
        {k.removeprefix(f"tree{t}."): v for k, v in arrays.items() if k.startswith(f"tree{t}.")}
        for t in range(forest.n_estimators)
    ]


def has_changed(trees):
    """Whether there is everything that the adaptation may keep with codes."""
    alternates = [t["test"][t["parent"][t["role"] == 1]] for t in trees]
    changes = np.concatenate([t["change_places"].reshape(-1, 13) for t in trees])
    former = np.concatenate([t.get("former_places", np.empty(0)).reshape(-1, 9) for t in trees])
    return {
        "an alternate of a test of all categories": any((tests == 3).any() for tests in alternates),
        "an alternate of another test": any((tests != 3).any() for tests in alternates),
        "a change below such a test": ((changes[:, 2] == 3) & (changes[:, 1] > 0)).any(),
        "a change of a test of one category": (changes[:, [5, 8]] == 2).any(),
        "a former test of one category": (former[:, 3] == 2).any(),
        "a former runner-up of one category": (former[:, 6] == 2).any(),
    }


def changing(cuts, n, names="dcbae", **how):
    """A forest of trees that change, and the names of what they keep."""
    set_otherwise = {"adaptation": Alternates(drift_delta=0.05, **how), "categorical_cuts": cuts}
    member = rp.HoeffdingTree(**CHANGING.get_params(deep=False) | set_otherwise)
    forest = rp.OnlineBagging(estimator=member, n_estimators=6, random_state=5)
    forest.partial_fit(*turning(n, 2, names))
    return forest, {what for what, there in has_changed(trees_of(forest)).items() if there}


BETTING = {"replace_by": "betting", "switch_delta": 0.5, "switch_after": 100}
CHANGED = [
    (
        "both",
        3000,
        {},
        {"an alternate of a test of all categories", "an alternate of another test"},
    ),
    ("both", 5000, BETTING, {"an alternate of another test", "a change below such a test"}),
    (
        "one-against-rest",
        3000,
        {},
        {
            "an alternate of another test",
            "a change of a test of one category",
            "a former test of one category",
            "a former runner-up of one category",
        },
    ),
]


@pytest.mark.parametrize(("cuts", "n", "how", "expected"), CHANGED)
def test_changes_and_former_splits_keep_their_names(cuts, n, how, expected):
    there, found = changing(cuts, n, **how)
    assert found == expected
    here = rp.OnlineBagging(estimator=there.estimator, n_estimators=1)
    here.partial_fit(*turning(3000, 3))
    # Each knows another category first.
    assert turning(3000, 3)[0]["c"][0] != turning(n, 2)[0]["c"][0]
    both = rp.OnlineBagging.join([here, there])
    assert_same_votes(
        [a + b for a, b in zip(votes(here, names="abcd"), votes(there), strict=True)], votes(both)
    )
    trees = here.estimators_ + there.estimators_
    for joined, own in zip(both.estimators_, trees, strict=True):
        assert [str(c) for c in joined.changes()] == [str(c) for c in own.changes()]
        splits = joined.splits(history=True), own.splits(history=True)
        assert [str(s) for s in splits[0]] == [str(s) for s in splits[1]]
        assert [str(s.runner_up) for s in splits[0]] == [str(s.runner_up) for s in splits[1]]


def test_softmax_leaves_may_know_fewer_categories():
    here = rp.OnlineBagging(estimator=SOFTMAX, n_estimators=1).partial_fit(*rows(800, 1))
    X, y = rows(3000, 2, "dcbae")
    some = np.isin(X["c"], ["w", "z"])
    there = rp.OnlineBagging(estimator=SOFTMAX, n_estimators=2, random_state=5)
    there.partial_fit({name: values[some] for name, values in X.items()}, y[some])
    both = rp.OnlineBagging.join([here, there])
    assert_same_votes(
        [a + b for a, b in zip(votes(here, names="abcd"), votes(there), strict=True)], votes(both)
    )


@pytest.mark.parametrize("labels", [["maybe", "no"], ["maybe"]])
def test_softmax_leaves_give_an_unknown_class_an_output_of_zero(labels):
    """As they do in a stream, from its first row on."""
    here = rp.OnlineBagging(estimator=SOFTMAX, n_estimators=1).partial_fit(*rows(800, 1))
    assert here.classes_[0] == "yes"
    X, y = rows(3000, 2, "dcbae")
    some = np.isin(y, labels)
    there = rp.OnlineBagging(estimator=SOFTMAX, n_estimators=1, random_state=5)
    there.partial_fit({name: values[some] for name, values in X.items()}, y[some])
    both = rp.OnlineBagging.join([here, there])
    for expected, found in zip(votes(there), votes(both), strict=True):
        own, joined = expected[0].probabilities, found[1].probabilities
        assert 0 < joined["yes"] < 1
        for label, share in own.items():
            assert joined[label] == pytest.approx(share * (1 - joined["yes"]), abs=1e-12)
        if len(labels) == 1:
            assert joined["yes"] == 0.5
    assert to_bytes(from_bytes(to_bytes(both))) == to_bytes(both)
    both.partial_fit(*rows(500, 7, "abcde"))


def test_the_last_member_goes_on_as_it_would_apart():
    """It learns each row once, without a drawn weight."""
    here = rp.Forest(**MIXED, n_estimators=1, random_state=3).partial_fit(*turning(2000, 1))
    there = rp.Forest(**MIXED, n_estimators=2).partial_fit(*turning(4000, 2, "dcbae"))
    last = trees_of(there)[-1]
    assert last["role"].any()
    assert last["unit_sizes"].any()
    both = rp.Forest.join([here, there])
    for forest in (there, both):
        forest.partial_fit(*turning(4000, 4, "abcde"))
    own, joined = there.estimators_[-1], both.estimators_[-1]
    assert [str(c) for c in joined.changes()] == [str(c) for c in own.changes()] != []
    assert [str(s) for s in joined.splits()] == [str(s) for s in own.splits()]
    for expected, found in zip(votes(there), votes(both), strict=True):
        for label, share in expected[-1].probabilities.items():
            assert found[-1].probabilities[label] == pytest.approx(share, abs=1e-9)


ADAPTIVE = {"estimator": MEMBER}


@pytest.mark.parametrize(
    "forest",
    [
        lambda: rp.AdaptiveRandomForest(**ADAPTIVE, n_estimators=1).partial_fit(*rows(3000, 1)),
        lambda: rp.OnlineBagging(estimator=SOFTMAX, n_estimators=1).partial_fit(*rows(3000, 1)),
        *(lambda c=c: changing(c[0], c[1], "abcd", **c[2])[0] for c in CHANGED),
    ],
)
def test_codes_go_there_and_back(forest):
    features, classes = [2, 0, 3, 1], [1, 2, 0]
    categories = [[], [], [3, 1, 0, 2], [1, 0]]
    for tree in trees_of(forest()):
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
        assert not len(tree["units"]) or not np.array_equal(moved["units"], tree["units"])
        if len(tree["role"]):
            # An alternate has no branch.
            assert not moved["branch"][moved["role"] == 1].any()


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


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"leaf": "linear-units"}, "leaf='linear-units'"),
        ({"leaf": ("softmax", "linear-units")}, "leaf='linear-units'"),
        ({"adaptation": Options()}, "adaptation='options'"),
        ({"adaptation": "reevaluation"}, "adaptation='reevaluation'"),
        ({"short_memory": 100}, "short_memory"),
    ],
)
def test_states_that_have_no_codes_are_refused_by_name(parameters, why):
    member = rp.HoeffdingTree(grace_period=50, **parameters)
    with pytest.raises(ValueError, match=rf"forests\[1\] knows names .* because of {why}"):
        rp.OnlineBagging.join(apart(rp.OnlineBagging, {"estimator": member}))


def test_a_last_member_that_has_no_codes_is_refused_by_name():
    member = rp.HoeffdingTree(leaf="linear-units")
    with pytest.raises(ValueError, match=r"forests\[1\] .* because of leaf='linear-units'"):
        rp.Forest.join(apart(rp.Forest, {"last_member": member}))


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
