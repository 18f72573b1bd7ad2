"""Attacks on everything that writes: devices, FIFOs, links, read-only files, kills."""

import ast
import importlib
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from riparian_experiments.reproduce import EXPERIMENTS, reproduce
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from riparian.evaluate import prequential
from riparian.show.pictures import save_figure
from riparian.show.report import write_report
from riparian.storage.modelfile import to_bytes
from riparian.streams.write import TableWriter, write_stream

pytestmark = pytest.mark.skipif(os.name != "posix", reason="devices and links are those of POSIX")

SOURCE = Path(rp.__file__).parent


def learned(rows=3000):
    model = rp.VFDT(grace_period=50)
    X, y = rp.streams.sea(seed=1).take(rows)
    return model.partial_fit(X, y)


MODEL, OTHER = learned(), learned(200)
_EVALUATED = rp.VFDT()
RESULT = prequential(_EVALUATED, rp.streams.sea(n_rows=1000), progress=False)


def called(*arguments):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if done.exit_code:
        raise RuntimeError(f"{done.exit_code}: {done.stderr}")


def drawn():
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = plt.figure().subplots()
    ax.plot([1, 2], [2, 1])
    plt.close(ax.figure)
    return ax


def write_onnx(path):
    pytest.importorskip("onnx")
    called("export", model_file(path), "--to", "onnx", "--out", path)


def write_table(path):
    with TableWriter(str(path), {"prediction": str}) as table:
        table.write({"prediction": ["a", "b"]})


def write_parquet(path):
    pytest.importorskip("pyarrow")
    write_stream(rp.streams.sea(), path, rows=500)


def model_file(path):
    folder = Path(path).parent.parent / "models"
    folder.mkdir(exist_ok=True)
    MODEL.save(folder / "model.rip")
    return folder / "model.rip"


#: Everything that writes, and the ending that it needs.
WRITERS = {
    "model": (".rip", MODEL.save),
    "report": (".html", lambda path: write_report(path, _EVALUATED, RESULT)),
    "run --model-out": (
        ".rip",
        lambda path: called("run", "synth:sea", "--rows", 500, "--model-out", path),
    ),
    "run --report": (
        ".html",
        lambda path: called("run", "synth:sea", "--rows", 500, "--report", path),
    ),
    "predictions": (".csv", write_table),
    "stream": (".csv", lambda path: write_stream(rp.streams.sea(), path, rows=500)),
    "generate": (".csv", lambda path: called("generate", "synth:sea", "--rows", 9, "--out", path)),
    "parquet": (".parquet", write_parquet),
    "picture": (".png", lambda path: save_figure(drawn, str(path))),
    "drawing": (".svg", lambda path: save_figure(drawn, str(path))),
    "program": (".c", lambda path: called("export", model_file(path), "--to", "c", "--out", path)),
    "onnx": (".onnx", write_onnx),
}


@pytest.fixture(params=WRITERS)
def writer(request):
    return WRITERS[request.param]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def refused(write, path):
    with pytest.raises((OSError, ValueError, RuntimeError)) as caught:
        write(path)
    return str(caught.value)


# What stands there already


def test_a_device_is_written_to_and_stays(folder, writer):
    ending, write = writer
    path = folder / f"null{ending}"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.open("wb").close()
    except PermissionError:
        pytest.skip("devices cannot be made or opened here")
    write(path)
    assert stat.S_ISCHR(path.stat().st_mode)
    assert path.stat().st_rdev == os.makedev(1, 3)
    assert names(folder) == [path.name]


def test_a_fifo_is_written_to_and_stays(folder, writer):
    ending, write = writer
    path = folder / f"fifo{ending}"
    os.mkfifo(path)
    read = []
    # Opened for both, so that the reader does not wait for ever if nothing is written.
    keep = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def reader():
        while piece := os.read(source, 1 << 16):
            read.append(piece)

    source = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(source, True)
    thread = threading.Thread(target=reader)
    thread.start()
    try:
        write(path)
    finally:
        os.close(keep)
        thread.join(timeout=20)
        os.close(source)
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert names(folder) == [path.name]
    write(folder.parent / f"file{ending}")
    assert len(b"".join(read)) > 0
    # Reports say how long they took, and SVG holds the date.
    if ending not in (".html", ".svg"):
        assert b"".join(read) == (folder.parent / f"file{ending}").read_bytes()


@pytest.mark.parametrize("relative", [False, True])
def test_links_are_followed(folder, writer, relative):
    ending, write = writer
    inner = folder / "inner"
    inner.mkdir()
    target, first, second = inner / f"target{ending}", folder / f"a{ending}", folder / f"b{ending}"
    target.write_bytes(b"old")
    first.symlink_to(Path("inner", target.name) if relative else target)
    second.symlink_to(first.name if relative else first)
    write(second)
    assert first.is_symlink()
    assert second.is_symlink()
    assert not target.is_symlink()
    assert target.read_bytes() not in (b"old", b"")
    assert names(inner) == [target.name]


def test_a_link_to_nothing_makes_its_target(folder, writer):
    ending, write = writer
    (folder / "inner").mkdir()
    link, target = folder / f"link{ending}", folder / "inner" / f"target{ending}"
    link.symlink_to(Path("inner", target.name))
    write(link)
    assert link.is_symlink()
    assert target.stat().st_size > 0
    assert names(folder / "inner") == [target.name]


def test_a_circle_of_links_is_refused(folder, writer):
    ending, write = writer
    (folder / f"a{ending}").symlink_to(f"b{ending}")
    (folder / f"b{ending}").symlink_to(f"a{ending}")
    assert "circle" in refused(write, folder / f"a{ending}")
    assert (folder / f"a{ending}").is_symlink()
    assert names(folder) == [f"a{ending}", f"b{ending}"]


@pytest.mark.parametrize("linked", [False, True])
def test_a_read_only_file_is_refused_also_for_root(folder, writer, linked):
    ending, write = writer
    path = folder / f"kept{ending}"
    path.write_bytes(b"old")
    path.chmod(0o444)
    given = path
    if linked:
        given = folder / f"link{ending}"
        given.symlink_to(path)
    assert "read-only" in refused(write, given)
    assert path.read_bytes() == b"old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert names(folder) == sorted({path.name, given.name})


@pytest.mark.parametrize("mode", [0o604, 0o777])
def test_a_replaced_file_keeps_its_mode(folder, writer, mode):
    ending, write = writer
    path = folder / f"file{ending}"
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path)
    assert path.read_bytes() != b"old"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_that_root_replaces_keeps_its_owner(folder, writer):
    ending, write = writer
    path = folder / f"file{ending}"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


def test_a_new_file_has_the_usual_mode(folder, writer):
    ending, write = writer
    before = os.umask(0o026)
    try:
        write(folder / f"file{ending}")
    finally:
        assert os.umask(before) == 0o026
    assert stat.S_IMODE((folder / f"file{ending}").stat().st_mode) == 0o640


def test_the_longest_name_that_the_system_takes_is_taken(folder, writer):
    ending, write = writer
    for letter in ("x", "ü", "\N{EVERGREEN TREE}"):
        length = (255 - len(ending)) // len(letter.encode())
        write(folder / (letter * length + ending))
    assert len(names(folder)) == 3


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors have no names here")
@pytest.mark.parametrize("named", [True, False])
def test_the_file_of_a_descriptor_is_written_to(folder, writer, named):
    ending, write = writer
    path, link = folder / "file", folder / f"link{ending}"
    with path.open("w+b") as file:
        link.symlink_to(f"/proc/self/fd/{file.fileno()}")
        if not named:
            path.unlink()
        write(link)
        assert os.fstat(file.fileno()).st_size > 0
    assert link.is_symlink()
    assert names(folder) == (["file", link.name] if named else [link.name])


# Refused before the work


def impossible(folder, ending):
    """Names that nothing can be written to, and a word of what is said of each."""
    file, kept = folder / f"file{ending}", folder / f"kept{ending}"
    for path in (file, kept):
        path.write_bytes(b"old")
    kept.chmod(0o444)
    loop = folder / f"loop{ending}"
    loop.symlink_to(loop.name)
    stray = folder / f"stray{ending}"
    stray.symlink_to(Path("absent", f"file{ending}"))
    (folder / f"folder{ending}").mkdir()
    return [
        (folder / f"folder{ending}", "folder"),
        (f"{folder}/folder{ending}/.", "folder"),
        (folder / "absent" / f"file{ending}", "there is no folder"),
        (folder / ("x" * 300 + ending), "too long"),
        ("", "empty"),
        (file / f"below{ending}", "not a folder"),
        (kept, "read-only"),
        (loop, "circle"),
        (stray, "there is no folder"),
        (f"{folder}/new{ending}/", "folder"),
    ]


#: Commands that cannot work, for want of data or a model: the output is refused before that.
COMMANDS = {
    "run --model-out": (".rip", ["run", "absent.csv", "--target", "y", "--model-out"]),
    "run --report": (".html", ["run", "absent.csv", "--target", "y", "--report"]),
    "predict --out": (".csv", ["predict", "absent.rip", "absent.csv", "--out"]),
    "export --out": (".py", ["export", "absent.rip", "--to", "python", "--out"]),
    "export onnx": (".onnx", ["export", "absent.rip", "--to", "onnx", "--out"]),
    "generate --out": (".csv", ["generate", "synth:absent", "--rows", "9", "--out"]),
    "generate parquet": (".parquet", ["generate", "synth:absent", "--rows", "9", "--out"]),
    "lab --plot": (".png", ["lab", "--node", "absent.json", "--plot"]),
    "compare --plot": (".png", ["compare", "--stream", "synth:absent", "--plot"]),
    "compare --plot-sizes": (".png", ["compare", "--stream", "synth:absent", "--plot-sizes"]),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_an_impossible_name_is_refused_before_the_work(folder, command):
    ending, arguments = COMMANDS[command]
    cases = impossible(folder, ending)
    before = names(folder)
    for path, said in cases:
        done = CliRunner().invoke(app, [*arguments, str(path)])
        assert done.exit_code == 1, (path, done.output)
        assert said in done.stderr, path
        assert arguments[-1] in done.stderr
        assert done.stderr.count("\n") == 1
        assert names(folder) == before


def test_a_nul_in_the_name_is_refused_before_the_work(folder):
    # A shell cannot pass it on, but a program can call the command line.
    for ending, arguments in COMMANDS.values():
        done = CliRunner().invoke(app, [*arguments, f"{folder}/a\0b{ending}"])
        assert done.exit_code == 1
        assert "null byte" in done.stderr
        assert arguments[-1] in done.stderr
    with pytest.raises(ValueError, match="null byte"):
        MODEL.save(folder / "a\0b")


def test_a_comparison_refuses_its_file_before_the_runs(folder, monkeypatch):
    module = importlib.import_module("riparian.evaluate.compare")
    monkeypatch.setattr(module, "run_all", lambda *_: pytest.fail("it ran"))
    for path, said in [*impossible(folder, ".jsonl"), (f"{folder}/a\0b", "null byte")]:
        with pytest.raises(ValueError, match=said):
            rp.evaluate.compare(
                {"VFDT": rp.VFDT()}, ["synth:sea"], rows=100, out=path, n_jobs=1, progress=False
            )


def test_an_experiment_refuses_its_folder_before_it_is_run(folder, monkeypatch):
    name = next(iter(EXPERIMENTS))
    silent = replace(EXPERIMENTS[name], perform=lambda run, **parameters: pytest.fail("it ran"))
    monkeypatch.setitem(EXPERIMENTS, name, silent)
    for page in (f"{name}.html", f"{name}.md", "index.html"):
        (folder / page).write_text("old")
        (folder / page).chmod(0o444)
        with pytest.raises(ValueError, match="read-only"):
            reproduce([name], out=folder)
        (folder / page).chmod(0o644)


def test_the_check_leaves_nothing_behind(folder):
    from riparian.storage.outputs import check_output

    (folder / "old.rip").write_bytes(b"old")
    before = (folder / "old.rip").stat()
    for name in ("old.rip", "new.rip"):
        check_output("--model-out", folder / name)
    assert names(folder) == ["old.rip"]
    assert (folder / "old.rip").stat().st_mtime_ns == before.st_mtime_ns


# A comparison adds to its file


def compared(out):
    models = {"VFDT": rp.VFDT()}
    return rp.evaluate.compare(
        models, ["synth:sea", "synth:led"], rows=100, out=out, n_jobs=1, progress=False
    )


def test_the_runs_of_a_comparison_go_to_links_devices_and_fifos(folder):
    (folder / "link").symlink_to("runs.jsonl")
    compared(folder / "link")
    lines = (folder / "runs.jsonl").read_bytes().splitlines()
    assert len(lines) == 2
    os.mkfifo(folder / "fifo")
    reader = subprocess.Popen(["cat", folder / "fifo"], stdout=subprocess.PIPE)
    compared(folder / "fifo")
    assert len(reader.communicate(timeout=20)[0].splitlines()) == 2
    assert names(folder) == ["fifo", "link", "runs.jsonl"]
    try:
        os.mknod(folder / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        (folder / "null").open("wb").close()
    except PermissionError:
        pytest.skip("devices cannot be made or opened here")
    compared(folder / "null")
    assert stat.S_ISCHR((folder / "null").stat().st_mode)


def test_a_read_only_file_of_runs_that_is_complete_can_still_be_read(folder):
    want = compared(folder / "runs.jsonl")
    (folder / "runs.jsonl").chmod(0o444)
    assert np.array_equal(compared(folder / "runs.jsonl").scores(), want.scores())


# Killed programs

#: Reads names of paths; for each it prints the number of a process that writes there for ever.
FORKING = """
import os, sys
import riparian as rp
from riparian.storage.outputs import open_output

one, other = rp.load(sys.argv[1]), rp.load(sys.argv[2])
pieces = {letter: letter * 20_000 for letter in (b"a", b"b")}
one.save(os.path.join(os.path.dirname(sys.argv[1]), "first"))  # all is imported now
for line in sys.stdin:
    kind, path = line.rstrip("\\n").split(" ", 1)
    child = os.fork()
    if child:
        print(child, flush=True)
        os.waitpid(child, 0)
        print("dead", flush=True)
        continue
    while True:
        if kind == "model":
            one.save(path)
            other.save(path)
        else:
            for letter in (b"a", b"b"):
                with open_output(path, "wb") as file:
                    for _ in range(20):
                        file.write(pieces[letter])
                        if kind == "slow":
                            file.flush()
                            if letter == b"b":
                                open(path + ".half", "w").close()
                                os.read(0, 1)
"""


class Forks:
    """A program that starts others, each of which writes for ever to a path."""

    def __init__(self, folder):
        MODEL.save(folder / "one.rip")
        OTHER.save(folder / "other.rip")
        command = [sys.executable, "-c", FORKING, folder / "one.rip", folder / "other.rip"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(SOURCE.parent)},
        )

    def start(self, kind, path):
        self.process.stdin.write(f"{kind} {path}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def kill(self, pid):
        os.kill(pid, signal.SIGKILL)
        assert self.process.stdout.readline() == "dead\n"


@pytest.fixture(scope="module")
def forks(tmp_path_factory):
    made = Forks(tmp_path_factory.mktemp("forks"))
    yield made
    made.process.stdin.close()
    made.process.stdout.close()
    made.process.wait(timeout=20)


@pytest.mark.parametrize("kind", ["model", "bytes"])
def test_a_killed_program_leaves_the_old_or_the_new_file(forks, folder, kind, effort, report_tries):
    whole = {
        "model": {to_bytes(MODEL), to_bytes(OTHER)},
        "bytes": {b"a" * 400_000, b"b" * 400_000},
    }[kind]
    rng = random.Random(0)
    path = folder / "model.rip"
    left, done, tries = 0, 0, 40 * effort
    # On a busy machine it takes more kills until one comes in the middle of a save.
    while done < tries or (not left and done < 25 * tries):
        done += 1
        pid = forks.start(kind, path)
        while not path.exists():
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.02))
        forks.kill(pid)
        assert path.read_bytes() in whole
        left += len(names(folder)) - 1
        assert len(names(folder)) <= 2, "the next program removes what the last one left"
    assert left > 0, "no kill came in the middle of a save"
    MODEL.save(path)
    assert names(folder) == ["model.rip"]
    report_tries("programs killed while they saved", done)
    report_tries("temporary files left by killed programs, and removed", left)


def test_a_living_program_keeps_its_temporary_file(forks, folder):
    path = folder / "model.rip"
    pid = forks.start("slow", path)
    while not (folder / "model.rip.half").exists():
        time.sleep(0.001)
    (folder / "model.rip.half").unlink()
    (half,) = set(folder.iterdir()) - {path}
    assert f"-{pid}-" in half.name
    assert half.name.startswith(".model.rip.")
    for _ in range(5):
        MODEL.save(path)
        assert names(folder) == [half.name, "model.rip"]
    forks.kill(pid)
    assert half.exists()
    OTHER.save(path)
    assert names(folder) == ["model.rip"]


def test_the_leftover_of_a_process_whose_number_lives_again_is_removed(folder):
    from riparian.storage.outputs import open_output

    with open_output(folder / "model.rip", "wb"):
        (own,) = names(folder)
    left = own.replace(f"-{os.getpid()}-", "-1-")
    (folder / left).write_bytes(b"left by another process 1")
    (folder / own).write_bytes(b"left by another process of this number")
    MODEL.save(folder / "model.rip")
    assert names(folder) == ["model.rip"]


def test_files_of_others_are_left_alone(folder):
    others = [".model.rip.tmp", ".model.rip.riparian-12-ab.tmp", ".model.rip.riparian-12.tmp"]
    others += [".other.rip.riparian-12-0123456789abcdef.tmp", "model.rip.tmp", ".model.rip.swp"]
    for name in others:
        (folder / name).write_bytes(b"kept")
    (folder / ".model.rip.riparian-1-0123456789abcdef.tmp").symlink_to("model.rip.tmp")
    MODEL.save(folder / "model.rip")
    assert set(others) < set(names(folder))
    assert all((folder / name).read_bytes() == b"kept" for name in others)


def test_many_writers_of_one_place_do_not_disturb_each_other(folder, effort, report_tries):
    path = folder / "model.rip"
    whole = {to_bytes(MODEL), to_bytes(OTHER)}
    MODEL.save(path)
    faults = []

    def save(model):
        try:
            for _ in range(25 * effort):
                model.save(path)
                assert path.read_bytes() in whole
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=save, args=(m,)) for m in (MODEL, OTHER) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert names(folder) == ["model.rip"]
    report_tries("saves to one place at once", 150 * effort)


def test_a_failing_block_leaves_the_old_file_and_nothing_else(folder):
    from riparian.storage.outputs import open_output

    (folder / "file").write_bytes(b"old")
    for mode, piece in (("w", "text"), ("wb", b"bytes")):
        for error in (ValueError, KeyboardInterrupt, SystemExit):
            with pytest.raises(error), open_output(folder / "file", mode) as file:  # noqa: PT012
                file.write(piece)
                raise error
    assert (folder / "file").read_bytes() == b"old"
    assert names(folder) == ["file"]


# One way to write

_ELSEWHERE = {"replace", "rename", "mkstemp", "NamedTemporaryFile", "write_text", "write_bytes"}


def test_nothing_else_in_the_package_writes_files():
    found = []
    for path in SOURCE.rglob("*.py"):
        # The second is a program that bundles the page; it is no part of an installed package.
        if path.name == "outputs.py" or path.parts[-3:] == ("serve", "page", "build.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _writes(node):
                found.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert found == []


def _writes(call):
    function = call.func
    if isinstance(function, ast.Attribute):
        module = function.value.id if isinstance(function.value, ast.Name) else None
        return function.attr in _ELSEWHERE and (
            module in ("os", "tempfile", "shutil") or function.attr.startswith("write_")
        )
    if isinstance(function, ast.Name) and function.id == "open":
        modes = [a for a in call.args[1:2] if isinstance(a, ast.Constant)]
        modes += [k.value for k in call.keywords if k.arg == "mode"]
        return any(set("wax+") & set(mode.value) for mode in modes)
    return False
