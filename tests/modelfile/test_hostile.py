"""Files whose digest is right and whose contents are not: refused, or a model that works.

The files are tried in a process of its own with 1 GB more than it has at the start,
so that a crash, a hang or a large allocation is a failed test and not a dead run.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import riparian as rp
from riparian.models.registry import MODELS, RECIPES
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import effort, inside
from tests.modelfile.hostile import mutant
from tests.modelfile.mutations import FAMILIES
from tests.modelfile.parts import Parts
from tests.modelfile.samples import (
    betting_models,
    changing_model,
    check_works,
    newer_models,
    sample_models,
    samples,
)

ROOT = Path(__file__).parents[2]
#: More than 25,000 with a right digest; fewer where most of them are models to try out.
FILES = {
    ("trees", "values"): 4000,
    ("trees", "structure"): 2500,
    ("trees", "lengths"): 4000,
    ("trees", "header"): 4000,
    ("trees", "layout"): 4000,
    ("trees", "bits"): 4000,
    ("trees", "splices"): 4000,
    ("newer", "values"): 300,
    ("newer", "structure"): 150,
    ("newer", "lengths"): 300,
    ("newer", "header"): 300,
    ("newer", "layout"): 150,
    ("newer", "bits"): 300,
    ("newer", "splices"): 300,
}
#: And every ill that an array of the newer models can have, one at a time.
#: The share of the files that are tried, one of so many.
PART = 1 if effort.ALL else 20
#: What one process tries: most of its time would be its start if it tried one family.
GROUPS = {
    "trees": [family for which, family in FILES if which == "trees"],
    "newer": [family for which, family in FILES if which == "newer"],
    "newer, each ill": ["ills"],
}


def test_the_sample_that_follows_change_has_something_of_everything():
    model = changing_model()
    role = inside.snapshot(model)["role"]
    assert model.changes()
    assert role.sum() >= 2
    assert (inside.snapshot(model)["test"][role > 0] > 0).any()


def test_the_samples_that_bet_have_something_of_everything():
    certified = [m for m in sample_models() if type(m) is rp.CertifiedTree]
    assert len(certified) == 2
    for model in certified:
        assert any(leaf.evidence for leaf in model.pending())
        assert model.splits()
    for model in betting_models():
        assert len(inside.snapshot(model)["duel_born"]) > 0


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="measures the address space by /proc"
)


@needs_proc
@pytest.mark.parametrize("group", GROUPS)
def test_a_hostile_file_is_refused_or_is_a_model_that_works(group, tmp_path):
    which = group.partition(",")[0]
    counts = {f: FILES[which, f] // PART if f != "ills" else PART for f in GROUPS[group]}
    progress = tmp_path / "progress"
    progress.touch()
    command = [sys.executable, "-W", "error", "-m", "tests.modelfile.hostile", which]
    command += [f"{family}={count}" for family, count in counts.items()]
    env = os.environ | {"PROGRESS": str(progress)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env)
    ways = {-signal.SIGALRM: "a hang", -signal.SIGSEGV: "a crash", -signal.SIGABRT: "an abort"}
    how = ways.get(done.returncode, f"status {done.returncode}")
    last = progress.read_text().strip()
    assert done.returncode == 0, f"{how} at file {last}\n{done.stderr[-3000:]}"
    reports = dict(map(json.loads, done.stdout.splitlines()))
    assert {family: report["failures"] for family, report in reports.items()} == {
        family: {} for family in counts
    }
    for family, report in reports.items():
        if family != "ills":
            assert report["refused"] + report["worked"] == counts[family]
        assert report["refused"] > 0
        assert report["peak"] < 1 << 20  # kilobytes


def test_every_model_is_tried():
    """A recipe is a tree; another model has a sample of its own."""
    tried = {type(model).__name__ for model in newer_models()}
    assert tried == set(MODELS) - set(RECIPES)
    assert {inside.engine_type(cls) for cls in RECIPES.values()} == {inside.core.Engine}


def test_the_newer_samples_have_something_of_everything():
    arrays = {}
    for model in newer_models():
        arrays.setdefault(type(model), inside.snapshot(model))
    for cls in (rp.Forest, rp.AdaptiveRandomForest, rp.StreamingRandomPatches):
        assert arrays[cls]["has_back"].any()
        assert arrays[cls]["warnings"].any()
    assert arrays[rp.LeveragingBagging]["drifts"].any()
    assert arrays[rp.UFFT]["drifts"].any()
    assert len(arrays[rp.AccuracyWeightedEnsemble]["member_chunks"]) == 3
    assert len(arrays[rp.AccuracyWeightedEnsemble]["chunk_labels"]) > 0
    assert len(arrays[rp.ID4]["parent"]) > 3
    assert arrays[rp.ID5R]["seen"] > len(arrays[rp.ID5R]["labels"])


def test_the_samples_are_taken_apart_and_put_together_rightly():
    for model in [*sample_models(), *newer_models()]:
        data = to_bytes(model)
        assert model.n_leaves_ >= 2
        again = from_bytes(Parts(data).data())
        assert to_bytes(again) == data
        check_works(again, 40)


def test_there_are_enough_files():
    assert set(FILES) == {(which, f) for which in ("trees", "newer") for f in FAMILIES}
    assert sum(FILES.values()) >= 25_000


def test_the_digest_alone_keeps_out_what_is_not_signed():
    whole = samples()
    for family in FAMILIES:
        for index in range(1000 // PART):
            data = mutant(family, index, whole)
            unsigned = data[:-32] + bytes(b ^ 0x55 for b in data[-32:])
            with pytest.raises(rp.ModelFileError, match="checksum"):
                from_bytes(unsigned)
