"""What every engine does, seen from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riparian import _core

__all__ = ["Codes", "Engine", "Numbers"]

Codes = NDArray[np.int32]
Numbers = NDArray[np.float64]


class Engine(Protocol):
    """What learns, natively: numbers and codes, no names.

    A call that learns and fails leaves the engine as it was, or as after some of the rows. There
    are two exceptions, after which it is `unfinished` and can only be discarded: what a function
    of the user raises, and a limit of memory that is too low.
    """

    @property
    def seen(self) -> int: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def max_bytes(self) -> int | None: ...
    @property
    def least_bytes(self) -> int: ...

    @property
    def unfinished(self) -> bool: ...

    # The schema grows: features get the next places, classes and categories the next codes,
    # each with the bytes of its name.
    def add_features(self, categorical: list[bool]) -> None: ...
    def add_names(self, bytes: int) -> None: ...
    def expect_classes(self, bytes: list[int]) -> None: ...
    def declare_classes(self, count: int) -> None: ...
    def cut_names(self, names: tuple[Any, ...]) -> None: ...
    def set_costs(self, matrix: Numbers) -> None: ...
    def set_max_bytes(self, limit: int | None) -> None: ...
    def surely_fits(self, names: int, numbers: int) -> bool: ...

    # A row of code -1 or weight 0 is predicted, not learned. `width`: of the probabilities, 0
    # for none. `grow` adds the names of the batch to the schema (`Schema.grow`), whose lists are
    # `names`; schema and engine grow together or not at all.
    def learn(
        self,
        batch: _core.Batch,
        y: Codes,
        w: Numbers | None,
        names: tuple[Any, ...] | None = None,
        grow: Callable[[], tuple[Any, ...]] | None = None,
    ) -> None: ...
    def prequential(
        self,
        batch: _core.Batch,
        y: Codes,
        w: Numbers | None,
        width: int,
        names: tuple[Any, ...] | None = None,
        grow: Callable[[], tuple[Any, ...]] | None = None,
    ) -> tuple[Codes, Numbers | None]: ...
    def predict(self, batch: _core.Batch, width: int) -> tuple[Codes, Numbers | None]: ...

    # All rows by one state; with the examples that it had learned and the classes that it knew.
    def predict_at_once(
        self, batch: _core.Batch, width: int
    ) -> tuple[Codes, Numbers | None, int, int]: ...

    # One dict of the usual values; False or None: it needs the other way. With `return_seen` a
    # tuple: the prediction, and the examples that the state had learned which made it.
    def learn_one(
        self, x: dict[Any, Any], index: Mapping[Any, int], categories: Any, y: int, w: float
    ) -> bool: ...
    def predict_one(
        self, x: dict[Any, Any], index: Mapping[Any, int], categories: Any, return_seen: bool
    ) -> Any: ...
    def predict_proba_one(
        self,
        x: dict[Any, Any],
        index: Mapping[Any, int],
        categories: Any,
        classes: list[Any],
        return_seen: bool,
    ) -> Any: ...

    def snapshot(self) -> dict[str, NDArray[Any]]: ...
