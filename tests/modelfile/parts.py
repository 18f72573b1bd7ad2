"""A model file taken apart and put together again, with a right digest whatever it holds."""

from __future__ import annotations

import hashlib
import json
import struct

import numpy as np


class Parts:
    """The arrays of a file as (type, shape, bytes), and its header."""

    def __init__(self, data):
        (length,) = struct.unpack("<Q", data[:8])
        outer = json.loads(data[8 : 8 + length])
        start = 8 + length
        self.header = json.loads(outer.pop("__metadata__")["riparian"])
        self.arrays = {}
        for name, entry in outer.items():
            first, last = entry["data_offsets"]
            if name != "~digest":
                contents = bytearray(data[start + first : start + last])
                self.arrays[name] = [entry["dtype"], list(entry["shape"]), contents]

    def copy(self):
        twin = object.__new__(Parts)
        twin.header = json.loads(json.dumps(self.header))
        twin.arrays = {n: [t, list(s), bytearray(b)] for n, (t, s, b) in self.arrays.items()}
        return twin

    def layout(self):
        """The outer header, and the bytes of the arrays."""
        outer = {}
        place = 0
        arrays = [*self.arrays.items(), ("~digest", ["U8", [32], bytearray(32)])]
        for name, (dtype, shape, contents) in arrays:
            outer[name] = {
                "dtype": dtype,
                "shape": shape,
                "data_offsets": [place, place + len(contents)],
            }
            place += len(contents)
        return outer, b"".join(contents for _, (_, _, contents) in arrays)

    def data(self, header_text=None):
        outer, contents = self.layout()
        outer["__metadata__"] = {"riparian": header_text or json.dumps(self.header)}
        return joined(json.dumps(outer).encode(), contents)


def joined(head, contents):
    return signed(struct.pack("<Q", len(head)) + head + contents[:-32])


def signed(body):
    return bytes(body) + hashlib.sha256(body).digest()


NUMPY = {"F64": "<f8", "I32": "<i4", "U8": "u1", "U32": "<u4", "U64": "<u8"}


def as_array(entry):
    return np.frombuffer(entry[2], dtype=NUMPY[entry[0]])


def set_value(entry, place, value):
    dtype = entry[0]
    if dtype == "F64":
        struct.pack_into("<d", entry[2], 8 * place, value)
        return
    size = {"I32": 4, "U8": 1, "U32": 4, "U64": 8}[dtype]
    number = value % (1 << 8 * size)
    entry[2][size * place : size * place + size] = number.to_bytes(size, "little")
