"""One route: who may use it, what its body may be, and how errors become answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from riparian.serve.body import ARROW, KNOWN, content_type_of, read_body
from riparian.serve.http import Problem, Reply, Request
from riparian.serve.serving import Serving

__all__ = ["Endpoint", "Handler", "Scope", "Spec"]

#: What a token may be for; None is open to everybody.
Scope: TypeAlias = Literal["read", "write", "admin", "metrics"] | None

Handler: TypeAlias = Callable[[Serving, Request], Awaitable[Reply]]

_START, _BODY = "http.response.start", "http.response.body"
_TYPE = b"content-type"

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
        self._by_method = {**self.specs}
        if "GET" in self.specs:
            self._by_method["HEAD"] = self.specs["GET"]
        self._allowed = ", ".join(sorted(self.specs)).encode()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        # The way of every request: a call less here is a call less for each.
        clock = time.perf_counter()
        method: str = scope["method"]
        spec = self._by_method.get(method)
        serving = self._serving
        traffic = serving.traffic
        traffic.in_flight += 1
        traffic.last = clock
        try:
            headers = dict(scope["headers"])
            if spec is None:
                raise self._other_method(method, headers)
            limits = serving.limits
            serving.guard.check(spec.scope, spec.method, headers)
            if traffic.in_flight > limits.in_flight and spec.scope is not None:
                raise Problem(429, "busy", "too many requests at once", retry_after=1)
            given = headers.get(b"content-type", b"")
            kind = KNOWN.get(given) or content_type_of(given)
            body = b""
            if method in ("POST", "PUT"):
                most = spec.most or (limits.arrow_body if kind == ARROW else limits.body)
                body = await read_body(receive, headers, limits, most, serving.patience)
            parameters, query = scope.get("path_params") or {}, scope.get("query_string", b"")
            request = Request(method, scope["path"], parameters, headers, query, body, kind)
            reply = await spec.handler(serving, request)
        except Problem as problem:
            refused = None if spec is None or problem.status not in (401, 403) else spec.refused
            reply = problem.reply() if refused is None else refused(problem)
        except Exception:
            _log.exception("%s %s failed", method, self.path)
            reply = Problem(500, "failed", "the server failed; its log says why").reply()
        finally:
            traffic.in_flight -= 1
        own = _PAGE_HEADERS if spec is not None and spec.page else _API_HEADERS
        head = method == "HEAD"
        if reply.stream is not None:
            await send({"type": _START, "status": reply.status, "headers": _headers(reply, own)})
            await _send_stream(reply, receive, send, head=head)
            return
        sent = _headers(reply, own) if reply.headers else [*own, (_TYPE, reply.content_type)]
        sent.append((b"content-length", b"%d" % len(reply.body)))
        await send({"type": _START, "status": reply.status, "headers": sent})
        await send({"type": _BODY, "body": b"" if head else reply.body})
        traffic.observe(self.path, method, reply.status, time.perf_counter() - clock)

    def _other_method(self, method: str, headers: Mapping[bytes, bytes]) -> Problem:
        # Who may not use the path learns nothing about it.
        self._serving.guard.check(next(iter(self.specs.values())).scope, method, headers)
        text = f"{self.path} answers {self._allowed.decode()}"
        return Problem(405, "method", text, headers=((b"allow", self._allowed),))


def _headers(reply: Reply, own: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of a reply with those of its route, which it may replace."""
    given = {name for name, _ in reply.headers}
    kept = [pair for pair in own if pair[0] not in given]
    return [*kept, *reply.headers, (_TYPE, reply.content_type)]


async def _send_stream(reply: Reply, receive: Any, send: Any, *, head: bool) -> None:
    """Send parts until there are no more, or the client has gone: `send` does not tell."""
    stream: Any = reply.stream
    if head:
        await stream.aclose()
        await send({"type": _BODY, "body": b""})
        return
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
            await send({"type": _BODY, "body": found, "more_body": True})
        await send({"type": _BODY, "body": b""})
    finally:
        gone.cancel()
        await stream.aclose()


async def _gone(receive: Any) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
