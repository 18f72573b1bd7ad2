"""A client of an application without a server."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

__all__ = ["Client", "client_of"]


class Client:
    """Calls an application; each request has an event loop of its own."""

    def __init__(self, app: Any) -> None:
        self._app = app

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request and return the answer."""

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, path, **options)

        return asyncio.run(send())

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)


def client_of(app: Any) -> Client:
    """Return a client of an application; its errors become answers."""
    return Client(app)
