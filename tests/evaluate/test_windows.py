"""The curve shows the model as it is at the end of each window, however long the blocks are."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian.evaluate import Result, prequential
from riparian.evaluate import curve as curves
from tests import inside


def by_windows(make, X, y, window):
    """Sizes and right predictions at the ends of windows, from a call for each of them."""
    model, found = make(), []
    for start in range(0, len(y), window):
        rows = slice(start, start + window)
        part = {name: column[rows] for name, column in X.items()}
        predicted = model.prequential(part, y[rows])
        right = int(np.count_nonzero(predicted == y[rows]))
        found.append((right, model.n_leaves_, model.depth_, model.memory_bytes_))
    return found, inside.snapshot(model)


def data(n=6_000):
    X, y = rp.streams.agrawal(seed=1).take(n)
    rng = np.random.default_rng(0)
    columns = {f"x{i}": np.ascontiguousarray(X[:, i]) for i in range(5)}
    columns["zone"] = np.array([f"z{i}" for i in rng.integers(0, 30, n)], dtype=object)
    columns["id"] = np.array([f"row {i}" for i in range(n)], dtype=object)
    return columns, np.array(["no", "yes"])[y].astype(object)


EAGER = {"grace_period": 50, "tau": 0.2}
MODELS = {
    "tree": lambda: rp.HoeffdingTree(**EAGER),
    "limited": lambda: rp.HoeffdingTree(max_bytes=60_000, **EAGER),
    "own function": lambda: rp.HoeffdingTree(
        impurity=lambda n: 1.0 - ((n / n.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1), **EAGER
    ),
    "forest": lambda: rp.AdaptiveRandomForest(n_estimators=2),
    "restructuring": rp.ID5R,
    "gradient": rp.OADT,
}


@pytest.mark.filterwarnings("ignore:column 'id'")
@pytest.mark.parametrize("name", MODELS)
def test_each_window_has_the_size_of_the_model_at_its_end(name):
    n = 1_500 if name in ("restructuring", "own function") else 6_000
    X, y = data(n)
    if name == "restructuring":
        X = {"zone": X["zone"]}
    wanted, learned = by_windows(MODELS[name], X, y, 300)
    model = MODELS[name]()
    curve = prequential(model, X, y, every=300, progress=False).curve
    assert curve.rows.tolist() == list(range(300, n + 1, 300))
    right = (curve.accuracy * 300).round().astype(int).tolist()
    # Before its first row a model predicts nothing here, and the first class there.
    assert wanted[0][0] - right[0] in (0, 1)
    assert right[1:] == [w[0] for w in wanted[1:]]
    sizes = zip(curve.leaves.tolist(), curve.depth.tolist(), strict=True)
    assert list(sizes) == [w[1:3] for w in wanted]
    # The names of a batch, here those of ids, are counted before the rows that bring them.
    memory = [w[3] for w in wanted]
    assert curve.memory.tolist()[4:] == memory[4:]
    assert (curve.memory[:4] >= memory[:4]).all()
    assert (np.diff(curve.seconds) >= 0.0).all()
    for key, array in inside.snapshot(model).items():
        np.testing.assert_array_equal(array, learned[key], err_msg=key)


@pytest.mark.parametrize("every", [None, 70])
def test_the_ends_of_windows_are_known_before(every, monkeypatch):
    monkeypatch.setattr(curves, "_FIRST_WINDOW", 10)
    monkeypatch.setattr(curves, "_MOST_POINTS", 8)
    rng = np.random.default_rng(0)
    result, told = Result(every), []
    while result.n < 3_000:
        n = int(rng.integers(1, 400))
        told += [result.n + end for end in result.window_ends(n)]
        result.update(np.zeros(n, dtype=int), np.zeros(n, dtype=int))
    single, ends = Result(every), []
    while single.n < result.n:
        single.update([0], [0])
        if single.until_window() == single.window:
            ends.append(single.n)
    assert told == ends
    assert result.curve.rows.tolist() == single.curve.rows.tolist()
