"""Detectors of drift in plain Python: every value is kept, every formula worked as it stands.

`update(x)` gives 0 for nothing, 1 for a warning, 2 for a drift.
"""

from __future__ import annotations

import math
import statistics
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from .bounds import adwin_cut

__all__ = ["ADWIN", "DDM", "EDDM", "FHDDM", "HDDM_A", "HDDM_W", "KSWIN", "PageHinkley"]


class ADWIN:
    """Bifet and Gavaldà (2007) as in MOA: rows of buckets, which are lists of values."""

    def __init__(
        self,
        delta: float = 0.002,
        clock: int = 32,
        max_buckets: int = 5,
        min_window_length: int = 5,
        grace_period: int = 10,
    ) -> None:
        self.delta, self.clock, self.max_buckets = delta, clock, max_buckets
        self.min_window_length, self.grace_period = min_window_length, grace_period
        self.rows: list[list[list[float]]] = [[]]  # each row oldest first
        self.seen = 0
        self.shift = 0.0

    def buckets(self) -> list[list[float]]:
        """Oldest first."""
        return [bucket for row in reversed(self.rows) for bucket in row]

    def values(self) -> list[float]:
        return [x for bucket in self.buckets() for x in bucket]

    def cut(self) -> bool:
        values = np.array(self.values())
        n, variance = len(values), float(values.var())
        boundaries = np.cumsum([len(bucket) for bucket in self.buckets()])[:-1]
        for n0 in boundaries.tolist():
            n1 = n - n0
            if min(n0, n1) <= self.min_window_length + 1:
                continue
            less = self.min_window_length - 5  # the bound is written for 5
            bound = adwin_cut_of(n0, n1, less, variance, self.delta)
            if abs(values[:n0].mean() - values[n0:].mean()) > bound:
                return True
        return False

    def update(self, x: float) -> int:
        self.seen += 1
        self.rows[0].append([x])
        for r, row in enumerate(self.rows):
            if len(row) > self.max_buckets:
                if r + 1 == len(self.rows):
                    self.rows.append([])
                self.rows[r + 1].append(row.pop(0) + row.pop(0))
        if self.seen % self.clock or len(self.values()) <= self.grace_period:
            return 0
        before = float(np.mean(self.values()))
        changed = False
        while self.cut():
            changed = True
            self.rows[-1].pop(0)
            while not self.rows[-1]:
                self.rows.pop()
        if changed:
            self.shift = float(np.mean(self.values())) - before
        return 2 if changed else 0

    @property
    def estimate(self) -> float:
        values = self.values()
        return float(np.mean(values)) if values else 0.0

    @property
    def width(self) -> int:
        return len(self.values())

    @property
    def variance(self) -> float:
        return float(np.var(self.values()))


def adwin_cut_of(n0: int, n1: int, less: int, variance: float, delta: float) -> float:
    """The bound for a least length of 5 + `less`, which shortens both windows, but not n."""
    if less == 0:
        return adwin_cut(n0, n1, variance, delta)
    d = math.log(2.0 * math.log(n0 + n1) / delta)
    m = 1.0 / (n0 - less - 4.0) + 1.0 / (n1 - less - 4.0)
    return math.sqrt(2.0 * m * variance * d) + 2.0 / 3.0 * m * d


class Restarting(ABC):
    """Start again with the value after a drift."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.signal = 0

    def update(self, x: float) -> int:
        if self.signal == 2:
            Restarting.__init__(self)
            self.restart()
        self.values.append(float(x))
        self.signal = self.judge()
        return self.signal

    def restart(self) -> None:
        """Forget what else is known."""
        self.signal = 0

    @abstractmethod
    def judge(self) -> int:
        """What the values so far say."""

    @property
    def estimate(self) -> float:
        return statistics.fmean(self.values) if self.values else 0.0

    @property
    def width(self) -> int:
        return len(self.values)


class DDM(Restarting):
    """Gama et al. (2004), with > for >=."""

    def __init__(
        self, warm_start: int = 30, warning_threshold: float = 2.0, drift_threshold: float = 3.0
    ) -> None:
        super().__init__()
        self.warm_start = warm_start
        self.warning, self.drift = warning_threshold, drift_threshold
        self.restart()

    def restart(self) -> None:
        self.best: tuple[float, float] | None = None

    def judge(self) -> int:
        n = len(self.values)
        if n <= self.warm_start:
            return 0
        p = sum(self.values) / n
        s = math.sqrt(p * (1.0 - p) / n)
        if self.best is None or p + s <= sum(self.best):
            self.best = (p, s)
        p_min, s_min = self.best
        return 1 * (p + s > p_min + self.warning * s_min) + (p + s > p_min + self.drift * s_min)


class EDDM(Restarting):
    """Baena-García et al. (2006)."""

    def __init__(self, warm_start: int = 30, alpha: float = 0.95, beta: float = 0.9) -> None:
        super().__init__()
        self.warm_start, self.alpha, self.beta = warm_start, alpha, beta
        self.restart()

    def restart(self) -> None:
        self.most = 0.0

    def judge(self) -> int:
        if self.values[-1] == 0:
            return self.signal
        places = np.flatnonzero(self.values) + 1
        distances = np.diff(places, prepend=0)
        if len(self.values) <= self.warm_start:
            return 0
        s = distances.std(ddof=1) if len(distances) > 1 else 0.0
        now = float(distances.mean() + 2.0 * s)
        if now > self.most:
            self.most = now
            return 0
        if len(distances) <= self.warm_start:
            return 0
        level = now / self.most
        return 2 if level < self.beta else 1 if level < self.alpha else 0


class PageHinkley(Restarting):
    """Page (1954) around the running mean, with forgetting."""

    def __init__(
        self,
        min_instances: int = 30,
        delta: float = 0.005,
        threshold: float = 50.0,
        alpha: float = 0.9999,
        mode: str = "both",
    ) -> None:
        super().__init__()
        self.min_instances, self.delta, self.threshold = min_instances, delta, threshold
        self.alpha, self.mode = alpha, mode
        self.restart()

    def restart(self) -> None:
        self.up: list[float] = []
        self.down: list[float] = []

    def judge(self) -> int:
        apart = self.values[-1] - statistics.fmean(self.values)
        before_up = self.up[-1] if self.up else 0.0
        before_down = self.down[-1] if self.down else 0.0
        self.up.append(self.alpha * before_up + apart - self.delta)
        self.down.append(self.alpha * before_down + apart + self.delta)
        if len(self.values) < self.min_instances:
            return 0
        rose = self.mode != "down" and self.up[-1] - min(self.up) > self.threshold
        fell = self.mode != "up" and max(self.down) - self.down[-1] > self.threshold
        return 2 if rose or fell else 0


class HDDM_A(Restarting):  # noqa: N801
    """Frías-Blanco et al. (2015): the averages' test, with ln(2/delta) as in MOA."""

    def __init__(
        self,
        drift_confidence: float = 0.001,
        warning_confidence: float = 0.005,
        two_sided_test: bool = False,
    ) -> None:
        super().__init__()
        self.drift, self.warning, self.both = drift_confidence, warning_confidence, two_sided_test
        self.restart()

    def restart(self) -> None:
        self.low = self.high = 0  # lengths of the two prefixes

    def mean(self, n: int) -> float:
        return sum(self.values[:n]) / n

    def width_of(self, n: int) -> float:
        return math.sqrt(math.log(1.0 / self.drift) / (2.0 * n))

    def judge(self) -> int:
        n = len(self.values)
        z, width = self.mean(n), self.width_of(n)
        if not self.low or self.mean(self.low) + self.width_of(self.low) >= z + width:
            self.low = n
        if not self.high or self.mean(self.high) - self.width_of(self.high) <= z - width:
            self.high = n
        signal = self.verdict(self.low, z - self.mean(self.low))
        if self.both:
            signal = max(signal, self.verdict(self.high, self.mean(self.high) - z))
        return signal

    def verdict(self, prefix: int, apart: float) -> int:
        n = len(self.values)
        if prefix == n:
            return 0
        for signal, delta in ((2, self.drift), (1, self.warning)):
            if apart >= math.sqrt((n - prefix) / (2.0 * prefix * n) * math.log(2.0 / delta)):
                return signal
        return 0


class HDDM_W(Restarting):  # noqa: N801
    """Frías-Blanco et al. (2015): the moving averages' test.

    `first_weight` is what the first value adds to the squared weights. It is 1, since its
    weight is; another value is there to tell what others do.
    """

    def __init__(
        self,
        drift_confidence: float = 0.001,
        warning_confidence: float = 0.005,
        lambda_val: float = 0.05,
        two_sided_test: bool = False,
        first_weight: float = 1.0,
    ) -> None:
        super().__init__()
        self.drift, self.warning = drift_confidence, warning_confidence
        self.lambda_val, self.both, self.first_weight = lambda_val, two_sided_test, first_weight
        self.restart()

    def restart(self) -> None:
        self.cuts = {1: 0, -1: 0}  # values before the cut: for a rise, for a fall
        self.least = {1: math.inf, -1: math.inf}

    def average(self, values: list[float]) -> tuple[float, float]:
        rest = 1.0 - self.lambda_val
        mean, weight = values[0], self.first_weight
        for x in values[1:]:
            mean = self.lambda_val * x + rest * mean
            weight = self.lambda_val**2 + rest**2 * weight
        return mean, weight

    def judge(self) -> int:
        mean, weight = self.average(self.values)
        width = math.sqrt(weight * math.log(1.0 / self.drift) / 2.0)
        signal = 0
        for sign in (1, -1) if self.both else (1,):
            if sign * mean + width < self.least[sign]:
                self.least[sign] = sign * mean + width
                self.cuts[sign] = len(self.values)
                continue
            before = self.average(self.values[: self.cuts[sign]])
            after = self.average(self.values[self.cuts[sign] :])
            apart = sign * (after[0] - before[0])
            for level, delta in ((2, self.drift), (1, self.warning)):
                if apart > math.sqrt((before[1] + after[1]) * math.log(1.0 / delta) / 2.0):
                    signal = max(signal, level)
        return signal

    @property
    def estimate(self) -> float:
        return self.average(self.values)[0]


class KSWIN:
    """Raab et al. (2020); the draws at value t are NumPy's Philox(key=(seed, t))."""

    def __init__(
        self, alpha: float = 0.005, window_size: int = 100, stat_size: int = 30, seed: int = 0
    ) -> None:
        self.alpha, self.n, self.r, self.seed = alpha, window_size, stat_size, seed
        self.window: list[float] = []
        self.seen = 0

    def drawn(self) -> list[float]:
        """The first r of the older values, after r steps of Fisher and Yates."""
        older = self.window[: self.n - self.r]
        if len(older) == self.r:
            return older
        random: Any = np.random.Philox(key=np.array([self.seed, self.seen], dtype=np.uint64))
        for i in range(self.r):
            j = i + (int(random.random_raw()) * (len(older) - i) >> 64)
            older[i], older[j] = older[j], older[i]
        return older[: self.r]

    def update(self, x: float) -> int:
        self.seen += 1
        self.window = [*self.window, float(x)][-self.n :]
        if len(self.window) < self.n:
            return 0
        last, drawn = np.sort(self.window[-self.r :]), np.sort(self.drawn())
        at = np.concatenate([last, drawn])
        distance = np.abs(
            np.searchsorted(last, at, side="right") - np.searchsorted(drawn, at, side="right")
        ).max()
        if distance / self.r <= math.sqrt(-math.log(self.alpha) / self.r):
            return 0
        self.window = self.window[-self.r :]
        return 2

    @property
    def estimate(self) -> float:
        return statistics.fmean(self.window) if self.window else 0.0

    @property
    def width(self) -> int:
        return len(self.window)


class FHDDM:
    """Pesaranghader and Viktor (2016), algorithm 1, over right predictions."""

    def __init__(self, delta: float = 1e-6, window_size: int = 100) -> None:
        self.delta, self.n = delta, window_size
        self.restart()

    def restart(self) -> None:
        self.window: list[float] = []
        self.most = 0.0
        self.drifted = False

    def update(self, x: float) -> int:
        if self.drifted:
            self.restart()
        self.window = [*self.window, 1.0 - float(x)][-self.n :]
        if len(self.window) < self.n:
            return 0
        share = statistics.fmean(self.window)
        self.most = max(self.most, share)
        least_fall = math.sqrt(math.log(1.0 / self.delta) / (2.0 * self.n))
        self.drifted = self.most - share >= least_fall
        return 2 if self.drifted else 0

    @property
    def estimate(self) -> float:
        return 1.0 - statistics.fmean(self.window) if self.window else 0.0

    @property
    def width(self) -> int:
        return len(self.window)
