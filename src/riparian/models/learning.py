"""The methods that learn: batches, single examples, and predicting each row before learning it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from riparian.data.labels import read_label
from riparian.data.values import EXACT_LABELS
from riparian.models.engine import Codes, Pauses
from riparian.models.learned import E
from riparian.models.learning_steps import LearningSteps

__all__ = ["Learning"]


class Learning(LearningSteps[E]):
    """The methods that learn."""

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything, then learn the rows of `X` in their order, once.

        Parameters
        ----------
        X : array, sparse matrix, frame or mapping of columns, of shape (n_rows, n_features)
            The rows. NaN and None are missing values. Text is a category.
        y : array-like of shape (n_rows,)
            The class of each row.
        sample_weight : array-like of shape (n_rows,), optional
            Weights, 0 or more. A row of weight 0 is ignored.

        Returns
        -------
        self : StreamClassifier
            The model itself.

        Notes
        -----
        If it fails, the model stays as it was. Ctrl-C ends it early: the rows that were learned
        until then stay learned.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> X, y = sea(seed=1).take(2_000)
        >>> model = VFDT().fit(X, y)
        >>> model.n_seen_, model.classes_
        (2000, array([0, 1]))
        """
        self._learn(X, y, None, sample_weight, fresh=True)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the rows of `X` in their order, in addition to those learned before.

        Parameters
        ----------
        X : array, sparse matrix, frame or mapping of columns, of shape (n_rows, n_features)
            The rows. NaN and None are missing values. New categories may come at any time, and
            in frames and mappings also new columns; absent columns are missing.
        y : array-like of shape (n_rows,)
            The class of each row. New classes may come at any time.
        classes : array-like, optional
            All classes that may come, as in scikit-learn. It is not needed.
        sample_weight : array-like of shape (n_rows,), optional
            Weights, 0 or more. A row of weight 0 is ignored.

        Returns
        -------
        self : StreamClassifier
            The model itself.

        Notes
        -----
        The whole batch is checked before its first row is learned: a batch with an error changes
        nothing. The sizes of the batches do not change the result.

        Examples
        --------
        >>> from riparian import StreamForest
        >>> from riparian.streams import sea
        >>> X, y = sea(seed=1).take(2_000)
        >>> model = StreamForest(n_estimators=3)
        >>> model.partial_fit(X[:500], y[:500]).partial_fit(X[500:], y[500:]).n_seen_
        2000
        """
        self._learn(X, y, classes, sample_weight)
        return self

    def learn_one(self, x: Mapping[Any, Any], y: Hashable, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x : mapping
            Values by the names of features. A value of None or NaN is missing, and so is a feature
            without a value. New features may come at any time.
        y : label
            The class of the example.
        w : float, default=1.0
            The weight of the example, 0 or more.

        Examples
        --------
        >>> from riparian import VFDT
        >>> model = VFDT()
        >>> model.learn_one({"age": 31, "job": "nurse"}, "yes")
        >>> model.predict_one({"age": 40, "job": "nurse"})
        'yes'
        """
        if type(y) not in EXACT_LABELS:
            y = read_label(y)
        engine = self._engine
        if engine is not None and type(x) is dict and self._native_only:
            schema, axes = self._schema, self._learned_with
            code = schema.class_codes.get(y)
            weights = axes.get("class_weight")
            weight = w if weights is None else w * float(weights.get(y, 1.0))
            if (
                code is not None
                and 0.0 < weight < 2.0**53
                and self._limit() == axes.get("max_bytes")
                and not (schema.watches and schema.undecided)
            ):
                with self._learning:
                    try:
                        # Another thread may have put a copy in its place meanwhile.
                        if engine is self._engine and engine.learn_one(
                            x, schema.index, schema.codes, code, weight
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
        """Predict each row, then learn it, in one pass.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`partial_fit`.
        proba : bool, default=False
            Also return the class probabilities.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            The class that was predicted before each row was learned. A row that came before
            anything was learned gets ``classes_[0]``.
        probabilities : ndarray of shape (n_rows, n_classes), only with `proba`
            The probabilities, in the order of ``classes_`` after the last row.

        See Also
        --------
        riparian.evaluate.prequential : Metrics over time, for streams of any length.

        Examples
        --------
        >>> from riparian import StreamForest
        >>> from riparian.streams import sea
        >>> X, y = sea(seed=1).take(2_000)
        >>> predicted = StreamForest(n_estimators=3).prequential(X, y)
        >>> float((predicted == y).mean()) > 0.8
        True
        """
        return self._learn(X, y, None, sample_weight, predictions="both" if proba else "labels")

    def _prequential_codes(
        self, X: Any, y: Any, pauses: Pauses
    ) -> tuple[Codes, Codes, list[Hashable]] | None:
        """Predict and learn as :meth:`prequential`; return true and predicted codes and classes.

        An evaluation compares codes and needs no labels. None, and nothing is learned, if a copy
        has to learn: the model could not be looked at in the pauses.
        """
        found = self._learn(X, y, None, None, predictions="codes", pauses=pauses)
        return found and (found[0], np.maximum(found[1], 0), self._schema.classes)
