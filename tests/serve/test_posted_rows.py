"""Posted rows stay lines and codes on their way to the model; the model is that of one pass."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riparian.serve.http import Problem, Request
from riparian.serve.learn import careful_rows, plain_rows, row_body
from riparian.serve.limits import Limits
from riparian.serve.posted_job import posted_job
from riparian.serve.rows import schema_of
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.front import Front, RowError
from riparian.sources.job import open_learner
from riparian.sources.labelled import LabelKeys, Labelled
from riparian.sources.messages import Messages
from riparian.sources.post import Post
from riparian.sources.settings import Settings
from riparian.storage.modelfile import to_bytes
from riparian.streams.readers import flat_json
from tests.serve.serving import JOIN, rows_of, tree

NDJSON = "application/x-ndjson"


def request(body: str | bytes, kind: str = "application/json") -> Request:
    data = body.encode() if isinstance(body, str) else body
    return Request("POST", "/v1/learn", {}, {}, b"", data, kind)


def posted(rows: list[tuple[dict[str, Any], Any]]) -> Labelled:
    found = [{"features": x, "label": y} for x, y in rows]
    plain = plain_rows(request(json.dumps({"rows": found})))
    assert plain is not None
    return plain


def learned(
    folder: Path, posts: list[Labelled], *, block: int = 10_000, most: int | None = None
) -> Any:
    """The learner after some posts, all of which are written before it begins."""
    with Checkpoint(folder) as checkpoint:
        job = posted_job(checkpoint, tree(), Messages(None), JOIN, Limits())
        journal = job.source.journal  # type: ignore[attr-defined]
        for post in posts:
            journal.post(Post(rows=post)).result(30)
        ((last,),) = checkpoint.table("SELECT max(seq) FROM journal")
        settings = Settings(every_seconds=None, every_rows=300, block=block, rows=most)
        learner = open_learner(job, checkpoint, settings, lambda event: None)

        def stop(seen: Any) -> None:
            if seen.status.counters["messages"] >= last:
                seen.stop()

        learner.look_on(stop)
        learner.run()
        journal.close()
    return learner


def model_bytes(learner: Any) -> bytes:
    learner.model.positions_ = {}
    return to_bytes(learner.model)


def one_pass(rows: list) -> bytes:
    X = {name: np.array([x[name] for x, _ in rows]) for name in rows[0][0]}
    model = tree().partial_fit(X, [y for _, y in rows])
    model.positions_ = {}
    return to_bytes(model)


def test_the_plain_reader_reads_what_the_careful_one_reads() -> None:
    dice = random.Random(3)
    values = (1, -0, 0.1, -1.5e-7, 123456789012345678, 1e22, "a", "é ☂", "", None, True, False)
    for _ in range(300):
        rows = [
            {
                "features": {f"x{i}": dice.choice(values) for i in range(dice.randint(1, 4))},
                "label": dice.choice(("yes", "no", "é", 0, 7, True)),
            }
            for _ in range(dice.randint(1, 6))
        ]
        space = dice.choice((None, (",", ":"), (" ,\t", " :\r\n ")))
        body = json.dumps({"rows": rows}, ensure_ascii=dice.random() < 0.2, separators=space)
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        for asked in (request(body), request(lines, NDJSON)):
            plain = plain_rows(asked)
            if plain is None:
                assert b"\\u" in asked.body or b"1e+22" in asked.body
                continue
            careful = careful_rows(asked)
            found = [json.loads(line) for line in plain.lines.splitlines()]
            assert found == [row.features for row in careful]
            labels = [plain.labels[code] for code in plain.codes.tolist()]
            assert list(map(repr, labels)) == [repr(row.label) for row in careful]
            assert plain.longest == max(len(line) for line in plain.lines.split(b"\n"))


@pytest.mark.parametrize(
    "body",
    [
        b'{"rows": [{"features": {"x": 1e400}, "label": 1}]}',
        b'{"rows": [{"features": {"x": "\xff"}, "label": 1}]}',
        b'{"rows": [{"features": {"x": [1]}, "label": 1}]}',
        b'{"rows": [{"features": {"x": 1}, "label": 1.5}]}',
        b'{"rows": [{"features": {"x": NaN}, "label": 1}]}',
        b'{"rows": [{"features": {"x": 1}}]}',
        b'{"rows": [{"features": {"x": 1}, "label": 1}]',
    ],
)
def test_what_is_wrong_is_refused_by_the_careful_reader(body: bytes) -> None:
    assert plain_rows(request(body)) is None
    with pytest.raises(Problem):
        careful_rows(request(body))


def test_an_escape_is_left_to_the_careful_reader() -> None:
    asked = request(b'{"rows": [{"features": {"a\\n": "\\u00e9"}, "label": 1, "more": {}}]}')
    assert plain_rows(asked) is None
    [row] = careful_rows(asked)
    assert row_body(row.features, 0, 100) == '{"a\\n":"é"}'.encode()


@pytest.mark.parametrize("block", [1, 7, 1000, 10_000])
def test_blocks_of_any_size_give_the_bytes_of_one_pass(tmp_path, block: int) -> None:
    n = 60 if block == 1 else 2600
    rows = rows_of(n)
    first = learned(tmp_path, [posted(rows[:20]), posted(rows[20:])], block=block)
    assert first.rows == n
    assert model_bytes(first) == one_pass(rows)
    ((entries, counted),) = Checkpoint(tmp_path).table(
        "SELECT count(*), sum(n) FROM journal WHERE kind != 'tick'"
    )
    assert counted <= n
    assert entries <= 4, "2,580 rows are three entries"


def test_a_learner_goes_on_within_an_entry(tmp_path) -> None:
    rows = rows_of(900)
    assert learned(tmp_path, [posted(rows)], block=7, most=400).rows < 900
    again = learned(tmp_path, [], block=7)
    assert again.rows == 900
    assert model_bytes(again) == one_pass(rows)


def test_kinds_of_new_columns_do_not_depend_on_what_is_decoded_at_once(tmp_path) -> None:
    # The first rows of the second request alone would say that the column is a number.
    posts = [
        posted([({"x": 1.0}, "no")] * 5),
        posted([({"x": 1.0, "new": 3.5}, "no")] * 5 + [({"x": 0.5, "new": "b"}, "yes")] * 5),
    ]
    found = []
    for block in (1, 3, 10_000):
        learner = learned(tmp_path / str(block), posts, block=block)
        kinds = {feature.name: feature.kind for feature in schema_of(learner.model).features}
        assert kinds == {"x": "numeric", "new": "categorical"}
        assert learner.rows == 15
        found.append(model_bytes(learner))
    assert len(set(found)) == 1


def test_a_restarted_server_knows_the_columns_of_the_journal(tmp_path) -> None:
    with Checkpoint(tmp_path) as checkpoint:
        job = posted_job(checkpoint, tree(), Messages(None), JOIN, Limits())
        journal = job.source.journal  # type: ignore[attr-defined]
        for rows in ([({"x": 1.0}, "no")], [({"x": 1.0, "new": 3.5}, "no")]):
            journal.post(Post(rows=posted(rows))).result(30)
        journal.close()
        checkpoint.write_job({"source": "journal:"})
        again = posted_job(checkpoint, tree(), Messages(None), JOIN, Limits())
        journal = again.source.journal  # type: ignore[attr-defined]
        with pytest.raises(RowError, match="new"):
            journal.post(Post(rows=posted([({"new": "text"}, "no")]))).result(30)
        journal.post(Post(rows=posted([({"new": 1.5}, "no")]))).result(30)
        assert journal.rows == 3
        assert checkpoint.table("SELECT seq, n FROM journal") == [(1, 1), (2, 1), (3, 1)]
        journal.close()


def test_rows_are_decoded_once(tmp_path, monkeypatch) -> None:
    sizes: list[int] = []
    table = flat_json.flat_table

    def counted(data: bytes, *args: Any) -> Any:
        sizes.append(data.count(b"\n"))
        return table(data, *args)

    monkeypatch.setattr("riparian.streams.readers.jsonlines.flat_table", counted)
    rows = rows_of(500)
    learner = learned(tmp_path, [posted(rows[:200]), posted(rows[200:])])
    assert sizes == [200, 300]
    assert model_bytes(learner) == one_pass(rows)


def test_a_wrong_label_is_named_by_its_row() -> None:
    front = Front(Messages(None))
    front.check_rows(posted([({"x": 1.0}, 1)]))
    with pytest.raises(RowError, match="whole numbers") as found:
        front.check_rows(posted([({"x": 1.0}, 2), ({"x": 1.0}, "7"), ({"x": 2.0}, "b")]))
    assert found.value.row == 2


def test_labels_of_entries_are_one_column() -> None:
    one = posted([({"x": 1.0}, "a"), ({"x": 1.0}, "b"), ({"x": 1.0}, "a")])
    two = posted([({"x": 1.0}, "c"), ({"x": 1.0}, "a")])
    keys = LabelKeys.stored([one.piece(1, 3).head(), two.head()])
    assert keys.column(np.arange(4)).tolist() == ["b", "a", "c", "a"]
    assert keys[1:3].column(np.array([1])).tolist() == ["c"]
    assert keys[3] == b'learn {"label":"a"}'
    whole = LabelKeys.stored([posted([({"x": 1.0}, 5)] * 2).head()]).column(np.arange(2))
    assert (whole.dtype, whole.tolist()) == (np.int64, [5, 5])
