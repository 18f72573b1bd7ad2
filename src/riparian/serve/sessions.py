"""Sessions of browsers: a random cookie instead of a token, for twelve hours, in memory."""

from __future__ import annotations

import secrets
import time
from http.cookies import CookieError, SimpleCookie

__all__ = ["COOKIE", "Sessions"]

COOKIE = "riparian_session"
_SECONDS = 12 * 3600
#: The oldest session ends when there are more.
_MOST = 1000


class Sessions:
    """The sessions of a server by their cookies."""

    def __init__(self) -> None:
        self._sessions: dict[str, tuple[str, float]] = {}

    def begin(self, token: str, *, secure: bool) -> str:
        """Return the header of a cookie for the digest of a token."""
        name = secrets.token_urlsafe(32)
        while len(self._sessions) >= _MOST:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[name] = token, time.monotonic() + _SECONDS
        text = f"{COOKIE}={name}; Path=/; Max-Age={_SECONDS}; HttpOnly; SameSite=Strict"
        return text + "; Secure" if secure else text

    def token_of(self, cookies: bytes) -> str | None:
        """Return the digest of the token of a session; None if there is none."""
        found: SimpleCookie = SimpleCookie()
        try:
            found.load(cookies.decode("latin-1"))
        except CookieError:
            return None
        if COOKIE not in found:
            return None
        # A look-up in a dict of random names of 256 bits tells nothing by its time.
        digest, until = self._sessions.get(found[COOKIE].value, ("", 0.0))
        return digest if time.monotonic() < until else None

    def keep(self, tokens: set[str]) -> None:
        """End the sessions of other tokens."""
        self._sessions = {k: v for k, v in self._sessions.items() if v[0] in tokens}
