"""One view of a model: the tables and texts that terminal, report and notebook lay out."""

from __future__ import annotations

import inspect
from typing import Any

from riparian.data.formatting import bytes_text, label_text, plural, weight_text
from riparian.evidence.certificates import Split
from riparian.evidence.changes import Change
from riparian.models.parts import Parts, parts_of
from riparian.policies import Policy

__all__ = ["ModelView", "Rows"]

#: Pairs of a name and a text.
Rows = list[tuple[str, str]]


class ModelView:
    """What there is to see of a model. It does not change when the model learns on.

    Parameters
    ----------
    model : classifier
        Of a model that has learned nothing, and of a classifier of another library, the view has
        the name and the parameters only.

    Attributes
    ----------
    name : str
        Name of the model's class.
    parameters : dict
        The parameters by name.
    parts : Parts or None
        What the model has to show.

    Examples
    --------
    >>> from riparian import VFDT
    >>> ModelView(VFDT().fit([[0.0], [1.0]], ["no", "yes"])).size_text()
    '1 leaf, depth 0'
    """

    def __init__(self, model: Any) -> None:
        self.name = type(model).__name__
        self.parameters: dict[str, Any] = (
            model.get_params(deep=False) if hasattr(model, "get_params") else {}
        )
        self._type = type(model)
        self.parts: Parts | None = parts_of(model)

    # -- parameters ---------------------------------------------------------------------------

    def parameter_texts(self, *, changed: bool = False) -> Rows:
        """The parameters as a user writes them; `changed` leaves out those at their defaults."""
        shown = self.parameters
        if changed:
            declared = inspect.signature(self._type).parameters
            shown = {n: v for n, v in shown.items() if not _same(v, declared[n].default)}
        return [(label_text(name), _written(value)) for name, value in shown.items()]

    # -- sizes --------------------------------------------------------------------------------

    def sizes(self) -> Rows:
        """The sizes of a model that has learned, each under its name."""
        parts = self.parts
        if parts is None:
            return []
        shown = dict(parts.sizes)
        shown.pop("nodes", None)
        if shown.get("active_leaves") == shown.get("leaves") and not parts.limited:
            shown.pop("active_leaves", None)
        counts = [(name.replace("_", " "), f"{count:,}") for name, count in shown.items()]
        return [*counts, ("memory", bytes_text(float(parts.memory_bytes)))]

    def totals(self) -> Rows:
        """How much a model has learned: examples, classes, and its sizes."""
        if self.parts is None:
            return []
        classes = f"{len(self.parts.classes):,}"
        return [("examples", self.examples), ("classes", classes), *self.sizes()]

    @property
    def examples(self) -> str:
        """The number of examples that were learned."""
        return weight_text(float(self.parts.examples)) if self.parts else "0"

    def size_text(self) -> str:
        """The size of the tree, or of all trees, in a line: ``61 leaves (4 inactive), depth 8``."""
        sizes = self.parts.sizes if self.parts else {}
        if "leaves" not in sizes:
            return ""
        inactive = sizes["leaves"] - sizes.get("active_leaves", sizes["leaves"])
        without = f" ({inactive:,} inactive)" if inactive > 0 else ""
        members = "" if self.member_count is None else f"{plural(self.member_count, 'member')}, "
        leaves = plural(sizes["leaves"], "leaf", "leaves")
        return f"{members}{leaves}{without}, depth {sizes['depth']:,}"

    @property
    def member_count(self) -> int | None:
        """The number of members of a forest; None for other models."""
        members = self.parts.members if self.parts else None
        return None if members is None else len(members)

    # -- leaves, splits, changes --------------------------------------------------------------

    def predictors(self) -> dict[str, int]:
        """The number of leaves that use each leaf predictor; empty unless there is one tree."""
        parts = self.parts
        if parts is None or parts.tree is None or parts.members is not None:
            return {}
        return parts.tree.n_predicted_by()

    def last_splits(self, n: int) -> list[Split]:
        """The last `n` splits, oldest first."""
        return _last(self.parts.splits, n) if self.parts else []

    def last_changes(self, n: int | None) -> list[Change]:
        """The last `n` changes, oldest first; None gives all."""
        return _last(self.parts.changes, n) if self.parts else []

    def last_former_splits(self, n: int | None) -> list[Split]:
        """The `n` splits that were replaced last, the one that went first first; None gives all."""
        former = self.parts.former_splits if self.parts else None
        return _last(sorted(former or [], key=lambda split: split.replaced_at or 0), n)

    def change_text(self) -> str:
        """How often each kind of change happened, in a line."""
        counts = self.parts.change_counts if self.parts else {}
        return ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n) or "none yet"

    def change_rows(self, n_rows: int) -> list[int]:
        """The rows of an evaluation at which the tree changed, if it ended with the last example.

        The model may have learned other examples before the `n_rows` rows.
        """
        if self.parts is None or self.parts.changes is None:
            return []
        before = self.parts.examples - n_rows
        rows = [change.seen - before for change in self.parts.changes]
        return [row for row in rows if 0 < row <= n_rows]


def _last(found: Any, n: int | None) -> list[Any]:
    every = list(found or ())
    return every if n is None else every[len(every) - min(n, len(every)) :]


def _written(value: Any) -> str:
    """A parameter as it is written in a call; a function by its name."""
    if callable(value) and not isinstance(value, Policy) and hasattr(value, "__name__"):
        return label_text(value.__name__)
    return label_text(repr(value))


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    try:
        return type(value) is type(default) and bool(value == default)
    except (TypeError, ValueError):  # arrays have no single truth value
        return False
