"""Kafka, on a real broker: what the mock does not have."""

from __future__ import annotations

import time

import pytest

from riparian import sources
from tests.servers.process import wait_until
from tests.sources.conformance import (
    Conformance,
    FollowingConformance,
    GapConformance,
    KeyConformance,
    MessageConformance,
    OutageConformance,
    PartitionConformance,
    RemadeConformance,
    TimeConformance,
    by_partition,
    numbered,
    opened,
    read,
)
from tests.sources.kafka_bench import KafkaBench

pytestmark = pytest.mark.servers


@pytest.fixture
def bench(kafka_server):
    return KafkaBench(kafka_server)


class TestKafka(
    Conformance,
    MessageConformance,
    FollowingConformance,
    TimeConformance,
    KeyConformance,
    GapConformance,
    RemadeConformance,
    PartitionConformance,
    OutageConformance,
):
    pass


def test_aborted_transactions_are_not_read(bench):
    name = bench.partitions[0]
    producer = bench.new_producer(**{"transactional.id": bench.topic})
    producer.init_transactions(60)
    committed = []
    for i in range(20):
        producer.begin_transaction()
        for value in numbered(5, 5 * i):
            producer.produce(bench.topic, value, partition=0)
        if i % 3 == 0:
            producer.flush(60)  # else the messages would not leave the producer
            producer.abort_transaction(60)
        else:
            producer.commit_transaction(60)
            committed += numbered(5, 5 * i)
    with opened(bench) as source:
        chunks = read(source, len(committed), most=7)
        # The last record is the mark of a commit: it is no message that waits.
        wait_until(
            lambda: source.poll(1, 0.1) is None and source.behind()[name].messages == 0, "the end"
        )
    assert by_partition(chunks) == {name: committed}
    for chunk in chunks[::3]:
        seen = chunks.index(chunk) + 1
        with opened(bench, {name: chunk.next}) as source:
            tail = by_partition(chunks[seen:])
            assert by_partition(read(source, sum(map(len, tail.values())))) == tail
    with opened(bench, follow=False) as source:
        assert by_partition(read(source, len(committed))) == {name: committed}


def test_an_open_transaction_is_waited_for(bench):
    name = bench.partitions[0]
    producer = bench.new_producer(**{"transactional.id": bench.topic})
    producer.init_transactions(60)
    producer.begin_transaction()
    producer.produce(bench.topic, b"later", partition=0)
    producer.flush(60)
    bench.write(name, [b"after"])
    with opened(bench) as source:
        assert source.poll(10, 0.5) is None
        producer.commit_transaction(60)
        assert by_partition(read(source, 2)) == {name: [b"later", b"after"]}


def test_an_unknown_topic_is_not_retried(bench):
    source = sources.open(f"kafka://{bench.server.address}/no-such-topic")
    with pytest.raises(LookupError, match="no-such-topic"):
        source.open({}, "beginning")
    source.close()


def test_several_topics_are_one_source(kafka_server):
    first, second = KafkaBench(kafka_server, 1), KafkaBench(kafka_server, 1)
    first.write(first.partitions[0], numbered(5))
    second.write(second.partitions[0], numbered(7))
    source = sources.open(f"kafka://{kafka_server.address}/{first.topic},{second.topic}")
    source.open({}, "beginning")
    found = by_partition(read(source, 12))
    assert found == {first.partitions[0]: numbered(5), second.partitions[0]: numbered(7)}
    assert {f"topic:{first.topic}", f"topic:{second.topic}", "cluster"} == set(source.identity)
    source.close()


def test_offsets_are_reported_to_a_group(bench):
    from confluent_kafka import Consumer, TopicPartition

    name = bench.partitions[0]
    bench.write(name, numbered(10))
    source = bench.source(group="lag-" + bench.topic)
    source.open({}, "beginning")
    chunk = read(source, 4)[-1]
    source.committed({name: chunk.next})
    asked = Consumer({**bench.settings, "group.id": "lag-" + bench.topic})
    place = TopicPartition(bench.topic, 0)
    wait_until(lambda: asked.committed([place], timeout=30)[0].offset == 4, "the report")
    asked.close()
    source.close()
    # It is a report only: reading begins where the learner says.
    source.open({}, "beginning")
    assert by_partition(read(source, 10)) == {name: numbered(10)}
    source.close()


def test_a_fast_reader_does_not_wait_for_the_next_fetch(kafka_server):
    """More is written than is fetched ahead; with librdkafka's defaults it stops for a second."""
    bench = KafkaBench(kafka_server, partitions=1)
    bench.write(bench.partitions[0], [b"x" * 10_000] * 6000)
    longest = []
    for _ in range(3):  # a busy machine may delay one of them
        source = bench.source(follow=False)
        source.open({}, "beginning")
        waits: list[float] = []
        messages = 0
        while messages < 6000:
            clock = time.perf_counter()
            chunk = source.poll(10_000, 5.0)
            waits.append(time.perf_counter() - clock)
            if not messages:
                time.sleep(0.3)  # now as much is fetched ahead as may be
            messages += len(chunk.values) if chunk else 0
        source.close()
        longest.append(max(waits[1:]))
    assert min(longest) < 0.4, longest
