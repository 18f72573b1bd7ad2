"""Each option of `riparian learn` reaches the learner: a case fails if its option is ignored."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from riparian.cli import learn_run
from riparian.cli.app import app
from riparian.serve.options import ServeOptions
from tests import inside

ROW = {"x": 1.0, "c": "a", "id": "k", "at": 1.0, "y": "yes"}
DECLARED = {"columns": {"x": "numeric"}, "labels": "text"}
SERVE = ["--serve", "127.0.0.1:0"]
LATE = ["--labels", "labels.jsonl", "--key", "id", "--label", "y", "--wait", "1h"]


@pytest.fixture
def captured(tmp_path, monkeypatch):
    """Return what the command would run with some options."""
    monkeypatch.chdir(tmp_path)
    for name in ("rows.jsonl", "labels.jsonl", "rows.txt"):
        (tmp_path / name).write_text(json.dumps(ROW) + "\n")
    (tmp_path / "rows.csv").write_text("x,y\n1,yes\n")
    (tmp_path / "schema.json").write_text(json.dumps(DECLARED))
    (tmp_path / "options.json").write_text(json.dumps({"idle-line": "4"}))
    seen = []

    def run_learner(job, folder, keep, settings, running, sink, team):
        seen.append(
            SimpleNamespace(
                job=job,
                folder=folder,
                keep=keep,
                settings=settings,
                running=running,
                sink=sink,
                team=team,
            )
        )

    monkeypatch.setattr(learn_run, "run_learner", run_learner)

    def run(*arguments, target=("--target", "y"), source="rows.jsonl"):
        given = ["learn", source, *target, "--checkpoint", "state", *arguments]
        done = CliRunner().invoke(app, given)
        assert done.exit_code == 0, done.output
        return seen.pop()

    return run


def idle_line(c):
    return inside.option_of(c.job.source, "idle_line")


def served(c):
    return c.running.serve or ServeOptions("")


def shards_of(c):
    return None if c.team is None else c.team.shards


#: The options, what they set, and its value then. By default it has another one.
CASES = {
    "every": (["--every", "500"], lambda c: c.settings.every_rows, 500),
    "keep": (["--keep", "7"], lambda c: c.keep, "7"),
    "start": (["--start", "end"], lambda c: c.job.start, "end"),
    "follow": (["--follow"], lambda c: inside.option_of(c.job.source, "follow"), True),
    "until_end": (["--until-end"], lambda c: c.job.how["follow"], False),
    "idle_line": (
        ["--idle-line", "3s"],
        idle_line,
        3.0,
    ),
    "categorical": (["--categorical", "x,c"], lambda c: c.job.messages.categorical, ("x", "c")),
    "drop": (["--drop", "x"], lambda c: c.job.messages.drop, ("x",)),
    "columns": (["--columns", "a,y"], lambda c: c.job.messages.columns, ("a", "y")),
    "fixed_schema": (["--fixed-schema"], lambda c: c.job.messages.fixed_schema, True),
    "envelope": (["--envelope", "debezium"], lambda c: c.job.messages.envelope, "debezium"),
    "flatten": (["--flatten"], lambda c: c.job.messages.flatten, True),
    "decode": (["--decode", "json:loads"], lambda c: c.job.messages.decode, "json:loads"),
    "schema": (["--schema", "schema.json"], lambda c: c.job.messages.schema, DECLARED["columns"]),
    "sample": (["--sample", "9"], lambda c: c.job.sample, 9),
    "on_gap": (["--on-gap", "skip"], lambda c: c.settings.on_gap, "skip"),
    "on_bad": (["--on-bad", "stop"], lambda c: c.settings.on_bad, "stop"),
    "max_bad": (["--max-bad", "0.5"], lambda c: c.settings.max_bad, 0.5),
    "dead_letters": (["--dead-letters", "dead.jsonl"], lambda c: c.sink is not None, True),
    "rows": (["--rows", "20000"], lambda c: c.settings.rows, 20_000),
    "block": (["--block", "11"], lambda c: c.settings.block, 11),
    "option": (
        ["--option", "idle-line=5"],
        idle_line,
        5.0,
    ),
    "options_file": (
        ["--options-file", "options.json"],
        idle_line,
        4.0,
    ),
    "grace": (["--grace", "2s"], lambda c: c.running.grace, 2.0),
    "workers": (["--workers", "1"], lambda c: c.team is not None, True),
    "shards": (["--workers", "1", "--shards", "4"], shards_of, 4),
    "serve": (SERVE, lambda c: c.running.serve is not None, True),
    "name": ([*SERVE, "--name", "m"], lambda c: served(c).name, "m"),
    "tokens": ([*SERVE, "--tokens", "t.json"], lambda c: served(c).tokens, "t.json"),
    "insecure": ([*SERVE, "--insecure"], lambda c: served(c).insecure, True),
    "metrics": (["--metrics", "9464"], lambda c: c.running.metrics, "9464"),
    "log": (["--log", "json"], lambda c: c.running.live, False),
    "quiet": (["--quiet"], lambda c: c.running.live, False),
    "json": (["--json"], lambda c: c.running.as_json, True),
    "splits": (["--splits", "3"], lambda c: c.running.n_splits, 3),
    "recipe": (["--recipe", "VFDT"], lambda c: type(c.job.model).__name__, "VFDT"),
    "assignments": (["--set", "grace_period=7"], lambda c: c.job.model.grace_period, 7),
}

#: Of labels from another source; those of `LATE` are given, too.
JOINED = {
    "otherwise": (["--else", "ok"], lambda c: c.job.join.otherwise, "ok"),
    "dedupe": (["--dedupe", "2h"], lambda c: c.job.join.dedupe, 7200.0),
    "max_pending": (["--max-pending", "8"], lambda c: c.job.join.max_pending, 8),
    "time": (["--time", "at"], lambda c: c.job.join.time, "at"),
}

#: Options with a test of their own.
OTHERS = {
    *("source", "target", "checkpoint", "resume"),  # test_the_commands
    "model_in",  # tests/sources/test_learn_model_in.py
    "ray",  # tests/cluster/test_ray.py has the pool
    *("format", "no_header", "registry", "journal", "labels", "key", "label", "wait"),  # below
}


@pytest.mark.parametrize("name", CASES)
def test_an_option_reaches_the_learner(captured, name):
    arguments, value, wanted = CASES[name]
    assert value(captured(*arguments)) == wanted
    assert value(captured()) != wanted


@pytest.mark.parametrize("name", JOINED)
def test_an_option_reaches_the_join(captured, name):
    arguments, value, wanted = JOINED[name]
    assert value(captured(*LATE, *arguments, target=())) == wanted
    assert value(captured(*LATE, target=())) != wanted


def test_labels_from_another_source(captured):
    job = captured(*LATE, target=()).job
    assert job.labels.name.endswith("labels.jsonl")
    assert (job.join.key, job.join.label, job.join.wait) == ("id", "y", 3600.0)
    assert captured().job.labels is None


def test_how_messages_are_written(captured):
    assert captured("--format", "csv", source="rows.txt").job.messages.format == "csv"
    assert captured("--format", "jsonl", source="rows.txt").job.messages.format == "json"
    named = ["--columns", "x,y"]
    assert (
        inside.option_of(
            captured("--no-header", *named, source="rows.csv").job.source, "has_header"
        )
        is False
    )
    assert inside.option_of(captured(source="rows.csv").job.source, "has_header") is True


def test_a_registry(captured):
    pytest.importorskip("fastavro")
    pytest.importorskip("redis")
    given = ["--format", "avro", "--registry", "http://localhost:1"]
    job = captured(*given, source="redis://localhost:1/0/rows").job
    assert job.messages.registry == "http://localhost:1"


def test_a_journal(captured, tmp_path):
    job = captured("--journal", "kept", source="-").job
    assert job.how["journal"] == str(tmp_path / "kept")
    assert job.source.replayable
    assert not captured(source="-").job.source.replayable


def test_every_option_has_a_case():
    # The parameters of the model, which the decorator adds, are not in the text.
    text = Path(learn_run.__file__).with_name("learn.py").read_text()
    [written] = [f for f in ast.parse(text).body if getattr(f, "name", "") == "learn"]
    assert isinstance(written, ast.FunctionDef)
    assert {argument.arg for argument in written.args.args} == CASES.keys() | JOINED.keys() | OTHERS
