"""The steps of learning a batch: it is checked whole before its first row is learned."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from riparian import _core
from riparian.data.class_weights import row_weights
from riparian.data.costs import cost_matrix
from riparian.data.labels import sort_classes
from riparian.data.naming import Limits
from riparian.data.quantities import warn_of_quantity
from riparian.data.reading import read
from riparian.data.schema import Feature, Schema
from riparian.data.settling import Settling
from riparian.data.table import Table, with_date_parts
from riparian.models.batch import (
    Checked,
    Given,
    class_codes,
    names_fit,
    read_given,
    refuse_infinite,
)
from riparian.models.engine import Codes, Numbers, Pauses
from riparian.models.learned import E, State
from riparian.models.predicting import Predicting
from riparian.models.settings import byte_count, check_names, class_limit, name_limits
from riparian.policies.objects import states_in

__all__ = ["LearningSteps"]

#: What `_learn` returns for each row: labels, labels and probabilities, or codes of classes.
Predictions = Literal["labels", "both", "codes", "votes"]


class LearningSteps(Predicting[E]):
    """How a batch is learned: read, check, apply, and install the state that has learned it."""

    def _begin_pass(self, engine: E) -> None:
        """Note that the rows to come were learned before."""
        raise NotImplementedError(f"{type(self).__name__} must define _begin_pass")

    def _learn(
        self,
        X: Any,
        y: Any,
        classes: Any,
        sample_weight: Any,
        *,
        fresh: bool = False,
        one: bool = False,
        predictions: Predictions | None = None,
        passes: Iterable[int] | None = None,
        pauses: Pauses | None = None,
    ) -> Any:
        """Read and check the whole batch, then learn it.

        Whatever is raised, the model is as it was, or as after some of the rows of the batch:
        `n_seen_` is their number.

        Parameters
        ----------
        X, y, classes, sample_weight
            The batch, as the user gave it.
        fresh : bool, default=False
            Forget everything first, and sort the classes.
        one : bool, default=False
            Whether `X` is one example, a mapping.
        predictions : {"labels", "both", "codes", "votes"} or None, default=None
            What to predict for each row before it is learned; "both" adds the probabilities,
            "codes" gives codes of classes and the true ones before them. "votes" is for forests
            that keep the votes of members: the true codes, how many classes there are, and the
            engine, which has the votes.
        passes : iterable, optional
            Learn rows that were learned before, once for each item.
        pauses : Pauses, optional
            A function to call between rows. If a copy has to learn, nothing is learned.
        """
        # Without the lock: objects of the user may call the model while they are read.
        given = read_given(X, y, classes, sample_weight, one=one)
        try:
            return self._learn_given(given, fresh, predictions, passes, pauses)
        except _core.LimitTooLow:
            if fresh or self._engine is None:
                raise
        # New features for which there is no room are ignored.
        return self._learn_given(given, fresh, predictions, passes, pauses, adds_features=False)

    def _learn_given(
        self,
        given: Given,
        fresh: bool,
        predictions: Predictions | None,
        passes: Iterable[int] | None,
        pauses: Pauses | None,
        *,
        adds_features: bool = True,
    ) -> Any:
        begins = fresh or self._engine is None
        lock = threading.Lock() if begins else self._learning
        with lock:
            state = self._beginning(lock) if begins else self._current(lock)
            table = with_date_parts(given.table, state.axes.get("date_parts"))
            if table is not given.table:
                given = given._replace(table=table, whole=table)
            given = given.counted(predicted=predictions is not None)
            if given.table.n_rows == 0:
                return self._without_rows(given, predictions, fresh=fresh)
            limits = self._name_limits(state.axes, adds_features=adds_features)
            batch = self._checked(given, state, limits, in_order=fresh)
            if batch.weights is not None:
                self._refuse_weights(state.engine, batch.weights)
            if begins:
                self._demand_least(state, batch)
            else:
                state = self._safe_to_change(self._with_limit(state), batch)
            if pauses is not None and state.engine is not self._engine:
                return None
            if not given.declared:
                seen = 0 if begins else state.engine.seen
                warn_of_quantity(given.labels, seen, state.schema.class_codes, stacklevel=4)
            passed: list[int] = []
            growth = batch.growth(state.schema, passed, first=begins)
            settle = Settling(state.schema, batch.reading, passed)
            before = state.engine.seen
            ignored = state.schema.ignored
            most = batch.reading.n_rows
            try:
                result = self._apply(state, batch, given.table, growth, predictions, passes, pauses)
                gone = settle(min(most, state.engine.seen - before))
                if state.engine is not self._engine:
                    self._install(state)
            except BaseException as error:
                settle(min(most, state.engine.seen - before))
                state.schema.forget_measures()
                self._give_up_if_unfinished(state.engine, error)
                # A fit that fails changes nothing; one that the user ends keeps its rows.
                keeps = not fresh or isinstance(error, KeyboardInterrupt)
                if keeps and not state.engine.unfinished and state.engine.seen > before:
                    self._install(state)
                raise
        self._report_names(state, gone, first_ignored=not ignored and state.schema.ignored > 0)
        if result is None:
            return None
        if predictions == "votes":
            return batch.codes, len(batch.known), state.engine
        if predictions == "codes":
            return batch.codes, result[0]
        labels = self._labels(result[0])
        return labels if predictions == "labels" else (labels, result[1])

    def _name_limits(self, axes: Mapping[str, Any], *, adds_features: bool) -> Limits:
        """Return the limits of new names."""
        limits = name_limits(axes, self._limit())
        most = limits.max_features if adds_features else 0
        return limits._replace(max_features=most, watches=self._watches, parts=self._name_parts)

    def _beginning(self, lock: threading.Lock) -> State[E]:
        """Return the state of a model that has learned nothing."""
        axes = self._axes()
        check_names(axes)
        return State(self._new_engine(axes), Schema(type(self).__name__), axes, lock)

    def _current(self, lock: threading.Lock) -> State[E]:
        """Return the state of a model that has learned."""
        return State(self._fitted(), self._schema, self._learned_with, lock)

    def _without_rows(self, given: Given, predictions: Predictions | None, *, fresh: bool) -> Any:
        """Return the result of a batch in which no row has weight."""
        if fresh:
            raise ValueError(
                "Sample weights must contain at least one non-zero number; nothing was learned"
            )
        return None if predictions is None else self._predict_only(given.whole, predictions)

    def _checked(self, given: Given, state: State[E], limits: Limits, *, in_order: bool) -> Checked:
        """Return the batch in codes; an error names what cannot be learned."""
        schema, axes = state.schema, state.axes
        if given.table.sparse is not None:
            self._refuse_sparse(axes)
        reading = read(
            schema, given.table, grow=True, categorical=axes["categorical_features"], limits=limits
        )
        refuse_infinite(reading, schema)
        if reading.uncertain:
            self._refuse_uncertain(axes)
        # A file of an earlier version may have more.
        most = max(min(self._max_classes, class_limit(axes)), len(schema.classes))
        codes, added = class_codes(given.labels, given.weights, schema, given.declared, most)
        if in_order:
            codes, added = sort_classes(codes, added)
        known = [*(schema.classes or given.declared), *added]
        costs = None
        if axes.get("costs") is not None:
            costs = cost_matrix(axes["costs"], known)
        weights = given.weights
        if axes.get("class_weight") is not None:
            weights = row_weights(axes["class_weight"], known, codes, weights)
        again = given.whole if len(codes) > given.table.n_rows else None
        return Checked(reading, codes, weights, given.declared, added, known, costs, again)

    def _limit(self) -> Any:
        return self.__dict__.get("max_bytes")

    def _with_limit(self, state: State[E]) -> State[E]:
        """Return the state with the `max_bytes` of now, which may have been set since."""
        if self._limit() == state.axes.get("max_bytes"):
            return state
        axes = {**state.axes, "max_bytes": self._limit()}
        self._settings(axes)  # a ValueError where the limit cannot be combined with something
        state.engine.set_max_bytes(byte_count("max_bytes", self._limit()))
        self._learned_with = axes
        return state._replace(axes=axes)

    def _safe_to_change(self, state: State[E], batch: Checked) -> State[E]:
        """Return a state that may fail while it learns the batch: this one, or a copy.

        A function of the user may fail in the middle of a row, and new names may not fit into
        the memory. Then a copy learns, and takes the place of the model when it is done.
        """
        if self._native_only and names_fit(state.engine, batch.reading, batch.added):
            self._set_threads(state.engine)
            return state
        return self._copied(state)

    def _demand_least(self, state: State[E], batch: Checked) -> None:
        """Raise an error that states the memory such rows need, if `max_bytes` is less."""
        limit = byte_count("max_bytes", state.axes.get("max_bytes"))
        if limit is None:
            return
        schema = Schema()
        engine = self._new_engine({**state.axes, "max_bytes": 2**61})
        for feature in batch.reading.new_features:
            schema.add_feature(Feature(feature.name, feature.kind))
        engine.add_names(schema.bytes)
        engine.add_features([f.kind == "categorical" for f in schema.features])
        brought = [batch.known[code] for code in np.unique(batch.codes[batch.codes >= 0])]
        engine.expect_classes(schema.add_classes(brought))
        engine.add_names(sum(schema.add_classes(batch.known)))
        engine.declare_classes(len(batch.declared))
        if engine.least_bytes > limit:
            raise ValueError(
                f"max_bytes must be at least {engine.least_bytes:,} for {len(schema.features)} "
                f"features, got {limit:,}"
            )

    def _copied(self, state: State[E]) -> State[E]:
        """Return a copy of a state, with the same lock."""
        restored = self._restorer(state.axes)
        with states_in([]):
            engine = restored(state.engine.snapshot())
        return self._completed(engine, state.schema.copy(), state.axes, state.lock)

    def _apply(
        self,
        state: State[E],
        batch: Checked,
        table: Table,
        growth: tuple[Any, ...],
        predictions: Predictions | None,
        passes: Iterable[int] | None,
        pauses: Pauses | None,
    ) -> tuple[Codes, Numbers | None] | None:
        """Learn a batch; return what the engine predicted before each row, if that is wanted."""
        engine = state.engine
        if batch.costs is not None:
            engine.set_costs(batch.costs)
        rows, codes, weights = batch.reading.batch, batch.codes, batch.weights
        if predictions is not None:
            width = len(batch.known) if predictions in ("both", "votes") else 0
            names, grow = growth or (None, None)
            return engine.prequential(rows, codes, weights, width, names, grow, *(pauses or ()))
        if passes is None:
            engine.learn(rows, codes, weights, *growth)
            return None
        for number, _ in enumerate(passes):
            self._begin_pass(engine)
            if number == 1 and batch.reading.left_out:
                gone = dict.fromkeys(batch.reading.left_out, 0)
                rows = read(state.schema, table, grow=False, missing_from=gone).batch
            engine.learn(rows, codes, weights, *(() if number else growth))
        return None

    def _report_names(self, state: State[E], gone: list[int], *, first_ignored: bool) -> None:
        """Warn of features that are left out from now on."""
        for place in gone:
            warnings.warn(
                f"column {state.schema.label(place)!r}: {state.schema.watches[place].reason}, so "
                "it is treated as an identifier and left out; declare it in categorical_features "
                "to keep it",
                UserWarning,
                stacklevel=5,
            )
        if first_ignored:
            warnings.warn(
                f"the model has {len(state.schema.features):,} features and no room for more: "
                "further ones are ignored; see max_features and max_bytes",
                UserWarning,
                stacklevel=5,
            )

    def _give_up_if_unfinished(self, engine: E, error: BaseException) -> None:
        """Drop an engine that an error left in the middle of a row: it cannot go on."""
        if engine.unfinished and engine is self._engine:
            self.__dict__["_engine"] = None
            raise MemoryError(
                "memory ran out in the middle of a row, and not even that row could be finished; "
                "what the model had learned is lost: load its last file"
            ) from error
