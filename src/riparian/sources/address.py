"""The address of a broker, and the client library that reads from it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

__all__ = ["Address", "client"]


@dataclass(frozen=True, slots=True)
class Address:
    """``scheme://user:password@host:port,host:port/path``, taken apart.

    Examples
    --------
    >>> address = Address.parse("redis://me:secret@localhost:6379/0/clicks")
    >>> address.name, address.path
    ('redis://localhost:6379/0/clicks', '0/clicks')
    >>> "secret" in repr(address)
    False
    """

    scheme: str
    servers: str
    path: str
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: str) -> Address:
        """Take an address apart; a ValueError names no secret."""
        parts = urlsplit(text)
        login, _, servers = parts.netloc.rpartition("@")
        user, _, password = login.partition(":")
        address = cls(
            parts.scheme,
            servers,
            unquote(parts.path).removeprefix("/"),
            unquote(user) or None,
            unquote(password) or None,
        )
        if not servers or not address.path or parts.query or parts.fragment:
            raise ValueError(
                f"{address.name}: expected {parts.scheme}://host:port/name; "
                "settings of the client are options"
            )
        return address

    @property
    def name(self) -> str:
        """The address without user and password."""
        return f"{self.scheme}://{self.servers}/{self.path}"


def client(module: str, *, package: str, extra: str) -> Any:
    """Import the library that a source needs.

    Examples
    --------
    >>> client("no_such_client", package="no-such-client", extra="kafka")
    Traceback (most recent call last):
    ...
    ImportError: kafka:// needs no-such-client; install it with: pip install 'riparian[kafka]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{extra}:// needs {package}; install it with: pip install 'riparian[{extra}]'"
        ) from error
