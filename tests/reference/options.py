"""A tree whose nodes may have several tests, in plain Python: options are linked to their node."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .bounds import spend
from .cuts import best_two
from .decision import Evidence
from .impurities import criterion_gain
from .leaves import Value
from .tree import ReferenceTree

__all__ = ["OptionsReference"]


class OptionsReference(ReferenceTree):
    """Pfahringer, Holmes and Kirkby (2007)."""

    def __init__(
        self,
        kinds: Sequence[str],
        *,
        option_delta: float = 0.1,
        max_options: int = 5,
        **parameters: Any,
    ) -> None:
        super().__init__(kinds, **parameters)
        self.option_delta, self.max_options = option_delta, max_options
        self.options: dict[int, list[int]] = {}  # by node
        self.owner: dict[int, int] = {}  # by option

    # Learning

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Learn one example on every way that options open to it."""
        if w == 0.0:
            return
        values = self._read(row)
        self.seen += 1
        ways = self._ways(values)
        ways = [(top, self._route(values, True, end)) for top, end in ways]
        for _, leaf in ways:
            self._observe(leaf, values, y, min(w, 1.0))
        self.classes.add(y)
        for top, leaf in ways:
            path = [leaf]
            while path[-1] != top:
                path.append(self.nodes[path[-1]].parent)
            for at in reversed(path[1:]):
                if self.max_options > 1:
                    self._update(at, values, y, w)
                    self._consider_if_due(at)
            self._take(leaf, values, y, w)

    def _ways(self, values: Sequence[Value]) -> list[tuple[int, int]]:
        """The subtrees that a row enters, each with the node that it ends at there."""
        tops, ways = [self.root], []
        for top in tops:
            end = self._route(values, learning=False, at=top)
            path = [end]
            while path[-1] != top:
                path.append(self.nodes[path[-1]].parent)
            for at in reversed(path):
                tops += self.options.get(at, [])
            ways.append((top, end))
        return ways

    def _split(self, leaf: int, *rest: Any) -> None:
        """As any leaf, but its statistics stay."""
        node = self.nodes[leaf]
        statistics, densities = node.statistics, node.densities
        super()._split(leaf, *rest)
        node.statistics, node.densities = statistics, densities

    # Further tests

    def _consider_if_due(self, at: int) -> None:
        node = self.nodes[at]
        due = node.weight - node.checked >= self.parameters.grace_period
        if at not in self.owner and due and len(node.observed) >= 2:
            node.checked = node.weight
            node.checks += 1
            self._consider(at)

    def _consider(self, at: int) -> None:
        """Another feature joins once it beats every test of the node, by the second delta."""
        p = self.parameters
        tests = [(self._gain_of_branches(i), i) for i in [at, *self.options.get(at, [])]]
        used = {cut.feature for _, i in tests if (cut := self.nodes[i].cut) is not None}
        found = [
            (gain, cut) for gain, cut in self._candidates(at, p.impurity) if cut.feature not in used
        ]
        (gain, best), _ = best_two(found, "none", "zero")
        check = self.nodes[at].checks
        delta = spend(self.option_delta, check) if p.spend_delta else self.option_delta
        situation = replace(self._situation(at, (best, None), check), delta=delta)
        epsilon = self._epsilon(at, p.impurity, (best, None), situation)
        second_gain, second = 0.0, None
        for rival, i in tests:
            if rival > second_gain:
                second_gain, second = rival, self.nodes[i].cut
        if best is None or not gain > p.min_gain or not gain - second_gain > p.epsilons * epsilon:
            return
        if self.leaves_of_one_row(self.root, at) > self.max_options:
            return
        # The option is a leaf first, and then as many as its test has branches.
        if self.n_leaves >= p.max_leaves or self.n_leaves + len(best.table) > p.max_leaves:
            return
        option = self._add_option(at)
        evidence = Evidence(best, gain, second, second_gain, epsilon)
        self._split(option, p.impurity, evidence, situation.n, "bound")

    def _gain_of_branches(self, at: int) -> float:
        """What a test gains by what its branches have seen and inherited."""
        node = self.nodes[at]
        table = np.zeros((len(node.children), self._width()))
        for row, (_, child) in zip(table, sorted(node.children.items()), strict=True):
            for weights in (self.nodes[child].observed, self.nodes[child].inherited):
                for k, weight in weights.items():
                    row[k] += weight
        if not table.sum() > 0.0:
            return 0.0
        p = self.parameters
        return float(criterion_gain(p.impurity, table, p.costs, p.legacy_gain))

    def leaves_of_one_row(self, at: int, one_more: int = -1) -> int:
        """The most leaves that a row may reach below a node, with one more option at another."""
        node = self.nodes[at]
        below = [self.leaves_of_one_row(c, one_more) for c in node.children.values()]
        options = [self.leaves_of_one_row(o, one_more) for o in self.options.get(at, [])]
        return max(below, default=1) + sum(options) + (at == one_more)

    def _add_option(self, at: int) -> int:
        above = self.nodes[at]
        inherited = dict(above.inherited)
        for k, weight in above.observed.items():
            inherited[k] = inherited.get(k, 0.0) + weight
        option = self._add_leaf(parent=-1, branch=0, inherited=inherited)
        leaf = self.nodes[option]
        leaf.parent, leaf.depth, leaf.multiway_used = at, above.depth, above.multiway_used
        self.options.setdefault(at, []).append(option)
        self.owner[option] = at
        return option

    # Answering

    def predict(self, row: Sequence[float | int]) -> int | None:
        """The class with the largest mean probability, or None before the first example."""
        values = self._read(row)
        ends = [end for _, end in self._ways(values)]
        if len(ends) == 1 or not self.seen:
            return self._class_by(self._predictor(ends[0]), ends[0], values)
        return int(np.argmax(self.probabilities(row, self._width())))

    def probabilities(self, row: Sequence[float | int], n_classes: int) -> list[float]:
        """The mean over all leaves that a row reaches."""
        values = self._read(row)
        ends = [end for _, end in self._ways(values)]
        shares = [self._probabilities_at(end, values, n_classes) for end in ends]
        return list(np.mean(shares, axis=0))
