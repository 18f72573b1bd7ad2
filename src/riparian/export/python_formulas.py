"""Leaves that compute their prediction, in exported Python modules."""

from __future__ import annotations

from collections.abc import Iterator

from riparian.export.formulas import LARGEST, LARGEST_INPUT, Formula, Squares
from riparian.export.plain import PlainTree
from riparian.export.values import python_list, python_literal

__all__ = ["python_formulas"]

_VOTE = '''

def _vote(x, node):
    """Return the part of the sum of a node that predicts."""
    if node not in _FORMULAS:
        return _PREDICTIONS[node]
    softmax, weight, scores, squares, lines, categories = _FORMULAS[node]
    scores = list(scores)
    for feature, terms in squares:
        value = _value(x, feature)
        if value is not None:
            value = max(-_LARGEST, min(_LARGEST, float(value)))
            for k, (centre, precision, offset) in enumerate(terms):
                apart = value - centre
                scores[k] += offset - apart * apart * precision
    for feature, centre, spread, weights in lines:
        value = _value(x, feature)
        if value is not None:
            value = (max(-_LARGEST, min(_LARGEST, float(value))) - centre) / spread
            value = max(-_LARGEST_INPUT, min(_LARGEST_INPUT, value))
            for k, w in enumerate(weights):
                scores[k] += w * value
    for feature, known, other in categories:
        value = _value(x, feature)
        if value is not None:
            for k, term in enumerate(known.get(value, other)):
                scores[k] += term
    if softmax:
        top = max(scores)
        if top < -1.7976931348623157e308:
            return _PREDICTIONS[node]
        scores = [exp(s - top) for s in scores]
    else:
        scores = [min(max(s, 0.0), 1.0) for s in scores]
    total = _total(scores)
    if not total > 0.0:
        return _PREDICTIONS[node]
    return [weight * (s / total) for s in scores]


def _value(x, feature):
    try:
        value = x[FEATURES[feature]]
    except (KeyError, IndexError):
        return None
    return None if value is None or value != value else value
'''


def python_formulas(tree: PlainTree) -> str:
    """Return the formulas of a tree or forest, and the function that evaluates them."""
    return "".join(
        [
            f"_LARGEST, _LARGEST_INPUT = {LARGEST!r}, {LARGEST_INPUT!r}\n",
            "\n# Whether the scores go through a softmax; the weight of the tree; the constant of",
            "\n# each class; for each numeric feature its centre, precision and offset for each",
            "\n# class, or its centre and spread, and a weight for each class; and for each",
            "\n# categorical feature a term for each class.\n_FORMULAS = {\n",
            *(f"    {node}: {_formula(tree, f)},\n" for node, f in tree.formulas.items()),
            "}\n",
            _VOTE,
        ]
    )


def _formula(tree: PlainTree, formula: Formula) -> str:
    squares = list(_squares(formula)) if isinstance(formula.terms, Squares) else []
    lines = [] if isinstance(formula.terms, Squares) else list(_lines(formula))
    categories = []
    for feature, rows in formula.categorical.items():
        known = zip(tree.categories[feature], rows[:-1].tolist(), strict=False)
        entries = ", ".join(f"{python_literal(c)}: {python_list(row)}" for c, row in known)
        categories.append(f"({feature}, {{{entries}}}, {python_list(rows[-1].tolist())})")
    head = f"{formula.link == 'softmax'}, {formula.weight!r}"
    parts = [f"[{', '.join(part)}]" for part in (squares, lines, categories)]
    return f"({head}, {python_list(formula.constant.tolist())}, {', '.join(parts)})"


def _squares(formula: Formula) -> Iterator[str]:
    terms = formula.terms
    assert isinstance(terms, Squares)
    for i, feature in enumerate(formula.numeric):
        columns = (terms.centre[:, i], terms.precision[:, i], terms.offset[:, i])
        of_classes = zip(*(column.tolist() for column in columns), strict=True)
        entries = ", ".join(f"({', '.join(map(repr, numbers))})" for numbers in of_classes)
        yield f"({feature}, [{entries}])"


def _lines(formula: Formula) -> Iterator[str]:
    terms = formula.terms
    assert not isinstance(terms, Squares)
    for i, feature in enumerate(formula.numeric):
        weights = python_list(terms.weight[:, i].tolist())
        yield f"({feature}, {float(terms.centre[i])!r}, {float(terms.spread[i])!r}, {weights})"
