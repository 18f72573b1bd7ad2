"""How a model learns: a batch is checked whole before its first row is learned."""

from __future__ import annotations

import copy
import threading
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from riparian import _forked
from riparian.batch import (
    Checked,
    Given,
    class_codes,
    names_fit,
    read_given,
    refuse_infinite,
)
from riparian.costs import cost_matrix
from riparian.engine import Codes, Numbers
from riparian.labels import read_label, sort_classes
from riparian.learned import E
from riparian.predicting import Predicting
from riparian.schema import Feature, Schema
from riparian.settings import byte_count
from riparian.values import EXACT_LABELS

__all__ = ["Learning"]


class Learning(Predicting[E]):
    """The methods that learn."""

    def _fresh_like(self) -> Learning[E]:
        """An unfitted model of the same parameters."""
        raise NotImplementedError

    def _begin_pass(self, engine: E) -> None:
        """The rows to come were learned before."""
        raise NotImplementedError

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
            and not self._calls_user_functions
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
            Their probabilities, in the order of ``classes_`` after the last row.
        """
        return self._learn(X, y, None, sample_weight, predictions="both" if proba else "labels")

    def _learn(
        self,
        X: Any,
        y: Any,
        classes: Any,
        sample_weight: Any,
        *,
        predictions: str | None = None,
        in_order: bool = False,
        one: bool = False,
        passes: Iterable[int] | None = None,
    ) -> Any:
        """Reads and checks the whole batch, then learns it.

        Whatever is raised, the model is as it was, or as after some of the rows of the batch:
        `n_seen_` says how many.
        """
        # Without the lock: objects of the user may call the model while they are read.
        given = read_given(X, y, classes, sample_weight, one=one)
        first = self._engine is None
        learning = threading.Lock() if first else self._learning
        with learning:
            axes = self._axes() if first else self._learned_with
            engine = self._new_engine(axes) if first else self._fitted()
            schema = Schema(type(self).__name__) if first else self._schema
            if given.weights is not None:
                self._refuse_weights(engine, given.weights)
            given = given.counted(predicted=predictions is not None)
            if given.table.n_rows == 0:
                return None if predictions is None else self._predict_only(given.whole, predictions)
            batch = self._checked(given, schema, axes, in_order=in_order)
            if not first:
                axes = self._with_limit(engine, axes)
            elif engine.max_bytes is not None:
                self._demand_least(axes, batch)
            # A function of the user may fail in the middle of a row, and new names may not fit: a
            # copy learns, and takes the place of the model when it is done.
            if not first and (
                self._calls_user_functions or not names_fit(engine, batch.reading, batch.added)
            ):
                engine, schema = self._twin(axes)
            state = {"_schema": schema, "_learning": learning, "_learned_with": axes}
            state["_engine"] = engine  # the last: a model has learned if it has one
            growth = batch.growth(schema, first=first)
            before = engine.seen
            try:
                result = self._apply(engine, batch, growth, predictions, passes)
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
        return labelled if predictions == "labels" else (labelled, probabilities)

    def _checked(
        self, given: Given, schema: Schema, axes: Mapping[str, Any], *, in_order: bool
    ) -> Checked:
        """The batch in codes, or an error that says why it cannot be learned."""
        reading = schema.read(given.table, grow=True, categorical=axes["categorical_features"])
        refuse_infinite(reading, schema)
        if reading.uncertain:
            self._refuse_uncertain(axes)
        # A file of an earlier version may have more.
        most = max(self._max_classes, len(schema.classes))
        codes, added = class_codes(given.labels, given.weights, schema, given.declared, most)
        if in_order:
            codes, added = sort_classes(codes, added)
        known = [*(schema.classes or given.declared), *added]
        costs = None
        if axes.get("costs") is not None:
            costs = cost_matrix(axes["costs"], known)
        again = given.whole if len(codes) > given.table.n_rows else None
        return Checked(reading, codes, given.weights, given.declared, added, known, costs, again)

    def _apply(
        self,
        engine: E,
        batch: Checked,
        growth: tuple[Any, ...],
        predictions: str | None,
        passes: Iterable[int] | None,
    ) -> tuple[Codes, Numbers | None] | None:
        """The engine learns a batch; what it predicted before each row, if that is wanted."""
        if batch.costs is not None:
            engine.set_costs(batch.costs)
        rows, codes, weights = batch.reading.batch, batch.codes, batch.weights
        if predictions is not None:
            width = len(batch.known) if predictions == "both" else 0
            return engine.prequential(rows, codes, weights, width, *growth)
        if passes is None:
            engine.learn(rows, codes, weights, *growth)
            return None
        for number, _ in enumerate(passes):
            self._begin_pass(engine)
            engine.learn(rows, codes, weights, *(() if number else growth))
        return None

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

    def _with_limit(self, engine: E, axes: dict[str, Any]) -> dict[str, Any]:
        """The parameters with the `max_bytes` of now, which may have been set since the last batch.

        The engine then has the same limit.
        """
        if self._limit() != axes.get("max_bytes"):
            engine.set_max_bytes(byte_count("max_bytes", self._limit()))
            self._learned_with = axes = {**axes, "max_bytes": self._limit()}
        return axes

    def _demand_least(self, axes: Mapping[str, Any], batch: Checked) -> None:
        """An error that says how much a model of such rows needs, if `max_bytes` is less."""
        schema = Schema()
        limit = byte_count("max_bytes", axes["max_bytes"])
        engine = self._new_engine({**axes, "max_bytes": 2**61})
        for feature in batch.reading.new_features:
            schema.add_feature(Feature(feature.name, feature.kind))
        engine.add_names(schema.bytes)
        engine.add_features([f.kind == "categorical" for f in schema.features])
        brought = [batch.known[code] for code in np.unique(batch.codes[batch.codes >= 0])]
        engine.expect_classes(schema.add_classes(brought))
        engine.add_names(sum(schema.add_classes(batch.known)))
        engine.declare_classes(len(batch.declared))
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
