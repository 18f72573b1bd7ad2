"""Which differences from the model an export may have, and what it refuses otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Allowed", "refuse_inexpressible"]


@dataclass(frozen=True)
class Allowed:
    """Which differences from the model an export may have. None allows no difference.

    Attributes
    ----------
    leaf : {"majority"} or None
        Export other leaf predictors as majority leaves.
    missing : {"fails"} or None
        Let a missing value fail a test of which the model takes both branches.
    formulas : bool
        Whether the target can express leaves that compute their prediction.
    """

    leaf: str | None = None
    missing: str | None = None
    formulas: bool = True

    def __post_init__(self) -> None:
        for name, value, known in (
            ("leaf", self.leaf, "majority"),
            ("missing", self.missing, "fails"),
        ):
            if value not in (None, known):
                raise ValueError(f"{name} must be None or {known!r}, got {value!r}")


def refuse_inexpressible(
    allowed: Allowed,
    asked: str,
    *,
    leaf: Any = "majority",
    options: bool = False,
    both_ways: bool = False,
) -> None:
    """Raise a ValueError if an export cannot have the predictions of the model.

    Parameters
    ----------
    allowed : Allowed
        The allowed differences.
    asked : str
        Name of the export function, for the error message.
    leaf : str or sequence of str
        The leaf predictors of the model. Only refused if the target has no formulas.
    options : bool
        Whether a node may have several tests.
    both_ways : bool
        Whether a missing value takes both branches of a test.
    """
    if not allowed.formulas and allowed.leaf is None and leaf != "majority":
        raise ValueError(
            f"the leaves of this model predict with {leaf!r}, which {asked} cannot express; "
            f"to_onnx and to_code can; {asked}(leaf='majority') exports the tree with majority "
            "leaves, whose predictions differ"
        )
    if options:
        raise ValueError(
            f"{asked} cannot express a tree with options, in which several leaves predict a row; "
            "use a tree without options (adaptation='none')"
        )
    if both_ways and allowed.missing is None:
        raise ValueError(
            f"this model sends a missing value down both branches of a test, which {asked} cannot "
            f"express; {asked}(missing='fails') sends it down the second one; the predictions of "
            "rows without missing values stay the same"
        )
