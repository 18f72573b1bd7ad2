"""Messages become rows by a schema that is decided once; hostile ones harm nobody."""

from __future__ import annotations

import json
import os
import random

import numpy as np
import pyarrow as pa
import pytest

import riparian as rp
from riparian.sources.lines import Lines
from riparian.sources.messages import Messages
from tests.effort import ATTACK

SAMPLE = [b'{"x": %d.5, "c": "ab", "y": "yes"}' % i for i in range(50)]
CSV = [b"%d,%s,%s" % (i, b"ab"[i % 2 : i % 2 + 1], b"yes" if i % 3 else b"no") for i in range(50)]


class Nothing:
    name = "nothing"
    header = None


def decoder(messages, sample=SAMPLE):
    return messages.decoder([sample], Nothing(), 1000)


def table(rows):
    return {name: rows.X[name].tolist() for name in rows.X}, rows.index.tolist()


def test_messages_that_cannot_be_read_are_named():
    bad = [
        b"{",
        b"\xff",
        b"[1]",
        b'{"x": 1, "y": null}',
        b'{"x": "no", "y": "a"}',
        b'{"x": [], "y": "a"}',
    ]
    values = [value for pair in zip(SAMPLE[:6], bad, strict=True) for value in pair]
    values += [b"  ", b"", b'{"x": 1e999, "y": "a"}', b'{"x":\n 3,\n"y": "a"}', b'{"x":\n']
    rows = decoder(Messages("y")).decode(values)
    assert rows.index.tolist() == [0, 2, 4, 6, 8, 10, 15]
    assert sorted(rows.faults) == [1, 3, 5, 7, 9, 11, 14, 16]
    assert rows.faults[9].startswith("column 'x': 'no' is not a number")
    assert "row" not in rows.faults[1]


@pytest.mark.parametrize("columns", [("x", "c", "y")])
def test_messages_of_csv(columns):
    reader = decoder(Messages("y", "csv", columns=columns), CSV)
    values = [
        CSV[0],
        b"1,2",
        b'3,"a,b",no',
        b'4,"open,no',
        b"5,a,b\n6,a,b",
        b"x,a,no",
        None,
        CSV[1],
    ]
    rows = reader.decode(values)
    assert rows.index.tolist() == [0, 2, 7]
    assert rows.X["c"].tolist() == ["a", "a,b", "b"]
    assert sorted(rows.faults) == [1, 3, 4, 5]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_restored_decoder_reads_the_same(form):
    sample = SAMPLE if form == "json" else CSV
    messages = Messages("y", form, columns=None if form == "json" else ("x", "c", "y"))
    first = decoder(messages, sample)
    more = sample[:20] + ([b'{"new": "text", "y": "no"}'] if form == "json" else [])
    first.decode(more)
    second = messages.restored(json.loads(json.dumps(first.state())))
    later = sample[20:] + ([b'{"new": 7, "x": 1, "y": "no"}'] if form == "json" else [])
    assert table(first.decode(later)) == table(second.decode(later))
    assert first.state() == second.state()


def test_lines_and_lists_give_the_same():
    reader = decoder(Messages("y"))
    assert table(reader.decode(Lines(b"\n".join(SAMPLE) + b"\n"))) == table(reader.decode(SAMPLE))


def test_a_schema_can_be_fixed():
    reader = decoder(Messages("y", fixed_schema=True))
    rows = reader.decode([*SAMPLE, b'{"x": 1, "new": 2, "y": "no"}'])
    assert set(rows.X) == {"x", "c"}
    limited = decoder(Messages("y", max_features=3))
    limited.decode([b'{"n%d": 1, "y": "no"}' % i for i in range(40)])
    assert set(limited.decode([b'{"z": 1, "x": 2, "y": "no"}']).X) & {"z"} == set()


def message(**columns):
    batch = pa.record_batch(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def test_arrow_messages_hold_rows():
    good = message(x=[1.0, 2.0], y=["a", "b"])
    reader = decoder(Messages("y", "arrow"), [good])
    rows = reader.decode([good, b"junk", None, message(z=[1.0]), message(x=[3.0], y=[None]), good])
    assert rows.index.tolist() == [0, 0, 5, 5]
    assert sorted(rows.faults) == [1, 3, 4]


def test_arrow_messages_are_read_alike_together_and_alone():
    """Messages of one schema are parsed at once; a row at fault belongs to its own message."""
    rng = random.Random(9)
    sent = []
    for i in range(60):
        n = rng.randrange(4)
        columns = {"x": [rng.random() for _ in range(n)], "c": [rng.choice("ab") for _ in range(n)]}
        if i % 11 == 5 and n:
            columns["x"][-1] = float("inf")
        if i % 17 > 13:
            columns["late"] = [float(i)] * n
        labels = pa.array([rng.choice(["yes", "no"]) for _ in range(n)], pa.string())
        values = {
            name: pa.array(v, pa.string() if name == "c" else None) for name, v in columns.items()
        }
        values = {k: v.cast(pa.float64()) if k in ("x", "late") else v for k, v in values.items()}
        sent.append(b"junk" if i == 30 else message(**values, y=labels))
    whole = message(x=[1.0], c=["a"], y=["yes"])
    together = decoder(Messages("y", "arrow"), [whole]).decode(sent)
    reader = decoder(Messages("y", "arrow"), [whole])
    alone = [reader.decode([one]) for one in sent]
    owners = [i for i, rows in enumerate(alone) for _ in rows.index]
    assert together.index.tolist() == owners
    assert sorted(together.faults) == [i for i, rows in enumerate(alone) if rows.faults]
    assert 30 in together.faults
    assert len(together.faults) > 3
    assert together.y.tolist() == [
        label for rows in alone if rows.y is not None for label in rows.y
    ]
    xs = [x for rows in alone if len(rows.index) for x in rows.X["x"].tolist()]
    assert together.X["x"].tolist() == xs


def test_envelopes():
    row = {"x": 1.5, "deep": {"er": {"est": {"too": 1}}, "n": 2}, "y": "yes"}
    event = {"specversion": "1.0", "id": "1", "source": "here", "data": row}
    flat = [json.dumps(row).encode()]
    plain = decoder(Messages("y", flatten=True, drop=("deep.er.est",)), flat).decode(flat)
    assert {name: plain.X[name].tolist() for name in plain.X} == {"x": [1.5], "deep.n": [2.0]}
    simple = {"x": 1.5, "y": "yes"}
    clouds = [json.dumps({**event, "data": simple}).encode(), json.dumps(simple).encode()]
    rows = decoder(Messages("y", envelope="cloudevents"), clouds).decode(clouds)
    assert rows.X["x"].tolist() == [1.5, 1.5]
    changes = [
        {"payload": {"op": "c", "before": None, "after": simple}},
        {"op": "u", "before": simple, "after": {"x": 2, "y": "no"}},
        {"op": "d", "before": simple, "after": None},
        {"no": "change"},
    ]
    texts = [json.dumps(change).encode() for change in changes]
    rows = decoder(Messages("y", envelope="debezium"), texts).decode(texts)
    assert (rows.X["x"].tolist(), rows.y.tolist(), list(rows.faults)) == (
        [1.5, 2.0],
        ["yes", "no"],
        [3],
    )
    with pytest.raises(ValueError, match="for JSON"):
        Messages("y", "csv", flatten=True)


#: How many messages are damaged. `make test-all` tries five times as many.
HOSTILE = int(os.environ.get("RIPARIAN_HOSTILE", 20_000 * ATTACK))


def mutated(rng, value):
    data = bytearray(value)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            data[at:at] = rng.choice(
                [b"{", b"}", b'"', b",", b":", b"[", b"]", b"\\", b"1e999", b"\n"]
            )
        elif kind == 1:
            del data[at : at + rng.randint(1, 9)]
        elif kind == 2:
            data[at:at] = bytes([rng.randrange(256)])
        else:
            data[at:at] = data[: rng.randint(0, 20)]
    return bytes(data)


@pytest.mark.parametrize("form", ["json", "csv"])
def test_hostile_messages_are_refused_and_change_nothing(form):
    sample = SAMPLE if form == "json" else CSV
    messages = Messages("y", form, ("c",), columns=None if form == "json" else ("x", "c", "y"))
    rng = random.Random(5)
    reader = decoder(messages, sample)
    hostile, whole = 0, set(sample)
    while hostile < HOSTILE // 2:
        share = rng.choice([0.1, 0.5, 0.9])
        values = [
            mutated(rng, rng.choice(sample)) if rng.random() < share else rng.choice(sample)
            for _ in range(rng.choice([1, 7, 60, 2000]))
        ]
        hostile += sum(value not in whole for value in values)
        rows = reader.decode(values)
        blank = {i for i, value in enumerate(values) if not value.strip()}
        assert set(rows.index.tolist()) | set(rows.faults) | blank == set(range(len(values)))
        assert not set(rows.index.tolist()) & set(rows.faults)
        assert len(rows.y if rows.y is not None else ()) == len(rows.index)
        # A good message gives the same row, whatever its neighbours are.
        good = [i for i, value in enumerate(values) if value in whole]
        assert set(good) <= set(rows.index.tolist())
        alone = reader.decode([values[i] for i in good]) if good else None
        if alone is not None:
            at = np.flatnonzero(np.isin(rows.index, good))
            assert rows.X["x"][at].tolist() == alone.X["x"].tolist()


def test_a_refused_row_leaves_the_model_as_it_was(tmp_path):
    rng = random.Random(6)
    (tmp_path / "good.jsonl").write_bytes(b"\n".join(SAMPLE * 10) + b"\n")
    bad = [b'{"x": "text", "c": "q", "y": "yes"}', b"{", b'{"c": "new"}', b'{"x": {}, "y": "no"}']
    mixed = SAMPLE[:30] + [v for value in SAMPLE * 10 for v in (value, rng.choice(bad))][60:]
    (tmp_path / "mixed.jsonl").write_bytes(b"\n".join(mixed) + b"\n")
    for name in ("good", "mixed"):
        options = {"target": "y", "sample": 20, "max_bad": 1.0}
        path = tmp_path / f"{name}.jsonl"
        rp.learn(rp.VFDT(), path, checkpoint=tmp_path / name, **options).join(60)
    models = [next((tmp_path / name / "models").iterdir()) for name in ("good", "mixed")]
    first, second = (rp.load(model) for model in models)
    first.positions_ = second.positions_ = {}
    first.save(tmp_path / "1.rip")
    second.save(tmp_path / "2.rip")
    assert (tmp_path / "1.rip").read_bytes() == (tmp_path / "2.rip").read_bytes()
