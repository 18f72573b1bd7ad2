"""Messages of a broker that lie in one text until someone asks for a single one."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["Payloads"]


class Payloads(Sequence[bytes | None]):
    """Messages in one text, each with a line end behind it.

    Parameters
    ----------
    data : bytes
        The messages and their line ends.
    sizes : array of int64
        The bytes of each message without its line end; -1 is a message without a value.
    """

    def __init__(self, data: bytes, sizes: NDArray[np.int64]) -> None:
        self._data = data
        self._sizes = sizes

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the messages of several texts as one."""
        data = b"".join([part._data for part in parts])
        return cls(data, np.concatenate([part._sizes for part in parts]))

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Payloads], tuple[Any, ...]]:
        data = pickle.PickleBuffer(self._data) if int(protocol) >= 5 else self._data
        return Payloads, (data, self._sizes)

    @cached_property
    def text(self) -> bytes | None:
        """The messages as lines; None if one of them has no value or several lines."""
        if len(self) and self._sizes.min() < 0:
            return None
        return self._data if self._data.count(b"\n") == len(self) else None

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.cumsum(np.concatenate([[0], np.maximum(self._sizes, 0) + 1]))

    @cached_property
    def _split(self) -> list[bytes | None]:
        parts = zip(self._starts.tolist(), self._sizes.tolist(), strict=False)
        return [None if n < 0 else self._data[start : start + n] for start, n in parts]

    def __len__(self) -> int:
        return len(self._sizes)

    def __iter__(self) -> Iterator[bytes | None]:
        return iter(self._split)

    @overload
    def __getitem__(self, index: int) -> bytes | None: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes | None]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes | None] | None:
        if isinstance(index, int):
            return self._split[index]
        start, stop, step = index.indices(len(self))
        if step != 1:
            return self._split[index]
        stop = max(start, stop)
        data = self._data[self._starts[start] : self._starts[stop]]
        return Payloads(data, self._sizes[start:stop])
