"""Redis Streams, on a real server."""

from __future__ import annotations

import json

import pytest

from riparian import sources
from riparian.sources import GapError
from tests.servers.redis import RedisServer
from tests.sources.conformance import (
    Conformance,
    FollowingConformance,
    GapConformance,
    MessageConformance,
    OutageConformance,
    RemadeConformance,
    TimeConformance,
    by_partition,
    numbered,
    opened,
    read,
)
from tests.sources.redis_bench import RedisBench

pytestmark = pytest.mark.servers


@pytest.fixture
def bench(redis_server):
    return RedisBench(redis_server)


class TestRedis(
    Conformance,
    MessageConformance,
    FollowingConformance,
    TimeConformance,
    GapConformance,
    RemadeConformance,
    OutageConformance,
):
    pass


def test_an_entry_deleted_in_the_middle_is_a_gap(bench):
    [name, _] = bench.partitions
    bench.write(name, numbered(20))
    ids = [entry[0] for entry in bench.client.xrange(name)]
    with opened(bench) as source:
        read(source, 10)
        bench.client.xdel(name, ids[15])
        with pytest.raises(GapError) as caught:
            read(source, 9)
        assert caught.value.lost == 1
        source.seek(name, caught.value.resume)
        assert by_partition(read(source, 9))[name] == [*numbered(5, 10), *numbered(4, 16)]


@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        ({"data": "hello"}, {}, b"hello"),
        ({"x": "1", "job": "nurse"}, {}, {"x": "1", "job": "nurse"}),
        ({"x": "1", "body": "hello"}, {"field": "body"}, b"hello"),
        ({"x": "1"}, {"field": "body"}, None),
        ({"x": b"\xff", "y": "1"}, {}, {"x": "\ufffd", "y": "1"}),
    ],
)
def test_what_of_an_entry_is_the_message(bench, fields, options, message):
    bench.client.xadd(bench.partitions[0], fields)
    source = bench.source(**options)
    source.open({}, "beginning")
    [chunk] = read(source, 1)
    source.close()
    [value] = chunk.values
    assert (json.loads(value) if isinstance(message, dict) else value) == message


def test_trim_removes_what_a_checkpoint_holds(bench):
    [name, _] = bench.partitions
    bench.write(name, numbered(50))
    source = bench.source(trim="yes")
    source.open({}, "beginning")
    chunks = read(source, 30, most=10)
    source.committed({name: chunks[1].next})
    source.close()
    assert bench.client.xlen(name) == 31
    with opened(bench, {name: chunks[1].next}) as source:
        assert by_partition(read(source, 30)) == {name: numbered(30, 20)}


def test_a_password_is_needed_and_not_shown(tmp_path, redis_server):
    import redis

    server = RedisServer(tmp_path, ["--requirepass", "secret"])
    server.start()
    try:
        redis.Redis(port=server.port, password="secret").xadd("key", {"data": "1"})
        for address in (server.address, f":wrong@{server.address}"):
            source = sources.open(f"redis://{address}/0/key")
            with pytest.raises(PermissionError) as caught:
                source.open({}, "beginning")
            assert "wrong" not in str(caught.value)
        source = sources.open(f"redis://:secret@{server.address}/0/key")
        source.open({}, "beginning")
        assert by_partition(read(source, 1)) == {"key": [b"1"]}
        assert "secret" not in source.name
        source.close()
    finally:
        server.kill()


def test_faults_that_are_not_retried(bench):
    absent = sources.open(f"redis://{bench.server.address}/0/absent")
    with pytest.raises(LookupError, match="no such key"):
        absent.open({}, "beginning")
    bench.client.set("text", "1")
    text = sources.open(f"redis://{bench.server.address}/0/text")
    with pytest.raises(ValueError, match="WRONGTYPE"):
        text.open({}, "beginning")
    wrong = sources.open(f"redis://{bench.server.address}/0/key", {"no_such_setting": "1"})
    with pytest.raises(ValueError, match="no_such_setting"):
        wrong.open({}, "beginning")


def test_a_server_that_is_not_there_is_tried_again(redis_server):
    source = sources.open("redis://127.0.0.1:1/0/key")
    with pytest.raises(ConnectionError):
        source.open({}, "beginning")
