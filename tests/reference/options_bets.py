"""The option tree with bets in plain Python: options take the place of a test, or go."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .duel import Duel, DuellingReference
from .options import OptionsReference

__all__ = ["BettingOptionsReference"]


class BettingOptionsReference(DuellingReference, OptionsReference):
    """An option bets against what the own test of its node predicts."""

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Bet on the row before any leaf learns it; what was shown counts from the next row on."""
        if w == 0.0:
            return
        met = self._bet_on(self._read(row), y)
        super().learn(row, y, w)
        for option in met:
            if option in self.owner and self._is_part(option):
                self._settle(self.owner[option], option)

    @property
    def n_leaves(self) -> int:
        return self._leaves_with_options(self.root)

    def _leaves_with_options(self, at: int) -> int:
        node = self.nodes[at]
        below = [*node.children.values(), *self.options.get(at, [])]
        return sum(map(self._leaves_with_options, below)) + (node.cut is None)

    def _is_part(self, option: int) -> bool:
        at = option
        while at != self.root:
            above = self.owner.get(at, self.nodes[at].parent)
            linked = at in self.options.get(above, []) or at in self.nodes[above].children.values()
            if not linked:
                return False
            at = above
        return True

    def _bet_on(self, values: Any, y: int) -> list[int]:
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
                    self._bet(option, float(np.argmax(total) != y), float(np.argmax(theirs) != y))
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

    def _drop(self, node: int, other: int) -> None:
        del self.owner[other]
        self.options[node].remove(other)
        if not self.options[node]:
            del self.options[node]

    def _replace(self, at: int, option: int) -> None:
        node, other = self.nodes[at], self.nodes[option]
        self._drop(at, option)
        node.cut, node.children, node.heavy = other.cut, other.children, other.heavy
        for child in node.children.values():
            self.nodes[child].parent = at
        for rest in self.options.get(at, []):
            self.duels[rest] = Duel(self.switch_after)
