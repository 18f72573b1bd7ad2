"""What a decoder makes of a chunk, and what all decoders have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riparian.data.block import Block, joined
from riparian.streams.readers.columns import Column, Labels
from riparian.streams.readers.files import Part
from riparian.streams.readers.source import Source as ByteSource

__all__ = ["FEW", "Decoder", "Given", "Rows", "labels_from", "labels_state", "merged", "reason"]

#: A piece of so few messages is read message by message.
FEW = 32


@dataclass(frozen=True)
class Rows:
    """The rows of a chunk."""

    X: Block
    y: Column | None
    #: Which message of the chunk each row is from.
    index: NDArray[np.int64]
    #: What is wrong with messages that cannot be read, by their index.
    faults: Mapping[int, str] = field(default_factory=dict)


class Decoder(Protocol):
    """Turns the messages of a chunk into rows. The same state and bytes give the same rows."""

    def decode(self, values: Any) -> Rows:
        """Return the rows of messages; new features are added to the state."""

    def state(self) -> dict[str, Any]:
        """Return all that the decoder knows, as JSON."""


class Given(ByteSource):
    """Bytes that are in memory, for the readers of files."""

    def __init__(self, data: bytes, name: str) -> None:
        self.path = self.name = name
        self.is_input = self.live = False
        self.n_bytes = len(data)
        self.interrupt = None
        self._left = data

    @property
    def bytes_read(self) -> int:
        return 0

    def read(self, n: int, until: float | None = None) -> bytes | None:
        data, self._left = self._left, b""
        return data

    def close(self) -> None:
        """Do nothing: nothing is open."""


def labels_state(labels: Labels | None) -> dict[str, Any] | None:
    """Return what was decided about the labels, as JSON."""
    if labels is None:
        return None
    return {"name": labels.name, "as_text": labels.as_text, "integers": labels.integers}


def labels_from(state: Mapping[str, Any] | None) -> Labels | None:
    """Return the labels of `labels_state`."""
    return None if state is None else Labels(**state)


def reason(row: int, message: str) -> str:
    """Return a reader's message without the number of the row, which counts from the chunk."""
    return re.sub(
        rf"(^|, )row {row}: ", lambda found: ": " if found.group(1) else "", message, count=1
    )


def merged(
    parse: Callable[[bytes, bool], Part | None],
    lines: Sequence[bytes],
    *,
    few: int = FEW,
    singly: Callable[[bytes], bool] = lambda data: False,
) -> tuple[Block, Column | None, NDArray[np.int64], dict[int, str]]:
    """Parse lines at once; where that fails, in halves, so that few lines are read one by one.

    Parameters
    ----------
    parse : callable
        Parses a text: at once, or carefully if its second argument is true. At once it returns
        None where it cannot.
    lines : sequence of bytes
        The lines, without line ends; none is blank.
    few : int
        So few lines are read carefully at once.
    singly : callable
        Whether the lines of a text must be read carefully one at a time.

    Returns
    -------
    X, y, index, faults
        The rows, the line that each is from, and what is wrong with other lines.
    """
    found: list[tuple[int, Part]] = []
    waiting = [(0, len(lines))]
    while waiting:
        start, stop = waiting.pop()
        if start == stop:
            continue
        data = b"\n".join(lines[start:stop]) + b"\n"
        part = parse(data, False)
        if part is not None and len(part.places) == stop - start:
            found.append((start, part))
        elif stop - start > few or (stop - start > 1 and singly(data)):
            middle = (start + stop) // 2
            waiting += [(middle, stop), (start, middle)]
        else:
            careful = parse(data, True)
            assert careful is not None
            found.append((start, careful))
    blocks: list[Block] = []
    labels: list[Any] = []
    index: list[NDArray[np.int64]] = []
    faults: dict[int, str] = {}
    for start, part in found:
        places = np.asarray(part.places, dtype=np.int64)
        X, y = Block(dict(part.columns), len(places)), part.y
        if part.faults:
            for row, message in part.faults.messages.items():
                faults[start + row - 1] = reason(row, message)
            kept = part.faults.kept(places.tolist())
            assert kept is not None
            X, places = X.rows(kept), places[kept]
            y = None if y is None else y[kept]
        if len(places):
            blocks.append(X)
            index.append(places + (start - 1))
            if y is not None:
                labels.append(y)
    if not blocks:
        return Block({}, 0), None, np.empty(0, dtype=np.int64), faults
    y = np.concatenate(labels) if labels else None
    return joined(blocks), y, np.concatenate(index), faults
