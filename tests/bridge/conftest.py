"""Models with majority leaves that have every kind of test, and rows to ask them about."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import riparian as rp
from tests import inside

#: Names and categories that would like to be code.
NAMES = ['x "a"', "it's; --", "na\nme", 'job`"${}', "%s\\NAME?"]
JOBS = ["nurse", "it's", 'a "quote"', "two\nlines", "Ünïcödé ☃", "back\\slash", "*/ x", "?>NAME"]


def rows(n, seed):
    """A frame of three numbers, text and whole numbers, with gaps."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 3)) * [1.0, 1e-3, 1e6]
    job = rng.choice(JOBS, n).astype(object)
    level = rng.integers(-3, 12, n).astype(float)
    y = (numbers[:, 0] > 0).astype(int) + 2 * (job == JOBS[1]) + (level % 4 == 0)
    y += (numbers[:, 1] > 5e-4) & (level > 5)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 4, n), y)
    numbers[rng.random(numbers.shape) < 0.08] = np.nan
    level[rng.random(n) < 0.05] = np.nan
    job[rng.random(n) < 0.05] = None
    columns = [*numbers.T, job, level]
    return pd.DataFrame(dict(zip(NAMES, columns, strict=True))), y


def asked(n=10_000):
    """Rows with categories that no model has seen."""
    frame, _ = rows(n, seed=99)
    frame.loc[:300, NAMES[3]] = "never seen"
    frame.loc[200:500, NAMES[4]] = 77.0
    return frame


def learned(cuts, n_classes=4, labels=None, **parameters):
    """A model of mixed columns that has split often."""
    frame, y = rows(40_000, seed=1)
    y = y % n_classes
    model = rp.HoeffdingTree(
        leaf="majority",
        categorical_cuts=cuts,
        categorical_features=NAMES[3:],
        grace_period=50,
        delta=0.2,
        tau=0.3,
        **parameters,
    )
    return model.fit(frame, y if labels is None else np.asarray(labels, dtype=object)[y])


def chain(depth):
    """A tree of numbers that goes down one side for ever, saved and loaded."""
    n = 2 * depth + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    engine = rp.HoeffdingTree(leaf="majority").fit([[0.0], [1.0]], [0, 1])
    arrays = inside.snapshot(engine)
    ids = np.arange(n, dtype=np.int32)
    parent = np.where(ids % 2 == 1, ids - 1, ids - 2).astype(np.int32)
    parent[0] = -1
    splits, leaves = depth, depth + 1
    counts = np.stack([1.0 + ids % 7, 1.0 + ids % 5], axis=1)
    arrays |= {
        "test": inner.astype(np.uint8),
        "parent": parent,
        "branch": np.where(ids % 2 == 1, 0, 1).astype(np.int32),
        "feature": np.where(inner, 0, -1).astype(np.int32),
        "category": np.full(n, -1, dtype=np.int32),
        "heavy": np.where(inner, ids + 1 + ids % 4 // 2, -1).astype(np.int32),
        "threshold": np.where(inner, 0.1 * ids, 0.0),
        "counts": np.zeros(2 * n),
        "inherited": counts.ravel(),
        "split_node": ids[inner],
        "split_seen": np.ones(splits, dtype=np.uint64),
        "split_verdict": np.ones(splits, dtype=np.uint8),
        "second_feature": np.full(splits, -1, dtype=np.int32),
        "second_category": np.full(splits, -1, dtype=np.int32),
    }
    arrays["branch"][0] = 0
    for name, values in list(arrays.items()):
        if name in ("weight", "inherited_weight", "checked", "right_majority", "right_bayes"):
            arrays[name] = np.zeros(leaves)
        elif name in ("checks", "inactive"):
            arrays[name] = np.zeros(leaves, dtype=values.dtype)
        elif name in ("gaussian", "known", "gaps"):
            arrays[name] = values[:0]
        elif name in ("split_n", "split_gain"):
            arrays[name] = np.ones(splits)
        elif name.startswith(("split_", "second_", "rivals")) and len(values) == 0:
            arrays[name] = np.zeros(splits, dtype=values.dtype)
    arrays["split_pass"] = np.ones(splits, dtype=np.uint32)
    inside.set_engine(engine, inside.restored(engine, arrays))
    return engine


@pytest.fixture(scope="session")
def made():
    """Words for the tests: models by their kind of categorical cuts, and rows."""
    models = {}

    def model(cuts="both", **options):
        key = (cuts, repr(sorted(options.items())))
        if key not in models:
            models[key] = learned(cuts, **options)
        return models[key]

    return SimpleNamespace(
        model=model, asked=asked(), NAMES=NAMES, JOBS=JOBS, chain=chain, learned=learned, rows=rows
    )


@pytest.fixture(scope="module")
def many_thresholds():
    """A tree over one feature of all magnitudes, and its thresholds."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 1)) * 10.0 ** rng.uniform(-12, 12, (20_000, 1))
    y = (np.floor(np.log10(np.abs(X[:, 0]))) % 2).astype(int)
    model = rp.HoeffdingTree(
        statistics="exhaustive", leaf="majority", grace_period=50, delta=0.3, tau=0.5
    ).fit(X, y)
    nodes = inside.nodes(model)
    thresholds = nodes["threshold"][nodes["test"] == 1]
    assert len(thresholds) > 50
    return model, thresholds
