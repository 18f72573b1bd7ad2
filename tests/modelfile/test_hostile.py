"""Files whose digest is right and whose contents are not: refused, or a model that works.

The files are tried in a process of its own with 1 GB more than it has at the start,
so that a crash, a hang or a large allocation is a failed test and not a dead run.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import riparian as rp
from riparian.modelfile import from_bytes, to_bytes
from tests.modelfile.hostile import mutant
from tests.modelfile.mutations import FAMILIES
from tests.modelfile.parts import Parts
from tests.modelfile.samples import changing_model, check_works, sample_models, samples

ROOT = Path(__file__).parents[2]
#: More than 25,000 with a right digest; fewer where most of them are models to try out.
FILES = {
    "values": 4000,
    "structure": 2500,
    "lengths": 4000,
    "header": 4000,
    "layout": 4000,
    "bits": 4000,
    "splices": 4000,
}


def test_the_sample_that_follows_change_has_something_of_everything():
    model = changing_model()
    role = model._engine.snapshot()["role"]
    assert model.changes()
    assert role.sum() >= 2
    assert (model._engine.snapshot()["test"][role > 0] > 0).any()


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="tells the address space by /proc"
)


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """For each family its process when it has ended, and the last file that it tried."""
    folder = tmp_path_factory.mktemp("hostile")

    def run(family):
        progress = folder / family
        progress.write_bytes(bytes(8))
        command = [sys.executable, "-W", "error", "-m", "tests.modelfile.hostile", family]
        command += [str(FILES[family]), progress]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        (index,) = struct.unpack("<q", progress.read_bytes())
        return done, index

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        return dict(zip(FILES, pool.map(run, FILES), strict=True))


@needs_proc
@pytest.mark.parametrize("family", FILES)
def test_a_hostile_file_is_refused_or_is_a_model_that_works(family, tried):
    done, index = tried[family]
    ways = {-signal.SIGALRM: "a hang", -signal.SIGSEGV: "a crash", -signal.SIGABRT: "an abort"}
    how = ways.get(done.returncode, f"status {done.returncode}")
    assert done.returncode == 0, f"{how} at file {index} of {family!r}\n{done.stderr[-3000:]}"
    report = json.loads(done.stdout)
    assert report["failures"] == {}
    assert report["refused"] + report["worked"] == FILES[family]
    assert report["refused"] > 0
    assert report["peak"] < 1 << 20  # kilobytes


def test_the_samples_are_taken_apart_and_put_together_rightly():
    for model in sample_models():
        data = to_bytes(model)
        assert 2 <= model.n_leaves_ <= 14
        again = from_bytes(Parts(data).data())
        assert to_bytes(again) == data
        check_works(again)


def test_there_are_enough_files():
    assert set(FILES) == set(FAMILIES)
    assert sum(FILES.values()) >= 25_000


def test_the_digest_alone_keeps_out_what_is_not_signed():
    whole = samples()
    for family in FAMILIES:
        for index in range(1000):
            data = mutant(family, index, whole)
            unsigned = data[:-32] + bytes(b ^ 0x55 for b in data[-32:])
            with pytest.raises(rp.ModelFileError, match="checksum"):
                from_bytes(unsigned)
