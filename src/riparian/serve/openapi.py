"""``GET /v1/openapi.json``: the description of the API, which is a file of its own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from riparian.serve.http import Reply, Request
from riparian.serve.serving import Serving

__all__ = ["openapi"]


async def openapi(serving: Serving, request: Request) -> Reply:
    """Answer with the file."""
    return Reply(body=_file())


@cache
def _file() -> bytes:
    return (Path(__file__).parent / "openapi.json").read_bytes()
