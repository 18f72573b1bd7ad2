"""The reference of the command line: what ``--help`` of each command prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

__all__ = ["write_page"]


def write_page(path: Path) -> None:
    """Write the page with the help of the program and of each of its commands."""
    whole = _help()
    commands = re.findall(r"^ {2}(\w+) {2,}\S", whole.partition("Commands:")[2], re.MULTILINE)
    assert commands, "riparian --help lists no command"
    parts = [f"# Command line\n\n```text\n{whole}```\n"]
    parts += [f"## riparian {name}\n\n```text\n{_help(name)}```\n" for name in commands]
    path.write_text("\n".join(parts), "utf-8")


def _help(*command: str) -> str:
    plain = {**os.environ, "COLUMNS": "90", "NO_COLOR": "1", "TERM": "dumb"}
    program = [sys.executable, "-m", "riparian", *command, "--help"]
    shown = subprocess.run(program, env=plain, check=True, capture_output=True, text=True).stdout
    return shown.replace("python -m riparian", "riparian").strip("\n") + "\n"
