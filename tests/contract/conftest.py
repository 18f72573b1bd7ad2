"""Models of the contract, one stream that holds everything at once, and what tests do with both."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import riparian as rp
from riparian.models.registry import models_of
from riparian.storage.modelfile import to_bytes
from tests import effort, inside
from tests.contract import matrix
from tests.modelfile.parts import Parts

HERE = Path(__file__).parent
NO_CASE = SimpleNamespace(params={})


def pytest_generate_tests(metafunc):
    for argument in set(matrix.ARGUMENTS) & set(metafunc.fixturenames):
        found = matrix.entries(argument, metafunc.definition.nodeid)
        metafunc.parametrize(argument, found, ids=matrix.label)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leaves out the cases that do not apply; a test that is named in full always runs."""
    if any("::" in argument for argument in config.args):
        return
    tests, checks = defaultdict(list), defaultdict(list)
    for item in items:
        params = getattr(item, "callspec", NO_CASE).params
        if item.path.parent == HERE and params.keys() & matrix.ARGUMENTS.keys():
            tests[item.path, item.originalname].append(item)
        elif item.path.parent == HERE and params.keys() >= {"estimator", "check"}:
            checks[item.path, item.originalname].append(item)
    kept = set()
    for own in tests.values():
        found = matrix.applicable(own)
        kept.update(found if effort.ALL else matrix.thinned(found))
    for own in checks.values():
        kept.update(own if effort.ALL else matrix.thinned_checks(own))
    seen = [item for own in (*tests.values(), *checks.values()) for item in own]
    left_out = [item for item in seen if item not in kept]
    config.hook.pytest_deselected(items=left_out)
    dropped = set(left_out)
    items[:] = [item for item in items if item not in dropped]


@pytest.fixture
def stream(model, mixed):
    """The part of `mixed` that the model learns."""
    return model.of(mixed)


@pytest.fixture(scope="session")
def with_known():
    """A model with those of these parameters that it has."""

    def make(cls, **parameters):
        known = cls().get_params()
        return cls(**{k: v for k, v in parameters.items() if k in known})

    return make


@pytest.fixture(scope="session")
def fingerprint():
    """What two models share if, and only if, their files are equal byte for byte."""

    def of(model):
        data = to_bytes(model)
        if isinstance(model, rp.ID3 | rp.ITI):
            # The cost of keeping the tree depends on when it was checked.
            parts = Parts(data)
            del parts.arrays["counters"]
            data = parts.data()
        if (
            type(model) in models_of("restructuring trees").values()
        ):  # a file holds the examples, not the tree
            data += model.export_text().encode()
        return hashlib.sha256(data).hexdigest()

    return of


@dataclass(frozen=True)
class Rows:
    """Columns, labels and weights of some rows."""

    columns: dict
    y: np.ndarray
    w: np.ndarray

    def __len__(self):
        return len(self.y)

    def __getitem__(self, rows):
        return Rows({n: c[rows] for n, c in self.columns.items()}, self.y[rows], self.w[rows])

    def batches(self, size):
        return (self[i : i + size] for i in range(0, len(self), size))

    def examples(self):
        """One dict a row, as River users write them."""
        names = list(self.columns)
        values = zip(*(c.tolist() for c in self.columns.values()), strict=True)
        for row, y, w in zip(values, self.y.tolist(), self.w.tolist(), strict=True):
            yield dict(zip(names, row, strict=True)), y, w

    def learned_by(self, model, size=None):
        for batch in self.batches(size or len(self)):
            model.partial_fit(batch.columns, batch.y, sample_weight=batch.w)
        return model


@pytest.fixture(scope="session")
def mixed():
    """NaN, None, categories, fractional weights; late in it new classes and new categories."""
    rng = np.random.default_rng(7)
    n = 4000
    late = np.arange(n) > 0.5 * n
    height = rng.normal(size=n)
    width = rng.normal(3.0, 2.0, size=n)
    clock = 1e9 + rng.uniform(0.0, 100.0, size=n)
    colour = rng.choice(np.array(["red", "green", "blue"], dtype=object), size=n)
    colour[late & (rng.random(n) < 0.2)] = "ultraviolet"
    grade = rng.choice(np.array(["a", "b"], dtype=object), size=n)
    grade[late & (rng.random(n) < 0.1)] = "z"

    y = np.where((height > 0.3) ^ (colour == "green"), "yes", "no").astype(object)
    y[(width > 4.0) & late] = "maybe"
    y[(colour == "ultraviolet") & (clock > 1e9 + 50)] = "never"
    flipped = rng.random(n) < 0.05
    y[flipped] = rng.permutation(y[flipped])

    for numbers in (height, width, clock):
        gaps = rng.random(n) < 0.05
        gaps[0] = False
        numbers[gaps] = np.nan
    for values in (colour, grade):
        gaps = rng.random(n) < 0.05
        gaps[0] = False
        values[gaps] = None
    columns = {"height": height, "colour": colour, "width": width, "grade": grade, "clock": clock}
    return Rows(columns, y, rng.choice([0.25, 0.5, 1.0, 1.0, 1.7, 3.0], size=n))


@pytest.fixture
def with_instruction_sets():
    """Does something with every instruction set of this machine; leaves the engine as it was."""
    before = inside.core.instruction_set()

    def run(job):
        sets = [
            name for name in ("baseline", "avx2", "avx512") if inside.core.use_instruction_set(name)
        ]
        if len(sets) == 1:
            pytest.skip("this machine has one instruction set")
        return [job() for name in sets if inside.core.use_instruction_set(name)]

    yield run
    assert inside.core.use_instruction_set(before)
