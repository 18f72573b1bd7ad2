"""Tokens: who may read, write, administer, or read metrics. Only their digests are stored."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riparian.serve.http import Problem
from riparian.serve.sessions import Sessions
from riparian.storage.outputs import open_output

__all__ = ["SCOPES", "Tokens", "digest_of", "new_token", "read_tokens", "write_tokens"]

SCOPES = ("read", "write", "admin", "metrics")
_PREFIX = "rip_"


@dataclass(frozen=True)
class Token:
    """What is stored of a token."""

    name: str
    scopes: frozenset[str]
    sha256: str
    made: float


def digest_of(token: str) -> str:
    """Return the digest of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def read_tokens(path: str | os.PathLike[str]) -> list[Token]:
    """Return the tokens of a file.

    Raises
    ------
    ValueError
        If it is no file of tokens.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return [
            Token(str(t["name"]), frozenset(t["scopes"]), str(t["sha256"]), float(t["made"]))
            for t in data["tokens"]
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is no file of tokens: {error}") from None


def write_tokens(path: str | os.PathLike[str], tokens: list[Token]) -> None:
    """Write a file of tokens that only its owner can read; whole or not at all."""
    entries = [
        {"name": t.name, "scopes": sorted(t.scopes), "sha256": t.sha256, "made": t.made}
        for t in tokens
    ]
    # The output gets the mode of the file that it replaces.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with open_output(path, "w") as file:
        json.dump({"tokens": entries}, file, indent=2)
        file.write("\n")


def new_token(name: str, scopes: list[str]) -> tuple[str, Token]:
    """Return a new token, and what is stored of it."""
    text = _PREFIX + secrets.token_urlsafe(32)
    return text, Token(name, frozenset(scopes), digest_of(text), time.time())


class Tokens:
    """Lets only those in who send a token of the scope, or have a session that began with one.

    A token for ``write`` or ``admin`` may also read. Routes that change something take tokens only,
    so that no other page can use the session of a browser.

    Parameters
    ----------
    path : str
        The file of the tokens.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.sessions = Sessions()
        self._tokens: list[Token] = []
        self.reload()

    def reload(self) -> None:
        """Read the file again; sessions of tokens that are gone end."""
        self._tokens = read_tokens(self._path)
        self.sessions.keep({token.sha256 for token in self._tokens})

    def find(self, text: str) -> Token | None:
        """Return a token by its text; the time does not tell how much of it is right."""
        digest = digest_of(text)
        found = None
        for token in self._tokens:
            if hmac.compare_digest(token.sha256, digest):
                found = token
        return found

    def check(self, scope: str | None, method: str, headers: Mapping[bytes, bytes]) -> None:
        """Raise a Problem if the sender of these headers may not use the scope."""
        if scope is None:
            return
        token = self._sender(scope, method, headers)
        if token is None:
            raise Problem(
                *(401, "unauthorized", "this needs a token: Authorization: Bearer ..."),
                headers=((b"www-authenticate", b"Bearer"),),
            )
        allowed = token.scopes | ({"read"} if token.scopes & {"write", "admin"} else set())
        if scope not in allowed:
            raise Problem(403, "forbidden", f"the token is not for {scope}")

    def _sender(self, scope: str, method: str, headers: Mapping[bytes, bytes]) -> Token | None:
        given = headers.get(b"authorization")
        if given is not None:
            kind, _, text = given.decode("latin-1").partition(" ")
            return self.find(text.strip()) if kind.lower() == "bearer" else None
        if scope != "read" or method not in ("GET", "HEAD"):
            return None
        digest = self.sessions.token_of(headers.get(b"cookie", b""))
        return next((t for t in self._tokens if t.sha256 == digest), None) if digest else None


def listed(tokens: list[Token]) -> list[dict[str, Any]]:
    """Return tokens as a person sees them."""
    return [
        {"name": t.name, "scopes": sorted(t.scopes), "sha256": t.sha256[:12], "made": t.made}
        for t in tokens
    ]
