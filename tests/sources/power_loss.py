"""Disks after a power failure: what a learner wrote and synced, and any part of the rest.

`strace` records the calls of a learner that reach its checkpoint. An image is what a disk may hold
if the power fails after one of them: everything that was synced, and of the writes after that any
subset, of which some are torn. A new name or a removal counts only once its folder was synced.

Run as a program, it is the learner: ``python -m tests.sources.power_loss ROWS FOLDER MARKS``.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import riparian as rp
from riparian.sources.checkpoint import Checkpoint, Generation, Snapshot
from riparian.sources.job import Job, open_learner
from riparian.sources.messages import Messages
from riparian.sources.settings import Settings

CALLS = "openat,write,pwrite64,ftruncate,fsync,fdatasync,unlink,unlinkat,rename"
SECTOR = 512


@dataclass(frozen=True)
class Call:
    """A call that changed the disk."""

    name: str
    path: str
    data: bytes = b""
    #: Where a write begins, or the length after a truncation; -1 is the end of the file.
    at: int = -1


@dataclass
class File:
    """What is durable of a file, the calls since, and its length after them."""

    durable: bytes = b""
    length: int = 0
    pending: list[Call] = field(default_factory=list)


def learn(rows: Path, folder: Path) -> None:
    """Learn all rows with many checkpoints."""
    job = Job(rp.VFDT(grace_period=20), rp.sources.open(str(rows)), Messages("y"), sample=50)
    settings = Settings(every_seconds=None, every_rows=40, block=20)
    with Checkpoint(folder) as checkpoint:
        open_learner(job, checkpoint, settings, lambda text: None).run()


def main(rows: Path, folder: Path, marks: Path) -> None:
    """Learn, and write a byte to `marks` whenever a generation is committed."""
    descriptor = os.open(marks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    commit = Checkpoint.commit

    def marked(checkpoint: Checkpoint, snapshot: Snapshot) -> Generation:
        found = commit(checkpoint, snapshot)
        os.write(descriptor, b"x")
        return found

    Checkpoint.commit = marked
    learn(rows, folder)


def recorded(rows: Path, folder: Path, marks: Path) -> list[Call]:
    """Run the learner under strace; return its calls on the checkpoint and on `marks`."""
    log = marks.with_suffix(".strace")
    trace = f"strace -f -y -xx -s 100000000 -e trace={CALLS} -o {log}"
    program = [sys.executable, "-m", "tests.sources.power_loss", str(rows), str(folder), str(marks)]
    subprocess.run([*trace.split(), *program], cwd=Path(__file__).parents[2], check=True)
    return [call for call in parsed(log) if call.path.startswith((str(folder), str(marks)))]


def parsed(log: Path) -> Iterator[Call]:
    """Give the calls of a log that succeeded."""
    begun: dict[str, str] = {}
    for line in log.read_text().splitlines():
        process, _, text = line.partition(" ")
        text = text.strip()
        if text.endswith("<unfinished ...>"):
            begun[process] = text.removesuffix("<unfinished ...>")
            continue
        if text.startswith("<... "):
            text = begun.pop(process, "") + text.partition("resumed>")[2]
        found = re.match(r"(\w+)\((.*)\)\s+= (\d+)", text)
        if found is None or (call := _call(found[1], found[2], int(found[3]))) is None:
            continue
        yield call


def _call(name: str, arguments: str, result: int) -> Call | None:
    texts = [_bytes(text) for text in re.findall(r'"([^"]*)"', arguments)]
    held = re.match(r"\d+<([^>]*)>", arguments)
    path = _bytes(held[1]).decode() if held else ""
    numbers = arguments.rpartition('"' if name.endswith(("write", "write64")) else ">")[2]
    if name == "openat":
        if "O_CREAT" not in arguments:
            return None
        return Call("empty" if "O_TRUNC" in arguments else "create", texts[0].decode())
    if name == "write":
        return Call("write", path, texts[0][:result])
    if name == "pwrite64":
        return Call("write", path, texts[0][:result], int(numbers.split(",")[-1]))
    if name == "ftruncate":
        return Call("truncate", path, at=int(numbers.split(",")[-1]))
    if name in ("fsync", "fdatasync"):
        return Call("sync", path)
    if name in ("unlink", "unlinkat"):
        return Call("remove", texts[-1].decode())
    raise AssertionError(f"{name} is not expected")


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def image(calls: list[Call], chance: random.Random) -> tuple[dict[str, bytes], int]:
    """Return the files of a disk after a power failure, and how many of the calls came before."""
    n = chance.randrange(len(calls) + 1)
    files: dict[int, File] = {}
    names: dict[str, int] = {}  # as the learner sees them
    entries: dict[str, list[int | None]] = {}  # by name: what is durable, then what may be there
    for call in calls[:n]:
        known = names.get(call.path)
        if call.name in ("create", "empty") and known is None:
            known = names[call.path] = len(files)
            files[known] = File()
            entries.setdefault(call.path, [None]).append(known)
        if call.name == "remove" and known is not None:
            del names[call.path]
            entries[call.path].append(None)
        elif call.name == "sync" and known is None:  # a folder
            for path, history in entries.items():
                if os.path.dirname(path) == call.path:
                    del history[:-1]
        elif call.name == "sync":
            assert known is not None
            data = _applied(files[known], files[known].pending, chance, torn=False)
            files[known] = File(data, len(data))
        elif known is not None and call.name == "write":
            file = files[known]
            placed = call if call.at >= 0 else replace(call, at=file.length)
            file.pending.append(placed)
            file.length = max(file.length, placed.at + len(placed.data))
        elif known is not None and call.name in ("truncate", "empty"):
            files[known].pending.append(call)
            files[known].length = max(0, call.at)
    found = {}
    for path, history in entries.items():
        chosen = chance.choice(history)
        if chosen is not None:
            kept = [call for call in files[chosen].pending if chance.random() < 0.5]
            found[path] = _applied(files[chosen], kept, chance, torn=True)
    return found, n


def _applied(file: File, calls: list[Call], chance: random.Random, *, torn: bool) -> bytes:
    data = bytearray(file.durable)
    for call in calls:
        if call.name == "write":
            at, written = call.at, call.data
            if torn and chance.random() < 0.2:
                written = written[: SECTOR * chance.randrange(1 + len(written) // SECTOR)]
            data.extend(bytes(max(0, at - len(data))))
            data[at : at + len(written)] = written
        else:
            length = max(0, call.at)
            data = data[:length] + bytearray(max(0, length - len(data)))
    return bytes(data)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*map(Path, sys.argv[1:]))
