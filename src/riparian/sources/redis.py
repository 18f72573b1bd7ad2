"""Redis Streams: ``redis://host:6379/0/key,key``; ``rediss://`` for TLS.

A position is the id of the last entry that was read and the number of entries that had been added
to the stream by then. The number is the gap test: trimming a stream does not move Redis'
``max-deleted-entry-id``, but the entries that were added and are gone can be counted
(``entries-added`` - ``length``). Needs Redis 7.0 or later.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping
from typing import Any

from riparian.sources.address import Address, client
from riparian.sources.source import (
    Chunk,
    EndOfSource,
    GapError,
    IdentityError,
    Lag,
    Position,
    Start,
)

__all__ = ["RedisSource"]

_LAST_SEQUENCE = 2**64 - 1
#: Entries per request: a reply is held in memory whole, by the server and by the client.
_PAGE = 10_000


class RedisSource:
    """Entries of Redis streams. A partition is a key.

    Parameters
    ----------
    address : str
        ``redis://user:password@host:6379/database/key``. Several keys are separated by commas.
    options : mapping
        ``field``: the field of an entry that holds the message. Without it an entry with one field
        is the value of that field, and an entry with several is a JSON object of texts.
        ``trim=yes``: remove entries from the stream once a checkpoint holds them.
        ``username``, ``password``, and the ``ssl_...`` settings of redis-py.
    follow : bool or None
        False ends at the end that the streams have when they are opened.
    """

    replayable = True

    def __init__(self, address: str, options: Mapping[str, str], follow: bool | None) -> None:
        self._redis = client("redis", package="redis", extra="redis")
        parts = Address.parse(address)
        number, slash, keys = parts.path.partition("/")
        if not (slash and number.isdigit()):
            number, keys = "0", parts.path
        # The learner tries again; the client would also repeat what a wrong password failed.
        retry = client("redis.retry", package="redis", extra="redis").Retry
        no_wait = client("redis.backoff", package="redis", extra="redis").NoBackoff()
        settings: dict[str, Any] = dict(options)
        self._field: str | None = settings.pop("field", None)
        self._trims = settings.pop("trim", "no") in ("yes", "true", "1")
        host, _, port = parts.servers.partition(":")
        self._settings = {
            "username": parts.user,
            "password": parts.password,
            **settings,
            "host": host,
            "port": int(port or 6379),
            "db": int(number),
            "ssl": parts.scheme == "rediss",
            "socket_connect_timeout": 10,
            "socket_timeout": 30,
            "client_name": "riparian",
            "retry": retry(no_wait, 0),
        }
        self.name = parts.name
        self.identity: dict[str, str] = {}
        self.positions: dict[str, Position] = {}
        self._keys = keys.split(",")
        self._ends_at_goal = follow is False
        self._client: Any = None

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        self.close()
        self._goal: dict[str, str] = {}
        self._lag: tuple[float, dict[str, Lag]] = (0.0, {})
        self._turn = 0
        try:
            self._client = self._redis.Redis(**self._settings)
        except TypeError as error:
            raise ValueError(f"{self.name}: {error}") from error
        # The replies as they come: redis-py would make a dict of each entry.
        self._client.set_response_callback("XREAD", lambda reply, **_: reply)
        self.positions = {}
        for key in self._keys:
            about = self._about(key)
            given = positions.get(key)
            begin: Start = "beginning" if positions else start
            self.positions[key] = (
                self._check(key, given, about) if given else self._begin(key, begin, about)
            )
            if self._ends_at_goal:
                self._goal[key] = about["last-generated-id"]

    def poll(self, most: int, timeout: float) -> Chunk | None:
        if self._goal and all(
            _order(self.positions[key]["id"]) >= _order(end) for key, end in self._goal.items()
        ):
            raise EndOfSource(f"{self.name} is read to its end")
        # All keys in turn, so that a busy stream does not hide the others.
        self._turn = (self._turn + 1) % len(self._keys)
        keys = self._keys[self._turn :] + self._keys[: self._turn]
        chunk = self._read(keys, min(most, _PAGE))
        if chunk is None:
            # This wait only tells that there is something: what was read without a look at the
            # counts could lie behind a gap.
            block = ["BLOCK", max(1, min(20_000, int(timeout * 1000)))]
            ids = [self.positions[key]["id"] for key in keys]
            if self._ask("XREAD", "COUNT", 1, *block, "STREAMS", *keys, *ids):
                chunk = self._read(keys, min(most, _PAGE))
        return chunk

    def seek(self, partition: str, position: Position) -> None:
        self.positions[partition] = position

    def behind(self) -> Mapping[str, Lag]:
        now = time.time()
        if now - self._lag[0] >= 1:
            lags = {}
            for key, position in self.positions.items():
                try:
                    waiting = int(self._about(key)["entries-added"]) - int(position["n"])
                except (ConnectionError, LookupError):
                    lags[key] = Lag()
                    continue
                read = _order(position["id"])[0] / 1000
                seconds = max(0.0, now - read) if waiting > 0 else 0.0
                lags[key] = Lag(max(0, waiting), seconds if read or not waiting else None)
            self._lag = (now, lags)
        return self._lag[1]

    def committed(self, positions: Mapping[str, Position]) -> None:
        if not self._trims or self._client is None:
            return
        for key, position in positions.items():
            # The last entry that was read stays: it shows that the stream is the same. If Redis
            # cannot be reached, the next checkpoint trims these entries, too.
            with contextlib.suppress(ConnectionError):
                self._ask("XTRIM", key, "MINID", "=", position["id"])

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _read(self, keys: list[str], count: int) -> Chunk | None:
        """Read entries and counts at one moment, so that no gap is missed between the two."""
        ids = [self.positions[key]["id"] for key in keys]
        commands = [("XINFO STREAM", key) for key in keys]
        *abouts, reply = self._ask_all(*commands, ("XREAD", "COUNT", count, "STREAMS", *keys, *ids))
        replies = reply.items() if isinstance(reply, dict) else reply or ()
        found = {key.decode(): entries for key, entries in replies}
        for key, about in zip(keys, abouts, strict=True):
            first, about = self.positions[key], self._counts(about)
            self._check(key, first, about)
            entries = found.get(key, [])
            chunk = self._chunk(key, first, entries)
            if chunk.next["id"] == about["last-generated-id"]:
                self._check_end(key, first, chunk.next, about)
            if entries:
                self.positions[key] = chunk.next
                return chunk
        return None

    def _chunk(self, key: str, first: Position, entries: list[Any]) -> Chunk:
        ids = [entry[0].decode() for entry in entries]
        return Chunk(
            key,
            first,
            {"id": ids[-1], "n": int(first["n"]) + len(ids)} if ids else first,
            [self._message(entry[1]) for entry in entries],
            None,
            [int(id.partition("-")[0]) for id in ids],
            ids,
        )

    def _message(self, fields: list[bytes] | None) -> bytes | None:
        if fields is None:
            return None
        if self._field is None and len(fields) == 2:
            return fields[1]
        entry = dict(zip(fields[::2], fields[1::2], strict=True))
        if self._field is not None:
            return entry.get(self._field.encode())
        texts = {name.decode(): value.decode("utf-8", "replace") for name, value in entry.items()}
        return json.dumps(texts, ensure_ascii=False).encode()

    def _about(self, key: str) -> dict[str, Any]:
        return self._counts(self._ask_all(("XINFO STREAM", key))[0])

    def _counts(self, about: dict[str, Any]) -> dict[str, Any]:
        if "entries-added" not in about:
            raise ValueError(f"{self.name}: Redis 7.0 or later is needed")
        return {**about, "last-generated-id": _text(about["last-generated-id"])}

    def _begin(self, key: str, start: Start, about: dict[str, Any]) -> Position:
        added, length = int(about["entries-added"]), int(about["length"])
        if start == "end":
            return {"id": about["last-generated-id"], "n": added}
        if start == "beginning":
            return {"id": "0-0", "n": added - length}
        later, after = 0, f"{start}-0"
        while page := self._ask("XRANGE", key, after, "+", "COUNT", _PAGE):
            later += len(page)
            after = "(" + page[-1][0].decode()
        before = f"{start - 1}-{_LAST_SEQUENCE}" if start > 0 else "0-0"
        return {"id": min(before, about["last-generated-id"], key=_order), "n": added - later}

    def _check(self, key: str, position: Position, about: dict[str, Any]) -> Position:
        """Return the position if all entries behind it can be read."""
        id, n = str(position["id"]), int(position["n"])
        added, length = int(about["entries-added"]), int(about["length"])
        if added < n or _order(about["last-generated-id"]) < _order(id):
            raise IdentityError(
                f"the stream {key!r} has had {added} entries up to {about['last-generated-id']}, "
                f"but {n} up to {id} were read: it was made again, or a fail-over lost entries"
            )
        gone = added - length
        if gone > n:
            raise GapError(
                f"{key}: {gone - n} entries behind {id} were trimmed before they were read",
                partition=key,
                resume={"id": id, "n": gone},
                lost=gone - n,
            )
        first = about["first-entry"]
        if gone < n and (first is None or _order(_text(first[0])) > _order(id)) and id != "0-0":
            raise IdentityError(f"the stream {key!r} was deleted and made again")
        return position

    def _check_end(self, key: str, first: Position, last: Position, about: dict[str, Any]) -> None:
        """At the end of a stream the counts agree, unless entries were deleted unread."""
        lost = int(about["entries-added"]) - int(last["n"])
        if lost > 0:
            raise GapError(
                f"{key}: {lost} entries between {first['id']} and {last['id']} were deleted before "
                "they were read",
                partition=key,
                resume={"id": first["id"], "n": int(first["n"]) + lost},
                lost=lost,
            )

    def _ask(self, *command: Any) -> Any:
        return self._ask_all(command)[0]

    def _ask_all(self, *commands: tuple[Any, ...]) -> list[Any]:
        """Send commands and return their replies; several are one transaction."""
        errors = self._redis.exceptions
        try:
            if len(commands) == 1:
                return [self._client.execute_command(*commands[0])]
            with self._client.pipeline(transaction=True) as pipeline:
                for command in commands:
                    pipeline.execute_command(*command)
                replies: list[Any] = pipeline.execute()
                return replies
        except (errors.AuthenticationError, errors.NoPermissionError) as error:
            raise PermissionError(f"{self.name}: {error}") from error
        except (errors.ConnectionError, errors.TimeoutError) as error:
            raise ConnectionError(f"{self.name}: {error}") from error
        except errors.ResponseError as error:
            text = f"{self.name}: {error}"
            if "no such key" in str(error):
                raise LookupError(text) from error
            raise ValueError(text) from error


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _order(id: int | str) -> tuple[int, int]:
    """An entry's id as numbers: its time in milliseconds and its number within that."""
    time, _, number = str(id).partition("-")
    return int(time), int(number or 0)
