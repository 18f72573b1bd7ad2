"""The certificates of splits that a tree no longer has."""

import dataclasses

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Alternates, Options, Reevaluation, Window
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside

GROWTH = {"grace_period": 40, "delta": 0.01, "tau": 0.2}
MODELS = {
    "HAT": lambda: rp.HAT(adaptation=Alternates(switch_after=60, drift_delta=0.05), **GROWTH),
    "HAT, betting bound": lambda: rp.HAT(
        adaptation=Alternates(switch_after=60, drift_delta=0.05),
        bound=rp.bounds.Betting(budget="leaf"),
        impurity="gini",
        grace_period=40,
        delta=0.2,
        tau=0.1,
    ),
    "CVFDT": lambda: rp.CVFDT(
        adaptation=Window(size=600, validity_period=100, test_period=200, test_size=60), **GROWTH
    ),
    "CVFDT, archive": lambda: rp.CVFDT(
        adaptation=Window(size=600, validity_period=100, test_period=200, test_size=60, archive=3),
        **GROWTH,
    ),
    "EFDT": lambda: rp.EFDT(adaptation=Reevaluation(every=100), **GROWTH),
    "EFDT, betting": lambda: rp.EFDT(
        adaptation=Reevaluation(every=100, replace_by="betting", switch_after=30), **GROWTH
    ),
    "options, betting": lambda: rp.HoeffdingOptionTree(
        adaptation=Options(delta=0.5, replace_by="betting", switch_after=30), **GROWTH
    ),
}


def turning(n, every=600, seed=0):
    """Two numbers and a category; first one and then the other decides the class."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random(n), rng.random(n), rng.integers(0, 2, n)])
    first = (np.arange(n) // every) % 2 == 0
    y = np.where(first, X[:, 0] > 0.4, (X[:, 2] == 1) ^ (X[:, 1] > 0.7))
    return X, (y ^ (rng.random(n) < 0.05)).astype(int)


def without_place(split):
    """A certificate as the history keeps it."""
    return dataclasses.replace(
        split, node=-1, branches=(), candidates=split.candidates[:2], replaced_at=None
    )


def former(model):
    return [split for split in model.splits(history=True) if split.replaced_at is not None]


@pytest.mark.parametrize("name", MODELS)
def test_every_split_that_goes_is_in_the_history(name):
    X, y = turning(4000)
    model, step = MODELS[name](), 20
    before, wanted = [], []
    for i in range(0, len(y), step):
        model.partial_fit(X[i : i + step], y[i : i + step], classes=[0, 1])
        after = [without_place(split) for split in model.splits()]
        rest = list(after)
        for split in before:
            if split in rest:
                rest.remove(split)
            else:
                wanted.append((split, i))
        before = after
    got = former(model)
    assert len(wanted) >= 2
    for want, start in wanted:
        found = [
            split
            for split in got
            if start < split.replaced_at <= start + step and same(split, want)
        ]
        assert len(found) >= 1
        got.remove(found[0])
    # What is left came and went between two looks.
    assert all(split.seen > (split.replaced_at - 1) // step * step for split in got)


def same(split, want):
    one, other = (
        dataclasses.asdict(dataclasses.replace(s, replaced_at=None)) for s in (split, want)
    )
    if split.runner_up == "no split":  # the null cut is not among the candidates
        del one["candidates"], other["candidates"]
    return one == other


@pytest.mark.parametrize("name", MODELS)
def test_the_history_survives_its_file(name):
    X, y = turning(4000)
    model = MODELS[name]().fit(X, y)
    loaded = from_bytes(to_bytes(model))
    assert former(model)
    assert loaded.splits(history=True) == model.splits(history=True)
    assert to_bytes(loaded) == to_bytes(model)
    seen = sorted(s.seen for s in model.splits(history=True))
    assert [s.seen for s in model.splits(history=True)] == seen
    middle = seen[len(seen) // 2]
    later = [s for s in model.splits(history=True) if s.seen > middle]
    assert model.splits(history=True, since=middle) == later


def test_a_tree_that_replaced_nothing_has_no_history():
    X, y = turning(2000, every=2000)
    for model in (rp.VFDT(), rp.HAT()):
        model.fit(X, y)
        assert model.splits(history=True) == model.splits()
        assert "former_times" not in inside.snapshot(model)


def test_the_last_500_are_kept():
    X, y = turning(4000)
    model = MODELS["EFDT"]().fit(X[:2000], y[:2000])
    arrays = inside.snapshot(model)
    n = len(former(model))
    assert 0 < n < 500

    def with_entries(count):
        """The same tree with as many entries, the oldest one over and over."""
        longer = dict(arrays)
        for name, each in (("former_times", 3), ("former_places", 9), ("former_values", 10)):
            entries = arrays[name].reshape(n, each)
            filled = np.concatenate([np.repeat(entries[:1], count - n, axis=0), entries])
            longer[name] = np.ascontiguousarray(filled.ravel())
        return inside.restored(model, longer)

    with pytest.raises(ValueError, match="former_times is too long"):
        with_entries(501)
    inside.set_engine(model, with_entries(500))
    newest = former(model)[-1]
    model.partial_fit(X[2000:], y[2000:])
    gone = former(model)
    assert len(gone) == 500
    assert max(s.replaced_at for s in gone) > newest.replaced_at
    assert newest in gone


def test_the_history_has_a_small_part_of_a_memory_limit():
    X, y = turning(30_000, every=500)
    limit = 60_000
    model = rp.EFDT(adaptation=Reevaluation(every=50), max_bytes=limit, **GROWTH)
    for first in range(0, len(y), 500):
        model.partial_fit(X[first : first + 500], y[first : first + 500], classes=[0, 1])
        assert model.memory_bytes_ <= limit
    assert len(former(model)) == limit // (32 * 136)  # bytes of an entry


@pytest.mark.parametrize(
    ("array", "place", "value"),
    [
        ("former_times", 0, 10**9),
        ("former_times", 1, 0),
        ("former_times", 2, 7),
        ("former_places", 0, -1),
        ("former_places", 1, 0),
        ("former_places", 3, 9),
        ("former_places", 4, 1000),
        ("former_values", 0, -1.0),
        ("former_values", 3, 2.0),
        ("former_values", 5, np.nan),
    ],
)
def test_an_impossible_history_is_refused(array, place, value):
    X, y = turning(4000)
    model = MODELS["EFDT"]().fit(X, y)
    arrays = {name: values.copy() for name, values in inside.snapshot(model).items()}
    arrays[array][place] = value
    with pytest.raises(ValueError, match="former_times"):
        inside.restored(model, arrays)
