"""Lines of a file as messages, which stay one text until someone asks for a single one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

__all__ = ["Lines"]


class Lines(Sequence[bytes]):
    """Whole lines. Each is a message, without its line end.

    Parameters
    ----------
    data : bytes
        The text. The last line may lack its line end.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._n = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        self._split: list[bytes] | None = None

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if self._split is None:
            self._split = self.data.split(b"\n")[: self._n]
        found = self._split[index]
        return [_bare(line) for line in found] if isinstance(found, list) else _bare(found)


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\r")
