"""Fuzzes with atheris: ``python -m tests.fuzz --seconds 60 modelfile dicts arrow readers``.

Each target runs in a process of its own. Inputs that reach new code are kept below
``build/fuzz/corpus``, inputs that show a defect below ``build/fuzz/findings``; then the status
is 1. ``python -m tests.fuzz --replay TARGET FILE`` runs one input. ``--seeds`` writes the inputs
to begin with to ``tests/fuzz/corpus``.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import os
import random
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

TARGETS = ("modelfile", "dicts", "arrow", "readers")
HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "fuzz"
#: Longer ones are slower, and show nothing that short ones do not.
LONGEST = 65_536
SECONDS_AN_INPUT = 30
MEGABYTES = 3000


def fuzz(name: str, seconds: int, found: Path) -> None:
    """Runs a target in this process until time is over or a defect is found."""
    import atheris

    # The choices that a target makes of its input count as code, too.
    with atheris.instrument_imports(include=["riparian", "tests.fuzz"]):
        target = importlib.import_module(f"tests.fuzz.{name}")
    own = BUILD / "corpus" / name
    own.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")

    def mutator(data: bytes, most: int, seed: int) -> bytes:
        dice = random.Random(seed)
        by_fuzzer = lambda part: atheris.Mutate(part, len(part)) if part else part  # noqa: E731
        if name == "modelfile":
            changed = target.mutate(dice, data, by_fuzzer)
        elif dice.random() < 0.5:
            changed = atheris.Mutate(data, most)
        else:
            changed = target.mutate(dice, data)
        return changed if len(changed) <= most else data

    options = [
        f"-max_total_time={seconds}",
        f"-artifact_prefix={found}/",
        f"-timeout={SECONDS_AN_INPUT}",
        # What is slower is a finding, and nothing else: this may be a busy machine.
        f"-report_slow_units={SECONDS_AN_INPUT}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-max_len={LONGEST}",
        "-print_final_stats=1",
        "-len_control=0",
    ]
    seeds = [str(own), str(HERE / "corpus" / name)]
    if name == "modelfile":
        seeds.append(str(HERE.parent / "modelfile" / "golden"))
    atheris.Setup([name, *options, *seeds], target.run, custom_mutator=mutator)
    atheris.Fuzz()


def run_apart(name: str, seconds: int) -> tuple[str, bool]:
    """Runs a target in a process of its own; a line about it, and whether it found nothing."""
    found = BUILD / "findings" / name
    found.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    log = BUILD / f"{name}.log"
    begin = time.monotonic()
    with log.open("wb") as out:
        status = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", "--here", "--seconds", str(seconds), name],
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    took = time.monotonic() - begin
    said = log.read_text(errors="replace")
    count = re.search(r"number_of_executed_units:\s*(\d+)", said) or re.search(r"Done (\d+)", said)
    tried = int(count[1]) if count else max(map(int, re.findall(r"^#(\d+)", said, re.M)), default=0)
    new = sorted(set(found.iterdir()) - before)
    kept = len(list((BUILD / "corpus" / name).glob("*")))
    line = f"{name:10s} {tried:9,} inputs, {tried / took:7,.1f} per second, {kept:5,} kept"
    if status == 0 and not new:
        return f"{line}, nothing found", True
    where = ", ".join(os.path.relpath(path) for path in new) or f"see {os.path.relpath(log)}"
    tail = "\n".join(said.splitlines()[-40:])
    return f"{line}, FOUND (status {status}): {where}\n{tail}", False


def write_seeds() -> None:
    for name in TARGETS:
        folder = HERE / "corpus" / name
        folder.mkdir(parents=True, exist_ok=True)
        target: Any = importlib.import_module(f"tests.fuzz.{name}")
        for label, data in target.seeds().items():
            (folder / label).write_bytes(data)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"some of {', '.join(TARGETS)}; all by default")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--here", action="store_true", help="one target, in this process")
    parser.add_argument("--replay", metavar="FILE", type=Path, help="run this input, no other")
    parser.add_argument("--seeds", action="store_true", help="write the inputs to begin with")
    asked = parser.parse_args()
    unknown = set(asked.targets) - set(TARGETS)
    if unknown:
        parser.error(f"a target must be one of {', '.join(TARGETS)}, got {', '.join(unknown)}")
    if asked.seeds:
        write_seeds()
        return 0
    if asked.replay is not None:
        faulthandler.enable()
        importlib.import_module(f"tests.fuzz.{asked.targets[0]}").run(asked.replay.read_bytes())
        return 0
    if asked.here:
        fuzz(asked.targets[0], asked.seconds, BUILD / "findings" / asked.targets[0])
        return 0
    good = True
    for name in asked.targets or TARGETS:
        print(f"fuzzing {name} for {asked.seconds} s ...", file=sys.stderr, flush=True)
        line, fine = run_apart(name, asked.seconds)
        print(line, flush=True)
        good = good and fine
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
