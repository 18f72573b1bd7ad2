"""A model's tree in the words of the reference, so that two can be compared node for node."""

from __future__ import annotations

import math

from tests import inside

LEAF, THRESHOLD, ONE_VALUE, EVERY_VALUE = range(4)


def tree_of(model):
    """The whole tree, with class weights by label and branches by value."""
    nodes = inside.nodes(model)
    features, classes = inside.features(model), inside.classes(model)
    made = [None] * len(nodes["test"])
    below = [{} for _ in made]
    for i in reversed(range(len(made))):
        weights = nodes["reached"][i].tolist()
        counts = {classes[c]: w for c, w in enumerate(weights) if w}
        kind, feature = int(nodes["test"][i]), int(nodes["feature"][i])
        if kind == LEAF:
            made[i] = ("leaf", counts)
        else:
            if kind == THRESHOLD:
                test = ("<=", feature, float(nodes["threshold"][i]))
            elif kind == ONE_VALUE:
                test = ("one", feature, features[feature].categories[int(nodes["category"][i])])
            else:
                test = ("every", feature)
            made[i] = (test, counts, below[i])
        parent = int(nodes["parent"][i])
        if parent >= 0:
            branch = int(nodes["branch"][i])
            if int(nodes["test"][parent]) == EVERY_VALUE:
                asked = features[int(nodes["feature"][parent])]
                branch = None if branch < 0 else asked.categories[branch]
            below[parent][branch] = made[i]
    return made[0]


def as_examples(X, y, w=None):
    """Rows as the reference has them; NaN is missing."""
    weights = [1] * len(y) if w is None else w
    clean = [tuple(None if isinstance(v, float) and math.isnan(v) else v for v in row) for row in X]
    return list(zip(clean, y, weights, strict=True))
