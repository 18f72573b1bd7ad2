"""An adapter that makes riparian's models River classifiers.

riparian's models work in River's pipelines without it. :class:`RiverTree` is for code that requires
a ``river.base.Classifier``: ensembles, model selection, and River's ``clone``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sklearn.base
from river import base

from riparian.models.base import StreamClassifier
from riparian.models.hoeffding import HoeffdingTree

__all__ = ["RiverTree"]


class RiverTree(base.Classifier):
    """A River classifier that uses a riparian model.

    Parameters
    ----------
    model : StreamClassifier, optional
        Any model of riparian. By default a :class:`riparian.HoeffdingTree`. The model is cloned,
        so what it has already learned is not used.

    Examples
    --------
    >>> import riparian as rp
    >>> from riparian.compat.river import RiverTree
    >>> tree = RiverTree(rp.VFDT(grace_period=50))
    >>> tree.learn_one({"temperature": 21.5, "sky": "clear"}, "dry")
    >>> tree.predict_one({"temperature": 20.0, "sky": "clear"})
    'dry'
    """

    def __init__(self, model: StreamClassifier[Any] | None = None) -> None:
        self.model = model
        self._tree: StreamClassifier[Any] = (
            HoeffdingTree() if model is None else sklearn.base.clone(model)
        )

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": None}

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        self._tree.learn_one(x, y, w)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        return self._tree.predict_one(x)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        return self._tree.predict_proba_one(x)
