"""Same data and parameters: same model file, byte for byte, on every machine."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from riparian.models.registry import RECIPES


def test_a_second_run_gives_the_same_bytes(model, stream, fingerprint):
    assert fingerprint(stream.learned_by(model.eager())) == fingerprint(
        stream.learned_by(model.eager())
    )


def test_another_order_of_rows_gives_other_bytes(model, stream, fingerprint):
    backwards = stream[::-1].learned_by(model.eager())
    assert fingerprint(backwards) != fingerprint(stream.learned_by(model.eager()))


def test_fit_forgets_what_was_learned_before(model, stream, fingerprint):
    learned = stream[:1000].learned_by(model.eager())
    learned.fit(stream.columns, stream.y, stream.w)
    fresh = model.eager().fit(stream.columns, stream.y, stream.w)
    assert fingerprint(learned) == fingerprint(fresh)


def test_wider_instructions_change_no_bit(model, stream, fingerprint, with_instruction_sets):
    def job():
        learned = stream.learned_by(model.eager())
        return fingerprint(learned), learned.predict_proba(stream.columns).tobytes()

    assert len(set(with_instruction_sets(job))) == 1


@pytest.mark.parametrize("n_features", [1, 3, 4, 5, 8, 17])
def test_wider_instructions_change_no_bit_of_any_width(
    recipe, fingerprint, with_instruction_sets, n_features
):
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(1500, n_features)) * rng.uniform(1e-6, 1e6, size=n_features)
    y = (X[:, 0] > 0).astype(int) + 2 * (X[:, -1] > X[:, -1].mean())
    X[rng.random(X.shape) < 0.02] = np.nan

    def job():
        model = recipe.eager().partial_fit(X, y)
        return fingerprint(model), model.predict_proba(X).tobytes()

    assert len(set(with_instruction_sets(job))) == 1


HASHED = """
import hashlib, numpy as np
from riparian.storage.modelfile import to_bytes
from riparian.models.registry import RECIPES
rng = np.random.default_rng(3)
word = np.array([f"w{i}" for i in rng.integers(0, 20, size=2000)], dtype=object)
y = np.where(np.isin(word, ["w3", "w5", "w7"]), "in", "out")
for name, cls in RECIPES.items():
    model = cls().partial_fit({"word": word}, y)
    print(name, hashlib.sha256(to_bytes(model)).hexdigest())
"""


def test_the_hash_seed_of_python_does_not_matter():
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", HASHED],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ
            | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for seed in ("1", "2")
    ]
    first, second = (run.communicate()[0] for run in runs)
    assert [line.split()[0] for line in first.splitlines()] == list(RECIPES)
    assert first == second
