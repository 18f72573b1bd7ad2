"""The process that tries hostile files: a crash, a hang or a large allocation ends it.

``python -m tests.modelfile.hostile WHICH FAMILY=COUNT ...`` tries some by hand; the family
``ills`` is every COUNT-th ill of every array.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes
from tests.modelfile.ills import ailing, same_contents
from tests.modelfile.mutations import FAMILIES
from tests.modelfile.parts import Parts
from tests.modelfile.samples import check_works, samples

ROOM = 1 << 30
SECONDS_A_FILE = 15
#: That a model is asked to learn; newer ones may take long for a row.
ROWS = {"trees": 500, "newer": 40}


def mutant(family, index, whole):
    dice = random.Random(f"{family} {index}")
    return FAMILIES[family](dice, whole[index % len(whole)].copy())


def files(which, family, count):
    """Each with the arrays that a model made of it must hold, if they are known."""
    whole = samples(which)
    if family == "ills":
        for what, ill in itertools.islice(ailing(whole), 0, None, count):
            yield what, ill.data(), ill
    else:
        for index in range(count):
            yield index, mutant(family, index, whole), None


def try_files(which, family, count, progress):
    """Try them; report each kind of failure once, with the first such file."""
    report: dict[str, Any] = {"refused": 0, "worked": 0, "failures": {}}
    for index, (which_one, data, parts) in enumerate(files(which, family, count)):
        os.pwrite(progress, f"{index} of {family}".ljust(40).encode(), 0)
        signal.alarm(SECONDS_A_FILE)
        try:
            try:
                model = from_bytes(data)
            except rp.ModelFileError:
                report["refused"] += 1
                continue
            assert parts is None or same_contents(Parts(to_bytes(model)), parts), "another model"
            check_works(model, ROWS[which])
            report["worked"] += 1
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:200]} ({last.filename}:{last.lineno})"
            report["failures"].setdefault(what, which_one)
    signal.alarm(0)
    report["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return report


def address_space():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    which, *tries = sys.argv[1:]
    progress = os.open(os.environ.get("PROGRESS", os.devnull), os.O_WRONLY)
    samples(which)
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + ROOM, resource.RLIM_INFINITY))
    for family, _, count in (text.partition("=") for text in tries):
        print(json.dumps([family, try_files(which, family, int(count), progress)]), flush=True)
