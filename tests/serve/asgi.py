"""A client of an application without a server."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

__all__ = ["client_of"]


def client_of(app: Any) -> TestClient:
    """Return a client of an application; its errors become answers."""
    return TestClient(app, raise_server_exceptions=False)
