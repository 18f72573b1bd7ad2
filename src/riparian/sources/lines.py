"""Lines of a file as messages, which stay one text until someone asks for a single one."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lines", "line_end", "n_lines"]

_LINE_END = ord("\n")

#: A text of so few bytes is searched line by line.
_FEW = 1 << 13


class Lines(Sequence[bytes]):
    """Whole lines. Each is a message, without its line end.

    Parameters
    ----------
    data : bytes
        The text. The last line may lack its line end.
    n : int, default=None
        The number of lines, if it is known.
    """

    def __init__(self, data: bytes, n: int | None = None) -> None:
        self.data = data
        if n is None:
            n = len(self._ends) + (not data.endswith(b"\n") and bool(data))
        self._n = n
        self._split: list[bytes] | None = None

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the lines of several texts as one."""
        texts = [part.data for part in parts]
        ended = [text if text.endswith(b"\n") or not text else text + b"\n" for text in texts]
        return cls(b"".join([*ended[:-1], texts[-1]]), sum(map(len, parts)))

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._n)
            if step == 1:
                return self._part(start, max(start, stop))
        if self._split is None:
            self._split = self.data.split(b"\n")[: self._n]
        found = self._split[index]
        return [_bare(line) for line in found] if isinstance(found, list) else _bare(found)

    def _part(self, start: int, stop: int) -> Lines:
        if (start, stop) == (0, self._n):
            return self
        return Lines(self.data[self._end(start) : self._end(stop)], stop - start)

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """The places of all line ends. Other threads of Python run while they are looked for."""
        return np.flatnonzero(np.frombuffer(self.data, np.uint8) == _LINE_END)

    def _end(self, number: int) -> int:
        """Return how many bytes a number of lines have, each with its line end if it has one."""
        if number == self._n:
            return len(self.data)
        return int(self._ends[number - 1]) + 1 if number else 0

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Lines], tuple[Any, ...]]:
        data = pickle.PickleBuffer(self.data) if int(protocol) >= 5 else self.data
        return Lines, (data, self._n)


def n_lines(data: bytes) -> int:
    """Return how many line ends there are. Other threads of Python run meanwhile."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == _LINE_END))


def line_end(data: bytes, number: int) -> int:
    """Return how many bytes a number of lines have, each with its line end.

    Counting the lines of a part costs much less than visiting each of them, so the search halves
    the text.

    Examples
    --------
    >>> line_end(b"a\\nbc\\nd\\n", 2)
    5
    """
    low, high = 0, len(data)
    while number and high - low > _FEW:
        middle = (low + high) // 2
        found = data.count(b"\n", low, middle)
        if found >= number:
            high = middle
        else:
            number -= found
            low = middle
    for _ in range(number):
        low = data.index(b"\n", low) + 1
    return low


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\r")
