"""The application: every route with its method and its scope."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Route

from riparian.serve.endpoint import Endpoint, Spec
from riparian.serve.events import events, frame
from riparian.serve.health import live, ready
from riparian.serve.http import Problem, Request
from riparian.serve.live_page import page, static
from riparian.serve.model_facts import model_route
from riparian.serve.predict import predict
from riparian.serve.serving import Serving

__all__ = ["SPECS", "make_app"]

#: Every route.
SPECS: list[Spec] = [
    Spec("/", "GET", "read", page, page=True),
    Spec("/static/{name}", "GET", "read", static, page=True),
    Spec("/health/live", "GET", None, live),
    Spec("/health/ready", "GET", None, ready),
    Spec("/v1/predict", "POST", "read", predict),
    Spec("/v1/model", "GET", "read", model_route),
    Spec("/v1/frame", "GET", "read", frame),
    Spec("/v1/events", "GET", "read", events),
]


def make_app(serving: Serving) -> Starlette:
    """Return the application that serves a model, for any server of ASGI."""
    by_path = groupby(sorted(SPECS, key=lambda spec: spec.path), key=lambda spec: spec.path)
    routes = [Route(path, Endpoint(serving, list(specs)), methods=None) for path, specs in by_path]
    app = Starlette(routes=[*routes])
    app.router.redirect_slashes = False
    app.router.default = Endpoint(serving, [Spec("/{other}", m, "read", _no_route) for m in _ALL])
    return app


_ALL = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")


async def _no_route(serving: Serving, request: Request) -> Any:
    raise Problem(404, "not_found", "there is no such route")
