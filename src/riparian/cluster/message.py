"""Messages between the coordinator and its workers: a header, some bytes, and a digest."""

from __future__ import annotations

import hashlib
import json
import pickle
from typing import Any

__all__ = ["MessageError", "freed", "pack", "pickled", "unpack"]

_DIGEST = hashlib.sha256().digest_size
_MOST_PARTS = 1 << 16
#: Texts and arrays of as many bytes are sent apart, so that they are not copied.
_LARGE = 1 << 14


class MessageError(ValueError):
    """Bytes that are no message, or a message that cannot be an answer to what was asked."""


def pack(header: dict[str, Any], *parts: bytes) -> bytes:
    """Return a message.

    Examples
    --------
    >>> unpack(pack({"round": 3}, b"one", b"two"))
    ({'round': 3}, [b'one', b'two'])
    """
    text = json.dumps({**header, "sizes": [len(part) for part in parts]}, allow_nan=False)
    data = text.encode()
    body = b"".join([len(data).to_bytes(8, "little"), data, *parts])
    return body + hashlib.sha256(body).digest()


def unpack(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return the header and the parts of a message; a MessageError if it is none."""
    if len(data) < 8 + _DIGEST or hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
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
