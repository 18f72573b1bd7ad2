"""The algebra: summaries, merges, and what their tree makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riparian as rp
from riparian.cluster.message import pack, pack_arrays, unpack_arrays
from riparian.cluster.shards import check_shards, groups, merged
from riparian.cluster.summary import Summary, absorb, check_mergeable
from riparian.errors import ModelFileError
from riparian.storage.modelfile import freeze, from_bytes, to_bytes
from tests import inside
from tests.cluster.parts import digest, part, stream

LEAVES = ["majority", "naive-bayes"]


def just_split(model, columns, y):
    """Learn rows until the leaves are those of a new split, which have learned nothing."""
    at = 0
    leaves = 1
    while at < len(y):
        model.partial_fit(part(columns, at, at + 1), y[at : at + 1])
        at += 1
        if model.n_leaves_ > leaves:
            return at
    raise AssertionError("no split")


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("cuts", ["multiway", "one-against-rest"])
def test_one_shard_and_one_round_are_the_sequential_tree_without_checks(leaf, cuts):
    columns, y = stream(3000, 1)
    model = rp.HoeffdingTree(leaf=leaf, categorical_cuts=cuts, grace_period=100)
    at = just_split(model, columns, y)
    twin = from_bytes(to_bytes(model))
    # No leaf is due: a check would be the 100th row of a leaf.
    for stop in (at + 30, at + 60, at + 95):
        one, other = from_bytes(to_bytes(model)), from_bytes(to_bytes(twin))
        summary = Summary(one)
        summary.learn(part(columns, at, stop), y[at:stop])
        absorb(one, summary)
        other.partial_fit(part(columns, at, stop), y[at:stop])
        assert to_bytes(one) == to_bytes(other)


def test_names_that_come_in_the_middle_are_those_of_the_sequential_tree():
    columns, y = stream(3000, 2)
    for leaf in LEAVES:
        one = rp.HoeffdingTree(leaf=leaf, grace_period=10_000)
        one.partial_fit(part(columns, 0, 1), y[:1])
        other = from_bytes(to_bytes(one))
        low, high = Summary(one), Summary(one)
        low.learn(part(columns, 1, 1400), y[1:1400])
        high.learn(part(columns, 1400, 3000), y[1400:])
        low.merge(high)
        absorb(one, low)
        other.partial_fit(part(columns, 1, 3000), y[1:])
        assert one.classes_.tolist() == other.classes_.tolist()
        assert [f.codes for f in inside.features(one)] == [f.codes for f in inside.features(other)]
        assert one.n_seen_ == other.n_seen_ == 3000
        ours, theirs = inside.snapshot(one), inside.snapshot(other)
        for name, values in theirs.items():
            # The root learned one row before, so that even one summary is merged into it.
            np.testing.assert_allclose(ours[name], values, rtol=1e-9, atol=1e-9, err_msg=name)


def test_two_shards_that_meet_the_same_names_in_another_order():
    model = rp.HoeffdingTree(leaf="majority")
    model.partial_fit({"a": [1.0], "c": ["x"]}, ["n"])
    low, high = Summary(model), Summary(model)
    low.learn({"a": [2.0, 3.0], "c": ["z", "y"], "p": [1.0, 2.0]}, ["u", "v"])
    rows = {"a": [np.nan] * 3, "c": ["y", "z", "w"], "q": ["t"] * 3, "p": [3.0, 4.0, 5.0]}
    high.learn(rows, ["v", "u", "w"])
    low.merge(high)
    absorb(model, low)
    schema = inside.schema(model)
    assert schema.classes == ["n", "u", "v", "w"]
    assert [f.name for f in schema.features] == ["a", "c", "p", "q"]
    assert list(schema.features[1].codes) == ["x", "z", "y", "w"]
    other = rp.HoeffdingTree(leaf="majority")
    other.partial_fit({"a": [1.0], "c": ["x"]}, ["n"])
    other.partial_fit({"a": [2.0, 3.0], "c": ["z", "y"], "p": [1.0, 2.0]}, ["u", "v"])
    last = {"a": [np.nan] * 3, "c": ["y", "z", "w"], "p": [3.0, 4.0, 5.0], "q": ["t"] * 3}
    other.partial_fit(last, ["v", "u", "w"])
    ours, theirs = inside.snapshot(model), inside.snapshot(other)
    for name, values in theirs.items():
        np.testing.assert_allclose(ours[name], values, rtol=1e-12, err_msg=name)


def test_a_feature_of_another_kind_is_refused_by_name():
    model = rp.HoeffdingTree()
    model.partial_fit({"a": [1.0]}, ["n"])
    low, high = Summary(model), Summary(model)
    low.learn({"a": [1.0], "new": [2.0]}, ["n"])
    high.learn({"a": [1.0], "new": ["two"]}, ["n"])
    with pytest.raises(ValueError, match="feature 'new' is numeric in one shard and categorical"):
        low.merge(high)


def test_checks_of_a_round_count_costs():
    rng = np.random.default_rng(1)
    n = 600
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 1] + 0.5 * rng.normal(size=n) > 0.8, "yes", "no")
    costs = {("no", "yes"): 5.0, ("yes", "no"): 1.0}
    one, two = (
        rp.HoeffdingTree(leaf="majority", impurity="loss", costs=costs, grace_period=n, tau=1.0)
        for _ in range(2)
    )
    one.partial_fit(X, y)
    two.partial_fit(X[:1], y[:1])
    summary = Summary(two)
    summary.learn(X[1:], y[1:])
    absorb(two, summary)
    (ours,), (theirs,) = two.splits(), one.splits()
    assert ours.feature == theirs.feature == "x1"
    assert ours.gain == pytest.approx(theirs.gain, rel=1e-9)


def test_an_empty_summary_changes_nothing():
    columns, y = stream(2000, 3)
    model = rp.VFDT(grace_period=100)
    model.partial_fit(part(columns, 0, 1000), y[:1000])
    full = Summary(model)
    full.learn(part(columns, 1000, 1500), y[1000:1500])
    data = full.to_bytes()
    full.merge(Summary(model))
    assert full.to_bytes() == data
    empty = Summary(model)
    empty.merge(Summary.from_bytes(model, data))
    assert empty.to_bytes() == data


@pytest.mark.parametrize("leaf", ["majority", "adaptive"])
def test_a_summary_through_bytes_is_the_same(leaf):
    columns, y = stream(3000, 4)
    model = rp.VFDT(leaf=leaf, grace_period=100)
    model.partial_fit(part(columns, 0, 1500), y[:1500])
    assert model.n_leaves_ > 3
    summary = Summary(model)
    summary.learn(part(columns, 1500, 3000), y[1500:])
    again = Summary.from_bytes(model, summary.to_bytes())
    assert again.to_bytes() == summary.to_bytes()
    twin = from_bytes(to_bytes(model))
    absorb(model, summary)
    absorb(twin, again)
    assert digest(model) == digest(twin)
    assert model.n_seen_ == 3000


def test_predictions_are_those_of_the_tree_before_the_round():
    columns, y = stream(3000, 5)
    model = rp.VFDT(leaf="adaptive", grace_period=100)
    model.partial_fit(part(columns, 0, 1500), y[:1500])
    twin = from_bytes(to_bytes(model))
    summary = Summary(model)
    true, predicted = summary.learn(part(columns, 1500, 3000), y[1500:])
    classes = np.array(summary.schema.classes, dtype=object)
    assert classes[true].tolist() == y[1500:].tolist()
    expected = twin.predict(part(columns, 1500, 3000))
    assert (classes[predicted] == expected).mean() > 0.99  # a new category has a leaf of its own
    assert digest(model) == digest(twin)  # it has not changed


def test_rounds_of_one_row_make_the_splits_of_the_sequential_tree():
    columns, y = stream(1500, 9)
    one = rp.VFDT(leaf="majority", grace_period=60, delta=0.01)
    one.partial_fit(part(columns, 0, 1), y[:1])
    other = from_bytes(to_bytes(one))
    for i in range(1, len(y)):
        summary = Summary(one)
        summary.learn(part(columns, i, i + 1), y[i : i + 1])
        absorb(one, summary)
    for i in range(1, len(y)):
        other.partial_fit(part(columns, i, i + 1), y[i : i + 1])
    ours, theirs = one.splits(), other.splits()
    assert len(ours) == len(theirs) > 2
    for mine, its in zip(ours, theirs, strict=True):
        assert (mine.seen, mine.node, mine.feature) == (its.seen, its.node, its.feature)
    found, expected = inside.snapshot(one), inside.snapshot(other)
    np.testing.assert_allclose(found["threshold"], expected["threshold"], rtol=1e-9)
    assert found["parent"].tolist() == expected["parent"].tolist()


def test_correct_predictions_of_both_predictors_are_added():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=2000) > 0, 1, 0)
    model = rp.VFDT(leaf="adaptive", grace_period=10_000)
    model.partial_fit(X[:500], y[:500])
    before = {k: inside.snapshot(model)[k][0] for k in ("right_majority", "right_bayes")}
    majority = from_bytes(to_bytes(model))
    summary = Summary(model)
    summary.learn(X[500:], y[500:])
    absorb(model, summary)
    after = inside.snapshot(model)
    most = np.bincount(y[:500]).argmax()
    assert after["right_majority"][0] - before["right_majority"] == (y[500:] == most).sum()
    bayes = rp.VFDT(leaf="naive-bayes", grace_period=10_000).partial_fit(X[:500], y[:500])
    right = (bayes.predict(X[500:]) == y[500:]).sum()
    assert after["right_bayes"][0] - before["right_bayes"] == right
    assert majority.n_leaves_ == 1


def test_weights_count_and_rows_of_weight_0_do_not():
    model = rp.HoeffdingTree()
    model.partial_fit([[1.0]], [0])
    summary = Summary(model)
    summary.learn([[2.0], [3.0], [4.0]], [0, 1, 1], [2.0, 0.0, 0.5])
    absorb(model, summary)
    assert model.n_seen_ == 3
    assert inside.snapshot(model)["weight"].tolist() == [3.5]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (rp.StreamForest(), "not one tree"),
        (rp.HAT(), "adaptation='alternates'"),
        (rp.CVFDT(), "adaptation='window'"),
        (rp.EFDT(), "adaptation='reevaluation'"),
        (rp.HoeffdingTree(leaf="softmax"), "leaf='softmax'"),
        (rp.HoeffdingTree(statistics="intervals"), "statistics='intervals'"),
        (rp.HoeffdingTree(statistics="exhaustive"), "statistics='exhaustive'"),
        (rp.CertifiedTree(), "bound='betting'"),
        (rp.HoeffdingTree(short_memory=100), "short_memory"),
        (rp.HoeffdingTree(max_leaves=10), "max_leaves"),
        (rp.HoeffdingTree(max_bytes=1_000_000), "max_bytes"),
        (rp.HoeffdingTree(drop_poor_features=True, leaf="majority"), "drop_poor_features"),
        (rp.HoeffdingTree(impurity=lambda p: 1 - (p**2).sum(-1)), "a function of yours"),
    ],
)
def test_what_cannot_be_merged_is_refused_by_name(model, name):
    with pytest.raises(ValueError, match=f"cannot be learned by several workers.*{name}"):
        check_mergeable(model)


@pytest.mark.parametrize("model", [rp.VFDT(), rp.HoeffdingTree(leaf="adaptive"), rp.MDT()])
def test_what_can_be_merged_is_not_refused(model):
    check_mergeable(model)


# -- the fixed tree ---------------------------------------------------------------------------


@given(st.integers(0, 5), st.integers(1, 40), st.sets(st.integers(0, 31)))
def test_subtrees_merge_as_the_whole_tree(log, workers, present):
    shards = 2**log
    parts = {s: f"{s}" for s in present if s < shards}

    def merge(low, high):
        return f"({low} {high})"

    whole = merged(parts, 0, shards, merge)
    ranges = groups(shards, workers)
    assert len(ranges) >= min(workers, shards)
    assert [first for first, _ in ranges][1:] == [end for _, end in ranges][:-1]
    mine = {first: merged(parts, first, end, merge) for first, end in ranges}
    mine = {first: part for first, part in mine.items() if part is not None}
    assert merged(mine, 0, shards, merge) == whole


@pytest.mark.parametrize("shards", [0, 3, 2048, -2, True, 2.0])
def test_wrong_numbers_of_shards_are_refused(shards):
    with pytest.raises(ValueError, match="power of two"):
        check_shards(shards)


# -- hostile bytes ----------------------------------------------------------------------------


def small_summary():
    columns, y = stream(600, 7)
    model = rp.VFDT(grace_period=50)
    model.partial_fit(part(columns, 0, 300), y[:300])
    summary = Summary(model)
    summary.learn(part(columns, 300, 600), y[300:])
    return model, summary


def test_damaged_bytes_are_refused():
    model, summary = small_summary()
    data = summary.to_bytes()
    for at in range(0, len(data), max(1, len(data) // 50)):
        with pytest.raises(ModelFileError):
            Summary.from_bytes(model, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    frozen = freeze(model)
    for other, why in (
        (pack_arrays(frozen.header, frozen.arrays), "not a summary"),
        (to_bytes(model), "no header"),
        (pack({"arrays": [["x", "<f8", [2]]]}, bytes(8)), "other arrays"),
        (pack({"arrays": [["x", "<f8", [1]]]}, bytes(16)), "other arrays"),
        (pack({"arrays": [["x", "<f8", [-1]]]}, bytes(8)), "impossible array"),
        (pack({"arrays": [["x", "O", [1]]]}, bytes(8)), "impossible array"),
        (pack({"arrays": [["x", "<f8", [1 << 70, 0]]]}, b""), "no arrays"),
        (pack({"arrays": [["x", "<f8"]]}, b""), "no arrays"),
        (pack({"arrays": []}), "no arrays"),
    ):
        with pytest.raises(ModelFileError, match=why):
            Summary.from_bytes(model, other)
    with pytest.raises(ModelFileError):
        from_bytes(data)


_MODEL, _SUMMARY = None, None


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_hostile_arrays_are_refused_or_harmless(data):

    global _MODEL, _SUMMARY
    if _MODEL is None:
        _MODEL, summary = small_summary()
        _SUMMARY = summary.to_bytes()
    header, arrays = unpack_arrays(_SUMMARY)
    name = data.draw(st.sampled_from(sorted(arrays)))
    values = arrays[name].copy()
    how = data.draw(st.sampled_from(["change", "cut", "longer", "gone"]))
    if how == "change" and len(values):
        at = data.draw(st.integers(0, len(values) - 1))
        extreme: list[float] = [0, 1, 2, 255] if values.dtype == np.uint8 else [0, 1, 7, 2**31 - 1]
        if values.dtype == np.float64:
            extreme = [0.0, -1.0, 1e300, np.inf, np.nan, 0.5]
        values[at] = data.draw(st.sampled_from(extreme))
    elif how == "cut":
        values = values[: data.draw(st.integers(0, len(values)))]
    elif how == "longer":
        values = np.concatenate([values, values[:1], np.zeros(1, values.dtype)])
    arrays[name] = values
    if how == "gone":
        del arrays[name]
    twin = from_bytes(to_bytes(_MODEL))
    try:
        found = Summary.from_bytes(twin, pack_arrays(header, arrays))
        absorb(twin, found)
    except (ModelFileError, ValueError):
        return
    # What passes is a summary that some rows could have made.
    from_bytes(to_bytes(twin))


def test_a_summary_of_another_tree_is_refused():
    model, summary = small_summary()
    columns, y = stream(900, 8)
    other = rp.VFDT(grace_period=50)
    other.partial_fit(part(columns, 0, 900), y[:900])
    before = digest(other)
    with pytest.raises(ValueError, match=r"not one of this tree|not those of its tree"):
        absorb(other, Summary.from_bytes(model, summary.to_bytes()))
    assert digest(other) == before
