"""How a model predicts: batches and single examples, while other threads may learn."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Mapping
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.labels import label_array
from riparian.data.reading import Reading, read
from riparian.data.table import Table, read_example, with_date_parts
from riparian.models.batch import read_rows, refuse_infinite
from riparian.models.learned import E, Learned

__all__ = ["Predicting"]


class Predicting(Learned[E]):
    """The methods that predict."""

    @overload
    def predict(self, X: Any, *, return_seen: Literal[False] = ...) -> NDArray[Any]: ...
    @overload
    def predict(self, X: Any, *, return_seen: Literal[True]) -> tuple[NDArray[Any], int]: ...
    def predict(self, X: Any, *, return_seen: bool = False) -> Any:
        """Predict the most likely class of each row; with `costs` the one of least expected cost.

        Parameters
        ----------
        X : array, sparse matrix, frame or mapping of columns, of shape (n_rows, n_features)
            The rows. Unknown columns of a frame or mapping are ignored; absent ones are missing.
        return_seen : bool, default=False
            Also return `n_seen_` of the state that predicted. One state then predicts all rows,
            and a thread that learns waits until they are done. Without it a large `X` is
            predicted in blocks of rows, and rows may be learned between two blocks.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            The predicted classes.
        n_seen : int, only with `return_seen`
            The number of examples that the model had learned when it predicted.

        Examples
        --------
        >>> from riparian import HoeffdingTree
        >>> from riparian.streams import sea
        >>> model = HoeffdingTree().fit(*sea(seed=1).take(2_000))
        >>> model.predict([[8.0, 7.0, 1.0], [1.0, 2.0, 9.0]])
        array([1, 0])
        >>> labels, n_seen = model.predict([[8.0, 7.0, 1.0]], return_seen=True)
        >>> n_seen
        2000
        """
        engine = self._fitted()
        table = read_rows(X)
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
            Each row sums to 1. With `return_seen` there is a column for each class that the model
            had learned at that moment; ``classes_`` may have more by now, after those.
        n_seen : int, only with `return_seen`
            The number of examples that the model had learned when it predicted.

        Examples
        --------
        >>> from riparian import HoeffdingTree
        >>> from riparian.streams import sea
        >>> model = HoeffdingTree().fit(*sea(seed=1).take(2_000))
        >>> model.predict_proba([[8.0, 7.0, 1.0], [1.0, 2.0, 9.0]]).round(2)
        array([[0.05, 0.95],
               [0.86, 0.14]])
        """
        self._fitted()
        table = read_rows(X)
        if return_seen:
            _, probabilities, _, seen = self._predict_at_once(table, proba=True)
            return probabilities, seen
        return self._shared(self._read(table).batch)[1]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the natural logarithms of the class probabilities of each row.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            The rows, as in :meth:`predict`.

        Returns
        -------
        logarithms : ndarray of shape (n_rows, n_classes)
            In the order of ``classes_``; minus infinity where a probability is 0.

        Examples
        --------
        >>> from riparian import HoeffdingTree
        >>> from riparian.streams import sea
        >>> model = HoeffdingTree().fit(*sea(seed=1).take(2_000))
        >>> model.predict_log_proba([[8.0, 7.0, 1.0]]).round(2)
        array([[-2.92, -0.06]])
        """
        with np.errstate(divide="ignore"):
            found: NDArray[np.float64] = np.log(self.predict_proba(X))
        return found

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
            The predicted class; None before anything was learned.
        n_seen : int, only with `return_seen`
            The number of examples that the model had learned when it predicted.

        Examples
        --------
        >>> from riparian import StreamForest
        >>> model = StreamForest(n_estimators=3)
        >>> model.predict_one({"age": 31}) is None
        True
        >>> model.learn_one({"age": 31}, "yes")
        >>> model.predict_one({"age": 40}, return_seen=True)
        ('yes', 1)
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
        # A copy may have taken the engine's place: the classes are those of the one that predicts.
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

        Examples
        --------
        >>> from riparian import VFDT
        >>> model = VFDT()
        >>> for age, label in [(31, "yes"), (28, "yes"), (64, "no"), (33, "yes")]:
        ...     model.learn_one({"age": age}, label)
        >>> model.predict_proba_one({"age": 40})
        {'yes': 0.75, 'no': 0.25}
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

    def _predict_only(self, table: Table, predictions: str) -> Any:
        """Return what `prequential` returns if no row has weight."""
        engine = self._fitted()
        batch = self._read(table).batch
        if predictions == "labels":
            return self._labels(engine.predict(batch, 0)[0])
        codes, probabilities = self._shared(batch)
        return self._labels(codes), probabilities

    def _shared(self, batch: _core.Batch) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the codes, and the probabilities of all classes that the engine knew."""
        # Another thread may add a class meanwhile, without which the probabilities would not sum
        # to 1. Then they are computed again, and the last time while no thread learns.
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
        """Predict all rows by one state.

        Returns the codes, the probabilities, the classes that the state knew, and its `n_seen_`.
        Without `proba` the array of probabilities has no columns.
        """
        # Another thread may add a class, or a category or feature of these rows, after they were
        # read and before they are predicted. Then they are read again, and the last time while no
        # thread learns.
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
        if table.sparse is not None:
            self._refuse_sparse(self._learned_with)
        table = with_date_parts(table, self._learned_with.get("date_parts"))
        reading = read(self._schema, table, grow=False)
        refuse_infinite(reading, self._schema)
        if reading.uncertain:
            self._refuse_uncertain(self._learned_with)
        return reading

    def _labels(self, codes: NDArray[np.int32]) -> NDArray[Any]:
        if codes.size and codes.min() < 0:
            codes = np.maximum(codes, 0)
        return label_array(self._schema.classes)[codes]
