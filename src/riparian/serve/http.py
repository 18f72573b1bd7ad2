"""Requests, replies and problems: what a route gets and gives back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

__all__ = ["JSON", "Problem", "Reply", "Request", "encode_json", "json_reply"]

JSON = b"application/json"

#: Returns a value as JSON; NaN and infinities become null.
encode_json = msgspec.json.Encoder().encode


# Structures of msgspec cost half as much to make as data classes, and each request makes two.
class Request(msgspec.Struct):
    """A request whose body was read and whose sender may use the route."""

    method: str
    path: str
    #: The parts of the path that the route names.
    parameters: Mapping[str, Any]
    #: Names in small letters.
    headers: Mapping[bytes, bytes]
    query: bytes
    body: bytes
    #: The content type without its parameters, in small letters.
    content_type: str

    def header(self, name: bytes) -> str | None:
        """Return a header as text; None if it is not there."""
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def asked(self) -> dict[str, str]:
        """Return the parameters of the query; the last of a name counts."""
        text = self.query.decode("latin-1")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=20))

    def number(self, name: str, default: int, most: int = 1 << 62) -> int:
        """Return a whole number of the query."""
        text = self.asked().get(name)
        if text is None:
            return default
        if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= most):
            raise Problem(400, "bad_query", f"{name} must be a whole number up to {most:,}")
        return int(text)


class Reply(msgspec.Struct):
    """An answer: its bytes, or an iterator that gives them one after the other."""

    status: int = 200
    body: bytes = b""
    content_type: bytes = JSON
    headers: list[tuple[bytes, bytes]] = []
    stream: AsyncIterator[bytes] | None = None


def json_reply(value: Any, status: int = 200) -> Reply:
    """Return a reply with a value as JSON."""
    return Reply(status, encode_json(value))


class Problem(Exception):  # noqa: N818 - it is an answer
    """Why a request is refused.

    Parameters
    ----------
    status : int
        The status of HTTP.
    code : str
        What went wrong, for programs.
    message : str
        The same for people.
    row, column : int, str, default=None
        Where in the request, counted from 0.
    retry_after : int, default=None
        Seconds after which the request may be sent again.
    headers : sequence of pairs
        Further headers of the reply.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        row: int | None = None,
        column: str | None = None,
        retry_after: int | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.row = row
        self.column = column
        self.headers = list(headers)
        if retry_after is not None:
            self.headers.append((b"retry-after", str(retry_after).encode()))

    def reply(self) -> Reply:
        """Return the problem as a reply."""
        error: dict[str, Any] = {"code": self.code, "message": str(self)}
        if self.row is not None:
            error["row"] = self.row
        if self.column is not None:
            error["column"] = self.column
        return Reply(self.status, encode_json({"error": error}), headers=self.headers)
