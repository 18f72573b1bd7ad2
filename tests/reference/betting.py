"""Splits by betting (docs/certainty.md): every past factor is kept, and infima are searched."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

__all__ = ["Race", "brier", "fan", "least_parabola", "parabola"]

PRIOR = 0.5  # of each class in a forecast
PACE = 8  # rows between two bets
ROWS_BEFORE, SQUARE_BEFORE = 8.0, 0.04  # of the mean and mean square before the first row


def brier(p, y):
    """Half the squared distance between probabilities and the class that came."""
    return 0.5 * float(np.sum((np.asarray(p) - np.eye(len(p))[y]) ** 2))


def fan(bet, d):
    """Fan, Grama and Liu (2015): a lower bound of ln(1 + bet d) for d >= -1."""
    return bet * d + (np.log1p(-bet) + bet) * d**2


def parabola(bet, u, c, at):
    """The lower bound of ln(1 + bet (u - c)) for u in [0, 1] that is exact at `at`."""
    m = bet / (1 + bet * (at - c))
    b = m**2 * (0.5 + bet * at / (3 * (1 - bet * c)))
    return np.log1p(bet * (at - c)) + m * (u - at) - b * (u - at) ** 2


def simplex_minimum(f, classes, starts):
    """The smallest value of f over probabilities that a search from many points finds."""
    if classes == 2:
        q = np.linspace(0, 1, 2001)
        values = f(np.column_stack([1 - q, q]))
        return float(values.min())
    best = np.inf
    for start in starts:
        found = minimize(
            lambda z: f(softmax(z)[None])[0],
            np.log(start + 1e-9),
            method="Nelder-Mead",
            options={"maxiter": 2000, "xatol": 1e-8, "fatol": 1e-10},
        )
        best = min(best, found.fun)
    corners = f(np.eye(classes))
    return float(min(best, corners.min()))


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def losses(q):
    """u_y(q) for all classes y: shape (points, classes)."""
    return 0.5 * (1 + (q**2).sum(1))[:, None] - q


def least_parabola(slope, curvature):
    """The minimum of sum slope_y u_y(q) - curvature_y u_y(q)^2, searched."""
    slope, curvature = np.asarray(slope), np.asarray(curvature)

    def f(q):
        u = losses(q)
        return (slope * u - curvature * u**2).sum(1)

    k = len(slope)
    rng = np.random.default_rng(0)
    starts = [slope / slope.sum(), np.full(k, 1 / k), *rng.dirichlet(np.ones(k), 2)]
    return simplex_minimum(f, k, starts)


class Race:
    """A leader against one rival. Every row is kept, with the bet on it."""

    def __init__(self, classes, tolerance=0.0, labels=False, gap=0.0):
        self.classes, self.tolerance, self.labels = classes, tolerance, labels
        self.leader, self.rival = {}, {}
        gap = gap if labels else gap / 2
        self.differences = ROWS_BEFORE * gap
        self.squares = ROWS_BEFORE * max(SQUARE_BEFORE, gap**2)
        self.rows = []  # (branch of the rival, class, bet, charge, loss of the rival's forecast)
        self.slack = 0.0
        self.bet = 0.0

    def seed(self, leader, rival):
        """Begin with estimated class weights: one row per branch of each test."""
        for branches, table in ((self.leader, leader), (self.rival, rival)):
            for v, weights in enumerate(table):
                branches[v] = [np.array(weights, dtype=float), int(np.argmax(weights))]

    def loss(self, counts, y):
        if self.labels:
            return float(y != counts[1])
        return brier((counts[0] + PRIOR) / (counts[0].sum() + PRIOR * self.classes), y)

    def count(self, counts, y):
        counts[0][y] += 1
        if counts[0][y] > counts[0][counts[1]]:
            counts[1] = y

    def learn(self, f, g, y):
        if len(self.rows) % PACE == 0:
            n = len(self.rows) + ROWS_BEFORE
            mean, square = self.differences / n, self.squares / n
            shift = 0.0 if mean > self.tolerance else self.tolerance
            most = 0.75 if self.labels or self.classes == 2 else 0.5
            second = square + 2 * shift * mean + shift**2
            self.bet = min(most, max(0.0, (mean + shift) / second))
        own = self.leader.setdefault(f, [np.zeros(self.classes), 0])
        other = self.rival.setdefault(g, [np.zeros(self.classes), 0])
        lost, at = self.loss(own, y), self.loss(other, y)
        charge = lost - self.tolerance
        self.rows.append((g, y, self.bet, charge, at))
        self.slack += np.log(1 - self.bet * self.tolerance / (1 - self.bet * charge))
        self.differences += at - lost
        self.squares += (at - lost) ** 2
        self.count(own, y)
        self.count(other, y)

    def evidence(self, factor):
        """The infimum over the rival's forecasts of the sum of factor(bet, u, charge, at)."""
        total = 0.0
        for branch in {row[0] for row in self.rows}:
            rows = [row[1:] for row in self.rows if row[0] == branch]
            y, bet, charge, at = (np.array(column) for column in zip(*rows, strict=True))
            if self.labels:
                total += min(np.log1p(bet * ((y != k) - charge)).sum() for k in range(self.classes))
                continue

            def f(q, y=y, bet=bet, charge=charge, at=at):
                return factor(bet, losses(q)[:, y], charge, at).sum(1)

            k = self.classes
            seen = np.bincount(y, minlength=k) + 0.1
            total += simplex_minimum(f, k, [seen / seen.sum(), np.full(k, 1 / k)])
        return total

    def exact(self):
        """The logarithm of the infimum of the wealth."""
        return self.evidence(lambda bet, u, c, at: np.log1p(bet * (u - c)))

    def constant_memory(self):
        """The same with the parabola below each logarithm."""
        return self.evidence(parabola)
