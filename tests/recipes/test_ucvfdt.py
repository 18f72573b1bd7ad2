"""UCVFDT: a window of uncertain examples is exact at every node, and bytes are what they were."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian import ModelFileError, Uncertain
from riparian.adaptation import Window
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.recipes import fractional_oracle, test_cvfdt, window_oracle
from tests.recipes.test_cvfdt import changes, follows_a_swap

WINDOW = test_cvfdt.WINDOW.replace(size=300)
RESTLESS = test_cvfdt.RESTLESS | {"adaptation": WINDOW}


def mixed(rng, n, phase, *, share=0.5, categories=4):
    """Words and numbers, some missing, many uncertain; two features say the class by turns."""
    a, c = rng.integers(0, categories, n), rng.integers(0, 4, n)
    x, z = rng.normal(size=n), rng.normal(size=n)
    tells = [a % 2, c % 2, (x > 0).astype(int), (z > 0.2).astype(int)]
    noise = rng.random(n) < 0.1
    y = np.where(noise, rng.integers(0, 3, n), tells[phase % 4] + tells[(phase + 1) % 4])
    X = {name: np.empty(n, dtype=object) for name in "acxz"}
    for i in range(n):
        X["a"][i] = None if rng.random() < 0.02 else f"a{a[i]}"
        X["c"][i] = f"c{c[i]}"
        X["x"][i] = None if rng.random() < 0.03 else x[i]
        X["z"][i] = z[i]
        if rng.random() < share:
            X["a"][i] = Uncertain.categories({f"a{a[i]}": 0.7, f"a{(a[i] + 1) % categories}": 0.3})
        if rng.random() < share:
            X["c"][i] = Uncertain.categories({f"c{c[i]}": 0.55, f"c{c[i] // 2}x": 0.45})
        if rng.random() < share:
            X["x"][i] = [
                Uncertain.interval(x[i] - 0.4, x[i] + 0.2),
                Uncertain.values([x[i], x[i] + 0.7, x[i] - 0.3], weights=[4, 1, 2]),
            ][int(rng.integers(2))]
        if rng.random() < share:
            X["z"][i] = [
                Uncertain.normal(z[i], 0.2),
                Uncertain.normal(z[i], 0.4, lo=z[i] - 0.5, hi=z[i] + 1.0),
            ][int(rng.integers(2))]
    return X, y


# -- the window is exact --------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "leaf"), [(0, "majority"), (1, "adaptive")])
def test_every_node_holds_what_a_fractional_recount_over_the_window_gives(seed, leaf):
    rng = np.random.default_rng(seed)
    model = rp.HoeffdingTree(leaf=leaf, **RESTLESS)
    for i in range(30):
        n = int(rng.integers(1, 200))
        weights = rng.choice([1.0, 0.3, 2.0, 0.05], n) if i % 2 else None
        model.partial_fit(*mixed(rng, n, i // 5, categories=3 + i % 5), sample_weight=weights)
        if i % 5 == 4:
            fractional_oracle.check_everything(model)
    assert changes(model)["replaced"] >= 2
    assert changes(model)["started"] >= 5


@pytest.mark.parametrize(
    ("leaf", "share"), [("majority", 0.2), ("adaptive", 0.2), ("majority", 0.5)]
)
def test_subtrees_that_come_back_from_the_archive_hold_what_a_recount_gives(leaf, share):
    """They learn the window again when they come back, distributions and weights included."""
    rng = np.random.default_rng(5)
    archiving = RESTLESS | {"adaptation": WINDOW.replace(archive=5)}
    model = rp.HoeffdingTree(max_depth=2, leaf=leaf, **archiving)
    recalled = 0
    for i in range(24):
        X, y = mixed(rng, 300, i // 3 % 2 * 2, share=share)
        model.partial_fit(X, y, sample_weight=rng.choice([1.0, 0.3, 2.0], 300) if i % 2 else None)
        came_back = changes(model)["recalled"] > recalled
        recalled = changes(model)["recalled"]
        if came_back or i % 4 == 3:
            fractional_oracle.check_everything(model)
            assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    assert recalled > 0


@pytest.mark.parametrize("one_against_rest", [False, True])
def test_what_was_uncertain_leaves_nothing_behind(one_against_rest):
    rng = np.random.default_rng(3)
    cuts = {"categorical_cuts": "one-against-rest"} if one_against_rest else {}
    model = rp.HoeffdingTree(**RESTLESS, **cuts)
    for i in range(6):
        model.partial_fit(*mixed(rng, 300, i // 2, share=0.8))
        assert not fractional_oracle.is_all_certain(model)
        model.partial_fit(*mixed(rng, 300, i // 2, share=0.0))
        assert fractional_oracle.is_all_certain(model)
        # Exact counts and category counts at every node, moments up to rounding.
        window_oracle.check_everything(model)
    assert changes(model)["replaced"] >= 1


def test_the_window_is_exact_where_features_and_classes_come_late():
    rng = np.random.default_rng(5)
    model = rp.HoeffdingTree(**RESTLESS)
    for i in range(8):
        X, y = mixed(rng, 150, i // 3)
        if i < 3:
            del X["z"], X["a"]
            y = np.minimum(y, 1)
        model.partial_fit(X, y)
        fractional_oracle.check_everything(model)


@pytest.mark.parametrize("limit", [65_000, 80_000, 120_000])
def test_counts_are_exact_where_statistics_come_and_go(limit):
    rng = np.random.default_rng(7)
    eager = {"grace_period": 10, "delta": 0.5, "tau": 1.0}
    model = rp.HoeffdingTree(max_bytes=limit, **{**RESTLESS, **eager})
    inactive = 0
    for i in range(24):
        model.partial_fit(*mixed(rng, 80, i // 6, categories=9, share=0.1))
        assert model.memory_bytes_ <= limit
        inactive += int(inside.snapshot(model)["inactive"].sum())
        if i % 6 == 5:
            fractional_oracle.check_counts(model)
            assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    assert inactive > 0


# -- bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [None, 100_000])
def test_batches_of_any_size_and_files_in_between_give_the_same_bytes(limit):
    rng = np.random.default_rng(4)
    blocks = [mixed(rng, 100, i // 4) for i in range(12)]
    X = {name: np.concatenate([b[0][name] for b in blocks]) for name in blocks[0][0]}
    y = np.concatenate([b[1] for b in blocks])
    found = set()
    for size in (1, 7, 1_200):
        model = rp.HoeffdingTree(max_bytes=limit, **RESTLESS)
        for i in range(0, len(y), size):
            model.partial_fit({f: v[i : i + size] for f, v in X.items()}, y[i : i + size])
            if size == 7 and i % 70 == 0:
                model = from_bytes(to_bytes(model))
        found.add(to_bytes(model))
    one = rp.HoeffdingTree(max_bytes=limit, **RESTLESS)
    for i, label in enumerate(y.tolist()):
        one.learn_one({f: v[i] for f, v in X.items()}, label)
    asked = rp.HoeffdingTree(max_bytes=limit, **RESTLESS)
    asked.prequential(X, y)
    assert len({*found, to_bytes(one), to_bytes(asked)}) == 1
    assert changes(one)["started"] > 0


def degenerate(X):
    out = {name: column.copy() for name, column in X.items()}
    for column in out.values():
        for i, x in enumerate(column):
            if isinstance(x, str):
                column[i] = Uncertain.categories({x: 1.0})
            elif isinstance(x, float):
                column[i] = [Uncertain.interval(x, x), Uncertain.values([x]), x][i % 3]
    return out


def test_degenerate_values_give_the_bytes_of_cvfdt():
    rng = np.random.default_rng(9)
    ours, theirs = rp.UCVFDT(**RESTLESS), rp.CVFDT(**RESTLESS)
    for i in range(15):
        X, y = mixed(rng, 200, i // 3, share=0.0)
        ours.partial_fit(degenerate(X), y)
        theirs.partial_fit(X, y)
    assert changes(ours)["replaced"] > 0
    a, b = inside.snapshot(ours), inside.snapshot(theirs)
    assert all(a[name].tobytes() == b[name].tobytes() for name in a)
    np.testing.assert_array_equal(ours.predict_proba(degenerate(X)), theirs.predict_proba(X))


# -- it follows change ----------------------------------------------------------------------------


def swapped(rng, n, which):
    """Two nominal features, each given with probability 0.8; one of them decides the class."""
    bits = rng.integers(0, 2, size=(n, 4))
    y = np.where(rng.random(n) < 0.05, 1 - bits[:, which], bits[:, which])
    X = {f"f{j}": np.empty(n, dtype=object) for j in range(4)}
    for j in range(4):
        for i in range(n):
            name, other = ("yes", "no") if bits[i, j] else ("no", "yes")
            X[f"f{j}"][i] = Uncertain.categories({name: 0.8, other: 0.2})
    return X, y


def test_two_uncertain_features_that_swap_roles_are_followed():
    rng = np.random.default_rng(2)
    model = rp.UCVFDT(
        adaptation=Window(size=2_000, validity_period=500, test_period=800, test_size=200),
        max_depth=1,
        leaf="majority",
    )
    follows_a_swap(model, lambda n, which: swapped(rng, n, which), 4_000, 5_000)
    X, y = swapped(rng, 500, 1)
    assert np.mean(model.predict(X) == y) > 0.9


def test_a_part_counts_in_the_tests_of_a_subtree_by_its_share():
    # The tests of an alternate are made with weights, those of parts included.
    rng = np.random.default_rng(0)
    model = rp.HoeffdingTree(**RESTLESS)
    for i in range(30):
        model.partial_fit(*mixed(rng, 100, i // 5))
        a = inside.snapshot(model)
        trials = a["trials"].reshape(-1, 6)
        assert np.all(trials[:, :5] % fractional_oracle.STEP == 0.0)
        assert np.all(trials[:, 2] <= trials[:, 1])
        assert np.all(trials[:, 4] <= trials[:, 3])


# -- files ----------------------------------------------------------------------------------------


def learned():
    rng = np.random.default_rng(1)
    model = rp.HoeffdingTree(**RESTLESS)
    for i in range(5):
        model.partial_fit(*mixed(rng, 150, i // 2))
    return model


def restore(model, arrays):
    return inside.restored(model, arrays)


def first_of(numbers, kind):
    """Where the first distribution of a kind begins, at its feature."""
    at = 0
    while True:
        n, at = int(numbers[at]), at + 1
        for _ in range(n):
            found = int(numbers[at + 1])
            if found == kind:
                return at
            at += {0: 4, 1: 6}.get(found) or 3 + 2 * int(numbers[at + 2])


@pytest.mark.parametrize("value", [np.nan, -1.0, 0.5, 1e300, np.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("kind", range(4))
def test_distributions_that_no_stream_leaves_behind_are_refused(kind, place, value):
    model = learned()
    arrays = {k: v.copy() for k, v in inside.snapshot(model).items()}
    restore(model, arrays)
    at = first_of(arrays["window_numbers"], kind)
    if place == 2 and kind < 2 and value in (-1.0, 0.5, np.inf):
        value = 1e308  # a bound may well be there
    arrays["window_numbers"][at + place] = value
    with pytest.raises(ValueError, match=r".+"):
        restore(model, arrays)


@pytest.mark.parametrize(
    ("kind", "place", "value"),
    [
        (0, 3, -9.0),
        (1, 3, -np.inf),
        (1, 5, 0.0),
        (1, 5, -1.0),
        (2, 4, -0.1),
        (2, 4, 0.9),
        (2, 3, 77.0),
        (3, 3, 77.0),
        (3, 3, 1.5),
        (3, 4, 0.9),
        (3, 4, 0.0),
        (1, 4, np.nan),
        (1, 4, 1e300),
    ],
)
def test_impossible_numbers_in_a_distribution_are_refused(kind, place, value):
    model = learned()
    arrays = {k: v.copy() for k, v in inside.snapshot(model).items()}
    at = first_of(arrays["window_numbers"], kind)
    arrays["window_numbers"][at + place] = value
    with pytest.raises(ValueError, match=r".+"):
        restore(model, arrays)


@pytest.mark.parametrize("name", ["window_uncertain", "window_numbers"])
def test_arrays_of_another_length_are_refused(name):
    model = learned()
    for change in (lambda v: v[:-1], lambda v: np.append(v, v[:1]), lambda v: v[:0]):
        arrays = {k: v.copy() for k, v in inside.snapshot(model).items()}
        arrays[name] = change(arrays[name])
        with pytest.raises(ValueError, match=r".+"):
            restore(model, arrays)


def test_a_file_that_says_a_certain_row_is_uncertain_is_refused():
    model = learned()
    arrays = {k: v.copy() for k, v in inside.snapshot(model).items()}
    arrays["window_uncertain"][:] ^= 1
    with pytest.raises(ValueError, match=r".+"):
        restore(model, arrays)


def test_a_damaged_file_is_refused():
    data = bytearray(to_bytes(learned()))
    data[-200] ^= 1
    with pytest.raises(ModelFileError):
        from_bytes(bytes(data))


# -- memory ---------------------------------------------------------------------------------------


def test_under_a_limit_uncertain_examples_take_the_room_of_certain_ones():
    rng = np.random.default_rng(0)
    held = []
    for share in (0.0, 1.0):
        long = RESTLESS | {"adaptation": WINDOW.replace(size=5_000)}
        model = rp.HoeffdingTree(**long, max_bytes=200_000)
        for _ in range(8):
            model.partial_fit(*mixed(rng, 100, 0, share=share))
            assert model.memory_bytes_ <= 200_000
        held.append(inside.snapshot(model)["window_labels"].size)
    assert held[1] < 0.5 * held[0]
    # Each distribution takes four to nine numbers, and four of them make an example.
    assert held[1] > 200_000 / 4 / (4 * 9 * 8 + 70)


def test_an_example_too_large_for_the_limit_is_refused_and_changes_nothing():
    rng = np.random.default_rng(0)
    model = rp.HoeffdingTree(**RESTLESS, max_bytes=60_000)
    model.partial_fit(*mixed(rng, 200, 0))
    before = to_bytes(model)
    X, y = mixed(rng, 3, 0)
    X["x"][1] = Uncertain.values(range(3_000))
    with pytest.raises(ValueError, match="max_bytes"):
        model.partial_fit(X, y)
    assert to_bytes(model) == before
    X["x"][1] = Uncertain.values(range(30))
    model.partial_fit(X, y)
    fractional_oracle.check_counts(model)


def test_the_limit_can_be_lowered_and_raised():
    rng = np.random.default_rng(6)
    long = RESTLESS | {"adaptation": WINDOW.replace(size=3_000)}
    model = rp.HoeffdingTree(**long, max_bytes=300_000)
    model.partial_fit(*mixed(rng, 900, 0))
    for limit in (100_000, 400_000, 80_000, None):
        model.set_params(max_bytes=limit)
        model.partial_fit(*mixed(rng, 200, 1))
        assert limit is None or model.memory_bytes_ <= limit
        fractional_oracle.check_counts(model)
        assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
