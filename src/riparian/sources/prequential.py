"""Rows are predicted, then learned; rows that the model refuses are found by halving."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from riparian.data.block import Block
from riparian.evaluate.learners import CodedPredictions, Native
from riparian.evaluate.passes import set_costs, size_of, sizes_of
from riparian.evaluate.results import Result, Size
from riparian.models.base import StreamClassifier
from riparian.models.engine import Pauses
from riparian.sources.feature_drift import FeatureDrift
from riparian.sources.pace import Pace

__all__ = ["Prequential", "by_halves"]

#: Called with a row that the model refuses, counted from 0, and the reason.
Refuse = Callable[[int, str], None]


class Prequential:
    """A model, and its evaluation by rows that it has not learned yet.

    Parameters
    ----------
    model : StreamClassifier
    result : Result
        Its evaluation so far.
    count : callable
        Called with the name of a counter and a number.
    """

    def __init__(
        self, model: StreamClassifier[Any], result: Result, count: Callable[[str, int], None]
    ) -> None:
        self.model = model
        self.result = result
        self._count = count
        #: Called after each block; how long blocks may be.
        self.between: Callable[[], None] | None = None
        self.pace: Pace | None = None
        #: Compares the rows with the first ones, if anybody asks for it.
        self.features: FeatureDrift | None = None
        self._native = Native(model)
        self._began = time.perf_counter() - result.seconds

    def set_model(self, model: StreamClassifier[Any]) -> None:
        """Go on with another model; its evaluation is that of the one before."""
        self.model = model
        self._native = Native(model)

    def go_back(self, model: StreamClassifier[Any], result: Result) -> None:
        """Go on with an earlier model and its evaluation."""
        self.set_model(model)
        self.result = result
        self._began = time.perf_counter() - result.seconds

    def learn(self, X: Any, y: Any, refuse: Refuse) -> None:
        """Predict rows, then learn them."""

        def learn(start: int, stop: int) -> int:
            stop = self._paced(start, stop)
            sizes: list[Size] = []
            pauses = Pauses(
                self.result.window_ends(stop - start),
                lambda: sizes.append(size_of(self.model, self._began)),
            )
            clock = time.perf_counter()
            part = X if stop - start == len(y) else X.rows(slice(start, stop))
            coded = self._native.coded(part, y[start:stop], pauses)
            predicted = None
            if coded is None:
                stop = self._window_end(start, stop)
                part = X.rows(slice(start, stop))
                predicted, _ = self._native.prequential(part, y[start:stop], False)
            self._took(part, time.perf_counter() - clock)
            self._evaluate(coded, y[start:stop], predicted, sizes)
            return stop

        by_halves(len(y), learn, refuse)

    def predict(self, X: Block) -> list[Any]:
        """Return predictions for rows that are learned later."""
        found: list[Any] = [None] * X.n_rows
        if not hasattr(self.model, "classes_") or not X.n_rows:
            return found

        def predict(start: int, stop: int) -> int:
            found[start:stop] = self.model.predict(X.rows(slice(start, stop))).tolist()
            return stop

        # A row that cannot be predicted has no prediction; whether it can be learned shows later.
        by_halves(X.n_rows, predict, lambda i, reason: None)
        return found

    def learn_predicted(
        self,
        X: Block,
        y: Any,
        predicted: Sequence[Any],
        weights: Sequence[float],
        refuse: Refuse,
    ) -> None:
        """Learn rows that were predicted when they came. Each counts once in the evaluation."""
        plain = all(weight == 1.0 for weight in weights)

        def learn(start: int, stop: int) -> int:
            stop = self._window_end(start, self._paced(start, stop))
            clock = time.perf_counter()
            part = X.rows(slice(start, stop))
            given = None if plain else weights[start:stop]
            self.model.partial_fit(part, y[start:stop], sample_weight=given)
            self._took(part, time.perf_counter() - clock)
            self._evaluate(None, y[start:stop].tolist(), predicted[start:stop], [])
            return stop

        by_halves(len(y), learn, refuse)

    def _paced(self, start: int, stop: int) -> int:
        """Return where a block ends so that those who predict meanwhile do not wait long."""
        return stop if self.pace is None else start + self.pace.rows(stop - start)

    def _took(self, part: Block, seconds: float) -> None:
        """Take in how long a block took that was learned."""
        self.result.model_seconds += seconds
        if self.pace is not None:
            self.pace.took(part.n_rows, seconds)
        if self.features is not None:
            self.features.add(part)

    def _window_end(self, start: int, stop: int) -> int:
        """Return where a call must end so that the size of the model at a window is known."""
        return min(stop, start + self.result.until_window())

    def _evaluate(
        self, coded: CodedPredictions | None, y: Any, predicted: Any, sizes: list[Size]
    ) -> None:
        self.result.seconds = time.perf_counter() - self._began
        if coded is None:
            self.result.update(y, predicted, probabilities=None, **sizes_of(self.model))
        else:
            self.result.update_codes(coded, [*sizes, size_of(self.model, self._began)])
        set_costs(self.result, self.model)
        self._count("learned", len(y))
        if self.between is not None:
            self.between()


def by_halves(n: int, call: Callable[[int, int], int], refuse: Refuse) -> None:
    """Call with parts of n rows; a part that is refused is halved until single rows are.

    `call` returns where it ended.
    """
    start, most = 0, n
    while start < n:
        stop = min(n, start + most)
        try:
            stop = call(start, stop)
        except ValueError as error:
            if stop - start > 1:
                most = (stop - start) // 2
                continue
            refuse(start, str(error))
        start, most = stop, 2 * most
