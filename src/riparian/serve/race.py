"""The race of the leaves that are nearest to a decision, with what was seen of it before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from riparian.evidence.pending import Pending
from riparian.evidence.structure import Structure

__all__ = ["Race"]

#: The leaves that are shown, and the earlier checks of each.
MOST_LEAVES, _MOST_CHECKS = 8, 100
#: Leaves whose checks are remembered.
_REMEMBERED = 64


class Race:
    """Remembers the checks of leaves and shows the nearest to a decision."""

    def __init__(self) -> None:
        self._checks: dict[tuple[int | None, int], list[tuple[float, ...]]] = {}

    def forget(self) -> None:
        """Forget all checks: another model is served."""
        self._checks.clear()

    def entries(
        self,
        pending: Sequence[Pending],
        tree: Structure,
        member: int | None,
        parameters: Any,
    ) -> list[dict[str, Any]]:
        """Return the leaves as the page shows them."""
        found = []
        for leaf in pending:
            key = (member, leaf.leaf)
            checks = self._checks.pop(key, [])
            if checks and leaf.checked_at < checks[-1][0]:
                checks = []  # another leaf has got the number
            if leaf.checked_at and (not checks or checks[-1][0] != leaf.checked_at):
                checks.append((leaf.checked_at, leaf.gain, leaf.runner_up_gain, leaf.epsilon))
                checks = checks[-_MOST_CHECKS:]
            self._checks[key] = checks  # the last one that was used is the last to go
            found.append(_entry(leaf, member, _path(tree, leaf.leaf), parameters, list(checks)))
        while len(self._checks) > _REMEMBERED:
            del self._checks[next(iter(self._checks))]
        return found


def _entry(
    leaf: Pending,
    member: int | None,
    path: list[str],
    parameters: Any,
    history: list[tuple[float, ...]],
) -> dict[str, Any]:
    alone = leaf.runner_up == "no split"
    second = {
        "cut": leaf.runner_up,
        "feature": _feature(leaf.runner_up),
        "gain": leaf.runner_up_gain,
    }
    return {
        "leaf": leaf.leaf,
        "member": member,
        "path": path,
        "rows": leaf.n,
        "until_check": leaf.until_check,
        "best": {"cut": leaf.cut, "feature": leaf.feature, "gain": leaf.gain},
        "runner_up": None if alone else second,
        "epsilon": leaf.epsilon,
        "epsilons": parameters.get("epsilons", 1),
        "tau": parameters.get("tau"),
        "delta": leaf.delta,
        "rows_to_decide": leaf.examples_needed if math.isfinite(leaf.examples_needed) else None,
        "evidence": leaf.evidence,
        "threshold": leaf.threshold,
        "waits_for": leaf.reason_waiting,
        "history": history,
    }


def _feature(cut: str) -> str:
    """Return the feature of a cut as text; a name may hold every sign, so the last one counts."""
    for sign in (" <= ", " = "):
        name, found, _ = cut.rpartition(sign)
        if found:
            return name
    return cut.removesuffix(" (each value)").removeprefix("another cut of ")


def _path(tree: Structure, leaf: int) -> list[str]:
    path: list[str] = []
    node = leaf
    while 0 <= node < len(tree):
        found = tree[node]
        if found.branch is not None:
            path.append(str(found.branch))
        node = found.parent
    return path[::-1]
