"""A learner that reads from a broker and is killed learns each message once (A1)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.effort import ATTACK
from tests.sources.broker_lives import ROWS, rows
from tests.sources.conformance import Bench
from tests.sources.kafka_bench import KafkaBench
from tests.sources.nats_bench import NatsBench
from tests.sources.redis_bench import RedisBench

pytestmark = pytest.mark.servers

#: Kills of each case. `RIPARIAN_KILLS=1000` is for a release.
KILLS = int(os.environ.get("RIPARIAN_KILLS", 10 * ATTACK))


def fill(bench: Bench) -> None:
    """Spread the rows over the partitions in turn."""
    n = len(bench.partitions)
    for i, name in enumerate(bench.partitions):
        bench.write(name, rows()[i::n])


def check(bench: Bench, case: str, copy: Bench | None = None, **options: str) -> None:
    program = ["-m", "tests.sources.broker_lives", str(KILLS), "1", case, bench.address]
    done = subprocess.run(
        [sys.executable, *program, *(f"{k}={v}" for k, v in options.items())],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **({"RIPARIAN_COPY": copy.address} if copy else {})},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(report["kills"] for report in reports) >= KILLS // 2
    for report in reports:
        assert report["same"]
        assert report["found"]["counters"]["messages"] == ROWS
        assert 0 < report["found"]["n_dead"] < ROWS / 50


@pytest.mark.parametrize("case", ["tree", "forest"])
def test_redis(redis_server, case):
    bench = RedisBench(redis_server)
    fill(bench)
    check(bench, case)


def test_redis_streams_that_are_trimmed(redis_server):
    bench = RedisBench(redis_server, streams=1)
    whole = RedisBench(redis_server, streams=1)
    whole.partitions = bench.partitions
    fill(bench)
    bench.client.copy(bench.partitions[0], bench.partitions[0], destination_db=1)
    whole.database = 1
    check(bench, "tree", copy=whole, trim="yes")
    assert bench.client.xlen(bench.partitions[0]) == 1


def test_nats(nats_server):
    bench = NatsBench(nats_server)
    fill(bench)
    check(bench, "tree")


def test_kafka_mock(kafka_mock):
    bench = KafkaBench(kafka_mock)
    fill(bench)
    check(bench, "tree")


@pytest.mark.parametrize("case", ["tree", "forest"])
def test_kafka(kafka_server, case):
    bench = KafkaBench(kafka_server, partitions=3)
    fill(bench)
    check(bench, case)


def test_kafka_with_aborted_transactions(kafka_server):
    """Every third transaction is aborted; its messages are no rows."""
    bench = KafkaBench(kafka_server, partitions=2)
    producer = bench.new_producer(**{"transactional.id": bench.topic})
    producer.init_transactions(60)
    values = rows()
    for number, start in enumerate(range(0, ROWS, 500)):
        for aborted in [True, False] if number % 2 else [False]:
            producer.begin_transaction()
            for i, value in enumerate(values[start : start + 500]):
                producer.produce(bench.topic, value, partition=i % 2)
            producer.flush(60)  # else the messages of an aborted one would not leave the producer
            if aborted:
                producer.abort_transaction(60)
            else:
                producer.commit_transaction(60)
    check(bench, "tree")
