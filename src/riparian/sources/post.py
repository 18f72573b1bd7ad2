"""What requests post to the journal, and what they are answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from riparian.sources.decode.rows import Rows
from riparian.sources.labelled import Labelled

__all__ = ["Conflict", "Done", "Full", "Kind", "Known", "Post", "Posted", "Reused"]

#: A row that waits for its label, a label, and the mere time.
Kind: TypeAlias = Literal["row", "label", "tick"]


class Conflict(Exception):  # noqa: N818 - it is an answer
    """An id has another label already."""

    def __init__(self, row: int, message: str) -> None:
        super().__init__(message)
        self.row = row


class Reused(Exception):  # noqa: N818 - it is an answer
    """A key came with another request before."""


class Full(Exception):  # noqa: N818 - it is an answer
    """Too much waits to be learned."""


@dataclass(slots=True)
class Posted:
    """One entry: its kind, id and label, the class that was predicted, and its features as JSON.

    A label has a weight.
    """

    kind: Kind
    id: str | None = None
    label: Any = None
    said: Any = None
    body: bytes | None = None
    weight: float = 1.0

    def head(self, label: Any) -> bytes:
        """Return all but the features as JSON."""
        found: dict[str, Any] = {} if self.id is None else {"id": self.id}
        if self.kind == "row":
            found["said"] = self.said
        elif self.kind != "tick":
            found["label"] = label
            if self.weight != 1.0:
                found["weight"] = self.weight
        return json.dumps(found, separators=(",", ":")).encode()


@dataclass(slots=True)
class Post:
    """What one request posts."""

    entries: Sequence[Posted] = ()
    #: Rows to learn at once, with their labels.
    rows: Labelled | None = None
    key: str | None = None
    digest: str = ""
    reply: bytes = b""
    done: Future[Done] = field(default_factory=Future)

    def __len__(self) -> int:
        return len(self.entries) + (0 if self.rows is None else len(self.rows))


@dataclass(frozen=True, slots=True)
class Known:
    """The rows of an entry as they were decoded when they were posted."""

    seq: int
    rows: Rows
    #: The state of the decoder, which they have not changed.
    state: Mapping[str, Any]

    @property
    def values(self) -> int:
        """How many values are kept."""
        return self.rows.X.n_rows * max(1, len(self.rows.X))


@dataclass(frozen=True, slots=True)
class Done:
    """A request is durable."""

    reply: bytes
    #: Whether it was so before: the key came again.
    replayed: bool = False
