"""What a model has learned: the engine, the schema, and the attributes that end in ``_``."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from riparian import _core
from riparian.data.costs import cost_matrix
from riparian.data.labels import label_array
from riparian.data.schema import Schema
from riparian.models import forked as _forked
from riparian.models.engine import Engine, Numbers
from riparian.models.settings import check_names

__all__ = ["E", "Learned", "State"]

E = TypeVar("E", bound=Engine)


class State(NamedTuple, Generic[E]):
    """What a model has learned.

    Attributes
    ----------
    engine : Engine
        The native model: numbers and codes, no names.
    schema : Schema
        The names behind its codes.
    axes : dict
        The parameters that the engine was made with.
    lock : Lock
        Held while the engine learns.
    """

    engine: E
    schema: Schema
    axes: dict[str, Any]
    lock: threading.Lock


class Learned(Generic[E]):
    """The engine and the schema of a model, and what a subclass defines about them."""

    _max_classes: int = _core.MAX_CLASSES
    #: Whether the engine offers no cut of a feature that may be an identifier.
    _watches: ClassVar[bool] = True
    #: The parts of `max_bytes` of which one is for names of features, and one for categories.
    _name_parts: ClassVar[int] = 8

    _engine: E | None = None
    _schema: Schema
    _learning: threading.Lock
    #: The parameters that the engine was made with. `set_params` takes effect at the next fit.
    _learned_with: dict[str, Any]
    #: Whether the engine calls no function of the user while it learns.
    _native_only: bool = False

    # -- what a subclass defines --------------------------------------------------------------

    def _axes(self) -> dict[str, Any]:
        """Return the parameters that the result of learning depends on; a file holds them."""
        raise NotImplementedError(f"{type(self).__name__} must define _axes")

    #: The class of the engine.
    _native: ClassVar[Any]

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of the engine; a ValueError names parameter, rule and value."""
        raise NotImplementedError(f"{type(self).__name__} must define _settings")

    @property
    def _calls_user_functions(self) -> bool:
        """Whether learning calls a function of the user."""
        return False

    def _refuse_uncertain(self, axes: Mapping[str, Any]) -> None:
        """Raise an error unless values may be distributions with these parameters."""
        raise ValueError(f"{type(self).__name__} does not support uncertain values")

    def _refuse_sparse(self, axes: Mapping[str, Any]) -> None:
        """Raise an error unless rows may be sparse with these parameters."""
        raise TypeError(
            f"{type(self).__name__} does not support sparse data; pass X.toarray(), or use a "
            "HoeffdingTree with leaf='majority'"
        )

    def _refuse_weights(self, engine: E, weights: Numbers) -> None:
        """Raise an error if an engine cannot learn rows of these weights."""

    def _set_threads(self, engine: E) -> None:
        """Give an engine the number of threads that the user wants now."""

    # -- the engine ---------------------------------------------------------------------------

    def _new_engine(self, axes: Mapping[str, Any]) -> E:
        """Return an engine that has learned nothing."""
        engine: E = self._native(self._settings(axes))
        return engine

    def _restored_engine(self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]) -> E:
        """Return the engine of a snapshot; a ValueError if the arrays describe none."""
        return self._restorer(axes)(arrays)

    def _restorer(self, axes: Mapping[str, Any]) -> Callable[[dict[str, NDArray[Any]]], E]:
        """Return a function that restores engines from snapshots.

        Parameters are checked here, before a snapshot is taken: this tries the functions of the
        user, which may fail.
        """
        check_names(axes)
        return functools.partial(self._native.restore, self._settings(axes))

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
    def n_ignored_values_(self) -> int:
        """Known values of features that were ignored because there are too many features."""
        self._fitted()
        return self._schema.ignored

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

    @staticmethod
    def _completed(
        engine: E, schema: Schema, axes: dict[str, Any], lock: threading.Lock | None = None
    ) -> State[E]:
        """Return the state of an engine that was restored from a snapshot.

        A snapshot has neither the bytes of names nor costs, nor the features that are watched: the
        engine gets them here.
        """
        engine.add_names(schema.bytes)
        for place, watch in schema.watches.items():
            if watch.left_out or not watch.cut:
                engine.watch(place, True)
        costs = axes.get("costs")
        if costs is not None and schema.classes:
            engine.set_costs(cost_matrix(costs, schema.classes))
        return State(engine, schema, axes, lock or threading.Lock())

    def _install(self, state: State[E]) -> None:
        """Make a state the one of this model."""
        state.schema.owner = type(self).__name__
        self.__dict__.update(
            _schema=state.schema,
            _learning=state.lock,
            _learned_with=state.axes,
            _native_only=False,
            _engine=state.engine,  # the last: a model that has an engine has learned
        )
        self._native_only = not self._calls_user_functions
        _forked.watch(self)
