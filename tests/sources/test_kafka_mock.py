"""Kafka, on librdkafka's mock broker: no Java is needed."""

from __future__ import annotations

import threading
import time

import pytest

from riparian import sources
from riparian.sources import GapError
from tests.sources.conformance import (
    Conformance,
    FollowingConformance,
    KeyConformance,
    MessageConformance,
    by_partition,
    numbered,
    opened,
    read,
)
from tests.sources.kafka_bench import KafkaBench

pytestmark = pytest.mark.servers


@pytest.fixture
def bench(kafka_mock):
    return KafkaBench(kafka_mock)


class TestKafkaMock(Conformance, MessageConformance, FollowingConformance, KeyConformance):
    pass


def test_what_the_broker_dropped_is_a_gap(bench):
    """The mock broker keeps some 5 MB of a partition."""
    name = bench.partitions[0]
    bench.write(name, numbered(10))
    with opened(bench) as source:
        chunk = read(source, 5)[-1]
    for _ in range(8):
        bench.write(name, [b"x" * 1_000_000])
    with pytest.raises(GapError) as caught, opened(bench, {name: chunk.next}):
        pass
    assert caught.value.lost == int(caught.value.resume["offset"]) - 5 > 0
    with opened(bench, {name: caught.value.resume}) as source:
        [chunk] = read(source, 1, most=1)
    assert list(chunk.places) == [caught.value.resume["offset"]]


@pytest.mark.parametrize("while_open", [False, True])
def test_a_position_behind_the_end_is_a_gap(bench, while_open):
    name = bench.partitions[0]
    bench.write(name, numbered(10))
    source = bench.source()
    if while_open:
        source.open({}, "beginning")
        source.seek(name, {"offset": 25})
        with pytest.raises(GapError, match="ends at offset 10") as caught:
            read(source, 1)
    else:
        with pytest.raises(GapError, match="ends at offset 10") as caught:
            source.open({name: {"offset": 25}}, "beginning")
    source.close()
    assert caught.value.resume == {"offset": 10}
    with opened(bench, {name: caught.value.resume}) as source:
        bench.write(name, [b"next"])
        assert by_partition(read(source, 1)) == {name: [b"next"]}


def test_faults_that_are_not_retried(kafka_mock):
    with pytest.raises(ValueError, match=r"auto\.offset\.reset cannot be changed"):
        sources.open("kafka://h/t", {"auto.offset.reset": "earliest"})
    with pytest.raises(ValueError, match=r"sasl\.username") as caught:
        sources.open("kafka://me:secret@h/t")
    assert "secret" not in str(caught.value)
    source = sources.open("kafka://h/t", {"no.such.setting": "1"})
    with pytest.raises(ValueError, match=r"no\.such\.setting"):
        source.open({}, "beginning")


def test_a_server_that_is_not_there_is_tried_again(kafka_mock):
    source = sources.open("kafka://127.0.0.1:1/topic")
    with pytest.raises(ConnectionError):
        source.open({}, "beginning")
    source.close()


def test_a_chunk_of_large_messages_ends_early(bench):
    name = bench.partitions[0]
    bench.write(name, [b"%d" % i * 20_000 for i in range(100, 160)])  # 60,000 bytes each
    bench.write(name, [b"x" * 30_000] * 40)
    with opened(bench) as source:
        sizes = [sum(map(len, chunk.values)) for chunk in read(source, 100, most=10_000)]
    assert sum(sizes) == 60 * 60_000 + 40 * 30_000
    assert max(sizes) < 5 * 2**20


def test_it_can_be_closed_while_another_thread_waits_for_messages(bench):
    source = bench.source()
    source.open({}, "beginning")
    ended = []

    def poll() -> None:
        try:
            while True:
                source.poll(10, 0.2)
        except ConnectionError:
            ended.append(True)

    thread = threading.Thread(target=poll)
    thread.start()
    time.sleep(0.3)
    source.close()
    thread.join(30)
    assert ended
