"""A tree that splits by betting in plain Python: races keep every row, and infima are searched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .betting import Race, block
from .cuts import Cut
from .decision import Evidence
from .leaves import Value
from .tree import ReferenceTree

__all__ = ["CertifiedReference"]

FEWEST = 30.0  # rows before the first race
STALE = 0.2  # of the threshold
MOST_ESTIMATED = 100.0  # rows that estimates of the statistics count as


@dataclass
class LeafRaces:
    """The races of one leaf."""

    number: int = 0
    begun: float = 0.0
    threshold: float = 0.0
    cuts: list[Cut | None] = field(default_factory=list)  # the leader first, no split last
    rivals: list[Race] = field(default_factory=list)
    shown: list[float | None] = field(default_factory=list)  # the evidence, once it was enough
    better: list[bool] = field(default_factory=list)
    gone: list[bool] = field(default_factory=list)  # rivals that no longer bet
    evidence: float = 0.0  # against the rival that has lost least
    nominated: float = 0.0  # weight at the last nomination
    rows: int = 0

    def judge(self) -> None:
        """After a block: what has been shown about each rival. It stays shown."""
        for i, rival in enumerate(self.rivals):
            if self.gone[i]:
                continue
            aims_at_better = rival.aim()[1]
            if self.shown[i] is not None and not aims_at_better:
                self.gone[i] = True
                continue
            slack = 0.0 if self.shown[i] is None else rival.slack
            if not rival.labels and rival.wealth() + slack < self.threshold:
                continue
            evidence = rival.constant_memory()
            if evidence < self.threshold:
                continue
            if self.shown[i] is None:
                self.shown[i] = evidence
            self.better[i] = evidence + rival.slack >= self.threshold
            self.gone[i] = self.better[i] or not aims_at_better
        left = [r for r, shown in zip(self.rivals, self.shown, strict=True) if shown is None]
        if left:
            closest = min(left, key=Race.wealth)
            self.evidence = closest.constant_memory()
        else:
            least = [shown for shown in self.shown if shown is not None]
            closest = self.rivals[int(np.argmin(least))]
        lost = closest.wealth()
        for rival in self.rivals:
            rival.left = block(self.rows, lost / self.threshold)


def branch_of(cut: Cut | None, values: Sequence[Value]) -> int:
    """Where a cut sends a row; missing values go to the heaviest branch."""
    if cut is None:
        return 0
    x = values[cut.feature]
    if x is None:
        return int(by_code(cut).sum(axis=1).argmax())
    if cut.test == "threshold":
        return 0 if x <= cut.value else 1
    if cut.test == "one-against-rest":
        return 0 if x == cut.value else 1
    return min(int(x), max(cut.categories) + 1)  # categories that come later share a branch


def by_code(cut: Cut) -> Any:
    """The class weights of the branches; those of a multiway cut by the code of the category."""
    if cut.test != "multiway":
        return cut.table
    table = np.zeros((max(cut.categories) + 1, cut.table.shape[1]))
    table[list(cut.categories)] = cut.table
    return table


class CertifiedReference(ReferenceTree):
    """Every leaf races its best cuts; `budget` divides delta among leaves."""

    def __init__(self, kinds: Sequence[str], *, budget: str = "path", **parameters: Any) -> None:
        super().__init__(kinds, **parameters)
        self.budget = budget
        self.races: dict[int, LeafRaces] = {}
        self.kinds_of_certificates: list[tuple[int, int, str, float, int]] = []

    def _update(self, leaf: int, values: Sequence[Value], y: int, w: float) -> None:
        races = self.races.setdefault(leaf, LeafRaces())
        if races.cuts:
            first = branch_of(races.cuts[0], values)
            ended = False
            for rival, cut, gone in zip(races.rivals, races.cuts[1:], races.gone, strict=True):
                if not gone:
                    ended |= rival.learn(first, branch_of(cut, values), y)
            races.rows += 1
            if ended:
                races.judge()
        super()._update(leaf, values, y, w)

    def _check(self, leaf: int) -> None:
        node, races = self.nodes[leaf], self.races[leaf]
        node.checks += 1
        if races.cuts and None not in races.shown:
            least = min(shown for shown in races.shown if shown is not None)
            reason = "better" if all(races.better) else "within"
            self.kinds_of_certificates.append((leaf, self.seen, reason, least, races.rows))
            found = Evidence(races.cuts[0], 1.0, None, 0.0, 0.0)
            self._split(leaf, self.parameters.impurity, found, races.rows, reason)
            return
        stale = node.weight >= 2 * races.nominated and races.evidence < STALE * races.threshold
        if (races.cuts and not stale) or node.weight < FEWEST:
            return
        races.nominated = node.weight
        self._nominate(leaf, races)

    def _nominate(self, leaf: int, races: LeafRaces) -> None:
        p, node = self.parameters, self.nodes[leaf]
        best: dict[int, tuple[float, Cut]] = {}
        for gain, cut in self._candidates(leaf, p.impurity):
            if cut.feature not in best or gain > best[cut.feature][0]:
                best[cut.feature] = gain, cut
        cuts = []
        moved = False
        for gain, cut in best.values():
            made = self._executed(leaf, p.impurity, cut, gain)
            for i, old in enumerate(races.cuts[:-1]):
                if old is None or old.feature != made.feature:
                    continue
                same = (old.test, old.value) == (made.test, made.value)
                counted = self._counted(races, i)
                gain = counted if same else 0.5 * (counted + gain)
                moved |= i == 0 and not same
            cuts.append((gain, made))
        if not cuts:
            return
        place = max(range(len(cuts)), key=lambda i: cuts[i][0])
        leader_gain, leader = cuts[place]
        if not leader_gain > p.min_gain:
            return
        if races.cuts and not moved and leader.feature == races.cuts[0].feature:
            return
        cuts = [cuts[place], *cuts[:place], *cuts[place + 1 :]]
        self._begin(leaf, races, cuts)
        races.begun = node.weight

    def _begin(self, leaf: int, races: LeafRaces, cuts: list[tuple[float, Cut]]) -> None:
        p, node = self.parameters, self.nodes[leaf]
        labels = p.impurity == "accuracy"
        races.number += 1
        j, h = races.number, node.depth
        parts = {"path": (h + 1) * (h + 2), "tree": (leaf + 1) * (leaf + 2), "leaf": 1}
        races.threshold = math.log(parts[self.budget] * j * (j + 1) / p.delta)
        races.cuts = [*(cut for _, cut in cuts), None]
        races.rows = 0
        races.rivals = []
        races.evidence = 0.0
        tables = [estimated(by_code(cut)) for _, cut in cuts]
        tolerance = p.tau if labels else p.tau / 2
        leader_gain = cuts[0][0]
        for i in range(1, len(races.cuts)):
            null = i == len(races.cuts) - 1
            gap = leader_gain - (0.0 if null else cuts[i][0])
            race = Race(self._width(), 0.0 if null else tolerance, labels, min(max(gap, 0.0), 1.0))
            race.seed(tables[0], tables[0].sum(0, keepdims=True) if null else tables[i])
            races.rivals.append(race)
        races.shown = [None] * len(races.rivals)
        races.better = [False] * len(races.rivals)
        races.gone = [False] * len(races.rivals)

    def _counted(self, races: LeafRaces, i: int) -> float:
        """The gain of a contender by what its race has counted, estimates included."""
        longest = max(races.rivals, key=lambda rival: len(rival.rows))
        of = longest.leader if i == 0 else races.rivals[i - 1].rival
        table = np.array([counts for counts, _ in of.values()])
        total = table.sum()
        within = table.sum(1, keepdims=True)
        if self.parameters.impurity == "accuracy":
            return float((table.max(1).sum() - table.sum(0).max()) / total)
        inside = (table**2 / np.where(within > 0, within, 1.0)).sum()
        return max(0.0, float((inside - (table.sum(0) ** 2).sum() / total) / total))


def estimated(table: Any) -> Any:
    """Class weights of branches, as at most 100 rows."""
    total = float(table.sum())
    return table * (MOST_ESTIMATED / total) if total > MOST_ESTIMATED else table * 1.0
