"""Export of trees and forests to C99."""

from __future__ import annotations

import numpy as np

from riparian.export.c_file import CFile, array, number, row
from riparian.export.c_formulas import add_formulas
from riparian.export.plain import EVERY_VALUE, LEAF, ONE_VALUE, PlainTree

__all__ = ["c_code"]

_ONE_VALUE = """        case 2: node = value == at->value ? at->first : at->second; break;
"""

_EVERY_VALUE = """        default: {
            int low = at->first, high = at->second;
            while (low < high) {
                const int middle = low + (high - low) / 2;
                if (NAME_branches[middle].value < value) low = middle + 1; else high = middle;
            }
            if (low == at->second || NAME_branches[low].value != value) return at->prediction;
            node = NAME_branches[low].node;
        }
"""

_LEAF = """
static int NAME_leaf(const double *x, int node)
{
    for (;;) {
        const struct NAME_node *const at = &NAME_nodes[node];
        double value;
        if (at->test == 0) return at->prediction;
        value = x[at->feature];
        if (value != value) {
            if (at->missing == node) return at->prediction;
            node = at->missing;
            continue;
        }
        switch (at->test) {
        case 1: node = value <= at->value ? at->first : at->second; break;
{cases}        }
    }
}
"""

_PREDICT_TREE = """
int NAME_predict(const double *x)
{
    return NAME_predictions[NAME_leaf(x, 0)];
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
{vote}    }
}

void NAME_probabilities(const double *x, double *p)
{
    double total = {total};
    int k;
    NAME_scores(x, p);
{add}    for (k = 0; k < NAME_CLASSES; ++k) p[k] /= total;
}
"""

_ADD_SHARES = """        const double *const share = NAME_shares[NAME_leaf(x, NAME_roots[i])];
        for (k = 0; k < NAME_CLASSES; ++k) scores[k] += share[k];
"""

_ADD_VOTE = """        NAME_vote(x, NAME_leaf(x, NAME_roots[i]), scores);
"""

_ADD = """    for (k = 0; k < NAME_CLASSES; ++k) total += p[k];
"""


def c_code(tree: PlainTree, *, name: str = "tree") -> str:
    """Return the C source of a tree or forest.

    Parameters
    ----------
    tree : PlainTree
        The tree or forest.
    name : str, default="tree"
        Prefix of all names in the file.
    """
    file = CFile(
        tree.features,
        tree.classes,
        name,
        f"A decision {tree.what}",
        computes=tree.sum is not None,
        uses_math=bool(tree.formulas),
    )
    nodes, branches = _nodes(tree, file)
    predicting = np.flatnonzero(tree.predicts).tolist()
    cases = _ONE_VALUE if (tree.test == ONE_VALUE).any() else ""
    file.add(
        "struct NAME_node {\n    double value;\n"
        "    int test, feature, first, second, missing, prediction;\n};\n",
        array("static const struct NAME_node NAME_nodes[]", nodes),
    )
    if branches:
        file.add(array("static const struct { double value; int node; } NAME_branches[]", branches))
        cases += _EVERY_VALUE
    rows = [row(tree.probabilities[node].tolist()) for node in predicting]
    file.add(array("static const double NAME_shares[][NAME_CLASSES]", rows))
    if tree.sum is None:
        predictions = [str(tree.prediction[node]) for node in predicting]
        file.add(array("static const int NAME_predictions[]", predictions))
        file.add(_LEAF.replace("{cases}", cases), _PREDICT_TREE)
        return str(file)
    file.add(array("static const int NAME_roots[]", map(str, tree.sum.roots)))
    file.add(_LEAF.replace("{cases}", cases))
    if tree.formulas:
        add_formulas(file, tree, predicting)
    divisor = tree.sum.divisor
    scores = _SCORES.replace("{total}", number(divisor or 0.0))
    scores = scores.replace("{vote}", _ADD_VOTE if tree.formulas else _ADD_SHARES)
    file.add(scores.replace("{add}", _ADD if divisor is None else ""))
    # With a constant divisor the model compares the quotients, otherwise the sums.
    file.add_predict(tree.sum.costs, "NAME_scores" if divisor is None else "NAME_probabilities")
    return str(file)


def _nodes(tree: PlainTree, file: CFile) -> tuple[list[str], list[str]]:
    rows: list[str] = []
    branches: list[str] = []
    predictions = 0
    for node in range(len(tree)):
        test, children = int(tree.test[node]), tree.children[node]
        feature, heavy = int(tree.feature[node]), int(tree.heavy[node])
        value, first, second, prediction = 0.0, 0, 0, 0
        if tree.predicts[node]:
            prediction = predictions
            predictions += 1
        if test == LEAF:
            rows.append(f"{{0.0, 0, 0, 0, 0, 0, {prediction}}}")
            continue
        if test == EVERY_VALUE:
            first = len(branches)
            known = [(code, child) for code, child in children if code >= 0]
            found = sorted((file.category(feature, c), child) for c, child in known)
            branches += [f"{{{number(v)}, {child}}}" for v, child in found]
            second = len(branches)
        else:
            first, second = children[0][1], children[1][1]
            value = float(tree.threshold[node])
            if test == ONE_VALUE:
                value = file.category(feature, int(tree.category[node]))
        rows.append(
            f"{{{number(value)}, {test}, {feature}, {first}, {second}, {heavy}, {prediction}}}"
        )
    return rows, branches
