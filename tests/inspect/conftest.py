"""Trees written by hand, in the shape in which the engine gives grown ones."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from riparian.models.tree_model import TreeModel
from tests import inside

LEAF, THRESHOLD, ONE_VALUE, EVERY_VALUE = range(4)


def feature(name, categories=None, index=0):
    """A feature of the schema: numeric, or categorical with these values."""
    kind = "numeric" if categories is None else "categorical"
    label = f"x{index}" if name is None else name
    values = list(categories or [])
    return SimpleNamespace(name=name, label=label, kind=kind, categories=values, time=None)


def leaf(*counts, answer=None):
    """A leaf that saw these class weights; ``answer`` if it also inherited some."""
    return {"test": LEAF, "counts": counts, "answer": answer or counts, "predicted_by": "majority"}


def threshold(index, value, below, above, *, counts):
    """``feature <= value`` goes below, the others above."""
    branches = [(0, below), (1, above)]
    return inner(THRESHOLD, index, branches, counts, threshold=value)


def one_value(index, code, same, others, *, counts):
    """The category ``code`` against all others."""
    return inner(ONE_VALUE, index, [(0, same), (1, others)], counts, category=code)


def every_value(index, branches, *, counts):
    """One branch for each category code of the mapping ``branches``."""
    return inner(EVERY_VALUE, index, sorted(branches.items()), counts)


def inner(test, index, branches, counts, **more):
    node = {"test": test, "feature": index, "branches": branches, "counts": counts}
    return {**node, "answer": counts, **more}


def arrays(tree, n_classes):
    """The nodes of nested dicts, level by level, as the engine's arrays."""
    rows = []
    waiting = [] if tree is None else [(tree, -1, 0, 0)]
    while waiting:
        following = []
        for node, parent, branch, depth in waiting:
            place = len(rows)
            rows.append({**node, "parent": parent, "branch": branch, "depth": depth})
            children = node.get("branches", [])
            following += [(child, place, code, depth + 1) for code, child in children]
        waiting = following

    def column(name, default, dtype):
        return np.array([row.get(name, default) for row in rows], dtype=dtype)

    heavy = np.full(len(rows), -1, dtype=np.int32)
    for place in range(len(rows) - 1, 0, -1):
        heavy[rows[place]["parent"]] = place  # the first branch
    return {
        "test": column("test", LEAF, np.uint8),
        "feature": column("feature", -1, np.int32),
        "threshold": column("threshold", np.nan, np.float64),
        "category": column("category", -1, np.int32),
        "parent": column("parent", -1, np.int32),
        "branch": column("branch", 0, np.int32),
        "heavy": heavy,
        "predicted_by": [row.get("predicted_by") for row in rows],
        "depth": column("depth", 0, np.int32),
        "counts": column("counts", 0.0, np.float64).reshape(len(rows), n_classes),
        "answer": column("answer", 0.0, np.float64).reshape(len(rows), n_classes),
    }


class Model(TreeModel):
    """A model whose tree is given to it."""

    def __init__(self, *, grace_period=200, delta=1e-7, leaf="adaptive"):
        self.grace_period = grace_period
        self.delta = delta
        self.leaf = leaf


def grown(tree, features, classes, **parameters):
    """A model whose tree is the one written here."""
    model = Model(**parameters)
    nodes = arrays(tree, len(classes))
    engine = {"seen": int(nodes["counts"].sum()), "memory_bytes": 183_400, "max_bytes": None}
    inside.set_engine(model, SimpleNamespace(nodes=lambda row=None: nodes, **engine))
    inside.set_schema(model, SimpleNamespace(features=features, classes=list(classes), watches={}))
    return model


@pytest.fixture
def forest():
    """The words for writing trees."""
    names = {name: value for name, value in globals().items() if not name.startswith("_")}
    return SimpleNamespace(**names)


@pytest.fixture
def cover():
    """Three classes, nine leaves, depth four, numeric and categorical cuts."""
    return cover_model()


@pytest.fixture
def jobs():
    """A root with thirty categories, two of which are split further."""
    return jobs_model()


@pytest.fixture
def hostile():
    """Names and categories that would like to be markup, code or escapes."""
    return hostile_model()


def chain_model(depth):
    """A tree that goes to the left for ever."""
    tree = leaf(1.0, 2.0)
    for level in reversed(range(depth)):
        tree = threshold(0, float(depth - level), tree, leaf(3.0, 1.0), counts=(2.0, 2.0))
    return grown(tree, [feature("load")], ["low", "high"])


def jobs_model():
    branches = {code: leaf(100.0 + 10.0 * code, 400.0 - 10.0 * code) for code in range(30)}
    for code, age in [(3, 41.5), (28, 29.25)]:
        young, old = leaf(90.0, 2000.0), leaf(1500.0, 30.0)
        branches[code] = threshold(1, age, young, old, counts=(100.0, 100.0))
    features = [feature("job", [f"job {code}" for code in range(30)]), feature("age")]
    return grown(every_value(0, branches, counts=(50.0, 50.0)), features, ["yes", "no"])


SCRIPT = "<script>alert(1)</script>"
QUOTE = '" onload="alert(1)'
ESCAPE = "a\nb\x1b[31m\\N"
DOLLARS = "$\\frac{"


def hostile_model():
    tree = threshold(
        0,
        1e-9,
        one_value(1, 0, leaf(1.0, 2.0), leaf(4.0, 6.5), counts=(1.0, 1.0)),
        every_value(2, {0: leaf(1.0, 0.0), 1: leaf(0.0, 1.0)}, counts=(2.0, 2.0)),
        counts=(3.0, 3.0),
    )
    features = [feature(SCRIPT), feature(QUOTE, [ESCAPE, SCRIPT]), feature(DOLLARS, [1, "1"])]
    return grown(tree, features, ["</svg></title>" + SCRIPT, ESCAPE])


def cover_model():
    soils = ["rocky", "clay", "peat", "sand"]
    features = [feature("elevation"), feature("soil", soils), feature("slope"), feature("shade")]
    tree = threshold(
        0,
        2956.0,
        one_value(
            1,
            2,
            leaf(12.0, 20.0, 2050.0),
            threshold(
                2,
                14.25,
                threshold(
                    3,
                    201.5,
                    leaf(300.0, 2900.0, 88.0),
                    leaf(900.0, 700.0, 20.0),
                    counts=(90.0, 160.0, 10.0),
                ),
                leaf(80.0, 1500.0, 310.0, answer=(90.0, 1620.0, 330.0)),
                counts=(120.0, 480.0, 60.0),
            ),
            counts=(150.0, 600.0, 250.0),
        ),
        threshold(
            0,
            3180.75,
            threshold(
                2,
                8.0,
                leaf(2200.0, 640.0, 0.0),
                leaf(700.0, 910.0, 5.0),
                counts=(170.0, 90.0, 0.0),
            ),
            threshold(
                3,
                88.0,
                leaf(0.0, 0.0, 0.0, answer=(80.0, 4.0, 0.0)),
                threshold(
                    0,
                    3350.5,
                    leaf(5400.0, 210.0, 0.0),
                    leaf(6100.0, 15.0, 2.0),
                    counts=(410.0, 12.0, 0.0),
                ),
                counts=(380.0, 20.0, 0.0),
            ),
            counts=(700.0, 180.0, 2.0),
        ),
        counts=(420.0, 440.0, 140.0),
    )
    return grown(tree, features, ["spruce", "pine", "birch"])
