"""Who may use a route."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

__all__ = ["Guard", "Open"]


class Guard(Protocol):
    """Decides who may use a route."""

    def check(self, scope: str | None, method: str, headers: Mapping[bytes, bytes]) -> None:
        """Raise a Problem, 401 or 403, if the sender of these headers may not use the scope."""


class Open:
    """Everybody may do everything: a server for this machine alone."""

    def check(self, scope: str | None, method: str, headers: Mapping[bytes, bytes]) -> None:
        """Do nothing."""
