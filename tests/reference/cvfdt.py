"""A tree with a window in plain Python: each node holds the examples that it has learned.

Statistics are counted from those examples at each check, so nothing is ever subtracted. Subtrees
are linked, never copied or renumbered. Features are categorical, and leaves predict the majority.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .decision import verdict
from .duel import Duel
from .statistics import CategoryCounts
from .tree import ReferenceTree

__all__ = ["BettingWindowReference", "Test", "WindowReference"]

WINDOWS_BETWEEN_COUNTS = 4
MOST_LEVELS = 2  # alternates of nodes of alternates


@dataclass
class Test:
    """The errors of a node and of its alternates on the same examples."""

    waited: float = 0.0
    tested: float = 0.0
    errors: float = 0.0
    own_tested: dict[int, float] = field(default_factory=dict)
    own_errors: dict[int, float] = field(default_factory=dict)


class WindowReference(ReferenceTree):
    """Hulten, Spencer and Domingos (2001), tables 2 to 5."""

    def __init__(
        self,
        kinds: Sequence[str],
        *,
        window: int,
        validity_period: int,
        alt_test_period: float,
        alt_test_size: float,
        alt_prune_margin: float,
        **parameters: Any,
    ) -> None:
        self.learned: dict[int, dict[int, tuple[Any, ...]]] = {}
        self.arrived: dict[int, float] = {}  # weight since the last check of a leaf
        self.since: dict[int, int] = {}  # the number of the first example that a node may learn
        super().__init__(kinds, **parameters)
        self.size, self.validity_period = window, validity_period
        self.test_period, self.test_size = alt_test_period, alt_test_size
        self.margin = alt_prune_margin
        self.window: deque[int] = deque()
        self.forgotten = 0
        self.alternates: dict[int, list[int]] = {}
        self.owner: dict[int, int] = {}  # the node that an alternate grows next to
        self.tests: dict[int, Test] = {}
        self.least: dict[int, float] = {}  # smallest difference of errors of an alternate so far
        self.counts = {"started": 0, "dropped": 0, "replaced": 0}
        self.replaced: list[tuple[int, int, float, float]] = []

    # -- the window ---------------------------------------------------------------------------

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Table 2: compare, forget the oldest, learn, and check the splits from time to time."""
        values = self._read(row)
        self.seen += 1
        self.classes.add(y)
        paths = list(self._paths(values))
        due = self._compare(paths, y, w)
        changed: set[int] = set()
        while len(self.window) >= self.size:
            changed.update(self._forget())
        self._count_again_if_due()
        self.window.append(self.seen)
        for path in paths:
            for node in path:
                self.learned[node][self.seen] = (values, y, w)
            changed.update(path)
            self.arrived[path[-1]] += w
        for node in changed:
            self._recount(node)
        for path in reversed(paths):
            self._check_if_due(path[-1])
        for node in due:
            if node in self.tests and self.tests[node].tested >= self.test_size:
                self._conclude(node)
        if self.seen % self.validity_period == 0:
            self._check_splits()

    def _paths(self, values: Sequence[Any]) -> Iterator[list[int]]:
        """The nodes from the root to a leaf, of the tree and of the alternates on the way."""
        tops = [self.root]
        for top in tops:
            path = [self._route(values, True, top)]
            while path[-1] != top:
                path.append(self.nodes[path[-1]].parent)
            for node in path:
                tops += self.alternates.get(node, ())
            yield path[::-1]

    def _add_leaf(self, parent: int, branch: int, inherited: dict[int, float]) -> int:
        made = super()._add_leaf(parent, branch, inherited)
        self.learned[made], self.arrived[made] = {}, 0.0
        self.since[made] = self.seen + 1
        return made

    def _forget(self) -> list[int]:
        """Table 4: whatever has learned the oldest example forgets it. Returns these nodes."""
        number = self.window.popleft()
        self.forgotten += 1
        return [n for n, held in self.learned.items() if held.pop(number, None) is not None]

    def _recount(self, at: int) -> None:
        """The class weights of the examples that a node holds."""
        observed: dict[int, float] = {}
        weight = 0.0
        for _, y, w in self.learned[at].values():
            observed[y] = observed.get(y, 0.0) + w
            weight += w
        self.nodes[at].observed, self.nodes[at].weight = observed, weight

    def _count_statistics(self, at: int) -> None:
        node = self.nodes[at]
        node.statistics = [CategoryCounts() for _ in self.kinds]
        for values, y, w in self.learned[at].values():
            for statistic, x in zip(node.statistics, values, strict=True):
                assert isinstance(statistic, CategoryCounts)
                if x is not None:
                    statistic.update(int(x), y, w)

    def _count_again_if_due(self) -> None:
        """What a split estimated is dropped once all the examples of the estimate are gone."""
        if self.forgotten < WINDOWS_BETWEEN_COUNTS * max(1, len(self.window)):
            return
        self.forgotten = 0
        for at, node in enumerate(self.nodes):
            if self.window and self.since[at] <= self.window[0]:
                node.inherited = {}

    # -- splits -------------------------------------------------------------------------------

    def _check_if_due(self, leaf: int) -> None:
        """Table 3: a leaf is checked after each `grace_period` of arrivals, whatever has left."""
        if self.arrived[leaf] < self.parameters.grace_period or len(self._present(leaf)) < 2:
            return
        self.arrived[leaf] = 0.0
        self._count_statistics(leaf)
        self._check(leaf)

    def _present(self, at: int) -> list[int]:
        return [k for k, weight in self.nodes[at].observed.items() if weight > 0.0]

    def _check_splits(self) -> None:
        """Table 5: an alternate begins where another feature has become the best one."""
        p = self.parameters
        for at in self._alive():
            node = self.nodes[at]
            if node.cut is None or len(self._present(at)) < 2 or not self._may_have_alternates(at):
                continue
            self._count_statistics(at)
            evidence, situation = self._evidence(at, p.impurity, node.checks)
            splits, reason = verdict(p, evidence, 0)
            if not splits or evidence.best is None or evidence.best.feature == node.cut.feature:
                continue
            if reason == "tie" and evidence.gain - evidence.runner_up_gain < p.tau / 2:
                continue
            tried = [self.nodes[b].cut for b in self.alternates.get(at, ())]
            if any(cut is not None and cut.feature == evidence.best.feature for cut in tried):
                continue
            root = self._add_leaf(parent=-1, branch=node.branch, inherited={})
            fresh = self.nodes[root]
            fresh.parent, fresh.depth, fresh.multiway_used = at, node.depth, node.multiway_used
            self._split(root, p.impurity, evidence, situation.n, reason)
            self.alternates.setdefault(at, []).append(root)
            self.owner[root] = at
            self.least[root] = math.inf
            self.tests.setdefault(at, Test())
            self.counts["started"] += 1

    def _alive(self) -> list[int]:
        todo = [self.root]
        for at in todo:
            todo += [*self.nodes[at].children.values(), *self.alternates.get(at, ())]
        return sorted(todo)

    def _may_have_alternates(self, at: int) -> bool:
        levels, role = 0, at in self.owner
        while at >= 0:
            levels += at in self.owner
            at = self.nodes[at].parent
        return not role and levels < MOST_LEVELS

    def _split(self, leaf: int, *rest: Any) -> None:
        super()._split(leaf, *rest)
        self.nodes[leaf].statistics = []

    # -- tests of alternates --------------------------------------------------------------------

    def _compare(self, paths: list[list[int]], y: int, w: float) -> list[int]:
        """Count the errors of the tree and of its alternates; the nodes whose test is full."""
        full = []
        for path in paths:
            wrong = self._class_by("majority", path[-1], ()) != y
            top = path[0]
            if top in self.owner:
                test = self.tests[self.owner[top]]
                if test.tested > 0.0:
                    test.own_tested[top] = test.own_tested.get(top, 0.0) + w
                    test.own_errors[top] = test.own_errors.get(top, 0.0) + w * wrong
            for node in path:
                if not self.alternates.get(node):
                    continue
                test = self.tests[node]
                if test.waited < self.test_period:
                    test.waited += w
                    continue
                test.tested += w
                test.errors += w * wrong
                if test.tested >= self.test_size:
                    full.append(node)
        return full

    def _conclude(self, node: int) -> None:
        """An alternate with fewer errors replaces the node; one that falls behind is dropped."""
        if node not in self._alive():
            return
        test = self.tests.pop(node)
        others = self.alternates[node]
        whole = [b for b in others if test.own_tested.get(b, 0.0) == test.tested]
        best = min(whole, key=lambda b: test.own_errors[b], default=None)
        if best is not None and test.own_errors[best] < test.errors:
            self.counts["replaced"] += 1
            errors = test.errors / test.tested, test.own_errors[best] / test.tested
            self.replaced.append((self.seen, self.nodes[node].depth, *errors))
            self._link(node, best)
            return
        for b in whole:
            more = (test.own_errors[b] - test.errors) / test.tested
            level = more == 0.0 and self.least[b] == 0.0
            if more > self.least[b] + self.margin or test.errors == 0.0 or level:
                others.remove(b)
                self.counts["dropped"] += 1
            else:
                self.least[b] = min(self.least[b], more)
        if others:
            self.tests[node] = Test()

    def _link(self, old: int, new: int) -> None:
        parent = self.nodes[old].parent
        self.nodes[new].parent = parent
        del self.owner[new], self.alternates[old]
        if old == self.root:
            self.root = new
            return
        above = self.nodes[parent]
        above.children[self.nodes[old].branch] = new
        self.nodes[new].branch = self.nodes[old].branch
        if above.heavy == old:
            above.heavy = new

    # -- what a test compares -------------------------------------------------------------------

    @property
    def n_leaves(self) -> int:
        return 0  # without a limit on leaves

    def leaf_checks(self) -> list[int]:
        """How often each leaf was checked, also of alternates, in order."""
        alive = [self.nodes[at] for at in self._alive()]
        return sorted(node.checks for node in alive if node.cut is None)


class BettingWindowReference(WindowReference):
    """Alternates replace their nodes by betting on the rows that both predict."""

    def __init__(self, kinds: Sequence[str], **parameters: Any) -> None:
        super().__init__(kinds, **parameters)
        self.duels: dict[int, Duel] = {}

    def _compare(self, paths: list[list[int]], y: int, w: float) -> list[int]:
        errors: dict[int, float] = {}
        decided = []
        for path in paths:
            wrong = float(self._class_by("majority", path[-1], ()) != y)
            top = path[0]
            if top in self.owner:
                duel = self.duels.setdefault(top, Duel(self.test_size))
                duel.bet(errors[self.owner[top]], wrong)
                if max(duel.ahead, duel.behind) >= 1 / self.parameters.delta:
                    decided.append(self.owner[top])
            for node in path:
                errors[node] = wrong
        for node in decided:  # conclude after the row was learned
            self.tests[node].tested = self.test_size
        return decided

    def _conclude(self, node: int) -> None:
        if node not in self._alive() or not self.alternates.get(node):
            return
        needed = 1 / self.parameters.delta
        others = self.alternates[node]
        for b in list(others):
            if b in self.duels and self.duels[b].behind >= needed:
                others.remove(b)
                self.counts["dropped"] += 1
        ahead = [b for b in others if b in self.duels and self.duels[b].ahead >= needed]
        self.tests[node].tested = 0.0
        if ahead:
            best = max(ahead, key=lambda b: self.duels[b].ahead)
            self.counts["replaced"] += 1
            depth = self.nodes[node].depth
            self.replaced.append((self.seen, depth, *self.duels[best].errors))
            self._link(node, best)
