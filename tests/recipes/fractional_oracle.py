"""What every node of a tree with a window must hold of uncertain examples: a plain recount.

Written from sheet 70, sections 1.4 and 2, and sheet 10, section 9: an example goes down every
branch with the probability of that branch, its distribution conditioned on it, in the tree and
in the alternates of its nodes, as far as these are old enough to have learned it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests import inside
from tests.reference.uncertain import (
    DISTRIBUTIONS,
    LEAST_SHARE,
    Categories,
    Interval,
    Normal,
    Numbers,
    certain,
)

LEAF, THRESHOLD, ONE_VALUE = 0, 1, 2
STEP = 2.0**-20


def in_steps(w):
    return max(STEP, np.rint(w / STEP) * STEP)


@dataclass
class Recount:
    """The arrays of a model file, and by node what it learned: values, label and weight."""

    arrays: dict
    learned: list = field(default_factory=list)


def examples_of(a):
    """The examples of the window, the oldest first: values by feature, label, weight."""
    slots, found = [], [0, 0]
    for kind in a["kinds"]:
        slots.append(found[kind])
        found[kind] += 1
    n = len(a["window_labels"])
    numbers = a["window_values"].reshape(n, found[0])
    codes = a["window_codes"].reshape(n, found[1])
    rest = list(a["window_numbers"])
    uncertain = a["window_uncertain"] if len(a["window_uncertain"]) else np.zeros(n)

    def take(n):
        taken = rest[:n]
        del rest[:n]
        return taken

    for r in range(n):
        values = []
        for kind, slot in zip(a["kinds"], slots, strict=True):
            x = codes[r, slot] if kind else numbers[r, slot]
            values.append(None if (x < 0 if kind else np.isnan(x)) else x)
        for _ in range(int(take(1)[0]) if uncertain[r] else 0):
            feature, kind = map(int, take(2))
            assert values[feature] is None
            if kind == 0:
                values[feature] = Interval(*take(2))
            elif kind == 1:
                low, high, mean, sd = take(4)
                values[feature] = Normal(mean, sd, low, high)
            else:
                pairs = take(2 * int(take(1)[0]))
                mass = dict(zip(pairs[::2], pairs[1::2], strict=True))
                values[feature] = Numbers(mass) if kind == 2 else Categories(mass)
        yield values, int(a["window_labels"][r]), float(a["window_weights"][r])
    assert not rest


def recount(model):
    a = inside.snapshot(model)
    held = Recount(a, [[] for _ in a["test"]])
    children, alternates = [[] for _ in a["test"]], [[] for _ in a["test"]]
    for i in range(1, len(a["test"])):
        (alternates if a["role"][i] else children)[a["parent"][i]].append(i)

    def ways(i, values, number):
        """Children, their probabilities, and what is left of the value that is asked."""
        x = values[a["feature"][i]]
        if x is None:
            return [(a["heavy"][i], 1.0, None)]
        if a["test"][i] in (THRESHOLD, ONE_VALUE):
            threshold = a["test"][i] == THRESHOLD
            cut = a["threshold"][i] if threshold else a["category"][i]
            if not isinstance(x, DISTRIBUTIONS):
                yes = x <= cut if threshold else x == cut
                return [(children[i][0 if yes else 1], 1.0, x)]
            if threshold:
                p, kept, left = x.below(cut), x.up_to(cut), x.above(cut)
            else:
                p = dict(x.points()).get(cut, 0.0)
                kept, left = x.only(cut), x.without(cut)
            return [(children[i][0], p, kept), (children[i][1], 1.0 - p, left)]

        def child(code):
            own = [j for j in children[i] if a["branch"][j] == code and a["there"][j] <= number]
            return own[0] if own else a["heavy"][i]

        if not isinstance(x, DISTRIBUTIONS):
            return [(child(x), 1.0, x)]
        return [(child(code), p, x.only(code)) for code, p in x.points()]

    first = int(a["seen"][0]) + 1 - len(a["window_labels"])
    for number, (row, y, w) in enumerate(examples_of(a), first):
        todo = [(0, row, 1.0)]
        while todo:
            i, values, share = todo.pop()
            if a["since"][i] > number:
                continue
            held.learned[i].append((values, y, in_steps(share * w)))
            todo += [(j, values, share) for j in alternates[i]]
            if a["test"][i] == LEAF:
                continue
            for j, p, left in ways(i, values, number):
                if share * p < LEAST_SHARE:
                    continue
                there = list(values)
                there[a["feature"][i]] = left
                todo.append((j, there, share * p))
    return held


def check_counts(model):
    """Class counts, but for a step where the reference rounds a probability otherwise."""
    held = recount(model)
    a = held.arrays
    k = int(a["classes"][0])
    for i, learned in enumerate(held.learned):
        want = np.zeros(k)
        for _, y, w in learned:
            want[y] += w
        got = a["counts"].reshape(-1, k)[i]
        assert np.all(got % STEP == 0.0)
        np.testing.assert_allclose(got, want, rtol=0, atol=STEP * (1 + len(learned) / 50))
    return held


def check_everything(model):
    """Counts, category counts and moments, of a tree without a limit of memory."""
    held = check_counts(model)
    a = held.arrays
    k = int(a["classes"][0])
    blocks = {
        name: iter(a[name])
        for name in ("gaps", "values", "table_gaps", "gaussian", "known", "cells", "table_known")
    }

    def take(name, *shape):
        size = int(np.prod(shape))
        return np.array([next(blocks[name]) for _ in range(size)]).reshape(shape)

    numeric = [f for f, kind in enumerate(a["kinds"]) if kind == 0]
    categorical = [f for f, kind in enumerate(a["kinds"]) if kind == 1]
    for learned in held.learned:
        slack = STEP * (2 + len(learned))
        for c in range(k):
            own = [(values, w) for values, y, w in learned if y == c]
            if not own:
                continue
            mean, squares, low, high = take("gaussian", 4, len(numeric))
            known = take("known", len(numeric)) if next(blocks["gaps"]) else None
            total = sum(w for _, w in own)
            for s, f in enumerate(numeric):
                points = []
                for values, w in own:
                    x = values[f]
                    if isinstance(x, DISTRIBUTIONS):
                        points += [(v, w * p) for v, p in x.points()]
                    elif x is not None:
                        points.append((x, w))
                x, v = np.array(points).reshape(-1, 2).T
                got = known[s] if known is not None else total
                assert abs(got - v.sum()) <= slack
                if not v.sum() > 0.01:
                    continue
                m = np.average(x, weights=v)
                scale = 1 + np.abs(x).max()
                assert abs(mean[s] - m) < 2 * scale * slack / v.sum() + 1e-9 * scale
                want = (v * (x - m) ** 2).sum()
                assert abs(squares[s] - want) < 8 * scale**2 * slack + 1e-9 * scale**2
                sure = x[v > 2 * STEP]  # less may be rounded away
                assert low[s] <= sure.min() + 1e-9 * scale
                assert sure.max() <= high[s] + 1e-9 * scale
        for f in categorical:
            values = int(next(blocks["values"]))
            cells = take("cells", values, k)
            want = np.zeros((values, k))
            for row, y, w in learned:
                x = row[f]
                if isinstance(x, DISTRIBUTIONS):
                    for code, p in x.points():
                        if w * p > STEP:
                            want[int(code), y] += w * p
                elif x is not None:
                    want[int(x), y] += w
            assert np.all(cells % STEP == 0.0)
            np.testing.assert_allclose(cells, want, rtol=0, atol=slack)
            if next(blocks["table_gaps"]):
                np.testing.assert_allclose(
                    take("table_known", k), cells.sum(axis=0), rtol=0, atol=0
                )
    return held


def is_all_certain(model):
    return all(values == certain(values) for values, _, _ in examples_of(inside.snapshot(model)))
