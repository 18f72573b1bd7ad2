"""Names, labels and numbers in SQL queries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from decimal import Decimal

from riparian.data.formatting import exact_text, exact_value, label_text, number_text
from riparian.data.free_names import column_names, free_names, ignoring_case
from riparian.export.plain import LEAF, PlainTree
from riparian.export.values import sound_text

__all__ = ["Names", "exact_double", "identifier", "literal", "near_double", "number"]


class Names:
    """The quoted names in a query: those of the features, and generated names that avoid them."""

    def __init__(self, tree: PlainTree, table: str) -> None:
        self._features = column_names(tree.features, ignoring_case)
        self._taken = [*self._features, *table.split(".")]
        self.table = ".".join(map(identifier, table.split(".")))
        (self.input,) = self.generated("riparian_input")
        times = Counter(map(ignoring_case, self._features))
        used = {int(f) for f in tree.feature[tree.test != LEAF]}
        for formula in tree.formulas.values():
            used.update(formula.numeric, formula.categorical)
        for place in sorted(used):
            name = self._features[place]
            if times[ignoring_case(name)] > 1:
                raise ValueError(
                    f"SQL ignores case: the column {label_text(name)!r} cannot be distinguished "
                    "from another feature of that name; rename one of them before learning"
                )

    def generated(self, *wanted: str) -> list[str]:
        """Return generated names that are not names of features or of the table."""
        return list(map(identifier, free_names(wanted, self._taken, ignoring_case)))

    def column(self, feature: int) -> str:
        """Return the column of a feature."""
        return f"{self.input}.{identifier(self._features[feature])}"

    def notes(self, tree: PlainTree) -> str:
        """Return comments on positions whose column does not have the usual name."""
        places = [exact_value(feature.name) for feature in tree.features]
        lines = [
            f"-- The feature at position {place} is the column {identifier(name)}.\n"
            for place, name in zip(places, self._features, strict=True)
            if not isinstance(place, str) and name != f"x{place:d}"
        ]
        return "".join(lines)


def identifier(name: str) -> str:
    if not name:
        raise ValueError("SQL does not allow an empty name; rename the column before learning")
    return '"' + sound_text(name, "SQL").replace('"', '""') + '"'


def literal(value: Hashable) -> str:
    """Return the literal of a label or category."""
    value = exact_value(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(
                f"SQL supports whole numbers of 64 bits, got {label_text(value)}; "
                "to_code('python') supports any"
            )
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"SQL does not support the number {value}; to_code('python') does")
        return number(value)
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    return "'" + sound_text(exact_text(value), "SQL").replace("'", "''") + "'"


def number(value: float) -> str:
    """Return an exact literal of a number.

    It is a decimal if that is exact and short. SQLite may round a longer decimal to a neighbour, so
    other numbers are written as a whole number times a power of two, with a comment.
    """
    exact = Decimal(value)
    if len(exact.as_tuple().digits) <= 15 and -6 <= exact.adjusted() < 15:
        return f"{exact:f}" if "." in f"{exact:f}" else f"{exact:f}.0"
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(math.ldexp(mantissa, 53)), exponent - 53
    text = " ".join([f"CAST({whole} AS DOUBLE PRECISION)", *_steps(exponent)])
    return f"({text} /* {number_text(value)} */)"


def exact_double(value: float) -> str:
    """Return an exact double: a whole number divided or multiplied by powers of two.

    It is shorter than :func:`number`, for tables of many numbers.
    """
    if value == 0.0:
        return "0e0"
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(math.ldexp(mantissa, 53)), exponent - 53
    while whole % 2 == 0 and exponent < 0:
        whole, exponent = whole // 2, exponent + 1
    return f"{whole}e0" + "".join(_steps(exponent)).replace(" ", "")


def _steps(exponent: int) -> list[str]:
    """Return the multiplications or divisions, each exact, that scale by two to a power."""
    sign = "*" if exponent > 0 else "/"
    whole, rest = divmod(abs(exponent), 52)
    return [f"{sign} {2**power}" for power in [52] * whole + [rest] * bool(rest)]


def near_double(value: float) -> str:
    """Return a double with 17 digits, which SQLite may read as its neighbour."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"
