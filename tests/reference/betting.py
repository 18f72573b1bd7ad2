"""Splits by betting (docs/certainty.md): every past factor is kept, and infima are searched."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

__all__ = ["Race", "block", "brier", "fan", "least_parabola", "parabola"]

PRIOR = 0.5  # of each class in a forecast
SHORTEST, USUAL = 16, 32  # rows of a block; the first ones end after 2, 4, 8, 16 and 32 rows
ROWS_BEFORE, SQUARE_BEFORE = 8.0, 0.04  # of the mean and mean square before the first row


def block(rows, lost=0.0):
    """Rows of the block that begins after `rows` rows.

    Usually a quarter of the rows so far. `lost` is the part of what the closest rival has to lose
    that it has lost; a quarter of the rows that are needed at this pace may be less.
    """
    if rows < USUAL:
        return max(2, rows)
    most = max(rows // 4, USUAL)
    if lost <= 0:
        return most
    return int(max(min(rows * (1 - lost) / lost / 4, most), SHORTEST))


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
    """A leader against one rival. Every row is kept, with the bet on it.

    Bets, forecasts and labels change only at the end of a block.
    """

    def __init__(self, classes, tolerance=0.0, labels=False, gap=0.0):
        self.classes, self.tolerance, self.labels = classes, tolerance, labels
        self.leader, self.rival = {}, {}
        gap = gap if labels else gap / 2
        self.differences = ROWS_BEFORE * gap
        self.squares = ROWS_BEFORE * max(SQUARE_BEFORE, gap**2)
        self.rows = []  # (branch of the rival, class, bet, charge, loss of the rival's forecast)
        self.waiting = []  # rows of the block: branches of the leader and of the rival, class
        self.left = block(0)
        self.slack = 0.0
        self.place_bet()

    def seed(self, leader, rival):
        """Begin with estimated class weights: one row per branch of each test."""
        for branches, table in ((self.leader, leader), (self.rival, rival)):
            for v, weights in enumerate(table):
                branches[v] = [np.array(weights, dtype=float), int(np.argmax(weights))]

    def loss(self, counts, y):
        if self.labels:
            return float(y != counts[1])
        return brier((counts[0] + PRIOR) / (counts[0].sum() + PRIOR * self.classes), y)

    def aim(self):
        """The mean difference, and whether it is so large that the bets aim at "better"."""
        mean = self.differences / (len(self.rows) + ROWS_BEFORE)
        return mean, mean > self.tolerance

    def place_bet(self):
        mean, better = self.aim()
        square = self.squares / (len(self.rows) + ROWS_BEFORE)
        shift = 0.0 if better else self.tolerance
        most = 0.75 if self.labels or self.classes == 2 else 0.5
        second = square + 2 * shift * mean + shift**2
        self.bet = min(most, max(0.0, (mean + shift) / second))

    def learn(self, f, g, y):
        """Learn a row; true if it ends a block."""
        own = self.leader.setdefault(f, [np.zeros(self.classes), 0])
        other = self.rival.setdefault(g, [np.zeros(self.classes), 0])
        lost, at = self.loss(own, y), self.loss(other, y)
        charge = lost - self.tolerance
        self.rows.append((g, y, self.bet, charge, at))
        self.slack += np.log(1 - self.bet * self.tolerance / (1 - self.bet * charge))
        self.differences += at - lost
        self.squares += (at - lost) ** 2
        self.waiting.append((f, g, y))
        if len(self.waiting) < self.left:
            return False
        for f, g, y in self.waiting:
            for counts in (self.leader[f], self.rival[g]):
                counts[0][y] += 1
                counts[1] = int(np.argmax(counts[0]))
        self.waiting = []
        self.left = block(len(self.rows))  # the caller may shorten it
        self.place_bet()
        return True

    def wealth(self):
        """The logarithm of the wealth at the rival's own forecasts; with labels the infimum."""
        if self.labels:
            return self.exact()
        return sum(float(np.log1p(bet * (at - charge))) for _, _, bet, charge, at in self.rows)

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
