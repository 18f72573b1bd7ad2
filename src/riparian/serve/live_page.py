"""The page: files that a build has put next to this module."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from riparian.serve.http import Problem, Reply, Request
from riparian.serve.serving import Serving

__all__ = ["page", "sign_in", "static"]

_FOLDER = Path(__file__).parent / "page" / "dist"
_TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".json": b"application/json",
    ".map": b"application/json",
    ".svg": b"image/svg+xml",
    ".txt": b"text/plain; charset=utf-8",
}
_ABSENT = (
    b"This build of riparian has no page.\n\n"
    b"The page is bundled with Node: in a clone of the repository run\n\n"
    b"    make page\n\n"
    b"and install again. The API works without it: see /v1/model,\n"
    b"/v1/frame and docs/serving.md.\n"
)


async def page(serving: Serving, request: Request) -> Reply:
    """Answer with the page, or with how to get it."""
    try:
        return _file("index.html")
    except FileNotFoundError:
        return Reply(200, _ABSENT, b"text/plain; charset=utf-8")


def sign_in(problem: Problem) -> Reply:
    """Answer a browser without a session: the page asks for a token, and shows nothing before."""
    try:
        found = _file("index.html")
    except FileNotFoundError:
        return problem.reply()
    return Reply(problem.status, found.body, found.content_type, headers=problem.headers)


async def static(serving: Serving, request: Request) -> Reply:
    """Answer with a file of the page. It is the same for everybody and needs no token."""
    name = str(request.parameters.get("name", ""))
    try:
        return _file(name)
    except FileNotFoundError:
        raise Problem(404, "not_found", "the page has no such file") from None


def _file(name: str) -> Reply:
    kind = _TYPES.get(Path(name).suffix)
    if kind is None or not name.replace(".", "").replace("-", "").replace("_", "").isalnum():
        raise FileNotFoundError(name)
    path = _FOLDER / name
    return Reply(200, _content(str(path), path.stat().st_mtime_ns), kind)


@lru_cache(maxsize=32)
def _content(path: str, changed: int) -> bytes:
    return Path(path).read_bytes()
