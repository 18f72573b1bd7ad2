"""Messages between the coordinator and its workers: a header, some bytes, and a digest."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MessageError",
    "digest_of",
    "freed",
    "pack",
    "pack_arrays",
    "pickled",
    "unpack",
    "unpack_arrays",
]

_DIGEST = hashlib.sha256().digest_size
_MOST_PARTS = 1 << 16
#: Texts and arrays of as many bytes are sent apart, so that they are not copied.
_LARGE = 1 << 14
#: Each array begins at a multiple of this, as the core reads it.
_ALIGNED = 8
_KINDS = frozenset(("<f8", "<f4", "<i8", "<i4", "<u8", "<u4", "|i1", "|u1", "|b1"))


class MessageError(ValueError):
    """Bytes that are no message, or a message that cannot be an answer to what was asked."""


def pack(header: dict[str, Any], *parts: bytes | memoryview) -> bytes:
    """Return a message. A part may be a view of bytes, which is copied once.

    Examples
    --------
    >>> unpack(pack({"round": 3}, b"one", b"two"))
    ({'round': 3}, [b'one', b'two'])
    """
    text = json.dumps({**header, "sizes": [len(part) for part in parts]}, allow_nan=False)
    data = text.encode()
    body = [len(data).to_bytes(8, "little"), data, *parts]
    digest = hashlib.sha256()
    for part in body:
        digest.update(part)
    return b"".join([*body, digest.digest()])


def digest_of(data: bytes) -> str:
    """Return the digest of a message, as it says itself."""
    return data[-_DIGEST:].hex()


def unpack(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return the header and the parts of a message; a MessageError if it is none."""
    body = memoryview(data)[:-_DIGEST]
    if len(data) < 8 + _DIGEST or hashlib.sha256(body).digest() != data[-_DIGEST:]:
        raise MessageError("a message is damaged: its digest does not match")
    end = len(data) - _DIGEST
    start = 8 + int.from_bytes(data[:8], "little")
    if start > end:
        raise MessageError("a message is damaged: its header is too long")
    try:
        header = json.loads(data[8:start])
        sizes = header.pop("sizes")
        if not isinstance(sizes, list) or len(sizes) > _MOST_PARTS:
            raise MessageError("a message has no parts")
        if not all(type(n) is int and n >= 0 for n in sizes) or sum(sizes) != end - start:
            raise MessageError("the parts of a message are not those of its header")
    except MessageError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise MessageError(f"a message has no header: {str(error)[:200]}") from None
    parts = []
    for size in sizes:
        parts.append(data[start : start + size])
        start += size
    return header, parts


def pack_arrays(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return named arrays as a message. A model file has the same, and takes longer to make.

    Examples
    --------
    >>> header, arrays = unpack_arrays(pack_arrays({"a": 1}, {"x": np.arange(3.0)}))
    >>> header, arrays["x"].tolist()
    ({'a': 1}, [0.0, 1.0, 2.0])
    """
    listed = [(name, a.dtype.str, a.shape) for name, a in arrays.items()]
    pieces: list[bytes] = []
    for a in arrays.values():
        pieces += [a.tobytes(), bytes(-a.nbytes % _ALIGNED)]
    return pack({**header, "arrays": listed}, b"".join(pieces))


def unpack_arrays(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a message; a MessageError if it is none."""
    header, parts = unpack(data)
    arrays: dict[str, NDArray[Any]] = {}
    at = 0
    try:
        (body,) = parts
        for name, kind, shape in header.pop("arrays"):
            if kind not in _KINDS or not all(type(n) is int and n >= 0 for n in shape):
                raise MessageError("a message has an impossible array")
            count = math.prod(shape)
            size = count * np.dtype(kind).itemsize
            if size > len(body) - at or not isinstance(name, str) or name in arrays:
                raise MessageError("a message has other arrays than it says")
            arrays[name] = np.frombuffer(body, kind, count, at if count else 0).reshape(shape)
            at += size + -size % _ALIGNED
    except MessageError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MessageError(f"a message has no arrays: {str(error)[:200]}") from None
    if at != len(body):
        raise MessageError("a message has other arrays than it says")
    return header, arrays


def pickled(value: object) -> tuple[bytes, ...]:
    """Return an object as bytes: its pickle, and the large texts and arrays in it.

    Examples
    --------
    >>> freed(*pickled({"a": [1, 2]}))
    {'a': [1, 2]}
    """
    large: list[bytes] = []

    def is_small(buffer: pickle.PickleBuffer) -> bool:
        view = buffer.raw()
        if view.nbytes < _LARGE:
            return True
        large.append(view.obj if isinstance(view.obj, bytes) else view.tobytes())
        return False

    data = pickle.dumps(value, protocol=5, buffer_callback=is_small)
    return data, *large


def freed(data: bytes, *large: bytes) -> Any:
    """Return the object of `pickled`. Its arrays cannot be written to."""
    return pickle.loads(data, buffers=large)
