"""The streams of a comparison: which rows a seed gives, and in which order."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from riparian.evaluate.inputs import is_file, open_file
from riparian.streams.memory import in_memory
from riparian.streams.names import DATASET, is_grouped, open_named
from riparian.streams.wrappers import shuffled

__all__ = ["Choice", "StreamSpec"]

#: A name such as ``"synth:sea"`` or ``"dataset:elec2"``, a file, a function of the seed that
#: returns a stream, or a stream.
StreamSpec: TypeAlias = Any


@dataclass(frozen=True)
class Choice:
    """A stream of a comparison.

    Attributes
    ----------
    stream : StreamSpec
        What the user gave.
    target : str or None
        The column of the labels, for a file.
    shuffle : bool
        Whether files and data sets that have an order are shuffled with the seed.
    """

    stream: StreamSpec
    target: str | None = None
    shuffle: bool = False

    def open(self, seed: int) -> Any:
        """Return the stream of a seed."""
        stream = self.stream
        if is_file(stream):
            file = open_file(stream, self.target)
            return shuffled(in_memory(file), seed=seed) if self.shuffle else file
        if isinstance(stream, str):
            return open_named(stream, seed=seed if self.uses_seed else None)
        return stream(seed) if callable(stream) else stream

    @property
    def uses_seed(self) -> bool:
        """Whether the rows, or their order, depend on the seed."""
        if is_file(self.stream):
            return self.shuffle
        if isinstance(self.stream, str) and self.stream.startswith(DATASET):
            return "shuffle=" not in self.stream and (self.shuffle or self._is_grouped)
        return isinstance(self.stream, str) or callable(self.stream)

    @property
    def order(self) -> str | None:
        """How the rows of a file or a data set are ordered; None for other streams."""
        named = isinstance(self.stream, str) and self.stream.startswith(DATASET)
        if not named and not is_file(self.stream):
            return None
        if named and "shuffle=" in str(self.stream):
            return "shuffled once"
        if not self.uses_seed:
            return "in its order"
        grouped = named and self._is_grouped
        return "shuffled with the seed" + (", because it is grouped by class" if grouped else "")

    @cached_property
    def _is_grouped(self) -> bool:
        return is_grouped(str(self.stream))

    @property
    def description(self) -> str:
        """What the key of a run depends on."""
        stream = self.stream
        if is_file(stream):
            found = os.stat(stream)
            return f"{os.path.abspath(stream)} {found.st_size} {found.st_mtime_ns} {self}"
        if isinstance(stream, str):
            return stream if self.order is None else f"{stream} {self.order}"
        if callable(stream):
            inner: Any = getattr(stream, "func", stream)
            name = f"{inner.__module__}.{inner.__qualname__}"
            options = getattr(stream, "args", ()), sorted(getattr(stream, "keywords", {}).items())
            return f"{name}{options}"
        # A stream without a description is identified by its first rows.
        X, y = next(iter(stream.blocks(1000)))
        columns = X.values() if isinstance(X, Mapping) else [X]
        digest = hashlib.sha256()
        for column in (*columns, y):
            digest.update(repr(np.asarray(column).tolist()).encode())
        return digest.hexdigest()
