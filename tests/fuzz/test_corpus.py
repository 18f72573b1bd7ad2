"""Every input of the fuzz corpus, and a few hundred seeded changes of them, in every run."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent / "corpus"
#: How many changed inputs are tried, too.
CHANGED = {"modelfile": 200, "dicts": 60, "arrow": 1000, "readers": 250}
LARGEST = 20_000
LARGEST_CORPUS = 1_000_000


def inputs(name):
    return sorted((CORPUS / name).iterdir())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CHANGED)
def test_the_inputs_of_the_corpus_show_no_defect(name):
    target = importlib.import_module(f"tests.fuzz.{name}")
    paths = inputs(name)
    assert paths
    for path in paths:
        try:
            target.run(path.read_bytes())
        except Exception as error:
            raise AssertionError(f"corpus/{name}/{path.name}: {error}") from error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CHANGED)
def test_changed_inputs_show_no_defect(name):
    target = importlib.import_module(f"tests.fuzz.{name}")
    pool = [path.read_bytes() for path in inputs(name)]
    for seed in range(CHANGED[name]):
        dice = random.Random(seed)
        data = dice.choice(pool)
        for _ in range(dice.choice([1, 1, 1, 3])):
            data = target.mutate(dice, data)
        try:
            target.run(data)
        except Exception as error:
            raise AssertionError(f"seed {seed}, {data[:200]!r}: {error}") from error


def test_the_corpus_is_small():
    sizes = {path: path.stat().st_size for path in CORPUS.glob("*/*")}
    assert sum(sizes.values()) < LARGEST_CORPUS
    assert max(sizes.values()) < LARGEST


@pytest.mark.parametrize("name", CHANGED)
def test_a_target_draws_on_its_seeds(name):
    """``python -m tests.fuzz --seeds`` writes the seeds again."""
    target = importlib.import_module(f"tests.fuzz.{name}")
    assert set(target.seeds()) <= {path.name for path in inputs(name)}
