"""How many rows per second does `riparian learn` take from a broker, and what does it wait for?

Each case fills a stream of a real broker of this machine, then learns it to its end with a tree:

- ``kafka``: one JSON object of ten numbers per message
- ``arrow``: record batches of 1,000 such rows, in Kafka
- ``redis``, ``nats``: the JSON messages in a Redis stream and in JetStream

Prints JSON for each case: rows per second of wall-clock time, CPU microseconds per row of the
learner (all of its threads), and the parts of that alone: polling, decoding, and the tree. The case
``checkpoints`` compares learning from a file of JSON lines with and without a checkpoint every 30
seconds, and ``pauses`` measures how long the learner stands still for one. The servers are those of
the tests (`make test-servers` installs them).

    python -m benchmarks.brokers                 # all cases
    python -m benchmarks.brokers kafka --rows 2000000 --repeat 8
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import riparian as rp
from riparian.sources import EndOfSource
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.job import Job, open_learner
from riparian.sources.messages import Messages
from riparian.sources.process import prepare_process
from riparian.sources.settings import Settings
from tests.servers.kafka import KafkaServer
from tests.servers.nats import NatsServer
from tests.servers.redis import RedisServer

BATCH = 1000


def arrays(n: int) -> tuple[Any, Any]:
    """Return ten numbers per row with four decimals, and three classes."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 10)).round(4)
    return X, (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)


def json_rows(n: int) -> list[bytes]:
    X, y = arrays(n)
    names = ", ".join(f'"x{i}": %s' for i in range(10))
    template = "{" + names + ', "y": "c%d"}'
    found = zip(X.tolist(), y.tolist(), strict=True)
    return [(template % (*row, label)).encode() for row, label in found]


def arrow_batches(n: int) -> list[bytes]:
    X, y = arrays(n)
    found = []
    for start in range(0, n, BATCH):
        part = slice(start, start + BATCH)
        columns = {f"x{i}": X[part, i] for i in range(10)}
        columns["y"] = np.array([f"c{label}" for label in y[part]])
        batch = pa.RecordBatch.from_pydict(columns)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        found.append(sink.getvalue().to_pybytes())
    return found


@contextmanager
def kafka(values: Sequence[bytes]) -> Iterator[str]:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    with _started(KafkaServer) as server:
        settings = {"bootstrap.servers": server.address, "log_level": 0}
        topic = uuid.uuid4().hex
        admin = AdminClient(settings)
        admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(60)
        producer = Producer({**settings, "linger.ms": 50, "batch.num.messages": 100_000})
        for value in values:
            while True:
                try:
                    producer.produce(topic, value)
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(120) == 0
        yield f"kafka://{server.address}/{topic}"


@contextmanager
def redis(values: Sequence[bytes]) -> Iterator[str]:
    import redis as client

    with _started(RedisServer) as server:
        pipeline = client.Redis(port=server.port).pipeline(transaction=False)
        for start in range(0, len(values), 10_000):
            for value in values[start : start + 10_000]:
                pipeline.xadd("rows", {b"data": value})
            pipeline.execute()
        yield f"redis://{server.address}/0/rows"


@contextmanager
def nats(values: Sequence[bytes]) -> Iterator[str]:
    import nats as client

    async def write(address: str) -> None:
        connection = await client.connect(f"nats://{address}")
        stream = connection.jetstream(timeout=60, publish_async_max_pending=4000)
        await stream.add_stream(name="rows", subjects=["rows"], storage="memory")
        for value in values:
            await stream.publish_async("rows", value)
        await stream.publish_async_completed()
        await connection.close()

    with _started(NatsServer) as server:
        asyncio.run(write(server.address))
        yield f"nats://{server.address}/rows"


@contextmanager
def _started(server_type: Any) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as folder:
        server = server_type(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()


def learn(
    model: Any, source: Any, form: str, rows: int, seconds: float | None = None
) -> dict[str, Any]:
    """Learn a source to its end; return how fast that was."""
    settings = Settings(every_seconds=seconds, every_rows=None)
    with tempfile.TemporaryDirectory() as folder, Checkpoint(folder) as checkpoint:
        job = Job(model, source, Messages("y", form))
        learner = open_learner(job, checkpoint, settings, lambda text: None)
        wall, cpu = time.perf_counter(), time.process_time()
        learner.run()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        assert learner.rows == rows, learner.status.counters
        return {
            "rows": rows,
            "rows per second": round(rows / wall),
            "CPU us per row": round(1e6 * cpu / rows, 3),
            "accuracy": round(learner.result.accuracy, 4),
            "checkpoints": learner.status.checkpoints,
            "pause ms": round(1e3 * learner.status.pause, 2),
        }


def parts(address: str, form: str, rows: int) -> dict[str, float]:
    """Return the CPU microseconds per row of the steps alone."""
    source = rp.sources.open(address, follow=False)
    source.open({}, "beginning")
    chunks = []
    clock = time.process_time()
    try:
        while True:
            if (chunk := source.poll(10_000, 0.2)) is not None:
                chunks.append(chunk)
    except EndOfSource:
        polling = time.process_time() - clock
    decoder = Messages("y", form).decoder([chunks[0].values], source, 1000)
    source.close()
    clock = time.process_time()
    decoded = [decoder.decode(chunk.values) for chunk in chunks]
    decoding = time.process_time() - clock
    model = rp.VFDT()
    clock = time.process_time()
    for found in decoded:
        model.prequential(found.X, found.y)
    learning = time.process_time() - clock
    found = {"polling": polling, "decoding": decoding, "predicting and learning": learning}
    return {name: round(1e6 * seconds / rows, 3) for name, seconds in found.items()}


def broker(name: str, n: int, repeat: int) -> dict[str, Any]:
    form = "arrow" if name == "arrow" else "json"
    values = arrow_batches(n) if name == "arrow" else json_rows(n)
    place = {"kafka": kafka, "arrow": kafka, "redis": redis, "nats": nats}[name]
    with place(values) as address:
        size = round(sum(map(len, values)) / n, 1)
        del values
        learn(rp.VFDT(), rp.sources.open(address, follow=False), form, n)  # imports and caches
        runs = [
            learn(rp.VFDT(), rp.sources.open(address, follow=False), form, n, seconds=30.0)
            for _ in range(repeat)
        ]
        rates = {"rows per second of each run": [run["rows per second"] for run in runs]}
        alone = {"alone, us": parts(address, form, n)}
        return {"bytes per row": size, **runs[-1], **(rates if repeat > 1 else {}), **alone}


def checkpoints(n: int) -> dict[str, Any]:
    """Learn a file for a minute or so, with and without checkpoints, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        path.write_bytes(b"".join(row + b"\n" for row in json_rows(n)))
        found: dict[str, Any] = {}
        for name, make in MODELS.items():
            learn(make(), rp.sources.open(str(path)), "json", n)
            times: dict[float | None, list[float]] = {None: [], 0.5: []}
            for seconds in (None, 0.5) * 3:
                run = learn(make(), rp.sources.open(str(path)), "json", n, seconds)
                times[seconds].append(run["CPU us per row"])
                if seconds:
                    found[name] = {"checkpoints": run["checkpoints"]}
            found[name]["CPU us per row"] = [min(times[None]), min(times[0.5])]
        return found


MODELS = {
    "VFDT": rp.VFDT,
    "StreamTree": rp.StreamTree,
    "forest of ten": lambda: rp.StreamForest(n_estimators=10, random_state=1),
}


def pauses(n: int) -> dict[str, Any]:
    """Return the milliseconds for which the learner stands still for a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        path.write_bytes(b"".join(row + b"\n" for row in json_rows(n)))
        return {name: _pauses(make(), path, n) for name, make in MODELS.items()}


def _pauses(model: Any, path: Path, n: int) -> dict[str, Any]:
    """Learn a file in parts, each of which ends with a checkpoint, and look at every pause."""
    seen, size = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for stop in range(n // 10, n + 1, n // 10):
            settings = Settings(every_seconds=None, every_rows=None, rows=stop)
            with Checkpoint(folder) as checkpoint:
                job = Job(model, rp.sources.open(str(path)), Messages("y"))
                learner = open_learner(job, checkpoint, settings, lambda text: None)
                learner.run()
                seen.append(1e3 * learner.status.pause)
                size = learner.status.size
    return {
        "median ms": round(float(np.median(seen)), 2),
        "largest ms": round(max(seen), 2),
        "last ms": round(seen[-1], 2),
        "model bytes": size,
    }


def main() -> None:
    warnings.simplefilter("ignore")
    prepare_process()  # as the command does
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = ["kafka", "arrow", "redis", "nats", "checkpoints", "pauses"]
    parser.add_argument("cases", nargs="*", default=names, metavar=f"{{{','.join(names)}}}")
    parser.add_argument("--rows", type=int, help="rows of each case")
    parser.add_argument("--repeat", type=int, default=1, help="how often a broker is read")
    arguments = parser.parse_args()
    usual = {"kafka": 1_000_000, "arrow": 4_000_000, "redis": 300_000, "nats": 100_000}
    for name in arguments.cases:
        n = arguments.rows or usual.get(name, 200_000)
        if name == "pauses":
            found = pauses(n)
        elif name == "checkpoints":
            found = checkpoints(n)
        else:
            found = broker(name, n, arguments.repeat)
        print(json.dumps({name: found}, indent=2), flush=True)


if __name__ == "__main__":
    main()
