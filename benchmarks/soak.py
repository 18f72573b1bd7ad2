"""Does `riparian learn` run for hours in the same memory, and lose or repeat nothing?

A broker is started. One topic gets rows whose ids and users never end, another one gets their
labels a minute later, and every ten minutes the broker is killed and started again. `riparian
learn --labels` reads both. At the end three things are checked:

- the resident memory of the learner after the warm-up: its slope in MiB per hour, through all
  that was seen, and through what was seen just before each outage
- the counters: every row was learned, none was refused, lost, expired or came twice
- the model file: it has the bytes of a model that learned the rows from memory, one after the other

Prints JSON. The servers are those of the tests (`make test-servers` installs them).

    python -m benchmarks.soak                                # an hour with Kafka
    python -m benchmarks.soak --minutes 3 --server redis --restart-every 60
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TextIO

import numpy as np
import polars as pl

import riparian as rp
from tests.servers.kafka import KafkaServer
from tests.servers.process import Server
from tests.servers.redis import RedisServer

# The model reaches its limit during the warm-up: a model that grows is no leak.
MODEL = {"grace_period": 100, "max_bytes": 400_000, "categorical_features": ["user", "shop"]}
#: Seconds between two looks at the memory.
LOOK = 5.0


def rows(second: int, rate: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of a second and their classes. Ids, users and pages never end."""
    rng = np.random.default_rng([5, second])
    x = rng.normal(size=(rate, 5))
    shop = rng.integers(20, size=rate)
    noise = rng.random(rate) < 0.05
    good = ((x[:, 0] + 0.5 * x[:, 1] > 0) ^ (shop % 3 == 0)) ^ noise
    found = []
    for i in range(rate):
        number = second * rate + i
        row: dict[str, Any] = {"id": f"{number:012x}", "user": f"user {number * 7919:x}"}
        row |= {f"x{j}": float(x[i, j]) for j in range(5)}
        found.append(row | {"shop": f"shop {shop[i]}"})
    return found, ["yes" if g else "no" for g in good]


class Stream(Protocol):
    """Where rows or labels are written to, in order and once."""

    address: str

    def write(self, values: Sequence[bytes]) -> None: ...

    def finish(self) -> None:
        """Wait until everything is written."""


class KafkaStream:
    """A topic with one partition. The producer keeps what the broker cannot take yet."""

    def __init__(self, server: Server) -> None:
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient, NewTopic

        settings = {"bootstrap.servers": server.address, "log_level": 0}
        self._topic = uuid.uuid4().hex
        admin = AdminClient(settings)
        admin.create_topics([NewTopic(self._topic, 1, 1)])[self._topic].result(60)
        self._producer = Producer({**settings, "enable.idempotence": True, "linger.ms": 50})
        self.address = f"kafka://{server.address}/{self._topic}"

    def write(self, values: Sequence[bytes]) -> None:
        for value in values:
            self._producer.produce(self._topic, value, on_delivery=_delivered)
        self._producer.poll(0)

    def finish(self) -> None:
        assert self._producer.flush(300) == 0


def _delivered(error: Any, message: Any) -> None:
    if error is not None:
        raise RuntimeError(f"a message could not be written: {error}")


class RedisStream:
    """A stream of Redis. What the server did not take before it was killed is written again."""

    def __init__(self, server: Server) -> None:
        import redis

        self._redis = redis
        self._client = redis.Redis(port=server.port)
        self._key = uuid.uuid4().hex
        self._count = 0
        self._waiting: list[bytes] = []
        self._client.xgroup_create(self._key, "maker", mkstream=True)
        self.address = f"redis://{server.address}/0/{self._key}"

    def write(self, values: Sequence[bytes]) -> None:
        self._waiting += values
        try:
            there = int(self._client.xinfo_stream(self._key)["entries-added"])
            del self._waiting[: there - self._count]
            self._count = there
            pipeline = self._client.pipeline(transaction=False)
            for value in self._waiting:
                pipeline.xadd(self._key, {b"data": value})
            self._count += len(pipeline.execute())
            self._waiting.clear()
        except self._redis.ConnectionError:
            pass  # the next call counts what is there

    def finish(self) -> None:
        while self._waiting:
            self.write([])
            time.sleep(0.1)


SERVERS: dict[str, tuple[type[Server], type[KafkaStream] | type[RedisStream]]] = {
    "kafka": (KafkaServer, KafkaStream),
    "redis": (RedisServer, RedisStream),
}


class Learner:
    """The command `riparian learn` in a process of its own."""

    def __init__(self, folder: Path, source: str, labels: str) -> None:
        self.folder = folder / "state"
        options = [f"--set={name}={json.dumps(value)}" for name, value in MODEL.items()]
        command = f"""learn {source} --labels {labels} --key id --label class --wait 3m
            --recipe VFDT --checkpoint {self.folder} --every 30s"""
        program = [sys.executable, "-m", "riparian", *command.split(), *options]
        with open(folder / "learner.log", "wb") as log:
            self.process = subprocess.Popen(program, stdout=log, stderr=log)
        self.log = folder / "learner.log"

    def memory(self) -> dict[str, float]:
        """Return resident memory in MiB: all of it, and what no file holds."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        found = dict(line.split(":", 1) for line in text.splitlines())
        return {name: int(found[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")}

    def counters(self) -> dict[str, int]:
        """Return the counters of the newest checkpoint."""
        path = self.folder / "state.db"
        if not path.exists():
            return {}
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
        try:
            text = "SELECT counters FROM generation ORDER BY number DESC LIMIT 1"
            found = db.execute(text).fetchone()
        except sqlite3.OperationalError:
            return {}
        finally:
            db.close()
        return json.loads(found[0]) if found else {}

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


def digest(model: Any, folder: Path) -> str:
    """Return the digest of a model's file without the positions of its source."""
    model.positions_ = {}
    model.save(folder / "alone.rip")
    return hashlib.sha256((folder / "alone.rip").read_bytes()).hexdigest()


def in_order(seconds: int, rate: int) -> Any:
    """Return a model that has learned the rows of this many seconds from memory."""
    model = rp.VFDT(**MODEL)
    for second in range(seconds):
        found, classes = rows(second, rate)
        table = pl.DataFrame(found).drop("id")
        model.partial_fit(table, np.array(classes, dtype=object))
    return model


def slope(samples: Sequence[Mapping[str, float]], name: str) -> float:
    """Return the slope of the least-squares line in MiB per hour."""
    hours = [sample["at"] / 3600 for sample in samples]
    return float(np.polyfit(hours, [sample[name] for sample in samples], 1)[0])


def before_outages(
    samples: Sequence[Mapping[str, float]], every: float, name: str
) -> list[dict[str, float]]:
    """Return when each outage was, and the median memory in the last fifth of the time to it.

    These moments are alike: what an outage makes the learner hold for a while is gone again.
    """
    ends = [every * i for i in range(1, int(samples[-1]["at"] / every) + 1)] if samples else []
    found = []
    for end in ends:
        seen = [s[name] for s in samples if end - every / 5 <= s["at"] < end]
        if seen:
            found.append({"at": end, name: float(np.median(seen))})
    return found


def soak(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    server_type, stream_type = SERVERS[arguments.server]
    place = folder / "server"
    place.mkdir()
    server = server_type(place)
    server.patience = 600  # an hour is not to be lost because a busy machine starts it slowly
    server.start()
    learner = None
    try:
        written, labelled = stream_type(server), stream_type(server)
        learner = Learner(folder, written.address, labelled.address)
        with open(arguments.log, "w") as log:
            samples, restarts = run(arguments, server, learner, written, labelled, log)
        status = learner.end()
        counters = learner.counters()
    finally:
        if learner is not None and learner.process.poll() is None:
            learner.process.kill()
        server.stop()
    seconds = int(60 * arguments.minutes)
    n = seconds * arguments.rate
    warm = [sample for sample in samples if sample["at"] > 60 * arguments.warm_up]
    alike = before_outages(warm, arguments.restart_every, "RssAnon")
    newest = sorted((learner.folder / "models").glob("*.rip"))[-1]
    kept = rp.load(newest)
    own, wanted = digest(kept, folder), digest(in_order(seconds, arguments.rate), folder)
    expected = {"messages": 2 * n, "learned": n}
    wrong = {name: c for name, c in counters.items() if c != expected.get(name, 0)}
    return {
        "server": arguments.server,
        "minutes": arguments.minutes,
        "rows": n,
        "restarts": restarts,
        "status": status,
        "counters": counters,
        "wrong counters": wrong,
        "the model is that of one pass": own == wanted,
        "model bytes": newest.stat().st_size,
        "leaves": int(kept.get_n_leaves()),
        "warm-up minutes": arguments.warm_up,
        "samples": len(warm),
        "resident MiB, first and last": [
            round(float(np.median([s["VmRSS"] for s in part])), 2)
            for part in (warm[: len(warm) // 10 + 1], warm[-(len(warm) // 10 + 1) :])
        ],
        "MiB per hour, resident": round(slope(warm, "VmRSS"), 3),
        "MiB per hour, anonymous": round(slope(warm, "RssAnon"), 3),
        "anonymous MiB before outages": [round(sample["RssAnon"], 2) for sample in alike],
        "MiB per hour before outages": (
            round(slope(alike, "RssAnon"), 3) if len(alike) > 1 else None
        ),
        "CPU seconds of the learner": round(samples[-1]["cpu"], 1),
    }


def run(
    arguments: argparse.Namespace,
    server: Server,
    learner: Learner,
    written: Stream,
    labelled: Stream,
    log: TextIO,
) -> tuple[list[dict[str, float]], int]:
    """Write rows and labels while the learner reads; return what was seen of its memory."""
    began = time.monotonic()
    samples: list[dict[str, float]] = []
    seconds = int(60 * arguments.minutes)
    restarts, done, labels = 0, 0, 0
    down = 0.0
    looked = 0.0
    waiting: dict[int, list[bytes]] = {}

    while True:
        now = time.monotonic() - began
        while done < min(seconds, int(now)):
            found, classes = rows(done, arguments.rate)
            written.write([json.dumps(row).encode() for row in found])
            waiting[done] = [
                json.dumps({"id": row["id"], "class": c}).encode()
                for row, c in zip(found, classes, strict=True)
            ]
            done += 1
        while labels < done and labels + arguments.late <= now:
            labelled.write(waiting.pop(labels))
            labels += 1
        if learner.process.poll() is not None:
            raise RuntimeError(f"the learner ended:\n{learner.log.read_text()}")
        if now - looked >= LOOK:
            looked = now
            sample = {"at": now, **learner.memory(), "cpu": cpu_seconds(learner.process.pid)}
            samples.append(sample)
            print(json.dumps({**sample, **learner.counters()}), file=log, flush=True)
        if server.process is None and now >= down + 5:
            server.start()
        elif now >= (restarts + 1) * arguments.restart_every and done < seconds:
            restarts, down = restarts + 1, now
            server.kill()
        if labels == seconds:
            break
        time.sleep(0.2)
    written.finish()
    labelled.finish()
    wait_for_all(learner, 2 * seconds * arguments.rate)
    return samples, restarts


def wait_for_all(learner: Learner, messages: int) -> None:
    """Wait until a checkpoint has all messages; at most five minutes."""
    end = time.monotonic() + 300
    while learner.counters().get("messages", 0) < messages and time.monotonic() < end:
        if learner.process.poll() is not None:
            raise RuntimeError(f"the learner ended:\n{learner.log.read_text()}")
        time.sleep(1)


def cpu_seconds(process: int) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--server", choices=SERVERS, default="kafka")
    parser.add_argument("--rate", type=int, default=150, help="rows per second")
    parser.add_argument("--late", type=float, default=60, help="seconds from a row to its label")
    parser.add_argument("--restart-every", type=float, default=600, help="seconds")
    parser.add_argument("--warm-up", type=float, default=15, help="minutes without a verdict")
    parser.add_argument(
        "--log", default=os.devnull, help="file for what is seen every five seconds"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = soak(arguments, Path(name))
    print(json.dumps(found, indent=2))
    sys.exit(bool(found["wrong counters"]) or not found["the model is that of one pass"])


if __name__ == "__main__":
    main()
