"""The structures of the Arrow C interface, made by hand, with any fault that a reader can notice.

The interface has no sizes of buffers: a reader cannot notice a length or an offset that leads out
of one. Such faults are not made here.
"""

from __future__ import annotations

import ctypes
import struct
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any

from tests.fuzz.draw import Draw


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


SchemaRelease = ctypes.CFUNCTYPE(None, POINTER(Schema))
ArrayRelease = ctypes.CFUNCTYPE(None, POINTER(Array))
StreamRelease = ctypes.CFUNCTYPE(None, POINTER(Stream))
GetSchema = ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
GetError = ctypes.CFUNCTYPE(c_void_p, POINTER(Stream))
Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", SchemaRelease),
    ("private_data", c_void_p),
]
Array._fields_ = [
    *[(name, c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")],
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", ArrayRelease),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetError),
    ("release", StreamRelease),
    ("private_data", c_void_p),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [c_void_p, c_char_p, c_void_p]

NUMBERS = "bcsilCSILefg"
_CODES = {"c": "b", "s": "h", "i": "i", "l": "q", "C": "B", "S": "H", "I": "I", "L": "Q"}
_CODES |= {"e": "e", "f": "f", "g": "d"}
#: Rows for which every buffer has room, and pointers to columns, most of them null.
ROOM = 64
POINTERS = 8
REFUSED = [b"", b"x", b"+l", b"tsn:", b"tdD", b"d:10,2", b"z", b"w:3", b"+s", b"ii", b"vz", b"+r"]


class Frame:
    """A record batch, what it says (None: nobody knows), and how often it was released."""

    def __init__(self, draw: Draw) -> None:
        self.released = {"schema": 0, "array": 0, "stream": 0}
        self.made = {"schema": 0, "array": 0, "stream": 0}
        self.failed: list[str] = []
        self.stream_fails = False
        self._kept: list[Any] = []
        self._schema_release = SchemaRelease(lambda pointer: self._release("schema", pointer))
        self._array_release = ArrayRelease(lambda pointer: self._release("array", pointer))
        self._stream_release = StreamRelease(lambda pointer: self._release("stream", pointer))
        # Those of columns are never called: the release of a frame releases them.
        self._part_schema = SchemaRelease(lambda pointer: self.failed.append("a column's schema"))
        self._part_array = ArrayRelease(lambda pointer: self.failed.append("a column's array"))
        self.rows, self.offset = draw.below(12), draw.below(4)
        self.fields: list[Schema] = []
        self.columns: list[Array] = []
        self.expected: list[tuple[str, str, list[Any]]] = []
        for i in range(draw.below(5)):
            self._add_column(draw, f"f{i}")
        self.schema, self.array = self._whole()
        self.sound = True
        for _ in range(draw.below(4)):
            self._damage(draw)
            self.sound = False

    def _release(self, what: str, pointer: Any) -> None:
        self.released[what] += 1
        pointer.contents.release = type(pointer.contents.release)()

    def keep(self, thing: Any) -> Any:
        self._kept.append(thing)
        return thing

    def buffer(self, data: bytes) -> int:
        return ctypes.addressof(self.keep(ctypes.create_string_buffer(data, max(len(data), 1))))

    def pointers(self, kind: Any, parts: list[Any]) -> Any:
        array = (POINTER(kind) * POINTERS)(*[ctypes.pointer(part) for part in parts])
        return ctypes.cast(self.keep(array), POINTER(POINTER(kind)))

    def part(
        self, format: bytes, buffers: list[int | None], length: int, offset: int, nulls: int
    ) -> tuple[Schema, Array]:
        field = self.keep(Schema(format=format, release=self._part_schema))
        holder = self.keep((c_void_p * max(len(buffers), 1))(*buffers))
        column = self.keep(
            Array(
                length=length,
                null_count=nulls,
                offset=offset,
                n_buffers=len(buffers),
                buffers=ctypes.cast(holder, POINTER(c_void_p)),
                release=self._part_array,
            )
        )
        return field, column

    def _values(self, draw: Draw, format: str, n: int) -> tuple[list[int | None], list[Any]]:
        """The buffers of n values after the bitmap, and the values.

        Numbers have room for the widest type, whatever the format says after a fault.
        """
        if format == "b":
            bits = draw.bytes(ROOM // 8).ljust(16 * ROOM, b"\0")
            return [self.buffer(bits)], [bool(bits[i // 8] >> i % 8 & 1) for i in range(n)]
        if format in NUMBERS:
            code = "<" + _CODES[format]
            size = struct.calcsize(code)
            data = draw.bytes(size * n).ljust(16 * ROOM, b"\0")
            numbers = [struct.unpack_from(code, data, size * i)[0] for i in range(n)]
            return [self.buffer(data)], numbers
        words = [draw.choice(["", "u", "v", "a word", "é", "x" * 13, "y" * 40]) for _ in range(n)]
        texts = [word.encode() for word in words]
        if format == "vu":
            views, heap = bytearray(), bytearray()
            for text in texts:
                if len(text) <= 12:
                    views += struct.pack("<i12s", len(text), text)
                else:
                    views += struct.pack("<i4sii", len(text), text[:4], 0, len(heap))
                    heap += text
            sizes = struct.pack("<q", len(heap))
            return [self.buffer(bytes(views)), self.buffer(bytes(heap)), self.buffer(sizes)], words
        ends = [0]
        for text in texts:
            ends.append(ends[-1] + len(text))
        ends += [ends[-1]] * (ROOM + 1 - len(ends))
        code = "i" if format == "u" else "q"
        offsets = struct.pack(f"<{len(ends)}{code}", *ends)
        return [self.buffer(offsets), self.buffer(b"".join(texts).ljust(ROOM))], words

    def _add_column(self, draw: Draw, name: str) -> None:
        offset = draw.below(5)
        n = offset + self.offset + self.rows
        bitmap = draw.bytes(ROOM // 8) if draw.yes() else None
        here = [bitmap is None or bool(bitmap[i // 8] >> i % 8 & 1) for i in range(n)]
        nulls = draw.choice([-1, -1, here[offset:].count(False)])
        valid = None if bitmap is None else self.buffer(bitmap)
        kind = draw.choice(["number", "number", "text", "dictionary", "null"])
        format = draw.choice(NUMBERS) if kind != "text" else draw.choice(["u", "U", "vu"])
        dictionary = None
        if kind == "null":
            field, column = self.part(b"n", [], n - offset, offset, -1)
            values: list[Any] = [None] * n
            told = "unknown"
        elif kind == "dictionary":
            inner = draw.choice(["u", "U", "vu", *NUMBERS])
            n_words = 1 + draw.below(6)
            skip = draw.below(3)
            buffers, words = self._values(draw, inner, skip + n_words)
            dictionary = self.part(inner.encode(), [None, *buffers], n_words, skip, 0)
            format = draw.choice("csilCSIL")
            codes = [draw.below(n_words) for _ in range(n)]
            data = struct.pack(f"<{n}{_CODES[format]}", *codes).ljust(16 * ROOM, b"\0")
            field, column = self.part(
                format.encode(), [valid, self.buffer(data)], n - offset, offset, nulls
            )
            values = [_category(words[skip + code]) for code in codes]
            told = "categorical"
        else:
            buffers, values = self._values(draw, format, n)
            field, column = self.part(format.encode(), [valid, *buffers], n - offset, offset, nulls)
            told = "numeric" if kind == "number" else "categorical"
            if kind == "number":
                values = [float(v) for v in values]
        if dictionary is not None:
            field.dictionary = ctypes.pointer(dictionary[0])
            column.dictionary = ctypes.pointer(dictionary[1])
        field.name = name.encode()
        self.fields.append(field)
        self.columns.append(column)
        shown = [v if h and v == v else None for v, h in zip(values, here, strict=True)]
        self.expected.append((name, told, shown[offset + self.offset :]))

    def _whole(self) -> tuple[Schema, Array]:
        schema = Schema(
            format=b"+s",
            n_children=len(self.fields),
            children=self.pointers(Schema, self.fields),
            release=self._schema_release,
        )
        holder = self.keep((c_void_p * 1)(None))
        array = Array(
            length=self.rows,
            offset=self.offset,
            n_buffers=1,
            n_children=len(self.columns),
            buffers=ctypes.cast(holder, POINTER(c_void_p)),
            children=self.pointers(Array, self.columns),
            release=self._array_release,
        )
        return schema, array

    def _damage(self, draw: Draw) -> None:
        """A fault that is to be noticed, or does no harm."""
        schemas = [self.schema, *self.fields]
        arrays = [self.array, *self.columns]
        at = draw.below(len(schemas))
        schema, array = schemas[at], arrays[at]
        if schema.dictionary and array.dictionary and draw.yes():
            schema, array = schema.dictionary.contents, array.dictionary.contents
        way = draw.below(16)
        number = schema.format is not None and schema.format.decode("ascii", "replace") in NUMBERS
        if way == 0:
            schema.format = draw.choice([*REFUSED, None])
        elif way == 1 and number and not schema.dictionary:
            schema.format = draw.choice(NUMBERS).encode()
        elif way == 2:
            schema.name = draw.choice([None, b"", b"\xff\xfe", b"f0", b"a" * 300])
        elif way == 3:
            schema.n_children = draw.choice([-1, 0, 1, 2, POINTERS - 1])
        elif way == 4:
            schema.children = None
        elif way == 5:
            schema.dictionary = draw.choice([None, ctypes.pointer(self.schema)])
        elif way == 6:
            array.length = draw.choice([-1, -(2**63), 0, 1])
        elif way == 7:
            array.offset = draw.choice([-1, -(2**63), 2**63 - 1, 0])
        elif way == 8:
            array.null_count = draw.choice([-5, -1, 0, 5, 2**63 - 1])
        elif way == 9:
            array.n_buffers = draw.choice([-1, 0, 1, 2, -(2**63)])
        elif way == 10:
            array.buffers = None
        elif way == 11 and array.n_buffers > 0 and array.buffers:
            array.buffers[draw.below(min(array.n_buffers, 3))] = None
        elif way == 12:
            array.n_children = draw.choice([-1, 0, 1, POINTERS - 1])
            if array is self.array and array.n_children == schema.n_children:
                array.children = self.keep(self.pointers(Array, []))
        elif way == 13:
            array.children = None
        elif way == 14:
            array.dictionary = None
        elif draw.yes():
            array.release = ArrayRelease()
        else:
            self._wild_values(draw, schema, array)

    def _wild_values(self, draw: Draw, schema: Schema, array: Array) -> None:
        """Codes outside their dictionary, strings that end before they begin."""
        format = (schema.format or b"").decode("ascii", "replace")
        if array.n_buffers < 2 or not array.buffers or not array.buffers[1]:
            return
        place = draw.below(8)
        if schema.dictionary and format in _CODES:
            code = "<" + _CODES[format]
            wild = [-1, 127, 5] if format in "csil" else [255, 200, 6]
            data = struct.pack(code, draw.choice(wild))
        elif format in ("u", "U"):
            code = "<i" if format == "u" else "<q"
            data = struct.pack(code, draw.choice([-1, 0, ROOM, 1, -(2**31)]))
        elif format == "vu" and array.length > place:
            # A length, a buffer and a place that are not there.
            wild_views = [(-1, 0, 0), (13, 1, 0), (13, -1, 0), (13, 0, -1), (2**31 - 1, 0, 0)]
            length, buffer, begin = draw.choice(wild_views)
            data = struct.pack("<i4sii", length, b"", buffer, begin)
        else:
            return
        ctypes.memmove(array.buffers[1] + place * len(data), data, len(data))

    def capsules(self, draw: Draw) -> tuple[Any, Any]:
        self.made["schema"] += bool(self.schema.release)
        self.made["array"] += bool(self.array.release)
        return (
            _new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(self.array), b"arrow_array", None),
        )

    def stream(self, draw: Draw) -> Any:
        """A capsule of a stream that gives the batch a few times, or fails."""
        batches = draw.below(3)
        fails_at = draw.choice([None, None, None, -1, 0, 1])
        reason = draw.choice([None, b"no answer", b"\xff"])
        text = None if reason is None else self.buffer(reason + b"\0")
        self.batches, self.stream_fails = batches, fails_at is not None and fails_at <= batches
        given = [0]

        def get_schema(_: Any, out: Any) -> int:
            if fails_at == -1:
                return 5
            self.made["schema"] += bool(self.schema.release)
            ctypes.memmove(out, ctypes.byref(self.schema), ctypes.sizeof(Schema))
            return 0

        def get_next(_: Any, out: Any) -> int:
            if fails_at is not None and given[0] == max(fails_at, 0):
                return 22
            if given[0] == batches:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
                return 0
            given[0] += 1
            self.made["array"] += bool(self.array.release)
            ctypes.memmove(out, ctypes.byref(self.array), ctypes.sizeof(Array))
            return 0

        stream = self.keep(
            Stream(
                get_schema=self.keep(GetSchema(get_schema)),
                get_next=self.keep(GetNext(get_next)),
                get_last_error=self.keep(GetError(lambda _: text)),
                release=self._stream_release,
            )
        )
        self.made["stream"] += 1
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)


def _category(value: Any) -> Any:
    """A category as a model has it: -0.0 is 0.0."""
    return value + 0.0 if isinstance(value, float) else value
