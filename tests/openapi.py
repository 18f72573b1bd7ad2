"""Write the description of the server's API: `python -m tests.openapi`.

The routes, their scopes and the refusals come from the application. What a program cannot know
(summaries, bodies, parameters, schemas) is in tests/serve/openapi_parts.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import riparian.serve
from riparian.serve.app import SPECS
from riparian.serve.endpoint import Spec

FILE = Path(riparian.serve.__file__).with_name("openapi.json")
PARTS = Path(__file__).parent / "serve" / "openapi_parts.json"

#: What every route may answer instead.
_REFUSALS = (400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429, 503)


def description() -> dict[str, Any]:
    """Return the description as the routes are now."""
    parts = json.loads(PARTS.read_text())
    written = parts.pop("routes")
    paths: dict[str, dict[str, Any]] = {}
    for spec in sorted(SPECS, key=lambda spec: (spec.path, spec.method)):
        route = written.pop(f"{spec.method} {spec.path}")
        paths.setdefault(spec.path, {})[spec.method.lower()] = _operation(spec, route)
    if written:
        raise ValueError(f"{PARTS} describes routes that are not there: {', '.join(written)}")
    return {
        **{key: parts[key] for key in ("openapi", "info", "security")},
        "paths": paths,
        "components": parts["components"],
    }


def _operation(spec: Spec, route: dict[str, Any]) -> dict[str, Any]:
    refused = {str(code): {"$ref": "#/components/responses/Problem"} for code in _REFUSALS}
    found = {
        "tags": [route["tag"]],
        "summary": route["summary"],
        "responses": {**route["answer"], **refused},
    }
    if spec.scope is None:
        found["security"] = []
    else:
        found["description"] = f"Scope: {spec.scope}."
    return found | {key: route[key] for key in ("requestBody", "parameters") if key in route}


def text() -> str:
    """Return the file as it should be."""
    return json.dumps(description(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
