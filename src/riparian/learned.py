"""What a model has learned: the engine, the schema, and the attributes that end in ``_``."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from riparian import _core, _forked
from riparian.engine import Engine, Numbers
from riparian.labels import label_array
from riparian.schema import Schema

__all__ = ["E", "Learned"]

E = TypeVar("E", bound=Engine)


class Learned(Generic[E]):
    """The engine and the schema of a model, and what a subclass defines about them."""

    _max_classes: int = _core.MAX_CLASSES

    _engine: E | None = None
    _schema: Schema
    _learning: threading.Lock
    #: The parameters that the engine was made with; `set_params` takes effect at the next fit.
    _learned_with: dict[str, Any]

    # -- what a subclass defines --------------------------------------------------------------

    def _axes(self) -> dict[str, Any]:
        """The parameters that what is learned depends on; a file holds them."""
        raise NotImplementedError

    def _new_engine(self, axes: Mapping[str, Any]) -> E:
        """An engine that has seen nothing; a ValueError names a parameter that is wrong."""
        raise NotImplementedError

    def _restored_engine(self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]) -> E:
        """The engine of a snapshot; a ValueError if there cannot be such a one."""
        raise NotImplementedError

    def _restorer(self, axes: Mapping[str, Any]) -> Callable[[dict[str, NDArray[Any]]], E]:
        """The same for snapshots to come, where a function of the user may fail meanwhile."""
        return functools.partial(self._restored_engine, axes)

    @property
    def _calls_user_functions(self) -> bool:
        """Whether learning calls a function of the user."""
        return False

    def _refuse_uncertain(self, axes: Mapping[str, Any]) -> None:
        """An error unless values may be distributions with these parameters."""
        raise ValueError(f"{type(self).__name__} does not support uncertain values")

    def _refuse_weights(self, engine: E, weights: Numbers) -> None:
        """An error if a weight is larger than this engine can learn."""

    # -- fitted attributes ------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        self._fitted()
        return label_array(self._schema.classes)

    @property
    def n_features_in_(self) -> int:
        self._fitted()
        return len(self._schema.features)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        self._fitted()
        names = [f.name for f in self._schema.features]
        if not all(isinstance(name, str) for name in names):
            raise AttributeError("features have positions, not names")
        return np.array(names, dtype=object)

    @property
    def n_seen_(self) -> int:
        return self._fitted().seen

    @property
    def memory_bytes_(self) -> int:
        return self._fitted().memory_bytes

    def _fitted(self) -> E:
        if self._engine is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit', "
                "'partial_fit' or 'learn_one' before using this estimator."
            )
        return self._engine

    def __sklearn_is_fitted__(self) -> bool:
        return self._engine is not None

    def _take_over(self, other: Learned[E]) -> None:
        """What another model of the same parameters has learned."""
        schema, axes = other._schema, other._learned_with
        schema.owner = type(self).__name__
        state = {"_schema": schema, "_learning": threading.Lock(), "_learned_with": axes}
        self.__dict__.update(state, _engine=other._engine)
        _forked.watch(self)
