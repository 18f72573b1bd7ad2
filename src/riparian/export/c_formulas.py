"""Leaves that compute their prediction, in exported C files."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from riparian.export.c_file import CFile, array, number
from riparian.export.formulas import LARGEST, LARGEST_INPUT, Formula, Squares
from riparian.export.plain import PlainTree

__all__ = ["add_formulas"]

_TYPES = """
/* A leaf that computes a score for each class: a constant, and a term for each value. */
struct NAME_formula { double weight; int softmax, constant, first, last; };
/* A value that has terms: of a category if cells >= 0; else (x - centre)^2, or a line. */
struct NAME_input { int feature, cells, square, terms; };
"""

_CODE_OF = """
/* The code of a numeric category of a feature. */
static double NAME_code_of(int feature, double value)
{
    size_t low = 0, high = sizeof NAME_categories / sizeof NAME_categories[0];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = NAME_categories[middle].feature - feature;
        if (order == 0 && NAME_categories[middle].value == value)
            return NAME_categories[middle].code;
        if (order < 0 || (order == 0 && NAME_categories[middle].value < value)) low = middle + 1;
        else high = middle;
    }
    return -1.0;
}
"""

_VOTE = """
/* Adds the vote of a leaf to the scores. */
static void NAME_vote(const double *x, int leaf, double *sum)
{
    const double *const share = NAME_shares[leaf];
    const struct NAME_formula *f;
    double scores[NAME_CLASSES], top = -HUGE_VAL, total = 0.0;
    int i, k;
    if (NAME_formula_of[leaf] < 0) {
        for (k = 0; k < NAME_CLASSES; ++k) sum[k] += share[k];
        return;
    }
    f = &NAME_formulas[NAME_formula_of[leaf]];
    for (k = 0; k < NAME_CLASSES; ++k) scores[k] = NAME_terms[f->constant + k];
    for (i = f->first; i < f->last; ++i) {
        const struct NAME_input *const in = &NAME_inputs[i];
        const double *t = NAME_terms + in->terms;
        double value = x[in->feature];
        if (value != value) continue;
        if (in->cells >= 0) {
            {code}t += NAME_CLASSES * (value >= 0.0 && value < in->cells ? (int)value : in->cells);
            for (k = 0; k < NAME_CLASSES; ++k) scores[k] += t[k];
            continue;
        }
        if (value > {largest}) value = {largest};
        if (value < -{largest}) value = -{largest};
        if (in->square) {
            for (k = 0; k < NAME_CLASSES; ++k, t += 3) {
                const double apart = value - t[0];
                scores[k] += t[2] - apart * apart * t[1];
            }
        } else {
            value = (value - t[0]) / t[1];
            if (value > {input}) value = {input};
            if (value < -{input}) value = -{input};
            for (k = 0; k < NAME_CLASSES; ++k) scores[k] += t[2 + k] * value;
        }
    }
    for (k = 0; k < NAME_CLASSES; ++k) if (scores[k] > top) top = scores[k];
    for (k = 0; k < NAME_CLASSES; ++k) {
        if (f->softmax) scores[k] = top > -HUGE_VAL ? exp(scores[k] - top) : 0.0;
        else scores[k] = scores[k] < 0.0 ? 0.0 : scores[k] > 1.0 ? 1.0 : scores[k];
        total += scores[k];
    }
    for (k = 0; k < NAME_CLASSES; ++k)
        sum[k] += total > 0.0 ? f->weight * (scores[k] / total) : share[k];
}
"""


class _Tables:
    """The arrays of formulas, of their inputs and of their numbers."""

    def __init__(self) -> None:
        self.formulas: list[str] = []
        self.inputs: list[str] = []
        self.terms: list[str] = []
        self._n_terms = 0

    def add(self, formula: Formula) -> None:
        """Append a formula."""
        constant = self._add_terms(formula.constant)
        first = len(self.inputs)
        terms = formula.terms
        for i, feature in enumerate(formula.numeric):
            if isinstance(terms, Squares):
                columns = [terms.centre[:, i], terms.precision[:, i], terms.offset[:, i]]
                place = self._add_terms(np.stack(columns, axis=1))
            else:
                place = self._add_terms(np.array([terms.centre[i], terms.spread[i]]))
                self._add_terms(terms.weight[:, i])
            self.inputs.append(f"{{{feature}, -1, {int(isinstance(terms, Squares))}, {place}}}")
        for feature, rows in formula.categorical.items():
            self.inputs.append(f"{{{feature}, {len(rows) - 1}, 0, {self._add_terms(rows)}}}")
        softmax = int(formula.link == "softmax")
        self.formulas.append(
            f"{{{number(formula.weight)}, {softmax}, {constant}, {first}, {len(self.inputs)}}}"
        )

    def _add_terms(self, values: NDArray[np.float64]) -> int:
        """Append numbers, and return the place of the first one."""
        place = self._n_terms
        flat = values.ravel().tolist()
        self.terms.append(", ".join(number(v) if v > -math.inf else "-HUGE_VAL" for v in flat))
        self._n_terms += len(flat)
        return place


def add_formulas(file: CFile, tree: PlainTree, predicting: list[int]) -> None:
    """Append the formulas of a tree or forest, and the function that adds the vote of a leaf."""
    tables = _Tables()
    for formula in tree.formulas.values():
        tables.add(formula)
    places = {node: i for i, node in enumerate(tree.formulas)}
    # Formulas may have no inputs; the array must have an entry.
    file.add(
        _TYPES,
        array("static const struct NAME_formula NAME_formulas[]", tables.formulas),
        array("static const struct NAME_input NAME_inputs[]", tables.inputs or ["{0, 0, 0, 0}"]),
        array("static const double NAME_terms[]", tables.terms),
        array("static const int NAME_formula_of[]", [str(places.get(n, -1)) for n in predicting]),
    )
    vote = _VOTE.replace("{code}", _add_codes(file, tree)).replace("{largest}", number(LARGEST))
    file.add(vote.replace("{input}", number(LARGEST_INPUT)))


def _add_codes(file: CFile, tree: PlainTree) -> str:
    """Append the codes of numeric categories, and return the statement that looks them up."""
    used = sorted({f for formula in tree.formulas.values() for f in formula.categorical})
    numbers = [f for f in used if not file.texts[f]]
    if not numbers:
        return ""
    entries = [
        f"{{{f}, {number(value)}, {code}.0}}"
        for f in numbers
        for value, code in sorted(
            (file.category(f, code), code) for code in range(len(tree.categories[f]))
        )
    ]
    kind = "static const struct { int feature; double value, code; } NAME_categories[]"
    file.add(array(kind, entries or ["{-1, 0.0, 0.0}"]), _CODE_OF)
    tests = " || ".join(f"in->feature == {f}" for f in numbers)
    condition = "" if len(numbers) == len(used) else f"if ({tests}) "
    return f"{condition}value = NAME_code_of(in->feature, value);\n            "
