"""A C99 file: its head, with the names of columns and classes, its literals, its end."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.export.categories import is_text, number_of_category
from riparian.export.values import sound_text
from riparian.free_names import column_names
from riparian.wording import exact_text

if TYPE_CHECKING:
    from riparian.schema import Feature

__all__ = ["CFile", "array", "number", "row"]

#: Bytes of a string literal that every compiler of C99 accepts.
_LONGEST = 4000
#: Characters that mean themselves in every literal.
_PLAIN = re.compile(rb"[ !#-&(-\x3e@-MO-\[\]-~]")

_HEAD = """/* {what}, written by riparian: C99 {library}.
 *
 * int NAME_predict(const double *x)                      a class, as its place in NAME_classes
 * {probabilities} of each class, in the same order
{more} *
 * x has NAME_FEATURES values, in the order of NAME_features. NaN is a missing value (do not
 * compile with -ffast-math). Categories that are numbers are given as they are{texts}.
 */
{include}#include <stddef.h>
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


class CFile:
    """A file in the making. ``NAME`` in its parts stands for what all names begin with.

    Parameters
    ----------
    features : sequence of Feature
        The columns.
    classes : sequence
        The labels.
    name : str
        What all names in the file begin with.
    what : str
        What it holds, for the comment at its top.
    computes : bool, default=False
        Whether probabilities are computed into an array of the caller, or point to a constant.
    uses_math : bool, default=False
        Whether it needs the library of mathematics.
    """

    def __init__(
        self,
        features: Sequence[Feature],
        classes: Sequence[Hashable],
        name: str,
        what: str,
        *,
        computes: bool = False,
        uses_math: bool = False,
    ) -> None:
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError(f"name must be letters, digits and underscores, got {name!r}")
        self.name = exact_text(name)
        self.features = features
        self.categories = [feature.categories for feature in features]
        self.texts = [is_text(feature, "C") for feature in features]
        has_texts = any(self.texts)
        given = "const double *NAME_probabilities(const double *x)     "
        filled = "void NAME_probabilities(const double *x, double *p)   "
        self.parts = [
            _HEAD.format(
                what=what,
                library="with the library -lm" if uses_math else "without libraries",
                probabilities=filled if computes else given,
                more=_CODE_HELP if has_texts else "",
                texts=",\n * and those that are text as NAME_code gives them" if has_texts else "",
                include="#include <math.h>\n" if uses_math else "",
            ),
            f"enum {{ NAME_FEATURES = {len(features)}, NAME_CLASSES = {len(classes)} }};\n\n",
            array("const char *const NAME_features[]", map(_text, column_names(features))),
            array("const char *const NAME_classes[]", [_text(exact_text(c)) for c in classes]),
        ]
        if has_texts:
            self._add_texts()

    def add(self, *parts: str) -> None:
        """Goes on with these."""
        self.parts += parts

    def add_answer(self, costs: NDArray[np.float64] | None, fill: str) -> None:
        """The function that predicts by what `fill` fills: the largest, or the cheapest."""
        if costs is None:
            self.add(_LIKELIEST.replace("{fill}", fill))
            return
        rows = [row(values) for values in costs.tolist()]
        self.add(
            "\n/* [answer][true class] */\n",
            array("static const double NAME_costs[][NAME_CLASSES]", rows),
            _CHEAPEST.replace("{fill}", fill),
        )

    def category(self, feature: int, code: int) -> float:
        """What stands for a category in x."""
        if self.texts[feature]:
            return float(code)
        category = self.categories[feature][code]
        return number_of_category(self.features[feature], category, "C", np.float64)

    def __str__(self) -> str:
        # Labels and categories hold no bare NAME: their letters N are written as escapes.
        return "".join(self.parts).replace("NAME", self.name)

    def _add_texts(self) -> None:
        entries = [
            f"{{{i}, {code}.0, {_text(exact_text(category))}}}"
            for i, feature in enumerate(self.features)
            if self.texts[i]
            for code, category in sorted(enumerate(feature.categories), key=_in_bytes)
        ]
        # A feature may have no category yet; no text is at feature -1.
        kind = "static const struct { int feature; double code; const char *text; } NAME_texts[]"
        self.add(array(kind, entries or ['{-1, 0.0, ""}']), _CODE, "\n")


def _in_bytes(entry: tuple[int, Any]) -> bytes:
    """The order of strcmp."""
    return sound_text(exact_text(entry[1]), "C").encode()


def array(declaration: str, entries: Iterable[str]) -> str:
    """A constant, an entry a line."""
    body = ",\n".join(f"    {entry}" for entry in entries)
    return f"{declaration} = {{\n{body}\n}};\n"


def row(values: Sequence[float]) -> str:
    """Numbers in braces."""
    return "{" + ", ".join(map(number, values)) + "}"


def number(value: float) -> str:
    """All bits of a number, readable where it is whole."""
    return f"{value:.1f}" if value == int(value) and abs(value) < 1e6 else value.hex()


def _text(text: str) -> str:
    """A string; whatever could end it, join a trigraph or be a NAME is an escape."""
    data = sound_text(text, "C").encode()
    if len(data) > _LONGEST:
        # At the outermost level an array without a name lives as long as the program.
        letters = ", ".join(f"'{_character(byte)}'" for byte in data)
        return f"(const char[]){{{letters}, 0}}"
    return '"' + "".join(map(_character, data)) + '"'


def _character(byte: int) -> str:
    return chr(byte) if _PLAIN.fullmatch(bytes([byte])) else f"\\{byte:03o}"
