"""What every node of a tree with a window must hold: a plain recount over the window."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests import inside

LEAF, THRESHOLD, ONE_VALUE = 0, 1, 2


@dataclass
class Held:
    """The arrays of a model file, and by node the examples of the window that it has learned."""

    arrays: dict
    numbers: np.ndarray
    codes: np.ndarray
    rows: list = field(default_factory=list)


def recount(model):
    """Routes each example of the window down the present tree.

    An example with number s is at the nodes on its path that began with an example up to s, in
    the tree and in the alternates of its nodes; where the branch for its category was not there
    yet it took the one for missing values (Hulten et al. 2001, table 4).
    """
    a = inside.snapshot(model)
    slots, found = [], [0, 0]
    for kind in a["kinds"]:
        slots.append(found[kind])
        found[kind] += 1
    n = len(a["window_labels"])
    held = Held(a, a["window_values"].reshape(n, found[0]), a["window_codes"].reshape(n, found[1]))
    held.rows = [[] for _ in a["test"]]
    children, alternates = [[] for _ in a["test"]], [[] for _ in a["test"]]
    for i in range(1, len(a["test"])):
        (alternates if a["role"][i] else children)[a["parent"][i]].append(i)

    def branch(i, r):
        slot = slots[a["feature"][i]]
        if a["test"][i] == THRESHOLD:
            x = held.numbers[r, slot]
            if np.isnan(x):
                return a["heavy"][i]
            return children[i][0 if x <= a["threshold"][i] else 1]
        code = held.codes[r, slot]
        if code < 0:
            return a["heavy"][i]
        if a["test"][i] == ONE_VALUE:
            return children[i][0 if code == a["category"][i] else 1]
        own = [j for j in children[i] if a["branch"][j] == code and a["there"][j] <= number]
        return own[0] if own else a["heavy"][i]

    first = int(a["seen"][0]) + 1 - n
    for r in range(n):
        number, todo = first + r, [0]
        while todo:
            i = todo.pop()
            if a["since"][i] > number:
                continue
            held.rows[i].append(r)
            todo += alternates[i]
            if a["test"][i] != LEAF:
                todo.append(branch(i, r))
    return held


def check_counts(model):
    """Class counts are exact, at nodes without statistics too; gives the examples by node."""
    held = recount(model)
    a = held.arrays
    k = int(a["classes"][0])
    labels, weights = a["window_labels"], a["window_weights"]
    for i, rows in enumerate(held.rows):
        want = np.bincount(labels[rows], weights[rows], minlength=k)
        np.testing.assert_array_equal(a["counts"].reshape(-1, k)[i], want)
    return held


def check_everything(model):
    """Counts and category counts are exact, moments within rounding, ranges a hull."""
    held = check_counts(model)
    a = held.arrays
    k = int(a["classes"][0])
    y, w = a["window_labels"], a["window_weights"]
    arrays = {name: iter(a[name]) for name in ("gaps", "values", "table_gaps")}
    blocks = {name: iter(a[name]) for name in ("gaussian", "known", "cells", "table_known")}

    def take(name, *shape):
        size = int(np.prod(shape))
        return np.array([next(blocks[name]) for _ in range(size)]).reshape(shape)

    n_numeric, n_categorical = held.numbers.shape[1], held.codes.shape[1]
    for i, at_node in enumerate(held.rows):
        rows = np.array(at_node, dtype=int)
        assert a["weight"][i] == w[rows].sum()
        for c in range(k):
            own = rows[y[rows] == c]
            if not own.size or not n_numeric:
                continue
            mean, squares, low, high = take("gaussian", 4, n_numeric)
            known = take("known", n_numeric) if next(arrays["gaps"]) else None
            for f in range(n_numeric):
                x = held.numbers[own, f]
                there = ~np.isnan(x)
                x, v = x[there], w[own][there]
                assert (known[f] if known is not None else w[own].sum()) == v.sum()
                if not x.size:
                    assert (mean[f], squares[f], low[f], high[f]) == (0, 0, np.inf, -np.inf)
                    continue
                m = np.average(x, weights=v)
                scale = 1 + np.abs(x).max()
                assert abs(mean[f] - m) < 1e-11 * scale
                assert abs(squares[f] - (v * (x - m) ** 2).sum()) < 1e-10 * scale**2 * v.sum()
                assert low[f] <= x.min()
                assert x.max() <= high[f]
        for f in range(n_categorical):
            values = int(next(arrays["values"]))
            cells = take("cells", values, k)
            want = np.zeros((values, k))
            for r in rows:
                if held.codes[r, f] >= 0:
                    want[held.codes[r, f], y[r]] += w[r]
            np.testing.assert_array_equal(cells, want)
            if next(arrays["table_gaps"]):
                np.testing.assert_array_equal(take("table_known", k), want.sum(axis=0))
    return held
