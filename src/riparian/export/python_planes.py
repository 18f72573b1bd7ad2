"""Export of trees of hyperplanes to a Python module that imports only exp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riparian.export.planes import LARGEST, STEEPEST, PlainPlanes
from riparian.export.values import python_list, python_literal

__all__ = ["python_planes"]

_HEAD = '''"""A tree of hyperplanes, exported by riparian. It imports only exp.

predict_one(x) returns the class of one example, and predict_proba_one(x) a dict of class
probabilities. An example is a dict with the keys FEATURES, or a sequence if these are
positions. None, NaN and an absent key are missing values.
"""

from math import exp

'''

_TAIL = '''

def predict_one(x):
    """Return the class of one example."""
    shares = _shares(x)
    if _COSTS is None:
        return CLASSES[shares.index(max(shares))]
    expected = [sum([s * c for s, c in zip(shares, row)]) for row in _COSTS]
    return CLASSES[expected.index(min(expected))]


def predict_proba_one(x):
    """Return the probability of each class."""
    return dict(zip(CLASSES, _shares(x)))


def _shares(x):
    inputs = _inputs(x)
    if len(_TREES) == 1:
        left, right = _sides(_TREES[0], inputs)
        return [right, left]
    left = [_sides(planes, inputs)[0] for planes in _TREES]
    total = sum(left)
    return [share / total for share in left]


def _sides(planes, inputs):
    """Return the shares that reach left leaves and right leaves."""
    reached, first = [1.0], 0
    while first < len(planes):
        following = []
        for (weights, bias), share in zip(planes[first:], reached):
            value = _SLOPE * (sum([w * i for w, i in zip(weights, inputs)]) + bias)
            small = exp(-min(abs(value), _STEEPEST))
            large = 1.0 / (1.0 + small)
            small *= large
            left, right = (small, large) if value < 0.0 else (large, small)
            following += [share * left, share * right]
        first += len(reached)
        reached = following
    return sum(reached[0::2]), sum(reached[1::2])


def _inputs(x):
    inputs = []
    for feature, centre, spread, missing in _NUMBERS:
        value = _value(x, feature)
        if value is not None:
            value = max(-_LARGEST, min(_LARGEST, (float(value) - centre) / spread))
        inputs.append(missing if value is None else value)
    for feature, category in _CATEGORIES:
        inputs.append(1.0 if _value(x, feature) == category else 0.0)
    return inputs


def _value(x, feature):
    try:
        value = x[FEATURES[feature]]
    except (KeyError, IndexError):
        return None
    return None if value is None or value != value else value
'''


def python_planes(model: PlainPlanes) -> str:
    """Return the text of the module, which is ASCII."""
    numbers = [(n.feature, n.centre, n.spread, n.missing) for n in model.numbers]
    known = {f: model.features[f].categories for f, _ in model.categories}
    categories = [(f, known[f][code]) for f, code in model.categories]
    costs = None
    if model.costs is not None:
        costs = f"[{', '.join(map(python_list, model.costs.tolist()))}]"
    lines = [
        _HEAD,
        f"FEATURES = {python_list([f.name for f in model.features])}\n",
        f"CLASSES = {python_list(model.classes)}\n",
        f"\n_SLOPE, _STEEPEST, _LARGEST = {model.slope}, {STEEPEST}, {LARGEST}\n",
        "\n# The inputs: feature, centre, spread and the input of a missing value;",
        "\n# then feature and category.\n",
        _table("_NUMBERS", numbers),
        _table("_CATEGORIES", categories),
        "\n# The weights and the bias of each plane, level by level.\n_TREES = [\n",
    ]
    for weights, biases in zip(model.weights.tolist(), model.biases.tolist(), strict=True):
        planes = zip(map(python_list, weights), map(python_literal, biases), strict=True)
        lines += ["    [\n", *(f"        ({w}, {bias}),\n" for w, bias in planes), "    ],\n"]
    lines += ["]\n", f"_COSTS = {costs}  # [predicted class][true class]\n", _TAIL]
    return "".join(lines)


def _table(name: str, rows: Sequence[Sequence[Any]]) -> str:
    return "".join([f"{name} = [\n", *(f"    {python_list(row)},\n" for row in rows), "]\n"])
