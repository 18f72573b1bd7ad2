"""Models that River uses as classifiers of its own."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from typing import Any, Self

import sklearn.base

__all__ = ["RiverModel", "announce_to_river"]


class _Alone:
    """The base of :class:`RiverModel` while River is not in use."""


class RiverModel(_Alone):
    """The methods that River expects of a classifier.

    River's own ``learn_one``, ``predict_one`` and ``predict_proba_one`` are among the methods of
    every model. River itself is never imported here: while it is in use,
    :func:`announce_to_river` makes its ``Base`` a base of this class.
    """

    # River's pipelines and evaluation read these.
    _supervised = True
    _multiclass = True
    #: Parameters that take effect at once.
    _mutable_attributes = frozenset({"max_bytes"})

    @property
    def _tags(self) -> set[str]:
        return set()

    def __str__(self) -> str:
        return repr(self)

    def clone(
        self, new_params: Mapping[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """Return a model with the same parameters that has learned nothing, as in River.

        Parameters
        ----------
        new_params : mapping, optional
            Parameters that the clone has instead, by their names.
        include_attributes : bool, default=False
            Whether the clone also has what this model has learned.

        Returns
        -------
        model : StreamClassifier
            A model of the same class.

        Notes
        -----
        ``sklearn.base.clone`` does the same without new parameters.

        Examples
        --------
        >>> from riparian import VFDT
        >>> model = VFDT(tau=0.1)
        >>> model.learn_one({"age": 31}, "yes")
        >>> model.clone({"grace_period": 50})
        VFDT(grace_period=50, tau=0.1)
        >>> model.clone(include_attributes=True).n_seen_
        1
        """
        model: Any = copy.deepcopy(self) if include_attributes else sklearn.base.clone(self)
        cloned: Self = model.set_params(
            **{name: _made(value) for name, value in (new_params or {}).items()}
        )
        return cloned

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn a data frame, as River's models do; :meth:`partial_fit` by another name.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_features)
            The rows.
        y : Series of shape (n_rows,)
            The class of each row.
        w : array-like of shape (n_rows,), optional
            Weights, 0 or more.

        Examples
        --------
        >>> import pandas as pd
        >>> from riparian import VFDT
        >>> model = VFDT()
        >>> model.learn_many(pd.DataFrame({"age": [31, 64]}), pd.Series(["yes", "no"]))
        >>> model.n_seen_
        2
        """
        self.partial_fit(X, y, sample_weight=w)  # type: ignore[attr-defined]

    def predict_many(self, X: Any) -> Any:
        """Predict the class of each row of a data frame, as River's models do.

        Parameters
        ----------
        X : DataFrame of pandas or polars, of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        labels : Series
            The predicted classes, with the index of `X`; None before anything was learned.

        Examples
        --------
        >>> import pandas as pd
        >>> from riparian import VFDT
        >>> model = VFDT()
        >>> X = pd.DataFrame({"age": [31, 64]}, index=["ann", "bob"])
        >>> model.learn_many(X, pd.Series(["yes", "yes"]))
        >>> model.predict_many(X).to_dict()
        {'ann': 'yes', 'bob': 'yes'}
        """
        library = _library_of(X, "predict_many")
        model: Any = self
        labels = model.predict(X).tolist() if _is_fitted(self) else [None] * len(X)
        return library.Series(labels, **_index(X))

    def predict_proba_many(self, X: Any) -> Any:
        """Predict the class probabilities of each row of a data frame, as River's models do.

        Parameters
        ----------
        X : DataFrame of pandas or polars, of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        probabilities : DataFrame
            A column for each class that the model has learned, with the index of `X`. The columns
            of a polars frame are named by the texts of the classes.

        Examples
        --------
        >>> import pandas as pd
        >>> from riparian import VFDT
        >>> model = VFDT()
        >>> X = pd.DataFrame({"age": [31, 64, 28, 33]})
        >>> model.learn_many(X, pd.Series([True, False, True, True]))
        >>> model.predict_proba_many(X.head(1)).to_dict("records")
        [{True: 0.75, False: 0.25}]
        """
        library = _library_of(X, "predict_proba_many")
        model: Any = self
        if not _is_fitted(self):
            return library.DataFrame(**_index(X))
        probabilities = model.predict_proba(X)
        # Another thread may have added a class since.
        classes = model.classes_.tolist()[: probabilities.shape[1]]
        names = classes if library.__name__ == "pandas" else [str(label) for label in classes]
        return library.DataFrame(dict(zip(names, probabilities.T, strict=True)), **_index(X))

    @property
    def _raw_memory_usage(self) -> int:
        """Return the memory of the model in bytes."""
        return sys.getsizeof(self)

    def __sizeof__(self) -> int:
        # River measures ensembles and pipelines with `sys.getsizeof` of all their parts.
        model: Any = self
        return object.__sizeof__(self) + (model.memory_bytes_ if _is_fitted(self) else 0)

    def __ror__(self, other: Any) -> Any:
        compose = sys.modules.get("river.compose")
        return NotImplemented if compose is None else compose.Pipeline(other, self)

    def _unit_test_skips(self) -> set[str]:
        return set()


def _made(value: Any) -> Any:
    """Return a parameter; River describes a nested model by its class and its parameters."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], type):
        return value[0](**value[1])
    return value


def _is_fitted(model: Any) -> bool:
    return bool(model.__sklearn_is_fitted__())


def _library_of(X: Any, method: str) -> Any:
    """Return the library of a data frame: pandas or polars."""
    name = type(X).__module__.partition(".")[0]
    if name not in ("pandas", "polars") or type(X).__name__ != "DataFrame":
        raise TypeError(
            f"{method} needs a DataFrame of pandas or polars, got {type(X).__name__}; "
            f"{method.replace('_many', '')} accepts all kinds of rows"
        )
    return sys.modules[name]


def _index(X: Any) -> dict[str, Any]:
    return {"index": X.index} if hasattr(X, "index") else {}


def announce_to_river() -> None:
    """Make all models classifiers of River, if River is in use.

    River checks ``isinstance(model, river.base.Classifier)`` before it evaluates a model, and
    ``isinstance(model, river.base.Base)`` before it clones one. `Base` is an ordinary class without
    `register`, so it becomes a real base. River itself is never imported here.
    """
    river = sys.modules.get("river.base")
    if RiverModel.__bases__ == (_Alone,) and hasattr(river, "MiniBatchClassifier"):
        RiverModel.__bases__ = (river.Base,)  # type: ignore[union-attr]
        river.MiniBatchClassifier.register(RiverModel)  # type: ignore[union-attr]
