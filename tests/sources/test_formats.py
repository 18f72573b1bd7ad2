"""Declared schemas, functions of users, Avro with a registry, and where dead letters go."""

from __future__ import annotations

import base64
import io
import json
import sqlite3
import sys
import tempfile
import threading
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro
import pytest
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from riparian.sources import Chunk, EndOfSource
from riparian.sources.dead import DeadLetter
from riparian.sources.dead_letters import open_sink
from riparian.sources.decode.avro import AvroLoader
from riparian.sources.decode.envelope import Opener
from riparian.sources.decode.schema_registry import SchemaRegistry
from riparian.sources.messages import Messages
from riparian.sources.registry import open_source
from tests.sources.kafka_bench import KafkaBench


class Listed:
    """A source of messages in memory."""

    replayable = True

    def __init__(self, values, name="listed:rows"):
        self.name, self.identity = name, {}
        self._values, self._at = list(values), 0

    def open(self, positions, start):
        self._at = int(positions.get("rows", {"row": 0})["row"])

    def poll(self, most, timeout):
        if self._at == len(self._values):
            raise EndOfSource
        first, self._at = self._at, min(len(self._values), self._at + most)
        return Chunk("rows", {"row": first}, {"row": self._at}, self._values[first : self._at])

    def seek(self, partition, position):
        self._at = int(position["row"])

    def behind(self):
        return {}

    def committed(self, positions):
        pass

    def close(self):
        pass


def learn(values, folder, **options):
    options = {"target": "y", "every": 500, "block": 200, **options}
    source = values if isinstance(values, str) else Listed(values)
    learning = rp.learn(rp.VFDT(grace_period=50), source, checkpoint=folder, **options)
    learning.join(60)
    return learning


def run(*arguments):
    done = CliRunner().invoke(app, ["learn", *map(str, arguments)])
    return done.exit_code, done.stderr


def plain(n):
    return [{"x": i % 7, "z": "ab"[i % 2], "y": int(i % 7 > 3)} for i in range(n)]


def lines(rows):
    return [json.dumps(row).encode() for row in rows]


def query(folder, statement):
    with closing(sqlite3.connect(folder / "state.db")) as db:
        return db.execute(statement).fetchall()


def model_bytes(learning):
    learning.model.positions_ = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.rip")
        learning.model.save(path)
        return path.read_bytes()


# -- messages of which none can be read --------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"<x>1</x>", "this is not JSON: Expecting value at character 1"),
        (b"[1]", "a row must be an object"),
        (b'{"x": 1}', "there is no column 'y'"),
        (b"{\n", "this is not JSON"),
    ],
)
def test_messages_of_which_none_can_be_read_are_named(tmp_path, message, reason):
    with pytest.raises(ValueError, match=r"none of the first 30 messages|no column") as caught:
        learn([message] * 30, tmp_path)
    assert "empty" not in str(caught.value)
    assert reason in str(caught.value)


# -- declared schemas --------------------------------------------------------------------------


def test_a_declared_schema_decides_before_the_first_message(tmp_path):
    schema = {"columns": {"z": "categorical", "x": "categorical", "w": "numeric"}}
    rows = [{**row, "x": str(row["x"]), "y": str(row["y"])} for row in plain(1000)]
    learning = learn(lines(rows), tmp_path, schema=schema)
    [(job,)] = query(tmp_path, "SELECT text FROM job")
    assert json.loads(job)["decoders"][0]["kinds"] == schema["columns"]
    assert learning.model.classes_.tolist() == ["0", "1"]
    assert learning.counters["rejected"] == 0


def test_a_declared_schema_gives_what_the_sample_would_give(tmp_path):
    rows = lines(plain(2000))
    guessed = learn(rows, tmp_path / "a")
    schema = {"columns": {"x": "numeric", "z": "categorical"}, "labels": "integers"}
    declared = learn(rows, tmp_path / "b", schema=schema)
    assert model_bytes(guessed) == model_bytes(declared)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_command_reads_a_schema(tmp_path, ending):
    rows, schema = tmp_path / f"rows.{ending}", tmp_path / "schema.json"
    if ending == "csv":
        rows.write_text("x,z,y\n" + "".join(f"{i % 7},{i % 2},c{i % 3}\n" for i in range(500)))
    else:
        text = (json.dumps({"x": i % 7, "z": i % 2, "y": f"c{i % 3}"}) for i in range(500))
        rows.write_text("\n".join(text) + "\n")
    schema.write_text('{"columns": {"x": "numeric", "z": "categorical"}}')
    common = (rows, "--target", "y", "--checkpoint", tmp_path / "c")
    status, said = run(*common, "--schema", schema)
    assert status == 0, said
    assert "are: x numeric, z categorical" in said
    assert "500 learned" in said
    status, said = run(*common)
    assert (status, "holds another job: its schema is" in said) == (1, True)
    assert run("--resume", tmp_path / "c")[0] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is not JSON"),
        ("[]", "must be an object such as"),
        ('{"columns": {}}', "must name at least one column"),
        ('{"columns": {"x": "number"}}', "the kind of column 'x' must be one of 'numeric'"),
        ('{"columns": {"x": "numeric"}, "labels": "int"}', "labels of the schema must be one of"),
        ('{"columns": {"x": "numeric"}, "more": 1}', "must be an object such as"),
        ('{"columns": {"y": "numeric"}}', "names the target 'y' among the features"),
    ],
)
def test_a_schema_that_is_none_is_refused(tmp_path, text, message):
    rows, schema = tmp_path / "rows.jsonl", tmp_path / "schema.json"
    rows.write_bytes(b"\n".join(lines(plain(10))) + b"\n")
    schema.write_text(text)
    common = (rows, "--target", "y", "--checkpoint", tmp_path / "c")
    status, said = run(*common, "--schema", schema)
    assert (status, message in said) == (1, True), said
    assert not (tmp_path / "c").exists()


# -- functions of users ------------------------------------------------------------------------

FUNCTIONS = """
def pipes(value):
    x, z, y = value.decode().split("|")
    if x == "skip":
        return None
    return {"x": float(x), "z": z, "y": int(y)}

nothing = 3
"""


@pytest.fixture
def functions(tmp_path, monkeypatch):
    (tmp_path / "pipes_of_ours.py").write_text(FUNCTIONS)
    monkeypatch.syspath_prepend(tmp_path)
    yield "pipes_of_ours:pipes"
    sys.modules.pop("pipes_of_ours", None)


def test_a_function_decodes_messages(tmp_path, functions):
    rows = plain(1000)
    values = [f"{row['x']}|{row['z']}|{row['y']}".encode() for row in rows]
    values[300:300] = [b"skip||"]
    values[600:600] = [b"one|a|1", b"1|2"]
    learning = learn(values, tmp_path / "c", decode=functions)
    assert learning.counters["learned"] == 1000
    assert learning.counters["rejected"] == 2
    reasons = query(tmp_path / "c", "SELECT reason FROM dead ORDER BY seq")
    assert reasons[0][0].startswith("pipes_of_ours:pipes failed: ValueError: could not convert")
    expected = learn(lines({**row, "x": float(row["x"])} for row in rows), tmp_path / "d")
    assert model_bytes(learning) == model_bytes(expected)


@pytest.mark.parametrize(
    "text", ["x", "no_such_module:f", "pipes_of_ours:g", "pipes_of_ours:nothing"]
)
def test_a_function_that_is_none_is_refused(tmp_path, functions, text):
    with pytest.raises(ValueError, match="decode"):
        Messages("y", decode=text)


def test_a_resumed_learner_runs_no_function_that_it_was_not_given(tmp_path, functions):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{i % 7}|a|{i % 2}\n" for i in range(300)))
    common = ("--target", "y", "--checkpoint", tmp_path / "c", "--decode", functions)
    status, said = run(rows, *common)
    assert (status, "300 learned" in said) == (0, True), said
    status, said = run("--resume", tmp_path / "c")
    assert status == 1
    assert "decodes its messages with pipes_of_ours:pipes: give --decode again" in said
    assert run("--resume", tmp_path / "c", "--decode", functions)[0] == 0


def test_values_that_json_has_no_type_for():
    row = {
        "d": date(2026, 1, 2),
        "t": datetime(2026, 1, 2, 3, tzinfo=UTC),
        "n": Decimal("1.5"),
        "u": UUID(int=1),
        "nan": float("nan"),
    }
    [found], faults = Opener("plain", False, lambda value: row).open([b""])
    assert (json.loads(found), faults) == (
        {
            "d": "2026-01-02",
            "t": "2026-01-02T03:00:00+00:00",
            "n": 1.5,
            "u": "00000000-0000-0000-0000-000000000001",
            "nan": None,
        },
        {},
    )
    _, faults = Opener("plain", False, lambda value: {"b": b"1"}).open([b""])
    assert faults == {0: "a value of type bytes cannot be learned"}


# -- Avro --------------------------------------------------------------------------------------


def record(*fields):
    named = [{"name": name, "type": kind} for name, kind in fields]
    return {"type": "record", "name": "row", "fields": named}


SCHEMAS = {
    1: record(("x", "double"), ("z", "string"), ("y", "long")),
    # A field is new, one is optional, and the order is another one.
    70000: record(("new", "float"), ("y", "long"), ("z", ["null", "string"]), ("x", "double")),
}


class Registry(ThreadingHTTPServer):
    """A schema registry that needs a login."""

    daemon_threads = True
    login = "Basic " + base64.b64encode(b"me:secret").decode()

    def __init__(self):
        self.asked = []
        self.down = 0
        super().__init__(("127.0.0.1", 0), Replies)
        self.url = f"http://127.0.0.1:{self.server_port}"


class Replies(BaseHTTPRequestHandler):
    def do_GET(self):
        registry: Any = self.server
        registry.asked.append(self.path)
        number = int(self.path.rpartition("/")[2])
        status, body = 200, {}
        if registry.down > 0:
            registry.down -= 1
            status = 503
        elif self.headers.get("Authorization") != registry.login:
            status = 401
        elif number == 5:
            body = {"schemaType": "PROTOBUF", "schema": "message X {}"}
        elif number in SCHEMAS:
            body = {"schema": json.dumps(SCHEMAS[number])}
        else:
            status = 404
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


@pytest.fixture
def registry():
    server = Registry()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


LOGIN = {"user": "me", "password": "secret"}


def avro(number, row):
    data = io.BytesIO()
    fastavro.schemaless_writer(data, SCHEMAS[number], row)
    return b"\0" + number.to_bytes(4, "big") + data.getvalue()


def test_avro_messages_are_read_with_the_schemas_they_were_written_with(registry, tmp_path):
    rows = [{**row, "x": float(row["x"])} for row in plain(1200)]
    for i, row in enumerate(rows[600:]):
        row["new"] = float(i % 4)
        if i % 5 == 0:
            row["z"] = None
    values = [avro(1, row) for row in rows[:600]] + [avro(70000, row) for row in rows[600:]]
    options = {"format": "avro", "registry": registry.url, "registry_options": LOGIN}
    learning = learn(values, tmp_path / "a", **options)
    assert registry.asked == ["/schemas/ids/1", "/schemas/ids/70000"]
    order = ("new", "y", "z", "x")
    texts = [*rows[:600], *({name: row[name] for name in order} for row in rows[600:])]
    expected = learn(lines(texts), tmp_path / "b")
    assert learning.counters["rejected"] == 0
    assert model_bytes(learning) == model_bytes(expected)


def test_messages_that_are_no_avro_are_dead_letters(registry):
    load = AvroLoader(SchemaRegistry(registry.url, LOGIN))
    good = avro(1, {"x": 1.0, "z": "a", "y": 1})
    assert load(good) == {"x": 1.0, "z": "a", "y": 1}
    for value, reason in [
        (b"", "it must begin with byte 0"),
        (b'{"x": 1}', "it must begin with byte 0"),
        (good[:-3], "this is not Avro of schema 1"),
        (good + b"x", "1 bytes are left"),
        (b"\0\0\0\0\x09" + good[5:], "has no schema 9"),
        (b"\0\0\0\0\x05" + good[5:], "schema 5 is PROTOBUF, not Avro"),
    ]:
        with pytest.raises(ValueError, match=reason):
            load(value)


def test_a_registry_that_is_away_is_asked_again(registry, tmp_path):
    registry.down = 2
    said = []
    options = {"format": "avro", "registry": registry.url, "registry_options": LOGIN}
    values = [avro(1, {**row, "x": float(row["x"])}) for row in plain(300)]
    learning = learn(values, tmp_path, report=said.append, **options)
    assert learning.counters["learned"] == 300
    assert any("replied with status 503" in text for text in said)
    assert len(registry.asked) == 3


def test_a_login_that_is_refused_ends_the_learner(registry, tmp_path):
    options = {"format": "avro", "registry": registry.url}
    with pytest.raises(PermissionError, match="refuses the login: status 401"):
        learn([avro(1, {"x": 1.0, "z": "a", "y": 1})], tmp_path, **options)
    secret = {**options, "registry_options": {"user": "me", "password": "wrong"}}
    with pytest.raises(PermissionError, match="status 401"):
        learn([avro(1, {"x": 1.0, "z": "a", "y": 1})], tmp_path, **secret)
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"wrong" not in path.read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "avro"}, "need the address of a schema registry: --registry URL"),
        ({"registry": "http://h"}, "only Avro messages have a registry: --format avro"),
        ({"format": "avro", "registry": "ftp://h"}, "must be an http or https address"),
        ({"format": "avro", "registry": "http://me:pw@h"}, "must have no user and password"),
        ({"format": "csv", "decode": "json:loads"}, "leave out the format"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message) as caught:
        Messages("y", **options)
    assert "pw" not in str(caught.value)


# -- dead letters ------------------------------------------------------------------------------


def test_dead_letters_are_sent_to_a_file(tmp_path):
    values = lines(plain(1000))
    values[100:100] = [b"{"]
    values[700:700] = [b"\xff"]
    sent = tmp_path / "dead.jsonl"
    learning = learn(values, tmp_path / "c", dead_letters=str(sent))
    assert learning.counters["rejected"] == 2
    found = [json.loads(line) for line in sent.read_text().splitlines()]
    assert [(letter["place"], letter["value"]) for letter in found] == [("100", "{"), ("100", "�")]
    assert found[0]["partition"] == "rows"
    assert found[0]["reason"].startswith("this is not JSON")


def test_dead_letters_that_cannot_be_sent_stop_the_checkpoint(tmp_path):
    values = [*lines(plain(500)), b"{", *lines(plain(500))]
    with pytest.raises(OSError, match="the last checkpoint could not be written"):
        learn(values, tmp_path / "c", dead_letters="/dev/full")
    assert query(tmp_path / "c", "SELECT * FROM dead") == []
    # The next one sends them.
    sent = tmp_path / "dead.jsonl"
    assert learn(values, tmp_path / "c", dead_letters=str(sent)).counters["rejected"] == 1
    assert len(sent.read_text().splitlines()) == 1


@pytest.mark.parametrize("address", ["redis://h/0/k", "synth:sea", "-"])
def test_dead_letters_go_to_files_and_topics(tmp_path, address):
    with pytest.raises(ValueError, match="dead letters go to a file or to kafka://host:port/topic"):
        learn(lines(plain(10)), tmp_path / "c", dead_letters=address)


@pytest.mark.servers
def test_a_broker_that_takes_no_dead_letters_is_named(monkeypatch):
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr("riparian.sources.dead_letters._PATIENCE", 0.2)
    sink = open_sink("kafka://127.0.0.1:1/dead", {"log_level": "0"})
    with pytest.raises(ConnectionError, match=r"1 are not accepted after 0.2 seconds; is"):
        sink.send([DeadLetter(0, "rows", "1", "no number", b"{}")])
    sink.close()


@pytest.mark.servers
def test_dead_letters_are_sent_to_a_topic(kafka_mock, tmp_path):
    bench = KafkaBench(kafka_mock)
    values = lines(plain(600))
    values[10:10] = [b"{"]
    learn(values, tmp_path / "c", dead_letters=bench.address)
    source = open_source(bench.address, follow=False)
    source.open({}, "beginning")
    found = []
    try:
        while True:
            chunk = source.poll(100, 1.0)
            if chunk is not None:
                found += zip(chunk.keys, chunk.values, strict=True)
    except EndOfSource:
        source.close()
    assert found == [(b"rows 10", b"{")]
