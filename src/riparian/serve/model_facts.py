"""``GET /v1/model``: what the model is. It is asked from the model once for each checkpoint."""

from __future__ import annotations

from typing import Any

from riparian.serve.http import Reply, Request, json_reply
from riparian.serve.serving import Serving

__all__ = ["model_facts", "model_route"]


async def model_route(serving: Serving, request: Request) -> Reply:
    """Answer a request."""
    return json_reply(model_facts(serving))


def model_facts(serving: Serving) -> dict[str, Any]:
    """Return recipe, parameters, schema, sizes, figures and the promise of the bound."""
    served, frame = serving.current, serving.frames.last
    model = served.model
    parameters = {name: _written(value) for name, value in model.get_params(deep=False).items()}
    features: list[dict[str, Any]] = []
    if hasattr(model, "classes_"):
        for feature in list(model._schema.features):
            kind = feature.time or feature.kind
            features.append({"name": feature.label, "kind": kind})
    facts = dict(frame.get("model", {}))
    accuracy = {k: v for k, v in frame.get("accuracy", {}).items() if k != "points"}
    return {
        **facts,
        "name": serving.name,
        "generation": served.generation,
        "parameters": parameters,
        "features": features,
        "accuracy": accuracy,
        "guarantee": frame.get("guarantee"),
    }


def _written(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else repr(value)
