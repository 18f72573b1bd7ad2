"""C99 source files: comment, names of columns and classes, literals, and the predict function."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.formatting import exact_text
from riparian.data.free_names import column_names
from riparian.data.values import OTHER
from riparian.export.categories import is_text, number_of_category, other_of
from riparian.export.values import sound_text

if TYPE_CHECKING:
    from riparian.data.schema import Feature

__all__ = ["CFile", "array", "number", "row"]

#: Length of a string literal that every C99 compiler accepts, in bytes.
_LONGEST = 4000
#: Characters that need no escape in a literal.
_PLAIN = re.compile(rb"[ !#-&(-\x3e@-MO-\[\]-~]")

_HEAD = """/* {what}, exported by riparian: C99 {library}.
 *
 * int NAME_predict(const double *x)                      index of a class in NAME_classes
 * {probabilities} of each class, in the same order
{more} *
 * x has NAME_FEATURES values, in the order of NAME_features. NaN is a missing value (do not
 * compile with -ffast-math). Numeric categories are passed unchanged{texts}.
 */
{include}#include <stddef.h>
#include <string.h>

"""

_CODE_HELP = (
    " * double NAME_code(int feature, const char *text)        the code of a category in x\n"
)

_CODE = """
/* The code of a category of a feature in x; the text is UTF-8. */
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
{unknown}    return -1.0;
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
    int label, k, best = 0;
    {fill}(x, scores);
    for (label = 0; label < NAME_CLASSES; ++label) {
        double cost = 0.0;
        for (k = 0; k < NAME_CLASSES; ++k) {
            const double part = scores[k] * NAME_costs[label][k];
            cost += part;
        }
        if (label > 0 && !(cost < least)) continue;
        best = label;
        least = cost;
    }
    return best;
}
"""


class CFile:
    """A C source file, built part by part. ``NAME`` in its parts is replaced by the prefix.

    Parameters
    ----------
    features : sequence of Feature
        The columns.
    classes : sequence
        The labels.
    name : str
        Prefix of all names in the file.
    what : str
        Description of the model, for the comment at the top.
    computes : bool, default=False
        Whether probabilities are written to an array of the caller. Otherwise the function returns
        a pointer to a constant.
    uses_math : bool, default=False
        Whether the file needs the math library.
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
            raise ValueError(f"name must consist of letters, digits and underscores, got {name!r}")
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
                texts=", and text\n * categories as codes of NAME_code" if has_texts else "",
                include="#include <math.h>\n" if uses_math else "",
            ),
            f"enum {{ NAME_FEATURES = {len(features)}, NAME_CLASSES = {len(classes)} }};\n\n",
            array("const char *const NAME_features[]", map(_text, column_names(features))),
            array("const char *const NAME_classes[]", [_text(exact_text(c)) for c in classes]),
        ]
        if has_texts:
            self._add_texts()

    def add(self, *parts: str) -> None:
        """Append parts to the file."""
        self.parts += parts

    def add_predict(self, costs: NDArray[np.float64] | None, fill: str) -> None:
        """Append the predict function: the class with the largest score or the lowest cost.

        `fill` is the name of the function that fills the scores.
        """
        if costs is None:
            self.add(_LIKELIEST.replace("{fill}", fill))
            return
        rows = [row(values) for values in costs.tolist()]
        self.add(
            "\n/* [predicted class][true class] */\n",
            array("static const double NAME_costs[][NAME_CLASSES]", rows),
            _CHEAPEST.replace("{fill}", fill),
        )

    def category(self, feature: int, code: int) -> float:
        """Return the number of a category in x."""
        if self.texts[feature]:
            return float(code)
        category = self.categories[feature][code]
        return number_of_category(self.features[feature], category, "C", np.float64)

    def __str__(self) -> str:
        # Labels and categories never contain NAME, because their letters N are escaped.
        return "".join(self.parts).replace("NAME", self.name)

    def _add_texts(self) -> None:
        entries = [
            f"{{{i}, {code}.0, {_text(exact_text(category))}}}"
            for i, feature in enumerate(self.features)
            if self.texts[i]
            for code, category in sorted(
                ((c, v) for c, v in enumerate(feature.categories) if v is not OTHER), key=_in_bytes
            )
        ]
        # A feature may have no category yet; the entry of feature -1 is never found.
        kind = "static const struct { int feature; double code; const char *text; } NAME_texts[]"
        others = {i: other_of(feature) for i, feature in enumerate(self.features)}
        unknown = "".join(
            f"    if (feature == {i}) return {code}.0;\n"
            for i, code in others.items()
            if code is not None and self.texts[i]
        )
        code = _CODE.replace("{unknown}", unknown)
        self.add(array(kind, entries or ['{-1, 0.0, ""}']), code, "\n")


def _in_bytes(entry: tuple[int, Any]) -> bytes:
    """Return the sort key of a category, in the order of strcmp."""
    return sound_text(exact_text(entry[1]), "C").encode()


def array(declaration: str, entries: Iterable[str]) -> str:
    """Return the definition of a constant array, one entry per line."""
    body = ",\n".join(f"    {entry}" for entry in entries)
    return f"{declaration} = {{\n{body}\n}};\n"


def row(values: Sequence[float]) -> str:
    """Return numbers in braces."""
    return "{" + ", ".join(map(number, values)) + "}"


def number(value: float) -> str:
    """Return an exact literal of a number: decimal if it is a small integer, else hexadecimal."""
    return f"{value:.1f}" if value == int(value) and abs(value) < 1e6 else value.hex()


def _text(text: str) -> str:
    """Return a string literal, with escapes for quotes, trigraphs, newlines and the letter N."""
    data = sound_text(text, "C").encode()
    if len(data) > _LONGEST:
        # At file scope a compound literal has static storage duration.
        letters = ", ".join(f"'{_character(byte)}'" for byte in data)
        return f"(const char[]){{{letters}, 0}}"
    return '"' + "".join(map(_character, data)) + '"'


def _character(byte: int) -> str:
    return chr(byte) if _PLAIN.fullmatch(bytes([byte])) else f"\\{byte:03o}"
