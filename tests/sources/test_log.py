"""The log of `riparian learn`: sentences or JSON, signals and the grace period."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from typer.testing import CliRunner

from riparian.cli.app import app


def write(path, n, first=0):
    with path.open("a") as file:
        for i in range(first, first + n):
            file.write(json.dumps({"x": i % 7, "z": "ab"[i % 2], "y": int(i % 7 > 3)}) + "\n")


def learn(*arguments):
    done = CliRunner().invoke(app, ["learn", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def events(text):
    """The events of a log, each with a time, a level and a sentence."""
    found = [json.loads(line) for line in text.splitlines()]
    for event in found:
        assert event["time"].endswith("+00:00")
        assert event["level"] in ("debug", "info", "warning", "error")
        assert event["message"]
    return {event["event"]: event for event in found}, [event["event"] for event in found]


def test_each_event_is_a_line_of_json(tmp_path):
    rows, folder = tmp_path / "rows.jsonl", tmp_path / "c"
    write(rows, 1000)
    with rows.open("a") as file:
        file.write('{"x": 1,\n')
    common = (rows, "--target", "y", "--checkpoint", folder, "--log", "json")
    status, _, log = learn(*common)
    found, order = events(log)
    assert status == 0
    assert order == ["start", "schema", "dead_letter", "checkpoint", "stop"]
    assert found["start"]["sources"] == [str(rows)]
    assert found["schema"]["columns"] == {"x": "numeric", "z": "categorical"}
    assert (found["dead_letter"]["place"], found["dead_letter"]["refused"]) == ("1001", 1)
    assert found["dead_letter"]["message"].startswith(f"{rows}, message 1001: this is not JSON")
    assert (found["checkpoint"]["generation"], found["checkpoint"]["rows"]) == (1, 1000)
    assert found["checkpoint"]["reason"] == "end"
    assert found["stop"]["counters"]["rejected"] == 1
    write(rows, 500)
    status, _, log = learn("--resume", folder, "--log", "json")
    found, order = events(log)
    assert order == ["recovered", "checkpoint", "stop"]
    assert found["recovered"]["rows"] == 1000
    assert found["stop"]["reason"] == "end"


def test_sentences_leave_out_what_happens_all_the_time(tmp_path):
    rows, folder = tmp_path / "rows.jsonl", tmp_path / "c"
    write(rows, 1000)
    status, _, log = learn(rows, "--target", "y", "--checkpoint", folder)
    assert status == 0
    assert [line.split(":")[0] for line in log.splitlines()] == ["riparian"] * 2
    assert f"the columns of {rows} are: x numeric, z categorical" in log
    assert f"generation 1 in {folder}: 1,000 messages, 1,000 learned" in log


@pytest.mark.parametrize(
    ("text", "event", "status"),
    [
        ('{"x": 1}\n' * 5000, "breaker", 1),
        (None, "gap", 3),
    ],
)
def test_what_ends_a_learner_is_an_event(tmp_path, text, event, status):
    rows, folder = tmp_path / "rows.jsonl", tmp_path / "c"
    write(rows, 2000)
    arguments = (rows, "--target", "y", "--checkpoint", folder, "--log", "json")
    assert learn(*arguments)[0] == 0
    if text is None:
        rows.write_text("".join(rows.read_text().splitlines(keepends=True)[:1000]))
    else:
        rows.write_text(rows.read_text() + text)
    found, log = learn(*arguments)[::2]
    last = json.loads(log.splitlines()[-1])
    assert (found, last["event"], last["level"]) == (status, event, "error")


def test_a_file_that_is_not_there_is_an_event_and_leaves_no_folder(tmp_path):
    missing, folder = tmp_path / "none.jsonl", tmp_path / "c"
    status, _, log = learn(missing, "--target", "y", "--checkpoint", folder, "--log", "json")
    [event] = [json.loads(line) for line in log.splitlines()]
    assert (status, event["event"]) == (1, "error")
    assert event["message"] == f"No such file or directory: {missing}"
    assert not folder.exists()


def test_a_password_is_in_no_event(tmp_path):
    pytest.importorskip("redis")
    folder, options = tmp_path / "c", tmp_path / "options.json"
    options.write_text('{"password": "hunter2"}')
    run = [
        *(sys.executable, "-m", "riparian", "learn", "redis://me:hunter3@127.0.0.1:1/0/clicks"),
        *("--target", "y", "--checkpoint", str(folder), "--log", "json", "--grace", "20s"),
        *("--options-file", str(options)),
    ]
    process = subprocess.Popen(run, stderr=subprocess.PIPE, text=True)
    lines = []
    for line in process.stderr:
        lines.append(line)
        if '"retry"' in line:
            process.send_signal(signal.SIGTERM)
            break
    lines.append(process.communicate(timeout=60)[1])
    log = "".join(lines)
    found, _ = events(log)
    assert found["retry"]["source"] == "redis://127.0.0.1:1/0/clicks"
    assert "hunter" not in log
    for path in folder.rglob("*"):
        assert path.is_dir() or b"hunter" not in path.read_bytes()


SLOW = """
    import sys, time
    from riparian.sources import files
    def poll(self, most, timeout):
        print("polling", flush=True)
        time.sleep(600)
    files.FileSource.poll = poll
    from riparian.cli.app import app
    sys.argv[:] = ["riparian", *sys.argv[1:]]
    app()
"""


def test_a_learner_that_does_not_end_is_ended_after_the_grace_period(tmp_path):
    rows, folder = tmp_path / "rows.jsonl", tmp_path / "c"
    write(rows, 1000)
    arguments = [str(rows), "--target", "y", "--checkpoint", str(folder), "--grace", "0.5s"]
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SLOW), "learn", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "polling\n"
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "the learner did not end within 0.5 seconds; generation" in said
    # The lock is free, and nothing is lost.
    status, _, log = learn(*arguments)
    assert status == 0
    assert "1,000 learned" in log


def test_a_signal_ends_a_learner_in_time(tmp_path):
    rows, folder = tmp_path / "rows.jsonl", tmp_path / "c"
    write(rows, 3000)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "riparian", "learn", str(rows), "--follow", "--target", "y"),
            *("--checkpoint", str(folder), "--log", "json", "--every", "1000"),
        ],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    log = ""
    for line in process.stderr:
        log += line
        if '"event": "checkpoint"' in line:
            process.send_signal(signal.SIGTERM)
            break
    log += process.communicate(timeout=60)[1]
    found, order = events(log)
    assert process.returncode == 0
    assert order[-1] == "stop"
    assert found["stop"]["reason"] == "signal"
    assert found["stop"]["counters"]["learned"] == 3000


def test_options_that_cannot_be_are_wrong_usage(tmp_path):
    rows, folder = tmp_path / "rows.jsonl", tmp_path / "c"
    write(rows, 10)
    for option in (("--metrics", "here"), ("--log", "xml"), ("--grace", "soon")):
        status, _, said = learn(rows, "--target", "y", "--checkpoint", folder, *option)
        assert (status, option[1] in said) == (2, True), said
    assert not folder.exists()
