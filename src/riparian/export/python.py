"""Export of trees and forests to a Python module that imports exp at most."""

from __future__ import annotations

from typing import Any

from riparian.export.categories import known_categories, other_of
from riparian.export.plain import EVERY_VALUE, LEAF, ONE_VALUE, PlainTree
from riparian.export.python_formulas import python_formulas
from riparian.export.values import python_list, python_literal

__all__ = ["python_code"]

_HEAD = '''"""A decision {what}, exported by riparian. It {imports}.

predict_one(x) returns the class of one example, and predict_proba_one(x) a dict of class
probabilities. An example is a dict with the keys FEATURES, or a sequence if these are
positions. None, NaN and an absent key are missing values.
"""

'''

_OF_TREE = '''

def predict_one(x):
    """Return the class of one example."""
    return CLASSES[_PREDICTIONS[_leaf(x, 0)][0]]


def predict_proba_one(x):
    """Return the probability of each class."""
    return dict(zip(CLASSES, _PREDICTIONS[_leaf(x, 0)][1]))
'''

_OF_FOREST = '''

def predict_one(x):
    """Return the class of one example."""
    scores = _scores(x)
    if _COSTS is None:
        return CLASSES[scores.index(max(scores))]
    expected = [_total([s * c for s, c in zip(scores, row)]) for row in _COSTS]
    return CLASSES[expected.index(min(expected))]


def predict_proba_one(x):
    """Return the probability of each class."""
    scores = _scores(x)
    total = _total(scores) if _DIVISOR is None else 1.0
    return dict(zip(CLASSES, [s / total for s in scores]))


def _scores(x):
    scores = [0.0] * len(CLASSES)
    for root in _ROOTS:
        for k, share in enumerate({vote}):
            scores[k] += share
    return scores if _DIVISOR is None else [s / _DIVISOR for s in scores]


def _total(values):
    total = 0.0  # added in order; sum() rounds differently since Python 3.12
    for value in values:
        total += value
    return total
'''

_LEAF = """

def _leaf(x, node):
    while True:
        test, feature, what, first, second, missing = _NODES[node]
        if test == 0:
            return node
        try:
            value = x[FEATURES[feature]]
        except (KeyError, IndexError):
            value = None
{other}        if value is None or value != value:
            if missing == node:
                return node
            node = missing
        elif test == 1:
            node = first if float(value) <= what else second
        elif test == 2:
            node = first if value == what else second
        elif value in what:
            node = what[value]
        else:
            return node
"""

_OTHER = """\
        if value is not None and value == value and feature in _KNOWN:
            value = value if value in _KNOWN[feature] else ...
"""


def python_code(tree: PlainTree) -> str:
    """Return the text of the module, which is ASCII."""
    imports = "imports only exp" if tree.formulas else "needs no imports"
    lines = [
        _HEAD.replace("{what}", tree.what).replace("{imports}", imports),
        "from math import exp\n\n" if tree.formulas else "",
        f"FEATURES = {python_list([f.name for f in tree.features])}\n",
        f"CLASSES = {python_list(tree.classes)}\n",
        "\n# Kind of test; feature; threshold, category or branches; children; missing child.\n",
        "_NODES = [\n",
        *(f"    {_node(tree, node)},\n" for node in range(len(tree))),
        "]\n\n# ",
        "Class and probabilities" if tree.sum is None else "The part of the sum",
        " of each node that predicts.\n_PREDICTIONS = {\n",
        *(
            f"    {node}: {_prediction(tree, node)},\n"
            for node in range(len(tree))
            if tree.predicts[node]
        ),
        "}\n",
    ]
    if tree.sum is None:
        lines.append(_OF_TREE)
    else:
        costs = tree.sum.costs
        vote = "_vote(x, _leaf(x, root))" if tree.formulas else "_PREDICTIONS[_leaf(x, root)]"
        rows = None if costs is None else f"[{', '.join(map(python_list, costs.tolist()))}]"
        lines += [
            f"_ROOTS = {python_list(tree.sum.roots)}\n",
            f"_DIVISOR = {python_literal(tree.sum.divisor)}\n",
            f"_COSTS = {rows}  # [predicted class][true class]\n",
            python_formulas(tree) if tree.formulas else "",
            _OF_FOREST.replace("{vote}", vote),
        ]
    known = {
        i: known_categories(feature)
        for i, feature in enumerate(tree.features)
        if other_of(feature) is not None
    }
    if known:
        sets = ", ".join(f"{i}: {{{python_list(c)[1:-1]}}}" for i, c in known.items())
        lines.append(
            f"\n# Features of which all other categories are one, `...`.\n_KNOWN = {{{sets}}}\n"
        )
    return "".join([*lines, _LEAF.replace("{other}", _OTHER if known else "")])


def _prediction(tree: PlainTree, node: int) -> str:
    shares = python_list(tree.probabilities[node].tolist())
    return f"({tree.prediction[node]}, {shares})" if tree.sum is None else shares


def _node(tree: PlainTree, node: int) -> str:
    test = int(tree.test[node])
    if test == LEAF:
        return "(0, 0, None, 0, 0, 0)"
    feature, heavy = int(tree.feature[node]), int(tree.heavy[node])
    children = tree.children[node]
    if test == EVERY_VALUE:
        categories = tree.categories[feature]
        branches = ", ".join(
            f"{python_literal(categories[c])}: {child}" for c, child in children if c >= 0
        )
        return f"(3, {feature}, {{{branches}}}, 0, 0, {heavy})"
    what: Any = float(tree.threshold[node])
    if test == ONE_VALUE:
        what = tree.categories[feature][int(tree.category[node])]
    first, second = children[0][1], children[1][1]
    return f"({test}, {feature}, {python_literal(what)}, {first}, {second}, {heavy})"
