"""Trees as a Python module without imports."""

from __future__ import annotations

from typing import Any

from riparian.export.plain import EVERY_VALUE, LEAF, ONE_VALUE, PlainTree

__all__ = ["python_code"]

_HEAD = '''"""A decision tree, written by riparian. It imports nothing.

predict_one(x) gives the class of one example and predict_proba_one(x) a dict of class
probabilities. An example is a dict of values by the names in FEATURES; where these are
positions it may be a sequence. None, NaN and an absent value are missing.
"""

'''

_TAIL = '''

def predict_one(x):
    """The most likely class of one example."""
    return CLASSES[_ANSWERS[_leaf(x)][0]]


def predict_proba_one(x):
    """The probability of each class."""
    return dict(zip(CLASSES, _ANSWERS[_leaf(x)][1]))


def _leaf(x):
    node = 0
    while True:
        test, feature, what, first, second, missing = _NODES[node]
        if test == 0:
            return node
        try:
            value = x[FEATURES[feature]]
        except (KeyError, IndexError):
            value = None
        if value is None or value != value:
            node = missing
        elif test == 1:
            node = first if float(value) <= what else second
        elif test == 2:
            node = first if value == what else second
        elif value in what:
            node = what[value]
        else:
            return node
'''


def python_code(tree: PlainTree) -> str:
    """The module's text, all of it ASCII."""
    lines = [
        _HEAD,
        f"FEATURES = {_list([f.name for f in tree.features])}\n",
        f"CLASSES = {_list(tree.classes)}\n",
        "\n# Kind of test, feature, threshold, category or branches, children, the missing one.\n",
        "_NODES = [\n",
        *(f"    {_node(tree, node)},\n" for node in range(len(tree))),
        "]\n\n# Of each node that answers its class and probabilities.\n_ANSWERS = {\n",
        *(
            f"    {node}: ({tree.answer[node]}, {_list(tree.probabilities[node].tolist())}),\n"
            for node in range(len(tree))
            if tree.speaks[node]
        ),
        "}\n",
        _TAIL,
    ]
    return "".join(lines)


def _node(tree: PlainTree, node: int) -> str:
    test = int(tree.test[node])
    if test == LEAF:
        return "(0, 0, None, 0, 0, 0)"
    feature, heavy = int(tree.feature[node]), int(tree.heavy[node])
    children = tree.children[node]
    if test == EVERY_VALUE:
        categories = tree.features[feature].categories
        ways = ", ".join(f"{categories[code]!a}: {child}" for code, child in children)
        return f"(3, {feature}, {{{ways}}}, 0, 0, {heavy})"
    what: Any = float(tree.threshold[node])
    if test == ONE_VALUE:
        what = tree.features[feature].categories[int(tree.category[node])]
    first, second = children[0][1], children[1][1]
    return f"({test}, {feature}, {what!a}, {first}, {second}, {heavy})"


def _list(values: list[Any]) -> str:
    return f"[{', '.join(ascii(value) for value in values)}]"
