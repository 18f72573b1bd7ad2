"""NATS JetStream, on a real server."""

from __future__ import annotations

import pytest

from riparian import sources
from riparian.sources import GapError
from tests.servers.nats import NatsServer
from tests.servers.process import wait_until
from tests.sources.conformance import (
    Conformance,
    FollowingConformance,
    GapConformance,
    MessageConformance,
    OutageConformance,
    RemadeConformance,
    TimeConformance,
    by_partition,
    current,
    numbered,
    opened,
    read,
)
from tests.sources.nats_bench import NatsBench

pytestmark = pytest.mark.servers


@pytest.fixture
def bench(nats_server):
    return NatsBench(nats_server)


class TestNats(
    Conformance,
    MessageConformance,
    FollowingConformance,
    TimeConformance,
    GapConformance,
    RemadeConformance,
    OutageConformance,
):
    pass


@pytest.mark.parametrize("retention", ["workqueue", "interest"])
class TestAcknowledged:
    """Streams that drop a message when it is acknowledged."""

    def test_messages_stay_until_a_checkpoint_holds_them(self, nats_server, retention):
        bench = NatsBench(nats_server, retention)
        [name] = bench.partitions
        with opened(bench) as source:  # interest: messages stay from here on
            bench.write(name, numbered(100))
            half = read(source, 30, most=10)[-1].next
            read(source, 30, most=10)
            source.committed({name: half})
            wait_until(lambda: bench.info().state.first_seq == 31, "acknowledging")
        with opened(bench, {name: half}) as source:
            assert by_partition(read(source, 70)) == {name: numbered(70, 30)}
            source.committed(current(source))
            wait_until(lambda: bench.info().state.messages == 0, "acknowledging")
            assert source.poll(1, 0.05) is None
            bench.write(name, numbered(5, 100))
            assert by_partition(read(source, 5)) == {name: numbered(5, 100)}

    def test_what_was_learned_is_dropped_when_it_comes_again(self, nats_server, retention):
        bench = NatsBench(nats_server, retention)
        [name] = bench.partitions
        with opened(bench) as source:
            bench.write(name, numbered(50))
            chunk = read(source, 20)[-1]
        # The checkpoint was written, but the acknowledgements were lost.
        with opened(bench, {name: chunk.next}) as source:
            assert by_partition(read(source, 30)) == {name: numbered(30, 20)}
            source.committed(current(source))
            wait_until(lambda: bench.info().state.messages == 0, "acknowledging")

    def test_the_server_goes_away_and_comes_back(self, nats_server, retention):
        bench = NatsBench(nats_server, retention)
        [name] = bench.partitions
        with opened(bench) as source:
            bench.write(name, numbered(50))
            read(source, 20)
            with bench.restart():
                pass
            assert by_partition(read(source, 30)) == {name: numbered(30, 20)}
            source.committed(current(source))
            wait_until(lambda: bench.info().state.messages == 0, "acknowledging")


def test_the_id_of_a_message_is_its_key(bench):
    bench.write(bench.partitions[0], [b"1", b"2"], keys=[b"a", b"b"])
    with opened(bench) as source:
        assert [key for chunk in read(source, 2) for key in chunk.keys] == [b"a", b"b"]


def test_a_message_deleted_in_the_middle_is_no_gap(bench):
    """Only an operator deletes one message, and because it must not be read."""
    [name] = bench.partitions
    bench.write(name, numbered(20))
    bench.run(lambda js: js.delete_msg(name, 10))
    with opened(bench) as source:
        assert by_partition(read(source, 19)) == {name: [*numbered(9), *numbered(10, 10)]}


def test_a_stream_that_lost_its_end_is_noticed(bench):
    [name] = bench.partitions
    bench.write(name, numbered(20))
    source = bench.source()
    with pytest.raises(GapError, match="ends at sequence 20") as caught:
        source.open({name: {"seq": 30}}, "end")
    source.close()
    assert caught.value.resume == {"seq": 21}


def test_a_password_is_needed_and_not_shown(tmp_path, nats_server):
    server = NatsServer(tmp_path, ["--user", "me", "--pass", "secret"])
    server.start()
    try:
        for login in ("", "me:wrong@"):
            source = sources.open(f"nats://{login}{server.address}/S")
            with pytest.raises(PermissionError) as caught:
                source.open({}, "beginning")
            source.close()
            assert "wrong" not in str(caught.value)
        source = sources.open(f"nats://me:secret@{server.address}/S")
        with pytest.raises(LookupError, match="stream not found"):
            source.open({}, "beginning")
        source.close()
        assert "secret" not in source.name
    finally:
        server.kill()


def test_faults_that_are_not_retried(bench):
    wrong = sources.open(bench.address, {"no_such_setting": "1"})
    with pytest.raises(ValueError, match="no_such_setting"):
        wrong.open({}, "beginning")
    wrong.close()


def test_a_server_that_is_not_there_is_tried_again(nats_server):
    source = sources.open("nats://127.0.0.1:1/S")
    with pytest.raises(ConnectionError):
        source.open({}, "beginning")
    source.close()
