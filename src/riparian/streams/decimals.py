"""The numbers in a block of text, column by column, without a Python object for each.

A field such as ``-12.375`` of at most sixteen characters is read as one or two eight-byte words,
all fields of a column at once: the point is taken out, eight digits become a number by three
multiplications, and the power of ten is divided away. Integers up to 2^53 and powers of ten up to
10^22 are exact doubles, so that one division gives the correctly rounded value, the same as
`float`. Whatever is written otherwise (exponents, more digits, spaces, missing marks) is left to
the caller.

A scalar ``//`` stands where a shift would: NumPy vectorises it, and shifts of 64-bit integers it
does not (24 against 9 microseconds for 10,000 fields).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAD", "decimals"]

Words: TypeAlias = NDArray[np.uint64]

#: Bytes that must stand before the first field, so that the words of a short one can be read.
LEAD = 16


def _eightfold(byte: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([byte]) * 8, "little"))


# A word holds the text's first character in its lowest byte. Of a word with n characters of the
# field, the upper n bytes are kept and the others filled with the digit 0.
_KEPT = np.array([2**64 - 2 ** (64 - 8 * n) for n in range(9)], dtype=np.uint64)
_FILL = np.array([int(_eightfold(0x30)) % 2 ** (64 - 8 * n) for n in range(9)], dtype=np.uint64)
_TENS = 10.0 ** np.arange(16)

_POINTS = _eightfold(ord("."))
_LOW_BITS = _eightfold(0x7F)
_HIGH_HALVES = _eightfold(0xF0)
_SIXES = _eightfold(0x06)
_THREES = _eightfold(0x33)
_DIGITS = _eightfold(0x0F)
# Times 256^i, its top byte is 7 - i: how many characters follow the one in byte i.
_FOLLOWING = np.uint64(0x0706050403020100)
_ZERO = np.uint64(ord("0"))
_BYTE = np.uint64(255)
_NEXT = np.uint64(2**8)
_TOP = np.uint64(2**56)


def decimals(
    buffer: bytes, start: NDArray[np.intp], end: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read plain decimal numbers out of a block of text.

    Parameters
    ----------
    buffer : bytes
        The text, after `LEAD` bytes of any content. A byte follows each field, as a line end does
        the last one.
    start, end : integer arrays of shape (n_fields,)
        Where each field lies in the buffer, its end excluded.

    Returns
    -------
    values : float64 array of shape (n_fields,)
    plain : bool array of shape (n_fields,)
        Whether the field was a plain decimal number; its value means nothing if not.

    Examples
    --------
    >>> text = b"-1.5,1e3,42;"
    >>> values, plain = decimals(bytes(LEAD) + text, LEAD + np.array([0, 5, 9]),
    ...                          LEAD + np.array([4, 8, 11]))
    >>> values[plain], plain
    (array([-1.5, 42. ]), array([ True, False,  True]))
    """
    negative = np.frombuffer(buffer, dtype=np.uint8)[start] == ord("-")
    length = end - start - negative
    # A word at every byte: reading between the alignments is what makes the fields line up.
    words: Words = np.ndarray((len(buffer) - 7,), dtype="<u8", buffer=buffer, strides=(1,))
    low = _field_part(words[end - 8], np.minimum(length, 8))
    point = _points(low)
    has_point = _is_set(point)
    fraction = point * _FOLLOWING // _TOP
    low, before = _without_point(low, point, has_point)

    if length.size and int(length.max()) > 8:
        high = _field_part(words[end - 16], np.clip(length - 8, 0, 8))
        high_point = _points(high)
        has_high_point = _is_set(high_point)
        fraction += high_point * _FOLLOWING // _TOP + has_high_point * np.uint64(8)
        low |= np.where(has_point, high // _TOP, before)
        shifted, fill = _without_point(high, high_point, has_high_point)
        high = np.where(has_point, high * _NEXT | _ZERO, shifted | fill)
        mantissa = _eight_digits(high) * np.uint64(10**8) + _eight_digits(low)
        plain = _are_digits(low) & _are_digits(high) & (mantissa <= 2**53)
        has_point = has_point + has_high_point
    else:
        low |= before
        mantissa = _eight_digits(low)
        plain = _are_digits(low)

    # A second point is no digit; a point alone is no number.
    plain &= (length > has_point.view(np.int64)) & (length <= 16)
    values = mantissa.astype(np.float64) / _TENS[fraction.view(np.int64) & 15]
    np.negative(values, out=values, where=negative)
    return values, plain


def _field_part(words: Words, length: NDArray[np.intp]) -> Words:
    length = np.maximum(length, 0)
    return (words & _KEPT[length]) | _FILL[length]


def _points(words: Words) -> Words:
    """1 in each byte that holds a point, 0 in the others."""
    differs = words ^ _POINTS
    return ~(((differs & _LOW_BITS) + _LOW_BITS) | differs | _LOW_BITS) // np.uint64(128)


def _is_set(words: Words) -> Words:
    return np.not_equal(words, 0).astype(np.uint64)


def _without_point(words: Words, point: Words, has_point: Words) -> tuple[Words, Words]:
    """Move what stands before the point up by one byte; give also the 0 that fills its place."""
    before = point - has_point
    kept = words & ~(before | point * _BYTE)
    return kept | (words & before) * _NEXT, has_point * _ZERO


def _are_digits(words: Words) -> NDArray[np.bool_]:
    carried = ((words + _SIXES) & _HIGH_HALVES) // np.uint64(16)
    result: NDArray[np.bool_] = ((words & _HIGH_HALVES) | carried) == _THREES
    return result


def _eight_digits(words: Words) -> Words:
    """The number that eight digits spell: pairs, fours, then all."""
    pairs = (words & _DIGITS) * np.uint64(10 * 2**8 + 1) // np.uint64(2**8)
    fours = (pairs & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(100 * 2**16 + 1)
    fours = fours // np.uint64(2**16) & np.uint64(0x0000FFFF0000FFFF)
    return fours * np.uint64(10_000 * 2**32 + 1) // np.uint64(2**32)
