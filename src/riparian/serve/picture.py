"""The picture of a model: what a frame says of it, made by the thread that learns."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import asdict
from typing import Any

from riparian.data.formatting import label_text
from riparian.evidence.certificates import Split
from riparian.evidence.changes import Change
from riparian.evidence.structure import Structure
from riparian.models.forests.ensemble import Ensemble
from riparian.models.streaming_tree import StreamingTree
from riparian.models.tree_model import TreeModel
from riparian.serve.accuracy_picture import accuracy_picture
from riparian.serve.frames import Frames
from riparian.serve.race import MOST_LEAVES, Race
from riparian.serve.tree_picture import tree_nodes

__all__ = ["Picture"]

#: Seconds between frames, and between looks at what takes long.
_EVERY, _SLOWLY = 1.0, 10.0
_MOST_MARKS, _MOST_FEATURES, _MOST_KEPT = 100, 100, 1000


class Picture:
    """Makes frames of a model. One thread calls it: the one that learns, if one does.

    Parameters
    ----------
    name : str
        The name of the model.
    frames : Frames
        Where frames and events go.
    """

    def __init__(self, name: str, frames: Frames) -> None:
        self._name = name
        self._frames = frames
        self._race = Race()
        self._marks: deque[dict[str, Any]] = deque(maxlen=_MOST_MARKS)
        self._splits: dict[int, str] = {}
        self._seen = 0
        self._model: Any = None
        self._due = 0.0
        self._importances: list[float] = []
        self._importances_due = 0.0
        self._guarantee: str | None = None
        self._replaced: tuple[str, str] | None = None

    @property
    def due(self) -> bool:
        """Whether it is time for a frame."""
        return time.monotonic() >= self._due

    def mark(self, rows: int, kind: str, text: str) -> None:
        """Add a mark to the axis of rows."""
        self._marks.append({"rows": rows, "kind": kind, "text": text})

    def replaced(self, kind: str, text: str) -> None:
        """Mark that another model has taken the place of the one before; a frame is due."""
        self._replaced = (kind, text)
        self._due = 0.0

    def publish(
        self,
        model: Any,
        generation: int,
        *,
        result: Any = None,
        learning: bool = False,
        labels: dict[str, Any] | None = None,
        stream: dict[str, Any] | None = None,
        features: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        """Make a frame of the model as it is now."""
        self._due = time.monotonic() + _EVERY
        fitted = hasattr(model, "classes_")
        if model is not self._model:
            self._begin(model, fitted)
        if self._replaced is not None:
            kind, text = self._replaced
            self._replaced = None
            self.mark(int(model.n_seen_) if fitted else 0, kind, text)
            data = {"rows": self._seen, "kind": kind, "text": text}
            self._frames.event("change", data)
        member, tree, race = self._tree(model) if fitted else (None, None, [])
        if fitted:
            self._events(model)
        frame = {
            "time": time.time(),
            "model": self._facts(model, generation, fitted, learning),
            "race": race,
            "accuracy": accuracy_picture(result),
            "marks": list(self._marks),
            "labels": labels,
            "tree": {
                "members": self._members(model) if fitted else None,
                "member": member,
                "nodes": [] if tree is None else tree_nodes(tree, self._splits),
            },
            "features": self._features(model, fitted, features or {}),
            "stream": {**_no_stream(), **(stream or {})},
            "guarantee": self._guarantee,
        }
        shown = None if tree is None else (tree, dict(self._splits))
        self._frames.publish(frame, shown)

    def _begin(self, model: Any, fitted: bool) -> None:
        """Look at a model for the first time: what it has done before makes no events."""
        self._model = model
        self._race.forget()
        self._frames.forget()
        self._splits = {}
        self._importances_due = 0.0
        self._seen = model.n_seen_ if fitted else 0
        if fitted and isinstance(model, StreamingTree):
            splits = model.splits()
            self._splits = {split.node: str(split) for split in splits}
            marks = [(split.seen, "split", str(split)) for split in splits[-_MOST_MARKS // 2 :]]
            changes = model.changes()[-_MOST_MARKS // 2 :]
            marks += [(change.seen, _kind(change.kind), str(change)) for change in changes]
            for split in splits[-_MOST_KEPT:]:
                self._frames.remember("split", _split_data(split))
            for change in changes:
                self._frames.remember("change", _change_data(change))
            for rows, kind, text in sorted(marks):
                self.mark(rows, kind, text)

    def _events(self, model: Any) -> None:
        """Tell the splits and changes since the last frame."""
        if not isinstance(model, StreamingTree):
            return
        seen = model.n_seen_
        if seen == self._seen:
            return
        for split in model.splits(since=self._seen):
            self._split(split)
        for change in model.changes(since=self._seen):
            self.mark(change.seen, _kind(change.kind), str(change))
            self._frames.event("change", _change_data(change))
            # Numbers of nodes may have moved.
            self._splits = {one.node: str(one) for one in model.splits()}
        self._seen = seen

    def _split(self, split: Split) -> None:
        self._splits[split.node] = str(split)
        self.mark(split.seen, "split", str(split))
        self._frames.event("split", _split_data(split))

    def _facts(self, model: Any, generation: int, fitted: bool, learning: bool) -> dict[str, Any]:
        kind = "other"
        if isinstance(model, Ensemble):
            kind = "forest"
        elif isinstance(model, TreeModel):
            kind = "tree"
        sized = fitted and hasattr(model, "n_leaves_")
        return {
            "name": self._name,
            "recipe": type(model).__name__,
            "kind": kind,
            "generation": generation,
            "rows": int(model.n_seen_) if fitted else 0,
            "classes": [label_text(label) for label in model._schema.classes] if fitted else [],
            "n_nodes": int(model.n_nodes_) if sized else 0,
            "n_leaves": int(model.n_leaves_) if sized else 0,
            "depth": int(model.depth_) if sized else 0,
            "bytes": int(model.memory_bytes_) if fitted else 0,
            "max_bytes": model._learned_with.get("max_bytes") if fitted else None,
            "learning": learning,
        }

    def _tree(self, model: Any) -> tuple[int | None, Structure | None, list[dict[str, Any]]]:
        """Return the tree to draw with its race: that of a forest's member of largest weight."""
        if isinstance(model, Ensemble):
            leading = model._leading_tree(MOST_LEAVES)
            if leading is None:
                return None, None, []
            member, tree, pending = leading
            axes = model._axes_of(model._standings()[member])
            return member, tree, self._race.entries(pending, tree, member, axes)
        if not isinstance(model, TreeModel):
            return None, None, []
        tree = Structure.of(model)
        if not isinstance(model, StreamingTree):
            return None, tree, []
        pending = model.pending(nearest=MOST_LEAVES)
        return None, tree, self._race.entries(pending, tree, None, model._learned_with)

    def _members(self, model: Any) -> list[dict[str, Any]] | None:
        if not isinstance(model, Ensemble):
            return None
        return [
            {
                "member": member.member,
                "weight": member.weight,
                "accuracy": member.accuracy,
                "leaves": member.leaves,
                "warnings": member.warnings,
                "replacements": member.drifts,
            }
            for member in model.members()
        ]

    def _features(
        self, model: Any, fitted: bool, drift: dict[str, dict[str, Any]]
    ) -> list[dict[str, Any]]:
        if not fitted:
            return []
        if time.monotonic() >= self._importances_due:
            clock = time.perf_counter()
            found = getattr(model, "feature_importances_", None)
            self._importances = [] if found is None else found.tolist()
            promise = getattr(model, "guarantee", None)
            self._guarantee = None if promise is None else promise()
            # At most a hundredth of the time goes into it.
            spent = time.perf_counter() - clock
            self._importances_due = time.monotonic() + max(_SLOWLY, 100 * spent)
        names = [feature.label for feature in model._schema.features]
        weights = [*self._importances, *[0.0] * (len(names) - len(self._importances))]
        order = sorted(range(len(names)), key=lambda i: -weights[i])[:_MOST_FEATURES]
        return [
            {
                "name": names[i],
                "importance": weights[i],
                "psi": None,
                "missing": None,
                "new_values": None,
                "reference": None,
                "recent": None,
                "bins": [],
            }
            | drift.get(names[i], {})
            for i in order
        ]


def _split_data(split: Split) -> dict[str, Any]:
    data = {"rows": split.seen, "leaf": split.node, "member": None, "text": str(split)}
    return {**data, "certificate": asdict(split)}


def _change_data(change: Change) -> dict[str, Any]:
    return {"rows": change.seen, "kind": change.kind, "text": str(change)}


def _kind(change: str) -> str:
    """Return the kind of mark of a change of a tree."""
    return "replacement" if change in ("replaced", "recalled") else "drift"


def _no_stream() -> dict[str, Any]:
    return {
        "rows_per_second": 0.0,
        "lag": None,
        "journal_rows": 0,
        "dead_letters": 0,
        "last_dead": [],
        "checkpoint_age": None,
        "checkpoint_pause": None,
        "checkpoints": 0,
    }
