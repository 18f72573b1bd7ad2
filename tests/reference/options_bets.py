"""The option tree with bets in plain Python: options take the place of a test, or go."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .duel import Duel
from .hat import Replacement
from .options import OptionsReference

__all__ = ["BettingOptionsReference"]


class BettingOptionsReference(OptionsReference):
    """An option bets against what the own test of its node predicts."""

    def __init__(
        self,
        kinds: Sequence[str],
        *,
        switch_delta: float = 0.05,
        switch_after: float = 300,
        **parameters: Any,
    ) -> None:
        super().__init__(kinds, **parameters)
        self.switch_delta, self.switch_after = switch_delta, switch_after
        self.duels: dict[int, Duel] = {}  # by option
        self.counts = {"started": 0, "dropped": 0, "replaced": 0}
        self.replacements: list[Replacement] = []

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Bet on the row before any leaf learns it; what was shown counts from the next row on."""
        if w == 0.0:
            return
        met = self._bet(self._read(row), y)
        super().learn(row, y, w)
        for option in met:
            if option in self.owner and self._is_part(option):
                self._conclude(option)

    @property
    def n_leaves(self) -> int:
        return self._leaves(self.root, with_options=True)

    def _leaves(self, at: int, *, with_options: bool) -> int:
        node = self.nodes[at]
        below = [*node.children.values(), *(self.options.get(at, []) if with_options else [])]
        count = sum(self._leaves(i, with_options=with_options) for i in below)
        return count + (node.cut is None)

    def _is_part(self, option: int) -> bool:
        at = option
        while at != self.root:
            above = self.owner.get(at, self.nodes[at].parent)
            linked = at in self.options.get(above, []) or at in self.nodes[above].children.values()
            if not linked:
                return False
            at = above
        return True

    def _bet(self, values: Any, y: int) -> list[int]:
        ways = [(top, self._route(values, True, end)) for top, end in self._ways(values)]
        if len(ways) == 1:
            return []
        n, met = self._width(), []
        ends = dict(ways)

        def votes(top: int) -> Any:
            """The sum of what all ends below the root of a subtree predict."""
            at = ends[top]
            total = np.array(self._probabilities_at(at, values, n))
            while True:
                others = [(o, votes(o)) for o in self.options.get(at, [])]
                for option, theirs in others:
                    duel = self.duels.setdefault(option, Duel(self.switch_after))
                    duel.bet(float(np.argmax(total) != y), float(np.argmax(theirs) != y))
                    met.append(option)
                for _, theirs in others:
                    total = total + theirs
                if at == top:
                    return total
                at = self.nodes[at].parent

        votes(self.root)
        return met

    def _add_option(self, at: int) -> int:
        self.counts["started"] += 1
        return super()._add_option(at)

    def _conclude(self, option: int) -> None:
        duel, at = self.duels[option], self.owner[option]
        if duel.ahead >= 1 / self.switch_delta:
            self.counts["replaced"] += 1
            self._replace(at, option, duel)
        elif duel.behind >= 1 / self.switch_delta:
            self.counts["dropped"] += 1
            self._forget(option)

    def _forget(self, option: int) -> None:
        at = self.owner.pop(option)
        self.options[at].remove(option)
        if not self.options[at]:
            del self.options[at]

    def _replace(self, at: int, option: int, duel: Duel) -> None:
        node, other = self.nodes[at], self.nodes[option]
        sizes = (
            self._leaves(at, with_options=False),
            self._leaves(option, with_options=False),
        )
        self.replacements.append(Replacement(self.seen, node.depth, *sizes, *duel.errors, 0.0))
        self._forget(option)
        node.cut, node.children, node.heavy = other.cut, other.children, other.heavy
        for child in node.children.values():
            self.nodes[child].parent = at
        for rest in self.options.get(at, []):
            self.duels[rest] = Duel(self.switch_after)
