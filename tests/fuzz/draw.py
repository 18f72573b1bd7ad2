"""Bytes as a source of choices, and changes of bytes: what the fuzz targets share."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class Draw:
    """Choices made by bytes; after the last one they are all zero, so that every input ends."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def bytes(self, n: int) -> bytes:
        taken = self._data[self._at : self._at + n]
        self._at += n
        return taken.ljust(n, b"\0")

    def byte(self) -> int:
        return self.bytes(1)[0]

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, for n up to 256."""
        return self.byte() % n

    def yes(self, one_in: int = 2) -> bool:
        """Whether; no where there are no bytes left."""
        return self.byte() % one_in == one_in - 1

    def choice(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]

    def integer(self) -> int:
        return int.from_bytes(self.bytes(8), "little", signed=True)

    def double(self) -> float:
        return float(struct.unpack("<d", self.bytes(8))[0])

    def text(self) -> str:
        return self.bytes(self.below(12)).decode("utf-8", "replace")


def changed(dice: random.Random, data: bytes, tokens: Sequence[bytes] = ()) -> bytes:
    """A few changes of bytes: bits, runs, numbers, and words of the format."""
    body = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 4, 8])):
        at = dice.randrange(len(body) + 1)
        way = dice.randrange(8)
        if way == 0 and at < len(body):
            body[at] ^= 1 << dice.randrange(8)
        elif way == 1 and at < len(body):
            body[at] = dice.randrange(256)
        elif way == 2:
            del body[at : at + dice.choice([1, 1, 4, 20])]
        elif way == 3:
            body[at:at] = dice.randbytes(dice.choice([1, 1, 4, 8]))
        elif way == 4:
            first = dice.randrange(len(body) + 1)
            body[at:at] = body[first : first + dice.choice([2, 8, 40])]
        elif way == 5 and tokens:
            token = dice.choice(tokens)
            body[at : at + dice.choice([0, 0, len(token)])] = token
        elif way == 6 and len(body) >= 8:
            size = dice.choice([1, 2, 4, 8])
            number = dice.choice([0, 1, -1, 2, 127, 128, 255, 256, 2**15, 2**31, 2**63 - 1])
            body[at : at + size] = (number % 256**size).to_bytes(size, "little")
        elif tokens:
            body[at:at] = dice.choice(tokens)
    return bytes(body)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of one type; NaN is equal to itself."""
    return type(one) is type(other) and (one == other or (one != one and other != other))
