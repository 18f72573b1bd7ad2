"""NATS JetStream: ``nats://host:4222/STREAM``; ``tls://`` with TLS.

A position is the stream sequence of the next message. A consumer of the source's own reads from
there. The server skips messages that are gone without saying so, so the first sequence of the
stream is looked at when the source is opened, at every hole in the sequence and every few seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
import logging
import threading
import time
import uuid
from collections import deque
from collections.abc import Coroutine, Mapping
from typing import Any, NamedTuple

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

__all__ = ["NatsSource"]

_LOG = logging.getLogger(__name__)
_PATIENCE = 10.0
#: Messages per request. Twice as many are held at most.
_PAGE = 5_000
_PAGE_BYTES = 64 << 20


class _Message(NamedTuple):
    sequence: int
    time: int
    key: bytes | None
    value: bytes
    reply: str


class NatsSource:
    """Messages of one JetStream stream, which is the only partition.

    Parameters
    ----------
    address : str
        ``nats://user:password@host:4222/STREAM``, with more hosts after commas.
    options : mapping
        ``user``, ``password``, ``token``, ``user_credentials`` (the path of a file) of nats-py, and
        ``refresh``: seconds between two looks at the stream, 10 by default.
    follow : bool or None
        False ends at the end that the stream has when it is opened.

    Notes
    -----
    Streams with work-queue or interest retention drop a message when it is acknowledged. That
    happens after a checkpoint holds it.
    """

    replayable = True

    def __init__(self, address: str, options: Mapping[str, str], follow: bool | None) -> None:
        self._nats = client("nats", package="nats-py", extra="nats")
        self._api = client("nats.js.api", package="nats-py", extra="nats")
        self._errors = client("nats.js.errors", package="nats-py", extra="nats")
        parts = Address.parse(address)
        settings: dict[str, Any] = dict(options)
        self._refresh = float(settings.pop("refresh", 10))
        self._settings = {
            "name": "riparian",
            "user": parts.user,
            "password": parts.password,
            **settings,
            "servers": [f"{parts.scheme}://{server}" for server in parts.servers.split(",")],
            "connect_timeout": 5,
            "reconnect_time_wait": 0.5,
            "max_reconnect_attempts": -1,
            "error_cb": self._on_error,
            "disconnected_cb": self._on_disconnect,
        }
        self.name = parts.name
        self.identity: dict[str, str] = {}
        self.positions: dict[str, Position] = {}
        self._stream = parts.path
        self._ends_at_goal = follow is False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived = threading.Condition()

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        self.close()
        self._buffer: deque[_Message] = deque()
        self._unacknowledged: deque[_Message] = deque()
        self._lag: tuple[float, dict[str, Lag]] = (0.0, {})
        self._goal: int | None = None
        self._consumer = ""
        self._subscription: Any = None
        self._last: int | None = None
        self._is_stale = False
        self._refused: Exception | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="nats", daemon=True)
        self._thread.start()
        self._connection = self._await(self._connect())
        self._stream_api = self._connection.jetstream(timeout=_PATIENCE)
        about = self._look()
        self.identity = {"created": about.created.isoformat()}
        retention = self._api.RetentionPolicy
        self._acknowledges = about.config.retention != retention.LIMITS
        self._keeps_interest = about.config.retention == retention.INTEREST
        given = positions.get(self._stream)
        first = self._begin(start, about) if given is None else int(given["seq"])
        self.positions = {self._stream: {"seq": first}}
        if self._ends_at_goal:
            self._goal = about.state.last_seq
        self._subscribe()

    def poll(self, most: int, timeout: float) -> Chunk | None:
        following = int(self.positions[self._stream]["seq"])
        if self._goal is not None and following > self._goal:
            raise EndOfSource(f"{self.name} is read to its end")
        if self._is_stale or not self._connection.is_connected:
            if not self._connection.is_connected:
                time.sleep(timeout)
                raise ConnectionError(f"{self.name} cannot be reached")
            self._subscribe()
        with self._arrived:
            self._arrived.wait_for(lambda: self._buffer or self._is_stale, timeout)
            count = min(most, len(self._buffer))
            messages = [self._buffer.popleft() for _ in range(count)]
        self._ask_for_more()
        if self._acknowledges:
            self._unacknowledged.extend(messages)
        # What was read already comes again where messages are acknowledged.
        messages = [message for message in messages if message.sequence >= following]
        if time.monotonic() - self._looked >= self._refresh or (
            messages and messages[-1].sequence - following >= len(messages)
        ):
            self._check(following, self._look())
        if not messages:
            return None
        first: Position = {"seq": following}
        self._last = messages[-1].time
        self.positions[self._stream] = {"seq": messages[-1].sequence + 1}
        return Chunk(
            self._stream,
            first,
            self.positions[self._stream],
            [message.value for message in messages],
            [message.key for message in messages],
            [message.time for message in messages],
            [message.sequence for message in messages],
        )

    def seek(self, partition: str, position: Position) -> None:
        self.positions[partition] = position
        self._is_stale = True

    def behind(self) -> Mapping[str, Lag]:
        now = time.time()
        if now - self._lag[0] >= 1:
            try:
                last = self._look().state.last_seq
            except (ConnectionError, LookupError):
                lag = Lag()
            else:
                waiting = max(0, last + 1 - int(self.positions[self._stream]["seq"]))
                late = None if self._last is None else max(0.0, now - self._last / 1000)
                lag = Lag(waiting, late if waiting else 0.0)
            self._lag = (now, {self._stream: lag})
        return self._lag[1]

    def committed(self, positions: Mapping[str, Position]) -> None:
        if self._loop is None or self._stream not in positions:
            return
        end = int(positions[self._stream]["seq"])
        replies = []
        while self._unacknowledged and self._unacknowledged[0].sequence < end:
            replies.append(self._unacknowledged.popleft().reply)
        if replies and self._connection.is_connected:
            # What is not acknowledged comes again with the next connection.
            with contextlib.suppress(ConnectionError):
                self._await(self._acknowledge(replies))

    def close(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None:
            return
        connection = getattr(self, "_connection", None)
        if connection is not None:
            asyncio.run_coroutine_threadsafe(connection.close(), loop).result(_PATIENCE)
            self._connection = None
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()
        loop.close()

    # What runs in the thread of the client.

    async def _connect(self) -> Any:
        """Connect; the first error ends it, though the client would go on trying."""
        connection = self._nats.NATS()
        self._failed = asyncio.get_running_loop().create_future()
        connecting = asyncio.ensure_future(connection.connect(**self._settings))
        await asyncio.wait(
            {connecting, self._failed}, timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED
        )
        if connecting.done():
            connecting.result()
            return connection
        connecting.cancel()
        await connection.close()
        raise ConnectionError(self._failed.result() if self._failed.done() else "no answer")

    async def _make_consumer(self, first: int) -> None:
        """Replace the consumer by one that begins at a sequence."""
        api, old = self._api, self._consumer
        self._consumer = f"riparian-{uuid.uuid4().hex}"
        settings: dict[str, Any] = {"name": self._consumer, "inactive_threshold": 300.0}
        if self._acknowledges:
            settings |= {"ack_policy": api.AckPolicy.EXPLICIT, "ack_wait": 24 * 3600.0}
            settings |= {"max_ack_pending": -1, "metadata": {"made-by": "riparian"}}
            settings |= {"durable_name": self._consumer, "inactive_threshold": None}
        else:
            policy = api.DeliverPolicy.BY_START_SEQUENCE
            settings |= {"ack_policy": api.AckPolicy.NONE, "deliver_policy": policy}
            settings |= {"opt_start_seq": first, "mem_storage": True, "num_replicas": 1}
        config = api.ConsumerConfig(**settings)
        # A work queue has one consumer at a time. Without any, other streams drop their messages.
        if self._acknowledges and not self._keeps_interest:
            await self._drop_consumers(keep="")
        await self._stream_api.add_consumer(self._stream, config)
        if self._acknowledges:
            await self._drop_consumers(keep=self._consumer)
        elif old:
            await self._drop(old)

    async def _drop_consumers(self, keep: str) -> None:
        """Delete the consumers that this source, or an earlier run of it, made."""
        for about in await self._stream_api.consumers_info(self._stream):
            if about.name != keep and (about.config.metadata or {}).get("made-by") == "riparian":
                await self._drop(about.name)

    async def _drop(self, consumer: str) -> None:
        with contextlib.suppress(self._errors.NotFoundError):
            await self._stream_api.delete_consumer(self._stream, consumer)

    async def _listen(self) -> None:
        """Collect the messages of the present consumer."""
        if self._subscription is not None:
            await self._subscription.unsubscribe()
        self._inbox = self._connection.new_inbox()
        self._subscription = await self._connection.subscribe(
            self._inbox, cb=self._on_message, pending_msgs_limit=-1, pending_bytes_limit=-1
        )

    async def _on_message(self, message: Any) -> None:
        if not message.reply:
            status = (message.headers or {}).get("Status")
            # 404, 408: the request has ended. 409: so it has, or the consumer is gone.
            ended = status in ("404", "408") or "Batch Completed" in message.headers.values()
            with self._arrived:
                if message.subject == self._inbox:
                    self._requested = 0
                    self._is_stale |= not ended
                    self._arrived.notify()
            return
        # $JS.ACK.[domain.account.]stream.consumer.delivered.sequence.number.time.pending[.token]
        tokens = message.reply.split(".")
        at = 5 if len(tokens) == 9 else 7
        sequence, number, nanoseconds = (int(token) for token in tokens[at : at + 3])
        key = (message.headers or {}).get("Nats-Msg-Id")
        found = _Message(
            sequence, nanoseconds // 1_000_000, key and key.encode(), message.data, message.reply
        )
        with self._arrived:
            if tokens[at - 2] != self._consumer or self._is_stale:
                return
            self._number += 1
            if number != self._number:
                self._is_stale = True  # a message was lost on its way
            else:
                self._requested -= 1
                self._buffer.append(found)
            self._arrived.notify()

    async def _acknowledge(self, replies: list[str]) -> None:
        for reply in replies:
            await self._connection.publish(reply, b"+ACK")
        await self._connection.flush(_PATIENCE)

    async def _on_error(self, error: Exception) -> None:
        text = str(error).lower()
        if "authorization" in text or "authentication" in text:
            self._refused = error
        if not self._failed.done():
            self._failed.set_result(str(error))
        _LOG.info("%s: %s", self.name, error)

    async def _on_disconnect(self) -> None:
        with self._arrived:
            self._is_stale = True
            self._arrived.notify()

    # What runs in the thread that polls.

    def _subscribe(self) -> None:
        """Begin to read at the present position, if it can be read."""
        self._check(int(self.positions[self._stream]["seq"]), self._look())
        with self._arrived:
            self._buffer.clear()
            self._unacknowledged.clear()
            self._requested = self._number = 0
            self._is_stale = False
        self._await(self._listen())
        self._await(self._make_consumer(int(self.positions[self._stream]["seq"])))
        self._ask_for_more()

    def _ask_for_more(self) -> None:
        with self._arrived:
            if self._requested > 0 or self._is_stale or len(self._buffer) >= _PAGE:
                return
            self._requested = _PAGE
        request = {"batch": _PAGE, "expires": int(30e9), "max_bytes": _PAGE_BYTES}
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self._consumer}"
        self._await(
            self._connection.publish(subject, json.dumps(request).encode(), reply=self._inbox)
        )

    def _look(self) -> Any:
        self._looked = time.monotonic()
        return self._await(self._stream_api.stream_info(self._stream))

    def _begin(self, start: Start, about: Any) -> int:
        state = about.state
        if start == "beginning":
            return max(1, int(state.first_seq))  # 0: nothing was ever written
        if start == "end":
            return int(state.last_seq) + 1
        when = datetime.datetime.fromtimestamp(start / 1000, datetime.UTC)
        policy = self._api.DeliverPolicy.BY_START_TIME
        config = self._api.ConsumerConfig(
            name=f"riparian-{uuid.uuid4().hex}",
            deliver_policy=policy,
            opt_start_time=when,
            ack_policy=self._api.AckPolicy.NONE,
            inactive_threshold=10.0,
        )
        made = self._await(self._stream_api.add_consumer(self._stream, config))
        self._await(self._drop(made.name))
        return int(made.delivered.stream_seq) + 1

    def _check(self, following: int, about: Any) -> None:
        """Raise an error if messages from a sequence on are no longer there."""
        if self.identity["created"] != about.created.isoformat():
            raise IdentityError(f"the stream {self._stream!r} was deleted and made again")
        first, last = int(about.state.first_seq), int(about.state.last_seq)
        if first > following:
            raise GapError(
                f"{self._stream}: the messages from sequence {following} to {first - 1} are no "
                "longer there",
                partition=self._stream,
                resume={"seq": first},
                lost=first - following,
            )
        if last + 1 < following:
            raise GapError(
                f"{self._stream}: the stream ends at sequence {last}, but was read up to "
                f"{following - 1}",
                partition=self._stream,
                resume={"seq": last + 1},
            )

    def _await(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run something in the thread of the client and return its result."""
        assert self._loop is not None
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result(2 * _PATIENCE)
        except self._errors.NotFoundError as error:
            raise LookupError(f"{self.name}: {error.description}") from error
        except self._errors.BadRequestError as error:
            raise ValueError(f"{self.name}: {error.description}") from error
        except TypeError as error:
            raise ValueError(f"{self.name}: {error}") from error
        except (TimeoutError, OSError, self._nats.errors.Error) as error:
            if self._refused is not None:
                raise PermissionError(f"{self.name}: {self._refused}") from error
            raise ConnectionError(f"{self.name}: {str(error) or 'no answer'}") from error
