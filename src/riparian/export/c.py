"""Trees and forests as C99, for programs without an interpreter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from riparian.export.categories import is_text
from riparian.export.plain import EVERY_VALUE, LEAF, ONE_VALUE, PlainTree, Sum
from riparian.wording import label_text

__all__ = ["c_code"]

_HEAD = """/* A decision {what}, written by riparian: C99 without libraries.
 *
 * int NAME_predict(const double *x)                      a class, as its place in NAME_classes
 * {probabilities} of each class, in the same order
{more} *
 * x has NAME_FEATURES values, in the order of NAME_features. NaN is a missing value (do not
 * compile with -ffast-math). Categories that are numbers are given as they are{texts}.
 */
#include <stddef.h>
#include <string.h>

"""

_CODE_HELP = (
    " * double NAME_code(int feature, const char *text)        what stands for a category in x\n"
)

_CODE = """
/* The number that stands for a category of a feature in x; UTF-8. */
double NAME_code(int feature, const char *text)
{
    size_t low = 0, high = sizeof NAME_texts / sizeof NAME_texts[0];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        int order = NAME_texts[middle].feature - feature;
        if (order == 0) order = strcmp(NAME_texts[middle].text, text);
        if (order == 0) return NAME_texts[middle].code;
        if (order < 0) low = middle + 1; else high = middle;
    }
    return -1.0;
}
"""

_ONE_VALUE = """        case 2: node = value == at->value ? at->first : at->second; break;
"""

_EVERY_VALUE = """        default: {
            int low = at->first, high = at->second;
            while (low < high) {
                const int middle = low + (high - low) / 2;
                if (NAME_ways[middle].value < value) low = middle + 1; else high = middle;
            }
            if (low == at->second || NAME_ways[low].value != value) return at->answer;
            node = NAME_ways[low].node;
        }
"""

_LEAF = """
static int NAME_leaf(const double *x, int node)
{
    for (;;) {
        const struct NAME_node *const at = &NAME_nodes[node];
        double value;
        if (at->test == 0) return at->answer;
        value = x[at->feature];
        if (value != value) {
            if (at->missing == node) return at->answer;
            node = at->missing;
            continue;
        }
        switch (at->test) {
        case 1: node = value <= at->value ? at->first : at->second; break;
{cases}        }
    }
}
"""

_OF_TREE = """
int NAME_predict(const double *x)
{
    return NAME_answers[NAME_leaf(x, 0)];
}

const double *NAME_probabilities(const double *x)
{
    return NAME_shares[NAME_leaf(x, 0)];
}
"""

_SCORES = """
static void NAME_scores(const double *x, double *scores)
{
    size_t i;
    int k;
    for (k = 0; k < NAME_CLASSES; ++k) scores[k] = 0.0;
    for (i = 0; i < sizeof NAME_roots / sizeof NAME_roots[0]; ++i) {
        const double *const share = NAME_shares[NAME_leaf(x, NAME_roots[i])];
        for (k = 0; k < NAME_CLASSES; ++k) scores[k] += share[k];
    }
}

void NAME_probabilities(const double *x, double *p)
{
    double total = {total};
    int k;
    NAME_scores(x, p);
{add}    for (k = 0; k < NAME_CLASSES; ++k) p[k] /= total;
}
"""

_ADD = """    for (k = 0; k < NAME_CLASSES; ++k) total += p[k];
"""

_LIKELIEST = """
int NAME_predict(const double *x)
{
    double scores[NAME_CLASSES];
    int k, best = 0;
    {fill}(x, scores);
    for (k = 1; k < NAME_CLASSES; ++k) if (scores[k] > scores[best]) best = k;
    return best;
}
"""

_CHEAPEST = """
int NAME_predict(const double *x)
{
    double scores[NAME_CLASSES], least = 0.0;
    int answer, k, best = 0;
    {fill}(x, scores);
    for (answer = 0; answer < NAME_CLASSES; ++answer) {
        double cost = 0.0;
        for (k = 0; k < NAME_CLASSES; ++k) {
            const double part = scores[k] * NAME_costs[answer][k];
            cost += part;
        }
        if (answer > 0 && !(cost < least)) continue;
        best = answer;
        least = cost;
    }
    return best;
}
"""


def c_code(tree: PlainTree, *, name: str = "tree") -> str:
    """The source file.

    Parameters
    ----------
    tree : PlainTree
        The tree.
    name : str, default="tree"
        What all names in the file begin with.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name must be letters, digits and underscores, got {name!r}")
    texts = [is_text(feature, "C") for feature in tree.features]
    nodes, ways = _nodes(tree, texts)
    speaking = np.flatnonzero(tree.speaks).tolist()
    more = texts_help = cases = ""
    alone = tree.sum is None
    given = "const double *NAME_probabilities(const double *x)     "
    filled = "void NAME_probabilities(const double *x, double *p)   "
    if any(texts):
        more = _CODE_HELP
        texts_help = ",\n * and those that are text as NAME_code gives them"
    if (tree.test == ONE_VALUE).any():
        cases += _ONE_VALUE
    if ways:
        cases += _EVERY_VALUE
    parts = [
        _HEAD.format(
            what="tree" if alone else "forest",
            probabilities=given if alone else filled,
            more=more,
            texts=texts_help,
        ),
        f"enum {{ NAME_FEATURES = {len(tree.features)}, NAME_CLASSES = {len(tree.classes)} }};\n\n",
        _array("const char *const NAME_features[]", [_text(f.label) for f in tree.features]),
        _array("const char *const NAME_classes[]", [_text(str(c)) for c in tree.classes]),
    ]
    if any(texts):
        entries = [
            f"{{{i}, {code}.0, {_text(str(category))}}}"
            for i, feature in enumerate(tree.features)
            if texts[i]
            for code, category in sorted(enumerate(feature.categories), key=_in_bytes)
        ]
        # A feature may have no category yet; no text is at feature -1.
        kind = "static const struct { int feature; double code; const char *text; } NAME_texts[]"
        parts += [_array(kind, entries or ['{-1, 0.0, ""}']), _CODE, "\n"]
    parts += [
        "struct NAME_node { double value; int test, feature, first, second, missing, answer; };\n",
        _array("static const struct NAME_node NAME_nodes[]", nodes),
    ]
    if ways:
        parts.append(_array("static const struct { double value; int node; } NAME_ways[]", ways))
    rows = [_row(tree.probabilities[node].tolist()) for node in speaking]
    parts.append(_array("static const double NAME_shares[][NAME_CLASSES]", rows))
    if tree.sum is None:
        answers = [str(tree.answer[node]) for node in speaking]
        parts.append(_array("static const int NAME_answers[]", answers))
    parts.append(_LEAF.replace("{cases}", cases))
    parts.append(_OF_TREE if tree.sum is None else _forest(tree.sum))
    # Labels and categories hold no bare NAME: their letters N are written as escapes.
    return "".join(parts).replace("NAME", name)


def _forest(together: Sum) -> str:
    """What adds up the trees."""
    divisor, costs = together.divisor, together.costs
    roots = _array("\nstatic const int NAME_roots[]", map(str, together.roots))
    scores = _SCORES.replace("{total}", _number(divisor or 0.0))
    scores = scores.replace("{add}", _ADD if divisor is None else "")
    answer, table = _LIKELIEST, ""
    if costs is not None:
        answer = _CHEAPEST
        table = "\n/* [answer][true class] */\n"
        table += _array("static const double NAME_costs[][NAME_CLASSES]", map(_row, costs.tolist()))
    # What is divided by a number that is known is so before it is compared, as in the model.
    fill = "NAME_scores" if divisor is None else "NAME_probabilities"
    return roots + scores + table + answer.replace("{fill}", fill)


def _nodes(tree: PlainTree, texts: Sequence[bool]) -> tuple[list[str], list[str]]:
    rows: list[str] = []
    ways: list[str] = []
    answers = 0
    for node in range(len(tree)):
        test, children = int(tree.test[node]), tree.children[node]
        feature, heavy = int(tree.feature[node]), int(tree.heavy[node])
        value, first, second, answer = 0.0, 0, 0, 0
        if tree.speaks[node]:
            answer = answers
            answers += 1
        if test == LEAF:
            rows.append(f"{{0.0, 0, 0, 0, 0, 0, {answer}}}")
            continue
        if test == EVERY_VALUE:
            first = len(ways)
            known = [(code, child) for code, child in children if code >= 0]
            found = sorted((_category(tree, feature, c, texts), child) for c, child in known)
            ways += [f"{{{_number(v)}, {child}}}" for v, child in found]
            second = len(ways)
        else:
            first, second = children[0][1], children[1][1]
            value = float(tree.threshold[node])
            if test == ONE_VALUE:
                value = _category(tree, feature, int(tree.category[node]), texts)
        rows.append(
            f"{{{_number(value)}, {test}, {feature}, {first}, {second}, {heavy}, {answer}}}"
        )
    return rows, ways


def _category(tree: PlainTree, feature: int, code: int, texts: Sequence[bool]) -> float:
    """What stands for a category in x."""
    category: Any = tree.features[feature].categories[code]
    if texts[feature]:
        return float(code)
    if float(category) != category:
        name = label_text(tree.features[feature].label)
        raise ValueError(f"the category {category!r} of {name!r} is not a double")
    return float(category)


def _in_bytes(entry: tuple[int, Any]) -> bytes:
    """The order of strcmp."""
    return str(entry[1]).encode("utf-8", "surrogatepass")


def _array(declaration: str, entries: Iterable[str]) -> str:
    body = ",\n".join(f"    {entry}" for entry in entries)
    return f"{declaration} = {{\n{body}\n}};\n"


def _row(values: Sequence[float]) -> str:
    return "{" + ", ".join(map(_number, values)) + "}"


def _number(value: float) -> str:
    """All bits of a number, readable where it is whole."""
    return f"{value:.1f}" if value == int(value) and abs(value) < 1e6 else value.hex()


def _text(text: str) -> str:
    """A string literal; whatever could end it, join a trigraph or be a NAME is an escape."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} is not valid Unicode, which C needs") from None
    if 0 in data:
        raise ValueError(f"{text!r} holds a NUL character, which ends a string in C")
    plain = re.compile(rb"[ !#-\x3e@-MO-\[\]-~]")
    inner = "".join(
        chr(byte) if plain.fullmatch(bytes([byte])) else f"\\{byte:03o}" for byte in data
    )
    return f'"{inner}"'
