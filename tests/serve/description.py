"""Describe the routes of the server: ``python -m tests.serve.description`` writes openapi.json.

The paths, methods and scopes come from the server itself. What a route accepts and answers is
listed here; tests/serve/test_openapi.py fails if the file is not what this program writes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import riparian as rp
import riparian.serve
from riparian.serve.app import make_app
from riparian.serve.serving import Served, Serving
from tests.serve.schemas import SCHEMAS

__all__ = ["FILE", "description"]

FILE = Path(riparian.serve.__file__).with_name("openapi.json")
Json = dict[str, Any]

#: The statuses of refused requests.
ERRORS = (400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429, 503)
TEXT: Json = {"type": "string"}
BYTES: Json = {"type": "string", "format": "binary"}
OBJECT: Json = {"type": "object"}


def ref(name: str) -> Json:
    """A schema of `SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def json_of(schema: Json) -> Json:
    """Content that is JSON of this schema."""
    return {"application/json": schema}


def rows_of(schema: Json) -> Json:
    """Rows in every format that the server reads."""
    return {
        "application/json": schema,
        "application/x-ndjson": TEXT,
        "text/csv": TEXT,
        "application/vnd.apache.arrow.stream": BYTES,
    }


def query(name: str, schema: Json, text: str) -> Json:
    """A parameter in the address, behind the question mark."""
    return {"name": name, "in": "query", "schema": schema, "description": text}


def in_path(name: str, schema: Json, text: str) -> Json:
    """A parameter that is a part of the path."""
    return {"name": name, "in": "path", "required": True, "schema": schema, "description": text}


@dataclass(frozen=True)
class Route:
    """What a route accepts and answers, by content type."""

    tag: str
    summary: str
    reply: Json | None = None
    parameters: tuple[Json, ...] = ()
    body: Json | None = None


KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 256, "minLength": 1, "pattern": "^[ -~]+$"},
    "description": "A repeat with the same key and body is answered again and not learned again.",
}
COUNT: Json = {"type": "integer", "minimum": 0}
SINCE = query("since", COUNT, "Only those after this many rows.")
NAME = in_path("name", TEXT, "The name of the model.")
VERSION = in_path("version", TEXT, "The number of a generation.")

#: By method and path.
ROUTES = {
    ("GET", "/"): Route("page", "The page.", {"text/html": TEXT}),
    ("GET", "/health/live"): Route("operate", "Whether the process runs.", json_of(OBJECT)),
    ("GET", "/health/ready"): Route(
        "operate", "Whether there is a model and a journal.", json_of(OBJECT)
    ),
    ("GET", "/metrics"): Route("operate", "Metrics for Prometheus.", {"text/plain": TEXT}),
    ("POST", "/session"): Route(
        "page",
        "Exchange a token for a cookie.",
        body=json_of(
            {"type": "object", "required": ["token"], "properties": {"token": {"type": "string"}}}
        ),
    ),
    ("GET", "/static/{name}"): Route(
        "page",
        "A file of the page.",
        {"text/javascript": TEXT},
        parameters=(in_path("name", TEXT, "Its name."),),
    ),
    ("GET", "/v1/events"): Route(
        "page",
        "Server-sent events: frame, split, change, checkpoint, dead.",
        {"text/event-stream": TEXT},
    ),
    ("POST", "/v1/explain"): Route(
        "predict",
        "Explain the prediction of a row.",
        json_of(ref("Explanation")),
        body=json_of(ref("ExplainBody")),
    ),
    ("GET", "/v1/frame"): Route("page", "The last picture of the model.", json_of(OBJECT)),
    ("GET", "/v1/generations"): Route(
        "generations", "The generations that are kept.", json_of(OBJECT)
    ),
    ("POST", "/v1/generations/{number}/activate"): Route(
        "generations",
        "Make the model of a generation the present one.",
        json_of(ref("NewGeneration")),
        parameters=(
            in_path("number", COUNT, "The generation."),
            query("replay", {"type": "boolean"}, "Whether the rows since then are learned again."),
        ),
    ),
    ("POST", "/v1/labels"): Route(
        "learn",
        "Give labels to rows that were predicted with an id.",
        json_of(ref("Accepted")),
        parameters=(KEY,),
        body={
            "application/json": {"type": "array", "items": ref("LateLabel")},
            "application/x-ndjson": TEXT,
        },
    ),
    ("POST", "/v1/learn"): Route(
        "learn",
        "Learn rows with labels. 200: durable, and learned once.",
        json_of(ref("Accepted")),
        parameters=(
            KEY,
            query("target", TEXT, "The column of the labels, for CSV and Arrow."),
        ),
        body=rows_of(ref("LearnBody")),
    ),
    ("GET", "/v1/model"): Route(
        "model", "The model: recipe, parameters, schema, sizes, figures, promise.", json_of(OBJECT)
    ),
    ("GET", "/v1/model/changes"): Route(
        "model", "Changes of a tree that follows its stream.", json_of(OBJECT), parameters=(SINCE,)
    ),
    ("GET", "/v1/model/file"): Route(
        "model", "The model file of the newest generation.", {"application/octet-stream": BYTES}
    ),
    ("PUT", "/v1/model/file"): Route(
        "model",
        "Replace the model.",
        json_of(ref("NewGeneration")),
        body={"application/octet-stream": BYTES},
    ),
    ("GET", "/v1/model/pending"): Route(
        "model",
        "The leaves that are nearest to a decision.",
        json_of(OBJECT),
        parameters=(query("node", COUNT, "Only this leaf."),),
    ),
    ("GET", "/v1/model/splits"): Route(
        "model", "Splits with their certificates.", json_of(OBJECT), parameters=(SINCE,)
    ),
    ("GET", "/v1/model/tree"): Route(
        "model",
        "Nodes of the tree.",
        json_of(OBJECT),
        parameters=(
            query("node", COUNT, "Where to begin."),
            query("depth", {"type": "integer", "minimum": 0, "maximum": 8}, "Levels below it."),
        ),
    ),
    ("GET", "/v1/openapi.json"): Route("model", "This description.", json_of(OBJECT)),
    ("POST", "/v1/predict"): Route(
        "predict",
        "Predict rows.",
        json_of(ref("Prediction")),
        parameters=(query("proba", {"type": "boolean"}, "Add probabilities, for CSV and Arrow."),),
        body=rows_of(ref("PredictBody")),
    ),
    ("GET", "/v2"): Route("inference", "What the server is.", json_of(OBJECT)),
    ("GET", "/v2/health/live"): Route("inference", "Whether the process runs.", json_of(OBJECT)),
    ("GET", "/v2/health/ready"): Route(
        "inference", "Whether requests can be answered.", json_of(OBJECT)
    ),
    ("GET", "/v2/models/{name}"): Route(
        "inference", "Inputs and outputs of the model.", json_of(OBJECT), parameters=(NAME,)
    ),
    ("POST", "/v2/models/{name}/infer"): Route(
        "inference",
        "Predict rows.",
        json_of(OBJECT),
        parameters=(NAME,),
        body=json_of(ref("Inference")),
    ),
    ("GET", "/v2/models/{name}/ready"): Route(
        "inference", "Whether the model can be used.", json_of(OBJECT), parameters=(NAME,)
    ),
    ("GET", "/v2/models/{name}/versions/{version}"): Route(
        "inference",
        "Inputs and outputs of the model.",
        json_of(OBJECT),
        parameters=(
            NAME,
            VERSION,
        ),
    ),
    ("POST", "/v2/models/{name}/versions/{version}/infer"): Route(
        "inference",
        "Predict rows.",
        json_of(OBJECT),
        parameters=(
            NAME,
            VERSION,
        ),
        body=json_of(ref("Inference")),
    ),
    ("GET", "/v2/models/{name}/versions/{version}/ready"): Route(
        "inference",
        "Whether the model can be used.",
        json_of(OBJECT),
        parameters=(
            NAME,
            VERSION,
        ),
    ),
}


def operation(route: Route, scope: str | None) -> Json:
    """The description of one route."""
    found: Json = {"tags": [route.tag], "summary": route.summary}
    if route.reply is None:
        answer: Json = {"204": {"description": "Nothing."}}
    else:
        answer = {"200": {"description": "The answer.", "content": contents(route.reply)}}
    problem = {"$ref": "#/components/responses/Problem"}
    found["responses"] = answer | {str(status): problem for status in ERRORS}
    if scope is None:
        found["security"] = []
    else:
        found["description"] = f"Scope: {scope}."
    if route.body is not None:
        found["requestBody"] = {"required": True, "content": contents(route.body)}
    if route.parameters:
        found["parameters"] = list(route.parameters)
    return found


def contents(schemas: Json) -> Json:
    """Content types with their schemas."""
    return {kind: {"schema": schema} for kind, schema in schemas.items()}


def description() -> Json:
    """The whole description, with every route of the server."""
    model = rp.VFDT().partial_fit([[0.0]], [0])
    paths: Json = {}
    routes: list[Any] = make_app(Serving("model", Served(model, 0))).routes
    for made in sorted(routes, key=lambda route: route.path):
        for method, spec in made.app.specs.items():
            route = ROUTES[method, made.path]
            paths.setdefault(made.path, {})[method.lower()] = operation(route, spec.scope)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "riparian serve",
            "version": "1",
            "description": "Predictions of a model that learns from a stream. docs/serving.md "
            "explains the routes, the limits and the meaning of a 200.",
            "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
        },
        "security": [{"token": []}, {"session": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "riparian_session"},
            },
            "responses": {
                "Problem": {
                    "description": "Why the request is refused.",
                    "content": contents(json_of(ref("Problem"))),
                }
            },
            "schemas": SCHEMAS,
        },
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(description(), indent=1) + "\n", "utf-8")
