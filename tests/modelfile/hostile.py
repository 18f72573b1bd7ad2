"""The process that tries hostile files: a crash, a hang or a large allocation ends it.

``python -m tests.modelfile.hostile FAMILY COUNT`` tries some by hand.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import struct
import sys
import traceback
from pathlib import Path

import riparian as rp
from riparian.modelfile import from_bytes
from tests.modelfile.mutations import FAMILIES
from tests.modelfile.samples import check_works, samples

ROOM = 1 << 30
SECONDS_A_FILE = 15


def mutant(family, index, whole):
    dice = random.Random(f"{family} {index}")
    return FAMILIES[family](dice, whole[index % len(whole)].copy())


def try_files(family, count, progress):
    """Tries `count` mutants; tells every kind of failure once, with the first such file."""
    whole = samples()
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + ROOM, resource.RLIM_INFINITY))
    report = {"refused": 0, "worked": 0, "failures": {}}
    for index in range(count):
        os.pwrite(progress, struct.pack("<q", index), 0)
        data = mutant(family, index, whole)
        signal.alarm(SECONDS_A_FILE)
        try:
            try:
                model = from_bytes(data)
            except rp.ModelFileError:
                report["refused"] += 1
                continue
            check_works(model)
            report["worked"] += 1
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:200]} ({last.filename}:{last.lineno})"
            report["failures"].setdefault(what, index)
    signal.alarm(0)
    report["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return report


def address_space():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    name, count = sys.argv[1], int(sys.argv[2])
    path = sys.argv[3] if len(sys.argv) > 3 else os.devnull
    print(json.dumps(try_files(name, count, os.open(path, os.O_WRONLY))))
