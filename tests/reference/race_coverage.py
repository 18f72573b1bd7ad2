"""Many leaves at once that split by betting, and the same with one inequality broken on purpose."""

from __future__ import annotations

import numpy as np

__all__ = ["MUTANTS", "wrong_splits"]

#: What each mutant gets wrong.
MUTANTS = {
    "sees the label": "a bet is made only on rows that the leader wins",
    "forgets a rival": "the best rival is left out",
    "tolerates noise": "not splitting has the tolerance of the rivals",
}
GRID = np.linspace(0.0, 1.0, 41)  # forecasts of a rival, in each branch
WARM_UP = 30  # rows that choose the leader
MOST = 0.75


def wrong_splits(flips, *, alpha, tau=0.0, rows=600, repetitions=2000, seed=0, mutant=None):
    """The share of leaves that certify something false, of two classes and binary features.

    Feature i differs from the class in a share flips[i] of the rows. The first rows choose the
    leader by its empirical Gini gain. Then it races all others and the null test, with the exact
    logarithms of all factors on a grid of forecasts, which is searched for the infimum. The leaf
    is checked after every row.
    """
    rng = np.random.default_rng(seed)
    flips = np.asarray(flips, dtype=float)
    n, d, every = repetitions, len(flips), np.arange(repetitions)
    true = 0.5 - 2 * flips * (1 - flips)  # Gini gain: 1/2 minus the impurity of a branch
    warm_y = rng.integers(2, size=(n, WARM_UP))
    warm_x = warm_y[:, None, :] ^ (rng.random((n, d, WARM_UP)) < flips[:, None])
    leader = np.array(
        [np.argmax([gini_gain(x, y) for x in xs]) for xs, y in zip(warm_x, warm_y, strict=True)]
    )
    # Not splitting is the last rival. The leader has a place among the rivals, and is not counted.
    tolerance = np.append(np.full(d, tau / 2), tau / 2 if mutant == "tolerates noise" else 0.0)
    wealth = np.zeros((n, d + 1, 2, len(GRID)))  # [leaf][rival][branch][forecast]
    counts = np.full((n, d + 1, 2, 2), 0.5)  # [leaf][test][branch][class], with the prior
    sums = np.zeros((n, d + 1)), np.full((n, d + 1), 8 * 0.04)
    counted = np.ones((n, d + 1), dtype=bool)
    counted[every, leader] = False
    if mutant == "forgets a rival":
        others = np.where(np.arange(d) == leader[:, None], -1.0, true)
        counted[every, np.argmax(others, axis=1)] = False
    split = np.zeros(n, dtype=bool)
    for t in range(rows):
        y = rng.integers(2, size=n)
        x = y[:, None] ^ (rng.random((n, d)) < flips)
        branch = np.column_stack([x, np.zeros(n, dtype=int)])  # the null test has one branch
        own = counts[every[:, None], np.arange(d + 1), branch]
        forecast = own[:, :, 1] / own.sum(axis=2)
        losses = (y[:, None] - forecast) ** 2
        charge = losses[every, leader][:, None]
        gap = losses - charge
        mean, square = sums[0] / (t + 8), sums[1] / (t + 8)
        shift = np.where(mean > tolerance, 0.0, tolerance)
        bet = np.clip((mean + shift) / (square + shift * (2 * mean + shift)), 0.0, MOST)
        if mutant == "sees the label":
            bet = np.where(gap > 0, MOST, 0.0)
        rival = (y[:, None, None] - GRID) ** 2  # [leaf][1][forecast]
        factor = 1 + bet[:, :, None] * (rival - charge[:, :, None] + tolerance[:, None])
        wealth[every[:, None], np.arange(d + 1), branch] += np.log(factor)
        sums[0][:] += gap
        sums[1][:] += gap**2
        counts[every[:, None], np.arange(d + 1), branch, y[:, None]] += 1
        evidence = wealth.min(axis=3).sum(axis=2)
        split |= np.where(counted, evidence, np.inf).min(axis=1) >= np.log(1 / alpha)
    best = np.array([np.delete(true, i).max(initial=0.0) for i in range(d)])
    false = (true <= 1e-12) | (true < best - tau + 1e-12) if tau else (true <= best + 1e-12)
    return float(np.mean(split & false[leader]))


def gini_gain(x, y):
    """The empirical Gini gain of a binary feature."""
    whole = 2 * y.mean() * (1 - y.mean())
    for v in (0, 1):
        if (x == v).any():
            p = y[x == v].mean()
            whole -= (x == v).mean() * 2 * p * (1 - p)
    return whole
