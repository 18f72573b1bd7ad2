"""One route: who may use it, what its body may be, and how errors become answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from riparian.serve.body import ARROW, content_type_of, read_body
from riparian.serve.http import Problem, Reply, Request
from riparian.serve.serving import Serving

__all__ = ["Endpoint", "Handler", "Scope", "Spec"]

#: What a token may be for; None is open to everybody.
Scope: TypeAlias = Literal["read", "write", "admin", "metrics"] | None

Handler: TypeAlias = Callable[[Serving, Request], Awaitable[Reply]]

_log = logging.getLogger("riparian.serve")

_API_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]
_PAGE_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
    ),
]


@dataclass(frozen=True)
class Spec:
    """What a route is: its path, its method, who may use it and what answers it."""

    path: str
    method: str
    scope: Scope
    handler: Handler
    #: Whether the route is part of the page, not of the API.
    page: bool = False
    #: The most bytes of a body; None is the limit of the server.
    most: int | None = None
    #: Answers a browser that may not read the page; None is the problem itself.
    refused: Callable[[Problem], Reply] | None = None


class Endpoint:
    """An ASGI application that answers one method of one path.

    Parameters
    ----------
    serving : Serving
        What is served.
    specs : sequence of Spec
        The methods of the path.
    """

    def __init__(self, serving: Serving, specs: list[Spec]) -> None:
        self.specs = {spec.method: spec for spec in specs}
        self.path = specs[0].path
        self._serving = serving
        self._allowed = ", ".join(sorted(self.specs)).encode()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        clock = time.perf_counter()
        serving = self._serving
        method = scope["method"]
        spec = self.specs.get("GET" if method == "HEAD" else method)
        gauge = serving.traffic
        gauge.in_flight += 1
        gauge.last = time.monotonic()
        try:
            reply = await self._answer(spec, scope, receive)
        except Problem as problem:
            refused = None if spec is None or problem.status not in (401, 403) else spec.refused
            reply = problem.reply() if refused is None else refused(problem)
        except Exception:
            _log.exception("%s %s failed", method, self.path)
            reply = Problem(500, "failed", "the server failed; its log says why").reply()
        finally:
            gauge.in_flight -= 1
        try:
            page = spec is not None and spec.page
            await _send(reply, receive, send, page=page, head=method == "HEAD")
        finally:
            if reply.stream is None:
                gauge.observe(self.path, method, reply.status, time.perf_counter() - clock)

    async def _answer(
        self, spec: Spec | None, scope: MutableMapping[str, Any], receive: Any
    ) -> Reply:
        serving = self._serving
        headers = dict(scope["headers"])
        if spec is None:
            # Who may not use the path learns nothing about it.
            serving.guard.check(next(iter(self.specs.values())).scope, scope["method"], headers)
            text = f"{self.path} answers {self._allowed.decode()}"
            raise Problem(405, "method", text, headers=((b"allow", self._allowed),))
        serving.guard.check(spec.scope, spec.method, headers)
        body = b""
        if serving.traffic.in_flight > serving.limits.in_flight and spec.scope is not None:
            raise Problem(429, "busy", "too many requests at once", retry_after=1)
        kind = content_type_of(headers)
        if spec.method in ("POST", "PUT"):
            limits = serving.limits
            most = spec.most or (limits.arrow_body if kind == ARROW else limits.body)
            body = await read_body(receive, headers, limits, most)
        request = Request(
            scope["method"],
            scope["path"],
            scope.get("path_params") or {},
            headers,
            scope.get("query_string", b""),
            body,
            kind,
        )
        return await spec.handler(serving, request)


async def _send(reply: Reply, receive: Any, send: Any, *, page: bool, head: bool) -> None:
    headers = [(b"content-type", reply.content_type), *(_PAGE_HEADERS if page else _API_HEADERS)]
    if reply.headers:
        own = {name for name, _ in reply.headers}
        headers = [*(pair for pair in headers if pair[0] not in own), *reply.headers]
    if reply.stream is None:
        headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    if head:
        await send({"type": "http.response.body", "body": b""})
    elif reply.stream is None:
        await send({"type": "http.response.body", "body": reply.body})
    else:
        await _send_stream(reply, receive, send)


async def _send_stream(reply: Reply, receive: Any, send: Any) -> None:
    """Send parts until there are no more, or the client has gone: `send` does not tell."""
    stream: Any = reply.stream
    gone = asyncio.ensure_future(_gone(receive))
    try:
        while True:
            part = asyncio.ensure_future(anext(stream, None))
            await asyncio.wait((gone, part), return_when=asyncio.FIRST_COMPLETED)
            if not part.done():
                part.cancel()
                await asyncio.wait((part,))
                return
            if (found := part.result()) is None:
                break
            await send({"type": "http.response.body", "body": found, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()
        await stream.aclose()


async def _gone(receive: Any) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
