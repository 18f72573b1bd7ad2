"""What every model is outside: a scikit-learn classifier that also takes one example at a time."""

from __future__ import annotations

import contextlib
import copy
import functools
import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from riparian import _core, _forked, modelfile
from riparian.compat import announce_to_river
from riparian.costs import cost_matrix
from riparian.labels import (
    declared_labels,
    encode_labels,
    label_array,
    read_label,
    read_labels,
    read_weights,
    sort_classes,
)
from riparian.outputs import open_output
from riparian.policies import AXES, changed
from riparian.schema import Feature, Reading, Schema
from riparian.settings import byte_count
from riparian.table import Table, read_example, read_table
from riparian.values import EXACT_LABELS, json_object

if TYPE_CHECKING:
    from onnx import ModelProto
    from sklearn.utils import Tags

    from riparian.export.plain import Allowed, PlainTree
    from riparian.export.planes import PlainPlanes

__all__ = ["Engine", "StreamClassifier"]

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
    # and each is told the bytes that its name takes.
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


E = TypeVar("E", bound=Engine)


class StreamClassifier(ClassifierMixin, BaseEstimator, Generic[E]):
    """A model over a native engine; a subclass says which engine, and what can be seen of it.

    It has an `__init__` of plain parameters that ends in ``announce_to_river(type(self))``,
    and the methods :meth:`_new_engine` and :meth:`_restored_engine`.
    """

    # What River's pipelines and evaluation ask of a classifier.
    _supervised = True
    _multiclass = True

    _max_classes: int = _core.MAX_CLASSES

    _engine: E | None = None
    _schema: Schema
    _learning: threading.Lock
    #: The parameters that the engine was made with; `set_params` takes effect at the next fit.
    _learned_with: dict[str, Any]

    # -- what a subclass says -----------------------------------------------------------------

    def _new_engine(self, axes: Mapping[str, Any]) -> E:
        """An engine that has seen nothing; a ValueError names a parameter that is wrong."""
        raise NotImplementedError

    def _restored_engine(self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]) -> E:
        """The engine of a snapshot; a ValueError if there cannot be such a one."""
        raise NotImplementedError

    def _restorer(self, axes: Mapping[str, Any]) -> Callable[[dict[str, NDArray[Any]]], E]:
        """The same for snapshots to come, where a function of the user may fail meanwhile."""
        return functools.partial(self._restored_engine, axes)

    def _axes(self) -> dict[str, Any]:
        """The parameters that what is learned depends on; a file holds them."""
        return dict(self.get_params(deep=False))

    def _adopt(self, axes: Mapping[str, Any]) -> None:
        """Takes over such parameters."""
        self.__dict__.update(axes)

    def _fresh_like(self) -> StreamClassifier[E]:
        """An unfitted model of the same parameters."""
        return type(self)(**self.get_params(deep=False))

    @property
    def _asks(self) -> bool:
        """Whether learning calls a function of the user."""
        return False

    def _refuse_uncertain(self, axes: Mapping[str, Any]) -> None:
        """An error unless values may be distributions with these parameters."""
        raise ValueError(f"{type(self).__name__} takes no uncertain values")

    def _refuse_weights(self, engine: E, weights: Numbers) -> None:
        """An error if a weight is larger than this engine can learn."""

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree | PlainPlanes:
        """What it answers, as numbers; a ValueError if `asked` cannot say that."""
        raise NotImplementedError

    def set_params(self, **params: Any) -> Self:
        """Sets parameters, as scikit-learn does; ``bound__c`` is parameter ``c`` of the bound."""
        of_policies: dict[str, dict[str, Any]] = {}
        own = self.get_params(deep=False)
        for key in list(params):
            axis, _, name = key.partition("__")
            if name and axis in AXES and axis in own:
                of_policies.setdefault(axis, {})[name] = params.pop(key)
        # A parameter that no policy has is refused before anything is set.
        policies = {
            axis: changed(axis, self._meant(axis, params.pop(axis, own[axis])), changes)
            for axis, changes in of_policies.items()
        }
        super().set_params(**params)
        for axis, policy in policies.items():
            setattr(self, axis, policy)
        return self

    def _meant(self, axis: str, value: Any) -> Any:
        """The policy of an axis, as the model understands what the user wrote."""
        return value

    # -- learning -----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forgets everything, then learns the rows of `X` in their order, once.

        Ctrl-C ends it early: the rows that were learned until then stay learned.
        """
        fresh = self._fresh_like()
        try:
            fresh._learn(X, y, None, sample_weight, in_order=True)
        except KeyboardInterrupt:
            if fresh._engine is not None:
                self._take_over(fresh)
            raise
        if fresh._engine is None or fresh._engine.seen == 0:
            raise ValueError(
                "Sample weights must contain at least one non-zero number; nothing was learned"
            )
        self._take_over(fresh)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learns the rows of `X` in their order.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            NaN and None are missing values. New categories and, in frames and
            mappings, new and absent columns are welcome.
        y : array-like of shape (n_rows,)
            Labels; new ones are welcome.
        classes : array-like, optional
            All labels that may come, as scikit-learn has it. Not needed.
        sample_weight : array-like of shape (n_rows,), optional
            Weights, 0 or more; a row of weight 0 is as if it were not there.
        """
        self._learn(X, y, classes, sample_weight)
        return self

    def learn_one(self, x: Mapping[Any, Any], y: Hashable, w: float = 1.0) -> None:
        """Learns one example, given as a dict."""
        if type(y) not in EXACT_LABELS:
            y = read_label(y)
        engine = self._engine
        if (
            engine is not None
            and type(x) is dict
            and 0.0 < w < 2.0**53
            and not self._asks
            and self._limit() == self._learned_with.get("max_bytes")
        ):
            schema = self._schema
            code = schema.class_codes.get(y)
            if code is not None:
                with self._learning:
                    try:
                        # Another thread may have put a copy in its place meanwhile.
                        if engine is self._engine and engine.learn_one(
                            x, schema.index, schema.codes, code, w
                        ):
                            return
                    except BaseException as error:
                        self._give_up_if_unfinished(engine, error)
                        raise
        self._learn(x, [y], None, [w], one=True)

    def prequential(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        proba: bool = False,
    ) -> Any:
        """Predicts each row, then learns it, in one pass.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            What was predicted before each row was learned. A row that came before
            anything was learned gets ``classes_[0]``.
        probabilities : ndarray of shape (n_rows, n_classes), only with `proba`
            Likewise, in the order of ``classes_`` after the last row.
        """
        return self._learn(X, y, None, sample_weight, answers="both" if proba else "labels")

    def _learn(
        self,
        X: Any,
        y: Any,
        classes: Any,
        sample_weight: Any,
        *,
        answers: str | None = None,
        in_order: bool = False,
        one: bool = False,
        passes: Iterable[int] | None = None,
    ) -> Any:
        """Reads and checks the whole batch, then learns it.

        Whatever is raised, the model is as it was, or as after some of the rows of the batch:
        `n_seen_` says how many.
        """
        # Without the lock: objects of the user may call the model while they are read.
        table = read_example(X) if one else read_table(X)
        if table.n_rows == 0 or not (table.columns or table.example):
            raise ValueError(
                f"Found array with {table.n_rows} sample(s) and {len(table.columns)} "
                f"feature(s) (shape=({table.n_rows}, {len(table.columns)})) "
                "while a minimum of 1 is required."
            )
        labels = read_labels(y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        declared = [] if classes is None else declared_labels(classes)
        first = self._engine is None
        learning = threading.Lock() if first else self._learning
        with learning:
            axes = self._axes() if first else self._learned_with
            engine = self._new_engine(axes) if first else self._fitted()
            schema = Schema(type(self).__name__) if first else self._schema
            if weights is not None:
                self._refuse_weights(engine, weights)
            whole = table
            if weights is not None and not weights.all():
                # A row of weight 0 is as if it were not there: it brings no category either.
                counted = weights > 0.0
                table = whole.only(counted)
                if table.n_rows == 0:
                    return None if answers is None else self._answer_only(whole, answers)
                if answers is None:
                    labels, weights = labels[counted], weights[counted]
            reading = schema.read(table, grow=True, categorical=axes["categorical_features"])
            _refuse_infinite(reading, schema)
            if reading.uncertain:
                self._refuse_uncertain(axes)
            # A file of an earlier version may have more.
            most = max(self._max_classes, len(schema.classes))
            codes, added = _learned_codes(labels, weights, schema, declared, most)
            if in_order:
                codes, added = sort_classes(codes, added)
            known = [*(schema.classes or declared), *added]
            costs = None
            if axes.get("costs") is not None:
                costs = cost_matrix(axes["costs"], known)
            if not first and self._limit() != axes.get("max_bytes"):
                engine.set_max_bytes(byte_count("max_bytes", self._limit()))
                self._learned_with = axes = {**axes, "max_bytes": self._limit()}
            if first and engine.max_bytes is not None:
                self._demand_least(axes, reading, codes, [*declared, *added], len(declared))
            # A function of the user may fail in the middle of a row, and new names may not fit: a
            # copy learns, and takes the place of the model when it is done.
            if not first and (self._asks or not _names_fit(engine, reading, added)):
                engine, schema = self._twin(axes)
            state = {"_schema": schema, "_learning": learning, "_learned_with": axes}
            state["_engine"] = engine  # the last: a model has learned if it has one
            declares = declared and not schema.classes
            brings = reading.new_features or reading.new_categories or declares or added
            reads_again = whole is not table and answers is not None

            def grow() -> tuple[Any, ...]:
                growth = schema.grow(reading, declared, added, first=first)
                return (*growth[:-1], schema.read(whole, grow=False).batch if reads_again else None)

            names = (schema.lists, grow) if first or brings or reads_again else ()
            width = len(known) if answers == "both" else 0
            before = engine.seen
            try:
                if costs is not None:
                    engine.set_costs(costs)
                if answers is not None:
                    batch = reading.batch
                    result = engine.prequential(batch, codes, weights, width, *names)
                else:
                    result = None
                    for number, _ in enumerate((0,) if passes is None else passes):
                        if passes is not None:
                            self._begin_pass(engine)
                        engine.learn(reading.batch, codes, weights, *(() if number else names))
            except BaseException as error:
                self._give_up_if_unfinished(engine, error)
                if not engine.unfinished and engine.seen > before:
                    self.__dict__.update(state)
                raise
            self.__dict__.update(state)
            _forked.watch(self)
        if result is None:
            return None
        predicted, probabilities = result
        labelled = self._labels(predicted)
        return labelled if answers == "labels" else (labelled, probabilities)

    def _give_up_if_unfinished(self, engine: E, error: BaseException) -> None:
        """Drops an engine that an error left in the middle of a row: it could not go on."""
        if engine.unfinished and engine is self._engine:
            self.__dict__["_engine"] = None
            raise MemoryError(
                "memory ran out in the middle of a row, and not even that row could be finished; "
                "what the model had learned is lost: load its last file"
            ) from error

    def _limit(self) -> Any:
        return self.__dict__.get("max_bytes")

    def _begin_pass(self, engine: E) -> None:
        """The rows to come were learned before."""
        raise NotImplementedError

    def _demand_least(
        self,
        axes: Mapping[str, Any],
        reading: Reading,
        codes: Codes,
        classes: list[Hashable],
        n_declared: int,
    ) -> None:
        """An error that says how much a model of such rows needs, if `max_bytes` is less."""
        schema = Schema()
        limit = byte_count("max_bytes", axes["max_bytes"])
        engine = self._new_engine({**axes, "max_bytes": 2**61})
        for feature in reading.new_features:
            schema.add_feature(Feature(feature.name, feature.kind))
        engine.add_names(schema.bytes)
        engine.add_features([f.kind == "categorical" for f in schema.features])
        brought = [classes[code] for code in np.unique(codes[codes >= 0])]
        engine.expect_classes(schema.add_classes(brought))
        engine.add_names(sum(schema.add_classes(classes)))
        engine.declare_classes(n_declared)
        if limit is not None and engine.least_bytes > limit:
            raise ValueError(
                f"max_bytes must be at least {engine.least_bytes:,} for {len(schema.features)} "
                f"features, got {limit:,}"
            )

    def _twin(self, axes: Mapping[str, Any]) -> tuple[E, Schema]:
        """The engine and the schema as they are now, once more."""
        engine = self._restorer(axes)(self._fitted().snapshot())
        schema = copy.deepcopy(self._schema)
        engine.add_names(schema.bytes)
        if axes.get("costs") is not None:
            engine.set_costs(cost_matrix(axes["costs"], schema.classes))
        return engine, schema

    def _answer_only(self, table: Table, answers: str) -> Any:
        """What prequential gives where no row has weight."""
        engine = self._fitted()
        batch = self._read(table).batch
        if answers == "labels":
            return self._labels(engine.predict(batch, 0)[0])
        codes, probabilities = self._shared(batch)
        return self._labels(codes), probabilities

    # -- answering ----------------------------------------------------------------------------

    @overload
    def predict(self, X: Any, *, return_seen: Literal[False] = ...) -> NDArray[Any]: ...
    @overload
    def predict(self, X: Any, *, return_seen: Literal[True]) -> tuple[NDArray[Any], int]: ...
    def predict(self, X: Any, *, return_seen: bool = False) -> Any:
        """Predict the most likely class of each row; with `costs` the one of least expected cost.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            Unknown columns of a frame or mapping are ignored; absent ones are missing.
        return_seen : bool, default=False
            Also return `n_seen_` of the state that predicted. One state then predicts all rows,
            and a thread that learns waits until they are done. Without it a large `X` is
            predicted in blocks of rows, and rows may be learned between two blocks.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
        n_seen : int, only with `return_seen`
            The number of examples that the model had learned when it predicted.
        """
        engine = self._fitted()
        table = _read_rows(X)
        if return_seen:
            codes, _, _, seen = self._predict_at_once(table, proba=False)
            return self._labels(codes), seen
        codes, _ = engine.predict(self._read(table).batch, 0)
        return self._labels(codes)

    @overload
    def predict_proba(
        self, X: Any, *, return_seen: Literal[False] = ...
    ) -> NDArray[np.float64]: ...
    @overload
    def predict_proba(
        self, X: Any, *, return_seen: Literal[True]
    ) -> tuple[NDArray[np.float64], int]: ...
    def predict_proba(self, X: Any, *, return_seen: bool = False) -> Any:
        """Predict the class probabilities of each row, in the order of ``classes_``.

        Parameters
        ----------
        X, return_seen
            As in :meth:`predict`.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            With `return_seen` there is a column for each class that the model had learned at
            that moment. ``classes_`` may have more by now, behind those.
        n_seen : int, only with `return_seen`
            The number of examples that the model had learned when it predicted.
        """
        self._fitted()
        table = _read_rows(X)
        if return_seen:
            _, probabilities, _, seen = self._predict_at_once(table, proba=True)
            return probabilities, seen
        return self._shared(self._read(table).batch)[1]

    @overload
    def predict_one(
        self, x: Mapping[Any, Any], *, return_seen: Literal[False] = ...
    ) -> Hashable | None: ...
    @overload
    def predict_one(
        self, x: Mapping[Any, Any], *, return_seen: Literal[True]
    ) -> tuple[Hashable | None, int]: ...
    def predict_one(self, x: Mapping[Any, Any], *, return_seen: bool = False) -> Any:
        """Predict the class of one example, as :meth:`predict` does.

        Parameters
        ----------
        x : mapping
            Values by the names of features. Unknown names are ignored.
        return_seen : bool, default=False
            Also return `n_seen_` of the state that predicted.

        Returns
        -------
        label : label or None
            None before anything was learned.
        n_seen : int, only with `return_seen`
            The number of examples that the model had learned when it predicted.
        """
        engine = self._engine
        if engine is None:
            return (None, 0) if return_seen else None
        schema = self._schema
        if type(x) is dict:
            found = engine.predict_one(x, schema.index, schema.codes, return_seen)
            if found is not None:
                if not return_seen:
                    return schema.classes[found] if found >= 0 else None
                code, seen = found
                return schema.classes[code] if code >= 0 else None, seen
        # Another model may have taken its place: the classes are those of the one that predicts.
        codes, _, classes, seen = self._predict_at_once(read_example(x), proba=False)
        label = classes[codes.item()] if codes.item() >= 0 else None
        return (label, seen) if return_seen else label

    @overload
    def predict_proba_one(
        self, x: Mapping[Any, Any], *, return_seen: Literal[False] = ...
    ) -> dict[Hashable, float]: ...
    @overload
    def predict_proba_one(
        self, x: Mapping[Any, Any], *, return_seen: Literal[True]
    ) -> tuple[dict[Hashable, float], int]: ...
    def predict_proba_one(self, x: Mapping[Any, Any], *, return_seen: bool = False) -> Any:
        """Predict the class probabilities of one example, as :meth:`predict_proba` does.

        Parameters
        ----------
        x, return_seen
            As in :meth:`predict_one`.

        Returns
        -------
        probabilities : dict
            The probability of each class that the model has learned; empty before anything was
            learned.
        n_seen : int, only with `return_seen`
            The number of examples that the model had learned when it predicted.
        """
        engine = self._engine
        if engine is None:
            return ({}, 0) if return_seen else {}
        if type(x) is dict:
            schema = self._schema
            found = engine.predict_proba_one(
                x, schema.index, schema.codes, schema.classes, return_seen
            )
            if found is not None:
                return found
        _, probabilities, classes, seen = self._predict_at_once(read_example(x), proba=True)
        by_label = dict(zip(classes, probabilities[0].tolist(), strict=True))
        return (by_label, seen) if return_seen else by_label

    def _shared(self, batch: _core.Batch) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The codes, and the probabilities of all classes that the engine knew."""
        # Another thread may bring a class meanwhile, without which they would not sum to 1: then
        # they are asked for again, and at last while nobody learns.
        for lock in (contextlib.nullcontext(), contextlib.nullcontext(), self._learning):
            with lock:
                engine, width = self._fitted(), len(self._schema.classes)
                codes, probabilities = engine.predict(batch, width)
                if engine.n_classes <= width:
                    break
        assert probabilities is not None
        return codes, probabilities

    def _predict_at_once(
        self, table: Table, *, proba: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], list[Hashable], int]:
        """All rows by one state: codes, probabilities, the classes that it knew, its `n_seen_`.

        Without `proba` there are no probabilities, in an array of no columns.
        """
        # Another thread may bring a class, or a category or feature of these rows, after they
        # were read and before they are predicted: then they are read again, and at last while
        # nobody learns.
        for lock in (contextlib.nullcontext(), contextlib.nullcontext(), self._learning):
            with lock:
                engine, schema = self._fitted(), self._schema
                classes, names = list(schema.classes), schema.n_names
                batch = self._read(table).batch
                width = len(classes) if proba else 0
                codes, probabilities, seen, known = engine.predict_at_once(batch, width)
                if known <= len(classes) and names == schema.n_names and schema is self._schema:
                    break
        if probabilities is None:
            probabilities = np.empty((table.n_rows, 0))
        return codes, probabilities[:, :known], classes[:known], seen

    def _read(self, table: Table) -> Reading:
        reading = self._schema.read(table, grow=False)
        _refuse_infinite(reading, self._schema)
        if reading.uncertain:
            self._refuse_uncertain(self._learned_with)
        return reading

    def _labels(self, codes: NDArray[np.int32]) -> NDArray[Any]:
        if codes.size and codes.min() < 0:
            codes = np.maximum(codes, 0)
        return label_array(self._schema.classes)[codes]

    # -- fitted attributes --------------------------------------------------------------------

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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # -- to notebooks and other places --------------------------------------------------------

    def _repr_html_(self) -> str:
        from riparian.repr_html import repr_html

        return repr_html(self)

    # scikit-learn's notebook display asks for this one.
    _html_repr = _repr_html_

    def to_onnx(self, **options: Any) -> ModelProto:
        """The model as one of ONNX; options as in :func:`riparian.export.to_onnx`."""
        from riparian.export import to_onnx

        return to_onnx(self, **options)

    def to_code(self, language: str, **options: Any) -> str:
        """The model as SQL, Python or C; options as in :func:`riparian.export.to_code`."""
        from riparian.export import to_code

        return to_code(self, language, **options)

    # -- saving -------------------------------------------------------------------------------

    @property
    def metadata_(self) -> dict[str, Any]:
        """Free metadata that is saved with the model: a JSON object, empty at first.

        Set it to another object; changing the one that is returned changes nothing.
        """
        return copy.deepcopy(self.__dict__.get("_metadata", {}))

    @metadata_.setter
    def metadata_(self, value: Mapping[str, Any]) -> None:
        self._metadata = json_object("metadata_", value)

    @property
    def positions_(self) -> dict[str, Any]:
        """Where its sources were read up to: a JSON object that is saved with the model."""
        return copy.deepcopy(self.__dict__.get("_positions", {}))

    @positions_.setter
    def positions_(self, value: Mapping[str, Any]) -> None:
        self._positions = json_object("positions_", value)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model to a file that :func:`riparian.load` reads; all or nothing.

        A model that has learned nothing can be saved too: the file holds its parameters. What is
        written has been loaded once before, so that no file is replaced by one that cannot be read.
        Links are followed, and a file that is replaced keeps its mode bits. A device or a FIFO is
        written to. A read-only file is refused, also for root.
        """
        data = modelfile.to_checked_bytes(self)
        with open_output(path, "wb") as file:
            file.write(data)

    def __getstate__(self) -> dict[str, Any]:
        names = {*self._axes(), *self.get_params(deep=False)}
        parameters = {name: self.__dict__[name] for name in names if name in self.__dict__}
        # Also where none were set: models that are equal have equal pickles.
        parameters |= {"_metadata": self.metadata_, "_positions": self.positions_}
        state: dict[str, Any] = {"parameters": parameters}
        if self._engine is not None:
            state["model"] = modelfile.to_bytes(self)
            # Of what was learned with: the parameters may have been set anew since then.
            state["functions"] = modelfile.functions_of(self._learned_with)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["parameters"])
        if "model" in state:
            self._become(modelfile.from_bytes(state["model"], state["functions"]))
            self.__dict__.update(state["parameters"])
        announce_to_river(type(self))

    def _become(self, other: StreamClassifier[E]) -> None:
        self._adopt(other._axes())
        self._take_over(other)

    def _take_over(self, other: StreamClassifier[E]) -> None:
        """What another model of the same parameters has learned."""
        schema, axes = other._schema, other._learned_with
        schema.owner = type(self).__name__
        state = {"_schema": schema, "_learning": threading.Lock(), "_learned_with": axes}
        self.__dict__.update(state, _engine=other._engine)
        _forked.watch(self)


def _read_rows(X: Any) -> Table:
    table = read_table(X)
    if table.n_rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {len(table.columns)})) "
            "while a minimum of 1 is required."
        )
    return table


def _refuse_infinite(reading: Reading, schema: Schema) -> None:
    place = reading.batch.find_infinite()
    if place is None:
        return
    row, column = place
    known = len(schema.features)
    label = schema.label(column) if column < known else reading.new_features[column - known].label
    raise ValueError(
        f"column {label!r}, row {row}: inf cannot be learned; use NaN for a missing value"
    )


def _names_fit(engine: Engine, reading: Reading, added: list[Hashable]) -> bool:
    """Whether all that is new in a batch has room below `max_bytes`, whatever its rows do."""
    if engine.max_bytes is None:
        return True
    if added or reading.new_features:
        return False
    values = [value for found in reading.new_categories.values() for value in found]
    # At most what a value and its code take, and the growth of the table that it is in.
    names = sum(sys.getsizeof(v) + 256 for v in values)
    return not (names or reading.uncertain) or engine.surely_fits(names, reading.uncertain)


def _learned_codes(
    labels: NDArray[Any],
    weights: NDArray[np.float64] | None,
    schema: Schema,
    declared: list[Hashable],
    max_classes: int,
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Class codes, -1 for a row of weight 0, whose label is not looked at."""
    staged = schema
    if declared and not schema.classes:
        staged = Schema(schema.owner)
        staged.add_classes(declared)
    elif declared:
        unknown = [label for label in declared if label not in schema.class_codes]
        if unknown:
            raise ValueError(
                f"`classes={declared}` is not the same as on last call to partial_fit, "
                f"was: {schema.classes}"
            )
    if weights is None or weights.all():
        return encode_labels(labels, staged, grow=True, max_classes=max_classes)
    learned = weights > 0.0
    codes = np.full(labels.shape[0], -1, dtype=np.int32)
    codes[learned], added = encode_labels(
        labels[learned], staged, grow=True, max_classes=max_classes
    )
    return codes, added
