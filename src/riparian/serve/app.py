"""The application: every route with its method and its scope."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Route

from riparian.serve.endpoint import Endpoint, Spec
from riparian.serve.events import events, frame
from riparian.serve.explain import explain
from riparian.serve.generations import activate, download, generations, upload
from riparian.serve.health import live, ready
from riparian.serve.http import Problem, Request
from riparian.serve.late import labels
from riparian.serve.learn import learn
from riparian.serve.live_page import page, sign_in, static
from riparian.serve.metrics import metrics
from riparian.serve.model_facts import model_route
from riparian.serve.model_parts import changes, pending, splits, tree
from riparian.serve.oip import (
    infer,
    metadata,
    model_metadata,
    model_ready,
    server_live,
    server_ready,
)
from riparian.serve.openapi import openapi
from riparian.serve.predict import predict
from riparian.serve.serving import Serving
from riparian.serve.session_route import session

__all__ = ["SPECS", "make_app"]

#: Every route.
SPECS: list[Spec] = [
    Spec("/", "GET", "read", page, page=True, refused=sign_in),
    Spec("/static/{name}", "GET", None, static, page=True),
    Spec("/session", "POST", None, session),
    Spec("/health/live", "GET", None, live),
    Spec("/health/ready", "GET", None, ready),
    Spec("/v1/predict", "POST", "read", predict),
    Spec("/v1/learn", "POST", "write", learn),
    Spec("/v1/labels", "POST", "write", labels),
    Spec("/v1/explain", "POST", "read", explain),
    Spec("/v1/model", "GET", "read", model_route),
    Spec("/v1/model/tree", "GET", "read", tree),
    Spec("/v1/model/splits", "GET", "read", splits),
    Spec("/v1/model/changes", "GET", "read", changes),
    Spec("/v1/model/pending", "GET", "read", pending),
    Spec("/v1/model/file", "GET", "admin", download),
    Spec("/v1/model/file", "PUT", "admin", upload, most=1 << 30),
    Spec("/v1/generations", "GET", "admin", generations),
    Spec("/v1/generations/{number}/activate", "POST", "admin", activate),
    Spec("/metrics", "GET", "metrics", metrics),
    Spec("/v2", "GET", "read", metadata),
    Spec("/v2/health/live", "GET", None, server_live),
    Spec("/v2/health/ready", "GET", None, server_ready),
    *(
        Spec(f"/v2/models/{{name}}{version}{end}", method, "read", handler)
        for version in ("", "/versions/{version}")
        for end, method, handler in (
            ("", "GET", model_metadata),
            ("/ready", "GET", model_ready),
            ("/infer", "POST", infer),
        )
    ),
    Spec("/v1/openapi.json", "GET", "read", openapi),
    Spec("/v1/frame", "GET", "read", frame),
    Spec("/v1/events", "GET", "read", events),
]


class App(Starlette):
    """The application. A path without parameters is looked up, others are matched in turn."""

    def __init__(self, endpoints: dict[str, Endpoint]) -> None:
        routes = [Route(path, found, methods=None) for path, found in endpoints.items()]
        super().__init__(routes=routes)
        self._direct = {path: found for path, found in endpoints.items() if "{" not in path}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        found = self._direct.get(scope.get("path"))
        if found is not None:
            await found(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def make_app(serving: Serving) -> Starlette:
    """Return the application that serves a model, for any server of ASGI."""
    ordered = sorted(SPECS, key=lambda spec: spec.path)
    by_path = groupby(ordered, key=lambda spec: spec.path)
    app = App({path: Endpoint(serving, list(specs)) for path, specs in by_path})
    app.router.redirect_slashes = False
    app.router.default = Endpoint(serving, [Spec("/{other}", m, "read", _no_route) for m in _ALL])
    return app


_ALL = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")


async def _no_route(serving: Serving, request: Request) -> Any:
    raise Problem(404, "not_found", "there is no such route")
