"""A learner that reads from a broker and is killed learns each message once (A1)."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.effort import ATTACK
from tests.servers.process import wait_until
from tests.sources.broker_lives import ROWS, rows
from tests.sources.conformance import Bench
from tests.sources.kafka_bench import KafkaBench
from tests.sources.lives import late_labels
from tests.sources.nats_bench import NatsBench
from tests.sources.redis_bench import RedisBench

pytestmark = pytest.mark.servers

ROOT = Path(__file__).parents[2]
Lives: TypeAlias = subprocess.Popen[str]

#: Kills of each case. `RIPARIAN_KILLS=1000` is for a release.
KILLS = int(os.environ.get("RIPARIAN_KILLS", 10 * ATTACK))
#: Chooses the moments of the kills.
SEED = os.environ.get("RIPARIAN_SEED", "1")


def fill(bench: Bench) -> None:
    """Spread the rows over the partitions in turn."""
    n = len(bench.partitions)
    for i, name in enumerate(bench.partitions):
        bench.write(name, rows()[i::n])


def started(bench: Bench, case: str, environment: Mapping[str, str], **options: str) -> Lives:
    """Start learners that are killed."""
    program = ["-m", "tests.sources.broker_lives", str(KILLS), SEED, case, bench.address]
    return subprocess.Popen(
        [sys.executable, *program, *(f"{k}={v}" for k, v in options.items())],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def check(bench: Bench, case: str, copy: Bench | None = None, **options: str) -> None:
    environment = {"RIPARIAN_COPY": copy.address} if copy else {}
    check_lives(started(bench, case, environment, **options))


def check_lives(lives: Lives) -> None:
    out, errors = lives.communicate()
    assert lives.returncode == 0, out + errors
    reports = [json.loads(line) for line in out.splitlines()]
    assert sum(report["kills"] for report in reports) >= KILLS // 2
    for report in reports:
        assert report["same"]
        assert report["found"]["counters"]["messages"] == ROWS
        assert 0 < report["found"]["n_dead"] < ROWS / 50


def check_late_labels(bench: Bench, labels: Bench, case: str) -> None:
    """Kill learners whose labels come by another stream, later than their rows."""
    messages = late_labels()
    for place, values in zip((bench, labels), messages, strict=True):
        n = len(place.partitions)
        for i, name in enumerate(place.partitions):
            place.write(name, values[i::n])
    lives = started(bench, case, {}, labels=labels.address)
    out, errors = lives.communicate()
    assert lives.returncode == 0, out + errors
    reports = [json.loads(line) for line in out.splitlines()]
    assert sum(report["kills"] for report in reports) >= KILLS // 2
    for report in reports:
        counters = report["found"]["counters"]
        assert report["same"]
        assert counters["messages"] == sum(map(len, messages))
        assert counters["learned"] > ROWS / 2
        assert min(counters["duplicate"], counters["expired"]) > 0


@pytest.mark.parametrize("case", ["tree", "forest"])
def test_redis_with_late_labels(redis_server, case):
    check_late_labels(RedisBench(redis_server), RedisBench(redis_server), case)


def test_nats_with_late_labels(nats_server):
    check_late_labels(NatsBench(nats_server), NatsBench(nats_server), "tree")


def test_kafka_mock_with_late_labels(kafka_mock):
    check_late_labels(KafkaBench(kafka_mock), KafkaBench(kafka_mock), "tree")


def test_kafka_with_late_labels(kafka_server):
    check_late_labels(KafkaBench(kafka_server), KafkaBench(kafka_server), "tree")


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


def test_kafka_with_a_partition_that_is_added(kafka_server, tmp_path):
    """The rows of a partition that appears between two kills are learned from its first one."""
    bench = KafkaBench(kafka_server, partitions=2)
    values = rows()
    for i, name in enumerate(bench.partitions):
        bench.write(name, values[: ROWS // 2][i::2])
    environment = {"RIPARIAN_FOLLOW": "1", "TMPDIR": str(tmp_path)}
    lives = started(bench, "tree", environment, refresh="0.05")
    wait_until(lambda: any(tmp_path.glob("*/killed/models/*.rip")), "the first generation")
    bench.write(bench.add_partition(), values[ROWS // 2 :])
    check_lives(lives)


def test_kafka_with_a_topic_that_is_made_again(kafka_server, tmp_path):
    """A learner that is killed and comes back learns nothing from another topic of that name."""
    bench = KafkaBench(kafka_server, partitions=2)
    fill(bench)
    folder = tmp_path / "state"
    learn = ["learn", bench.address, "--target", "y", "--every", "500", "--block", "50"]
    program = [sys.executable, "-m", "riparian", *learn, "--checkpoint", str(folder)]

    with subprocess.Popen(program, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: bool(generations(folder)), "the first generation")
        process.kill()
    bench.remake()
    fill(bench)
    before = generations(folder)
    with subprocess.Popen(program, stderr=subprocess.DEVNULL) as process:
        time.sleep(0.5)
        process.kill()
    for _ in range(2):
        done = subprocess.run(program, capture_output=True, text=True, timeout=120)
        assert done.returncode == 1, done.stderr
        assert f"its topic:{bench.topic} is" in done.stderr
    assert generations(folder) == before


def generations(folder: Path) -> list[tuple[int, str]]:
    if not (folder / "state.db").exists():
        return []
    db = sqlite3.connect(folder / "state.db", timeout=30)
    try:
        return db.execute("SELECT number, sha256 FROM generation").fetchall()
    except sqlite3.OperationalError:
        return []  # the tables are not there yet
    finally:
        db.close()
