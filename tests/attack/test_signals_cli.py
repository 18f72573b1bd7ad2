"""Attacks on commands with SIGINT and SIGTERM: at any moment, once, twice and three times."""

import json
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from riparian_experiments.reproduce import EXPERIMENTS

import riparian as rp
from tests.effort import ATTACK

fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")

SOURCE = Path(rp.__file__).parent.parent
ENVIRONMENT = os.environ | {"PYTHONPATH": str(SOURCE)}
PROGRAM = [sys.executable, "-m", "riparian"]
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}
SECONDS = 60

both = pytest.mark.parametrize("number", STATUS)

#: Runs a command, so that all is imported, and then forks a program for each line that it reads:
#: many programs can be stopped in the time in which a few are started. A second line waits.
FORKING = """
import json, os, signal, sys
import riparian.lab, riparian.cli.predict, riparian.show.report, riparian_experiments.reproduce
from typer.testing import CliRunner
from riparian.__main__ import main
from riparian.cli.app import app

CliRunner().invoke(app, ["run", "synth:sea", "--rows", "1000"])
for line in sys.stdin:
    arguments, to_the_end, stdin, stdout, stderr = json.loads(line)
    pid = os.fork()
    if not pid:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        for target, path in enumerate((stdin, stdout, stderr)):
            opened = os.open(path, os.O_RDONLY if target == 0 else flags)
            os.dup2(opened, target)
            os.close(opened)
        sys.stdin = open(0)
        sys.argv = ["riparian", *arguments]
        try:
            main()
        except SystemExit as end:
            if not to_the_end:  # what Python does then takes longer than all before
                os._exit(end.code or 0)
            raise
    print(pid, flush=True)
    sys.stdin.readline()
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Forks:
    """Programs that are started in a moment, one after another."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", FORKING],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )

    def start(self, *arguments, stdin=os.devnull, to_the_end=False):
        places = [str(self.folder / name) for name in ("stdout", "stderr")]
        for place in places:
            Path(place).unlink(missing_ok=True)
        line = json.dumps([[str(a) for a in arguments], to_the_end, str(stdin), *places])
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.pid = int(self.process.stdout.readline())
        wait_until_caught(self.pid)
        return self.pid

    def wait(self):
        """The status, and what was printed."""
        self.process.stdin.write("wait\n")
        self.process.stdin.flush()
        ended = select.select([self.process.stdout], [], [], SECONDS)[0]
        if not ended:
            os.kill(self.pid, signal.SIGKILL)
        status = int(self.process.stdout.readline())
        assert ended, "the program goes on after the signal"
        return status, *((self.folder / name).read_text() for name in ("stdout", "stderr"))

    def wait_for(self, text):
        """Wait until the program has said something on standard error."""
        path = self.folder / "stderr"
        end = time.monotonic() + SECONDS
        while not (path.exists() and text in path.read_text()):
            assert time.monotonic() < end, f"the program does not say {text!r}"
            time.sleep(0.001)


@pytest.fixture(scope="module")
def forks(tmp_path_factory):
    made = Forks(tmp_path_factory.mktemp("forks"))
    yield made
    made.process.stdin.close()
    made.process.stdout.close()
    made.process.wait(timeout=SECONDS)


def wait_until_caught(pid):
    """Wait until a program handles SIGTERM: before that Python itself is still starting."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        time.sleep(0.5)
        return
    bit = 1 << (signal.SIGTERM - 1)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
        if int(fields["SigCgt"], 16) & bit:
            return
        time.sleep(0.001)
    raise TimeoutError("the program does not handle SIGTERM")


def send(pid, *numbers, apart=0.0):
    for number in numbers:
        os.kill(pid, number)
        time.sleep(apart)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def check_clean(errors):
    assert "Traceback" not in errors, errors
    assert "Exception" not in errors, errors
    # A bar that is taken away leaves an empty line.
    assert all(line.startswith("riparian: ") for line in errors.split("\n") if line), errors


def learned_rows(errors):
    """How many rows a run says that it has learned when it was stopped; None if it does not."""
    for line in errors.splitlines():
        if line.startswith("riparian: interrupted after "):
            return int(line.split()[3].replace(",", ""))
    return None


# run


@both
@pytest.mark.parametrize("repeats", [1, 2])
def test_a_run_that_is_stopped_writes_what_it_has_learned(
    forks, folder, number, repeats, effort, report_tries
):
    # ``timeout`` sends its signal twice: to the program and to its group.
    out, report = folder / "model.rip", folder / "report.html"
    rng = random.Random(number * repeats)
    outputs = ["--model-out", out, "--report", report, "--json", "--block", 200]
    written, tries = 0, 6 * effort
    for i in range(tries):
        for path in (out, report):
            path.write_bytes(b"old")
        pid = forks.start("run", "synth:sea", *outputs)
        if rng.random() < 0.8 or i == 0:
            forks.wait_for("is endless")
        # The first one has learned something, however busy the machine is.
        time.sleep(rng.choice([0.0, 0.05, 0.2]) * rng.random() if i else 0.8)
        send(pid, *[number] * repeats, apart=rng.choice([0.0, 0.001, 0.02]) * (repeats - 1))
        status, printed, errors = forks.wait()
        check_clean(errors)
        assert status == STATUS[number]
        assert names(folder) == ["model.rip", "report.html"]
        rows = learned_rows(errors)
        if rows is None:
            assert out.read_bytes() == report.read_bytes() == b"old"
            continue
        written += 1
        assert rp.load(out).n_seen_ == rows > 0
        assert report.read_text().endswith("</html>\n")
        told = json.loads(printed)
        assert told["interrupted"] is True
        assert told["result"]["rows"] == rows
    assert written > 0
    report_tries("runs stopped by a signal", tries)


@both
def test_a_run_that_is_stopped_at_its_end_leaves_whole_files(
    forks, folder, number, effort, report_tries
):
    out, report = folder / "model.rip", folder / "report.html"
    command = ["run", "synth:sea", "--rows", 3000, "--model-out", out, "--report", report]
    forks.start(*command)
    assert forks.wait()[0] == 0
    whole = out.read_bytes()
    rng = random.Random(number)
    statuses, tries = [], 8 * effort
    for i in range(tries):
        out.write_bytes(b"old")
        to_the_end = i % 4 == 0
        pid = forks.start(*command, to_the_end=to_the_end)
        # The model is written first, then the report, then what is printed.
        if to_the_end:
            forks.wait_for("wrote the report")
            time.sleep(0.1 * rng.random())
        else:
            time.sleep(rng.choice([0.05, 0.1, 0.2]) * rng.random())
        send(pid, number)
        status, _, errors = forks.wait()
        check_clean(errors)
        assert names(folder) == ["model.rip", "report.html"]
        assert report.read_text().endswith("</html>\n")
        if "wrote the model" in errors:
            rows = learned_rows(errors)
            assert out.read_bytes() == whole if rows is None else rp.load(out).n_seen_ == rows
        else:
            assert out.read_bytes() == b"old"
        statuses.append(status)
    # The last of it is Python's own: when that has put its handlers away, the signal kills.
    assert set(statuses) <= {0, STATUS[number], -number}
    assert STATUS[number] in statuses
    report_tries("runs stopped by a signal", tries)


@both
def test_the_third_signal_ends_a_run_at_once_and_leaves_a_whole_file(
    forks, folder, number, effort, report_tries
):
    out = folder / "model.rip"
    rng = random.Random(number)
    tries = 5 * effort
    rp.VFDT().partial_fit([[0.0]], ["a"]).save(out)
    for _ in range(tries):
        pid = forks.start("run", "synth:sea", "--model-out", out)
        if rng.random() < 0.8:
            forks.wait_for("is endless")
        time.sleep(0.2 * rng.random())
        send(pid, number, apart=rng.choice([0.0, 0.002, 0.01]))
        for _ in range(2):
            # It may have ended already.
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                send(pid, number, apart=0.001)
        status, _, errors = forks.wait()
        check_clean(errors)
        assert status == STATUS[number]
        assert rp.load(out).n_seen_ > 0
    rp.load(out).save(out)
    assert names(folder) == ["model.rip"]
    report_tries("runs stopped by a signal", tries)


@both
def test_a_fifo_that_nobody_reads_can_be_left(forks, folder, number):
    os.mkfifo(folder / "fifo")
    pid = forks.start("run", "synth:sea", "--rows", 500, "--model-out", folder / "fifo")
    time.sleep(0.3)
    send(pid, number, number, number, apart=0.05)
    status, printed, errors = forks.wait()
    check_clean(errors)
    assert status == STATUS[number]
    assert printed == ""


@both
def test_a_run_that_waits_for_input_keeps_what_it_has_learned(forks, folder, number):
    os.mkfifo(folder / "fifo")
    keep = os.open(folder / "fifo", os.O_RDWR)
    out = folder / "model.rip"
    options = ["--target", "y", "--block", 100, "--model-out", out]
    pid = forks.start("run", "-", *options, stdin=folder / "fifo")
    # The reader looks ahead, so that not all of it is learned.
    os.write(keep, b"x,y\n" + b"1,a\n2,b\n" * 7000)
    end = time.monotonic() + SECONDS
    while struct.unpack("i", fcntl.ioctl(keep, termios.FIONREAD, bytes(4)))[0]:
        assert time.monotonic() < end, "the program does not read"
        time.sleep(0.01)
    time.sleep(0.5)
    send(pid, number)
    status, _, errors = forks.wait()
    os.close(keep)
    check_clean(errors)
    assert status == STATUS[number]
    assert rp.load(out).n_seen_ == learned_rows(errors) > 0


@both
def test_opening_a_file_can_be_stopped(forks, folder, number):
    # Nobody writes to the FIFO, so that opening it waits.
    os.mkfifo(folder / "data.csv")
    pid = forks.start("run", folder / "data.csv", "--target", "y")
    time.sleep(0.3)
    send(pid, number)
    assert forks.wait() == (STATUS[number], "", "riparian: interrupted\n")


# Every command


def commands(folder):
    model, data = folder.parent / "model.rip", folder.parent / "data.csv"
    X, y = rp.streams.sea(seed=1).take(2000)
    rp.VFDT().partial_fit(X, y).save(model)
    os.mkfifo(data)
    out = folder / "out.csv"
    return {
        "predict": ["predict", model, data, "--out", out],
        "generate": ["generate", "synth:random_rbf", "--rows", 10**9, "--out", out],
        "lab": ["lab", "--repetitions", 10**8, "--plot", folder / "out.png"],
        "compare": ["compare", "--rows", 10**8, "--n-jobs", 1, "--out", out],
        "reproduce": ["reproduce", "ctree-figure-1", "--full", "--n-jobs", 1, "--out", folder],
        "export": ["export", model, "--to", "sql", "--out", out],
        "show": ["show", model],
        "models": ["models"],
    }


@both
@pytest.mark.parametrize(
    "command", ["predict", "generate", "lab", "compare", "reproduce", "export", "show", "models"]
)
def test_every_command_ends_in_order(forks, folder, command, number, effort, report_tries):
    arguments = commands(folder)[command]
    if command == "reproduce":
        arguments[1] = next(iter(EXPERIMENTS))
    short = command in ("export", "show", "models")
    for moment in ([0.0, 0.05] if short else [0.0, 0.4]) * effort:
        pid = forks.start(*arguments)
        time.sleep(moment)
        send(pid, number)
        status, _, errors = forks.wait()
        check_clean(errors)
        assert status == STATUS[number] or (short and status == 0)
        assert "riparian: interrupted\n" in errors or status == 0
        if not short:
            assert names(folder) == []
        report_tries("commands stopped by a signal", 1)


# Programs that are started as users start them


@both
def test_a_signal_while_everything_is_imported_ends_in_order(folder, number, effort, report_tries):
    out = folder / "model.rip"
    moments = [0.0, 0.02, 0.1, 0.4] * effort
    for moment in moments:
        process = subprocess.Popen(
            [*PROGRAM, "run", "synth:drifting", "--model-out", out],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        wait_until_caught(process.pid)
        time.sleep(moment)
        process.send_signal(number)
        _, errors = process.communicate(timeout=SECONDS)
        check_clean(errors)
        assert process.returncode == STATUS[number]
        assert "interrupted" in errors
        if learned_rows(errors) is None:
            assert names(folder) == []
    report_tries("commands stopped by a signal", len(moments))


@pytest.mark.skipif(shutil.which("timeout") is None, reason="timeout is not here")
def test_a_run_under_timeout_writes_its_model(folder):
    out = folder / "model.rip"
    # Once the program runs, and not after a time that a busy machine may need to start it.
    process = subprocess.Popen(
        ["timeout", "--preserve-status", "60", *PROGRAM, "run", "synth:sea", "--model-out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    assert "is endless" in process.stderr.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=SECONDS)
    check_clean(errors)
    assert process.returncode == 143
    assert rp.load(out).n_seen_ == learned_rows(errors) > 0
    assert names(folder) == ["model.rip"]


def living(session):
    """The processes of a session that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = path.read_text().rsplit(")", 1)[1].split()[:4]
        except OSError:  # it has gone
            continue
        if int(of) == session and state != "Z":
            found.append(int(path.parent.name))
    return found


# Starting all these processes takes long.
@both if ATTACK > 1 else pytest.mark.parametrize("number", [signal.SIGINT])
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are not listed here")
def test_processes_of_a_comparison_end_with_it(folder, number):
    command = ["compare", "--rows", "100000000", "--n-jobs", "2", "--out", folder / "runs.jsonl"]
    process = subprocess.Popen(
        [*PROGRAM, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    end = time.monotonic() + SECONDS
    while len(living(process.pid)) < 4:  # with two workers and what watches over them
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.5)
    # As a terminal does, and as ``timeout`` does: to the whole group.
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=SECONDS)
    check_clean(errors)
    assert process.returncode == STATUS[number]
    assert names(folder) == []
    while living(process.pid):
        assert time.monotonic() < end
        time.sleep(0.01)


@both
def test_a_signal_that_is_ignored_stays_ignored(number):
    # A shell without job control starts ``riparian ... &`` so, and so does ``nohup``.
    code = (
        f"import signal, sys; signal.signal({int(number)}, signal.SIG_IGN)\n"
        "from riparian.cli.signals import catch_signals; catch_signals()\n"
        f"sys.exit(signal.getsignal({int(number)}) != signal.SIG_IGN)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT).returncode == 0
