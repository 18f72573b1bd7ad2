"""``POST /session``: a browser exchanges a token for a cookie."""

from __future__ import annotations

import msgspec

from riparian.serve.decode import decode
from riparian.serve.http import Problem, Reply, Request
from riparian.serve.serving import Serving
from riparian.serve.tokens import Tokens

__all__ = ["session"]


class Login(msgspec.Struct):
    """The body."""

    token: str


_decoder = msgspec.json.Decoder(Login)


async def session(serving: Serving, request: Request) -> Reply:
    """Answer with a cookie, which is good for pages and what they read."""
    if request.content_type != "application/json":
        raise Problem(415, "content_type", "send application/json")
    token = decode(_decoder, request.body).token
    guard = serving.guard
    if not isinstance(guard, Tokens):
        return Reply(204)
    found = guard.find(token)
    if found is None:
        raise Problem(401, "unauthorized", "there is no such token")
    if not found.scopes & {"read", "write", "admin"}:
        raise Problem(403, "forbidden", "the token is not for read")
    cookie = guard.sessions.begin(found.sha256, secure=serving.secure)
    return Reply(204, headers=[(b"set-cookie", cookie.encode())])
