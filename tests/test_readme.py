"""Every shell line of the README runs, in order, on the files that the lines before it made."""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from riparian.cli.app import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")

#: What runs a line in a folder.
Run = Callable[[str, Path], tuple[int, str]]
#: Seconds after which a line hangs.
TIMEOUT = 300


def shell_lines(text: str) -> list[str]:
    """The lines of all shell blocks, without comments; a line that ends in \\ goes on."""
    # A fence without a name that does not close a block opens one.
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    code = "".join(code for name, code in blocks if name in ("", "sh", "shell", "bash", "console"))
    lines = code.replace("\\\n", " ").splitlines()
    found = (re.sub(r"(^|\s+)# .*", "", line).removeprefix("$ ").strip() for line in lines)
    return [line for line in found if line]


LINES = shell_lines(README)
#: Lines that set up the project; what they name is looked up, and the lines are not run.
SETUP = [line for line in LINES if line.split()[0] in ("pip", "make", "git", "cd")]
COMMANDS = [line for line in LINES if line not in SETUP]


def make_data(folder: Path) -> None:
    """The user's own data, as lines of a README name them."""
    rng = np.random.default_rng(1)
    level, wind = rng.normal(size=(2, 3_000)).round(3)
    label = np.where(level > 0.2, "flood", "calm")
    rows = zip(level, wind, label, strict=True)
    text = "\n".join(["level,wind,class", *(",".join(map(str, row)) for row in rows)])
    (folder / "data.csv").write_text(text + "\n")
    (folder / "data.csv.gz").write_bytes(gzip.compress(text.encode()))


def run_in_shell(line: str, folder: Path) -> tuple[int, str]:
    """The status of a line, and what it wrote to standard error."""
    programs = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": os.pathsep.join([programs, os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    return done.returncode, done.stderr


def run_here(line: str, folder: Path) -> tuple[int, str]:
    """The same in this process, where everything is imported; in a shell if it needs one."""
    words = shlex.split(line)
    if words[0] != "riparian" or set(line) & set("<>|&;$`"):
        return run_in_shell(line, folder)
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, words[1:])
    return done.exit_code, done.stderr + repr(done.exception)


def run_all(lines: list[str], folder: Path, run: Run) -> None:
    """Runs the lines one after the other; the first that fails ends the test with its words."""
    for line in lines:
        status, errors = run(line, folder)
        if status:
            pytest.fail(f"{line}\nstatus {status}\n{errors[-2000:]}")


def test_the_readme_has_shell_lines() -> None:
    assert any(line.startswith("riparian run") for line in COMMANDS)
    assert all(line.startswith(("riparian ", "python ")) for line in COMMANDS), COMMANDS


@pytest.mark.parametrize("run", [run_here, pytest.param(run_in_shell, marks=pytest.mark.slow)])
def test_every_shell_line_runs_in_order(tmp_path: Path, run: Run) -> None:
    make_data(tmp_path)
    run_all(COMMANDS, tmp_path, run)


@pytest.mark.parametrize("line", SETUP)
def test_what_a_line_of_the_set_up_names_exists(line: str) -> None:
    words = line.split()
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert words[1] in targets
    elif words[0] == "pip":
        with (ROOT / "pyproject.toml").open("rb") as file:
            project = tomllib.load(file)["project"]
        package, extras = re.fullmatch(r"'?([\w.]+?)(?:\[([\w,]+)\])?'?", words[2]).groups()
        assert package in (".", project["name"])
        assert set(filter(None, (extras or "").split(","))) <= set(project["optional-dependencies"])


@pytest.mark.parametrize("run", [run_here, pytest.param(run_in_shell, marks=pytest.mark.slow)])
def test_a_line_that_fails_is_named(tmp_path: Path, run: Run) -> None:
    lines = ["riparian generate synth:sea --rows 50 --out a.csv", "riparian show a.csv", "exit 0"]
    with pytest.raises(pytest.fail.Exception, match=r"^riparian show a\.csv\nstatus 1\nriparian: "):
        run_all(lines, tmp_path, run)
    assert (tmp_path / "a.csv").exists()


def test_comments_and_continued_lines_are_read() -> None:
    text = "```python\nx = 1\n```\nprose\n```sh\n# first\nriparian models  # all\n"
    text += "riparian run \\\n  a.csv\n```\nprose\n"
    assert shell_lines(text) == ["riparian models", "riparian run    a.csv"]
