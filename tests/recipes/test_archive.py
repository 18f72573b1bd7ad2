"""The archive of CVFDT: what was replaced comes back with its concept; the window stays exact."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian import streams
from riparian.adaptation import Window
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.recipes.test_cvfdt import RESTLESS, WINDOW, changes, mixed
from tests.recipes.window_oracle import check_counts, check_everything

SHORT = Window(size=5_000, validity_period=500, test_period=2_000, test_size=300)


def restless(archive):
    """Parameters of a restless tree with an archive of this size."""
    return RESTLESS | {"adaptation": WINDOW.replace(archive=archive)}


def recurring(n=100_000, every=20_000):
    pair = [streams.agrawal(concept=1, seed=1), streams.agrawal(concept=4, seed=2)]
    stream = streams.recurring_drift(pair, every=every)
    X, y = stream.take(n)
    return X, y, [j for j, name in enumerate(stream.names) if name in stream.categories]


def archived(arrays):
    """Number, place and nodes of each subtree in the archive."""
    return arrays["archive"].reshape(-1, 3)


def rows_to_recover(right, every, part=500):
    """From each return of a concept: rows until a part is as good as the best, within 2 points."""
    parts = right.reshape(-1, every // part, part).mean(axis=2)[2:]
    return [(np.flatnonzero(p >= p.max() - 0.02)[0] + 1) * part for p in parts]


def test_a_concept_that_recurs_takes_its_subtree_back():
    X, y, nominal = recurring()
    without, kept = (
        rp.CVFDT(categorical_features=nominal, adaptation=SHORT.replace(archive=size))
        for size in (0, 1)
    )
    right = [model.prequential(X, y) == y for model in (without, kept)]
    assert changes(without)["recalled"] == 0
    assert [c.kind for c in kept.changes()] == ["replaced", "recalled", "recalled", "recalled"]
    first, *back = [c for c in kept.changes() if c.where == "the root"]
    assert (first.before, first.after) == (back[0].after, back[0].before)
    assert all(c.value_after < c.value_before and c.measure == "error" for c in back)
    late, soon = (rows_to_recover(r, 20_000) for r in right)
    assert max(soon) < min(late)
    assert right[1].mean() > right[0].mean() + 0.01
    check_counts(kept)


def test_what_comes_back_has_its_tests_and_their_certificates():
    X, y, nominal = recurring(60_000)
    model = rp.CVFDT(categorical_features=nominal, adaptation=SHORT.replace(archive=1))
    model.partial_fit(X[:20_000], y[:20_000])
    root, n = next(s for s in model.splits() if s.node == 0), model.n_leaves_
    assert n > 2
    model.partial_fit(X[20_000:], y[20_000:])
    assert [c.kind for c in model.changes()] == ["replaced", "recalled"]
    back = next(s for s in model.splits() if s.node == 0)
    assert (back.seen, back.n, back.cut, back.gain) == (root.seen, root.n, root.cut, root.gain)
    seen = [s.seen for s in model.splits()]
    assert seen == sorted(seen)


def test_an_archive_changes_nothing_while_nothing_is_replaced():
    X, y = streams.sea(seed=4).take(30_000)
    window = Window(size=5_000, validity_period=500)
    plain = rp.CVFDT(adaptation=window).partial_fit(X, y)
    kept = rp.CVFDT(adaptation=window.replace(archive=5)).partial_fit(X, y)
    assert plain.n_leaves_ > 2
    a, b = inside.snapshot(plain), inside.snapshot(kept)
    assert not any(a[name].size for name in a if name.startswith("archive"))
    different = {name for name in a if not np.array_equal(a[name], b[name], equal_nan=True)}
    assert different <= {"archived", "trial_from"}
    assert plain.memory_bytes_ == kept.memory_bytes_


@pytest.mark.parametrize(("seed", "leaf"), [(0, "majority"), (1, "adaptive")])
def test_every_node_holds_a_recount_over_the_window_with_an_archive(seed, leaf):
    rng = np.random.default_rng(seed)
    model = rp.HoeffdingTree(leaf=leaf, **restless(4))
    again = rp.HoeffdingTree(leaf=leaf, **restless(4))
    most = 0
    for i in range(96):
        n = int(rng.integers(1, 300))
        weights = rng.choice([1.0, 0.3, 2.0, 0.05], n) if i % 2 else None
        batch = mixed(rng, n, i // 12 % 2 * 2, 3 + i % 5)
        model.partial_fit(*batch, sample_weight=weights)
        for r in range(0, n, 7):
            rows = slice(r, r + 7)
            part = {k: v[rows] for k, v in batch[0].items()}
            w = None if weights is None else weights[rows]
            again.partial_fit(part, batch[1][rows], sample_weight=w)
        again = from_bytes(to_bytes(again))
        assert to_bytes(again) == to_bytes(model)
        most = max(most, len(archived(inside.snapshot(model))))
        if i % 8 == 7:
            check_everything(model)
    assert changes(model)["recalled"] >= 1
    assert 2 <= most <= 4


@pytest.mark.parametrize(("limit", "subtrees"), [(60_000, 2), (300_000, 6)])
def test_an_archive_stays_below_a_limit_and_gives_way_to_it(limit, subtrees):
    rng = np.random.default_rng(7)
    model = rp.HoeffdingTree(max_bytes=limit, **restless(6))
    most = 0
    for i in range(96):
        model.partial_fit(*mixed(rng, 120, i // 12 % 2 * 2, categories=9))
        assert model.memory_bytes_ <= limit
        most = max(most, len(archived(inside.snapshot(model))))
        if i % 12 == 11:
            check_counts(model)
            assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    assert most == subtrees
    assert changes(model)["recalled"] > 0


def test_an_archive_gives_way_to_a_lower_limit():
    rng = np.random.default_rng(7)
    model = rp.HoeffdingTree(max_bytes=150_000, **restless(6))
    for i in range(96):
        model.partial_fit(*mixed(rng, 120, i // 12 % 2 * 2, categories=9))
        before = len(archived(inside.snapshot(model)))
        if before > 3:
            break
    for limit in range(140_000, 20_000, -400):
        try:
            model.set_params(max_bytes=limit).partial_fit(*mixed(rng, 1, 0))
        except ValueError:
            break
        assert model.memory_bytes_ <= limit
        after = len(archived(inside.snapshot(model)))
    assert after < before


def test_an_archive_goes_with_limits_of_depth_and_leaves():
    rng = np.random.default_rng(3)
    model = rp.HoeffdingTree(max_leaves=6, max_depth=2, **restless(3))
    for i in range(96):
        model.partial_fit(*mixed(rng, 150, i // 12 % 2 * 2))
        assert model.n_leaves_ <= 6
        assert model.depth_ <= 2
    assert changes(model)["recalled"] > 0
    check_everything(model)


@pytest.mark.parametrize("size", [-1, 2.5, "many", True, 10_000])
def test_a_size_that_is_none_is_refused(size):
    X, y = streams.sea(seed=1).take(50)
    with pytest.raises(ValueError, match="adaptation__archive must be a whole number from 0 to"):
        rp.CVFDT(adaptation=Window(archive=size)).partial_fit(X, y)


@pytest.fixture(scope="module")
def full():
    """A tree with an archive and its arrays, one of which is on trial again."""
    rng = np.random.default_rng(0)
    model = rp.HoeffdingTree(**restless(4))
    for i in range(200):
        model.partial_fit(*mixed(rng, 60, i // 10 % 2 * 2))
        arrays = inside.snapshot(model)
        if arrays["trial_from"].any() and len(archived(arrays)) > 1:
            return model, arrays
    raise AssertionError("nothing came back")


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("archive", 0, 0),  # number
        ("archive", 0, 10**6),
        ("archive", 1, 10**6),  # place
        ("archive", 1, 2**63),
        ("archive", 2, 0),  # nodes
        ("archive", 2, 2),
        ("archive", 2, 2**62),
        ("archive", 3, 1),  # the number of the second
        ("archived", 0, 1),
        ("archived", 0, 2**63),
        ("archive_places", 0, 0),  # test of the root
        ("archive_places", 0, 9),
        ("archive_places", 0, -1),
        ("archive_places", 1, 0),  # its parent
        ("archive_places", 2, 1),  # its branch
        ("archive_places", 3, 99),  # its feature
        ("archive_places", 3, -1),
        ("archive_places", 4, 10**6),  # its category
        ("archive_places", 5, 0),  # its heavy child
        ("archive_places", 5, 10**6),
        ("archive_places", 7, 1),  # parent of the first child
        ("archive_places", 7, -1),
        ("archive_places", 8, -1),  # branch of the first child
        ("archive_places", 8, 10**6),
        ("archive_thresholds", 0, np.nan),
        ("archive_thresholds", 0, np.inf),
        ("archive_splits", 0, 2**62),  # seen
        ("archive_splits", 1, 0),  # verdict
        ("archive_splits", 1, 2**40),
        ("archive_splits", 2, 1),  # criterion
        ("archive_splits", 3, 200),  # rivals
        ("archive_splits", 4, 2),  # whether the null cut is second
        ("archive_splits", 5, 0),  # pass
        ("archive_splits", 5, 2**33),
        ("archive_evidence", 0, 0.0),
        ("archive_evidence", 0, np.nan),
        ("archive_evidence", 2, np.inf),
        ("archive_evidence", 3, 2.0),
        ("archive_rivals", 0, 9),
        ("archive_rivals", 1, 99),
        ("archive_gains", 1, np.nan),
        ("trial_from", -1, 10**9),
        ("trial_from", 0, 1),
    ],
)
def test_an_archive_that_no_stream_leaves_behind_is_refused(full, name, place, value):
    model, good = full
    arrays = {k: v.copy() for k, v in good.items()}
    inside.restored(model, arrays)
    assert arrays[name][place] != value
    arrays[name][place] = value
    with pytest.raises(ValueError, match=r".+"):
        inside.restored(model, arrays)


ARRAYS = (
    "archive",
    "archived",
    "archive_places",
    "archive_thresholds",
    "archive_splits",
    "archive_evidence",
    "archive_rivals",
    "archive_gains",
    "trial_from",
)


@pytest.mark.parametrize("name", ARRAYS)
def test_an_archive_with_half_of_an_array_is_refused(full, name):
    model, good = full
    for damaged in (good[name][:-1].copy(), np.append(good[name], good[name][-1:])):
        with pytest.raises(ValueError, match=r".+"):
            inside.restored(model, good | {name: damaged})


def test_an_archive_is_refused_where_there_is_none(full):
    model, good = full
    with pytest.raises(ValueError, match=r".+"):
        inside.restored(model, good, **restless(0))
    with pytest.raises(ValueError, match="more subtrees than adaptation__archive"):
        inside.restored(model, good, **restless(1))
    without = {k: v for k, v in good.items() if k not in ARRAYS}
    with pytest.raises(ValueError, match=r".+"):
        inside.restored(model, without)


def test_a_file_from_before_there_were_archives_loads():
    model = rp.HoeffdingTree(**RESTLESS).partial_fit(*mixed(np.random.default_rng(1), 900, 0))
    whole = inside.snapshot(model)
    again = inside.restored(model, {k: v for k, v in whole.items() if k not in ARRAYS}).snapshot()
    for name, array in whole.items():
        np.testing.assert_array_equal(again[name], array, err_msg=name)
