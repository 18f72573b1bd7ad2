"""The model of a request: predictions with the number of rows of the state that made them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riparian.models.batch import read_rows
from riparian.serve.http import Problem
from riparian.serve.labels import plain_label
from riparian.serve.limits import Limits
from riparian.serve.rows import NUMBERS, Columns
from riparian.serve.serving import Served, Serving

__all__ = ["ModelOf", "model_of"]


def has_learned(model: Any) -> bool:
    """Return whether a model has learned anything."""
    return model._engine is not None


class ModelOf:
    """The model that answers a request. It stays the same while others take its place.

    Parameters
    ----------
    name : str
        The name under which it is served.
    served : Served
        The model with the number of its checkpoint.
    columns : Columns
        How clients name its features.
    limits : Limits
    """

    def __init__(self, name: str, served: Served, columns: Columns, limits: Limits) -> None:
        self.name = name
        self.served = served
        self.limits = limits
        self.columns = columns
        self._costs = getattr(served.model, "costs", None) is not None

    def facts(self, seen: int) -> dict[str, Any]:
        """Return what an answer says of its model."""
        return {"name": self.name, "generation": self.served.generation, "rows": seen}

    def predict_one(
        self, features: dict[str, Any], *, proba: bool
    ) -> tuple[Any, dict[Any, float] | None, int]:
        """Return class, probabilities if they are asked for, and the rows of the state."""
        model, row = self.served.model, features
        if not (self.columns.plain and NUMBERS.issuperset(map(type, features.values()))):
            row = self.columns.row(features)
        try:
            if not proba:
                label, seen = model.predict_one(row, return_seen=True)
                return label, None, seen
            if not has_learned(model):
                return None, {}, 0
            if not self._costs:
                found, seen = model.predict_proba_one(row, return_seen=True)
                return max(found, key=found.__getitem__, default=None), found, seen
            labels, values, classes, seen = self._at_once({k: [v] for k, v in row.items()}, True)
            return labels[0], dict(zip(classes, values[0], strict=True)), seen
        except (ValueError, TypeError) as error:
            raise Problem(422, "bad_value", str(error)) from None

    def predict(
        self, rows: Sequence[dict[str, Any]], *, proba: bool
    ) -> tuple[list[Any], list[list[float]], list[Any], int]:
        """Return labels, probabilities, the classes of their columns, and the rows of the state."""
        if not has_learned(self.served.model):
            return [None] * len(rows), [[] for _ in rows], [], 0
        if not rows:
            return [], [], [], int(self.served.model.n_seen_)
        try:
            labels, values, classes, seen = self._at_once(self.columns.table(rows), proba)
        except (ValueError, TypeError) as error:
            raise Problem(422, "bad_value", str(error)) from None
        return labels, values, [plain_label(label) for label in classes], seen

    def _at_once(
        self, columns: dict[Any, Any], proba: bool
    ) -> tuple[list[Any], list[list[float]], list[Any], int]:
        codes, values, classes, seen = self.served.model._predict_at_once(
            read_rows(columns), proba=proba
        )
        return self._labels(codes, classes), values.tolist(), classes, seen

    def _labels(self, codes: Any, classes: list[Any]) -> list[Any]:
        texts = [plain_label(label) for label in classes]
        return [texts[code] if code >= 0 else None for code in codes.tolist()]


def model_of(serving: Serving) -> ModelOf:
    """Return the model that answers now; a Problem if it has learned nothing yet."""
    found: ModelOf | None = serving.prepared
    learner = serving.learner
    if found is not None:
        if learner is None:
            now = found.served is serving.served  # nobody learns it, so its columns stay
        else:
            served = found.served
            now = served.model is learner.model and served.generation == learner.status.generation
            now = now and found.columns.is_of(served.model)
        if now:
            return found
    served = serving.current
    if served.model is None or not (serving.learner or has_learned(served.model)):
        raise Problem(503, "not_ready", "the model has learned nothing yet", retry_after=1)
    same = found is not None and found.columns.is_of(served.model)
    columns = found.columns if found is not None and same else Columns(served.model)
    found = serving.prepared = ModelOf(serving.name, served, columns, serving.limits)
    return found
