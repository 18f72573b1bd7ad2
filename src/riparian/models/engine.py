"""What every native engine can do, as Python sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from riparian import _core

__all__ = ["Codes", "Engine", "Numbers", "Pauses"]

Codes = NDArray[np.int32]
Numbers = NDArray[np.float64]


class Pauses(NamedTuple):
    """A function to call between rows of a batch.

    Attributes
    ----------
    rows : list of int
        Numbers of rows of the batch, ascending. It is called when this many have been learned.
    call : callable
        The function.
    """

    rows: list[int]
    call: Callable[[], None]


class Engine(Protocol):
    """A native model: it knows numbers and codes, no names.

    A call that learns and fails leaves the engine as it was, or as after some of the rows. After
    an error of a function of the user, or with a memory limit that is too low, it may be
    `unfinished`: then it can only be discarded.
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

    # The schema grows: features get the next positions, classes and categories the next codes.
    # The engine counts the bytes of their names.
    def add_features(self, categorical: list[bool]) -> None: ...
    def add_names(self, bytes: int) -> None: ...
    def watch(self, feature: int, on: bool) -> None: ...
    def expect_classes(self, bytes: list[int]) -> None: ...
    def declare_classes(self, count: int) -> None: ...
    def cut_names(self, names: tuple[Any, ...]) -> None: ...
    def set_costs(self, matrix: Numbers) -> None: ...
    def set_max_bytes(self, limit: int | None) -> None: ...
    def surely_fits(self, names: int, numbers: int) -> bool: ...

    # A row of code -1 or weight 0 is predicted, not learned. `width` is the number of columns of
    # probabilities, 0 for none. `grow` adds the names of the batch to the schema (`Schema.grow`),
    # whose lists are `names`; schema and engine grow together or not at all. `paused` is called
    # after the first `pauses[0]` rows, after the first `pauses[1]`, and so on.
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
        pauses: list[int] | None = None,
        paused: Callable[[], None] | None = None,
    ) -> tuple[Codes, Numbers | None]: ...
    def predict(self, batch: _core.Batch, width: int) -> tuple[Codes, Numbers | None]: ...

    # Predicts all rows by one state. Also returns the number of examples that it had learned and
    # of classes that it knew.
    def predict_at_once(
        self, batch: _core.Batch, width: int
    ) -> tuple[Codes, Numbers | None, int, int]: ...

    # One dict of ordinary values. False or None means that it must be read by Python. With
    # `return_seen` a tuple: the prediction, and the number of examples learned before it.
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
