"""What the values of a file's columns mean: numbers, categories, labels, or nothing."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian.data.quantities import SAMPLE_ROWS, looks_like_quantity, quantity_text
from riparian.data.values import is_whole_number
from riparian.streams.readers.faults import Faults

__all__ = [
    "MISSING",
    "SAMPLE_ROWS",
    "Column",
    "Columns",
    "Kind",
    "Labels",
    "Selection",
    "are_numbers",
    "check_finite",
    "is_number",
    "names_text",
    "not_a_number",
    "number",
    "numeric_column",
    "objects",
    "other_kind",
    "repeated",
    "text_column",
]

Kind: TypeAlias = Literal["numeric", "categorical", "date", "time"]
Column: TypeAlias = NDArray[Any]
Columns: TypeAlias = dict[str, Column]

#: How a text file says that a value is not known.
MISSING = frozenset({"", "?", "NA", "NaN", "nan", "null"})


def is_number(text: str) -> bool:
    """Say whether a text that is not missing spells a number."""
    try:
        number(text)
    except ValueError:
        return False
    return True


def are_numbers(texts: Sequence[str]) -> bool:
    """Say whether all texts that are not missing spell numbers."""
    try:
        np.array(texts, dtype=np.float64)
    except ValueError:
        return all(map(is_number, texts))
    return not any("_" in text for text in texts)


def number(text: str) -> float:
    """Read a number; missing is NaN. Digits grouped by underscores are Python's, not data's."""
    if "_" in text:
        raise ValueError(f"{text!r} is not a number")
    text = text.strip()
    return math.nan if text in MISSING else float(text)


def names_text(value: str, names: Sequence[str], most: int = 20) -> str:
    """List the names there are, and the one that was probably meant."""
    shown = ", ".join(repr(name) for name in names[:most])
    if len(names) > most:
        shown += f" and {len(names) - most} more"
    close = difflib.get_close_matches(value, names, n=1, cutoff=0.6)
    return f"{shown}; did you mean {close[0]!r}?" if close else shown


def repeated(names: Sequence[str]) -> tuple[int, int] | None:
    """Give the places of the first name that is there before, and of that one before; or None."""
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if places.setdefault(name, place) != place:
            return places[name], place
    return None


@dataclass(frozen=True)
class Selection:
    """Which columns of a file are read, and as what, whatever they look like."""

    target: str | None = None
    categorical: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    #: Columns of dates, and of times of day.
    dates: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    keep: frozenset[str] | None = None
    #: Whether labels are not wanted, even where the format itself says which they are.
    unlabelled: bool = False
    #: Features whose columns are joined: ``x.lo`` and ``x.hi``, ``x.mean`` and ``x.sd``.
    uncertain: tuple[str, ...] = ()
    #: What an earlier file of the same stream has decided about the labels.
    labels: Labels | None = None
    #: Columns whose kinds are known from a model or from an earlier file; they may be absent.
    known: frozenset[str] = frozenset()
    #: Columns whose kinds a model has learned; the user cannot choose them.
    learned: frozenset[str] = frozenset()

    def with_target(self, name: str) -> Selection:
        """Give the same, with the target that the format names."""
        return replace(self, target=name)

    def for_next_file(self, kinds: Mapping[str, Kind], labels: Labels | None) -> Selection:
        """Give the same, with the kinds and labels of the files before."""
        return replace(self.with_kinds(kinds), labels=labels, known=self._named | kinds.keys())

    @property
    def _named(self) -> frozenset[str]:
        return self.categorical | self.drop | self.known

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Selection:
        """Give the same, with kinds that are known; what the user asks for comes first."""
        kinds = {name: kind for name, kind in kinds.items() if self.forced(name) is None}

        def of(kind: Kind) -> set[str]:
            return {name for name, found in kinds.items() if found == kind}

        return replace(
            self,
            categorical=self.categorical | of("categorical"),
            numeric=self.numeric | of("numeric"),
            dates=self.dates | of("date"),
            times=self.times | of("time"),
            known=self.known | kinds.keys(),
        )

    def features(self, names: Sequence[str]) -> list[str]:
        """Give the columns that are features, in the file's order."""
        return [name for name in names if self.has(name)]

    def has(self, name: str) -> bool:
        kept = self.keep is None or name in self.keep
        return kept and name != self.target and name not in self.drop

    def forced(self, name: str) -> Kind | None:
        """Give the kind that was set, if any."""
        if name in self.categorical:
            return "categorical"
        if name in self.dates:
            return "date"
        if name in self.times:
            return "time"
        return "numeric" if name in self.numeric else None

    def check(self, names: Sequence[str]) -> None:
        """Refuse names that the file does not have."""
        if self.target is not None and self.target not in names:
            headless = bool(names) and all(map(is_number, names))
            hint = "; the first row seems to be data: a header is needed" if headless else ""
            raise ValueError(
                f"there is no column {self.target!r} to be the target; "
                f"the columns are {names_text(self.target, names)}{hint}"
            )
        asked_for = {"categorical": self.categorical, "drop": self.drop}
        for parameter, asked in asked_for.items() if self.keep is None else ():
            for name in sorted(asked - set(names) - self.known):
                raise ValueError(
                    f"{parameter} names {name!r}, which is not a column; "
                    f"the columns are {names_text(name, names)}"
                )
        if not self.features(names):
            problem = "no column is left to read"
            if self.keep is not None:
                problem = "no column has the name of a feature that was learned"
            raise ValueError(f"{problem}; the columns are {names_text('', names)}")


@dataclass
class Labels:
    """The target's values as labels: whole numbers if the first rows were such, else text."""

    name: str
    as_text: bool
    integers: bool | None = None
    _known: dict[str, int | str] = field(default_factory=dict)

    def decide(self, sample: Iterable[str]) -> None:
        """Look at the first rows; call once, before any label is read."""
        values = {text for text in sample if text.strip() not in MISSING}
        self.integers = bool(values) and not self.as_text and all(map(is_whole_number, values))
        if self.as_text or not looks_like_quantity(len(values), integers=self.integers):
            return
        if all(map(is_number, values)):
            message = quantity_text(f"target {self.name!r}", len(values))
            raise ValueError(
                f"{message}; if these are classes, name it in categorical "
                f"(--categorical {self.name})"
            )

    def label(self, text: str) -> int | str:
        """Give the label that a text stands for."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._read(text)
        return found

    def column(self, texts: Sequence[str], places: Sequence[int], faults: Faults) -> Column:
        """Give the labels of a block; `places` are the numbers of its rows."""
        try:
            return self.array(list(map(self.label, texts)))
        except ValueError:
            labels = [self._label(text, places[i], faults) for i, text in enumerate(texts)]
            return self.array(labels)

    def _label(self, text: str, row: int, faults: Faults) -> int | str:
        try:
            return self.label(text)
        except ValueError as error:
            faults.add(row, f"column {self.name!r}, row {row}: {error}")
            return 0 if self.integers else ""

    def array(self, labels: Sequence[int | str]) -> Column:
        """Give labels as the array that a model accepts."""
        if self.integers:
            return np.array(labels, dtype=np.int64)
        return objects(labels)

    def _read(self, text: str) -> int | str:
        if text.strip() in MISSING:
            raise ValueError(f"the target is missing ({text!r}); leave such rows out")
        if not self.integers:
            return text
        if not is_whole_number(text):
            raise ValueError(
                f"{text!r} is not a whole number, but the target's first values were; "
                f"to read them all as text, name it in categorical (--categorical {self.name})"
            )
        return int(text)


def not_a_number(name: str, row: int, text: str, *, learned: bool = False) -> str:
    """Say that a numeric column holds something else."""
    return (
        f"column {name!r}, row {row}: {text!r} is not a number, but the column is numeric; "
        f"{other_kind(name, learned=learned)}"
    )


def other_kind(name: str, *, learned: bool) -> str:
    """Say what to do with a value that is not of the kind of its column."""
    if learned:
        return "the model has learned it so; mend the row, or skip such rows (--skip-bad-rows)"
    return f"to read it as text, name it in categorical (--categorical {name})"


def check_finite(
    name: str, values: NDArray[np.float64], places: Sequence[int], faults: Faults
) -> None:
    """Refuse infinite values, with the row they are in."""
    infinite = np.isinf(values)
    if infinite.any():
        for i in np.flatnonzero(infinite).tolist():
            faults.add(
                places[i],
                f"column {name!r}, row {places[i]}: {values[i]} cannot be learned; "
                f"leave the field empty for a missing value",
            )


def numeric_column(
    name: str, texts: Sequence[str], places: Sequence[int], faults: Faults, *, learned: bool = False
) -> NDArray[np.float64]:
    """Read the numbers of a block; `places` are the numbers of its rows."""
    try:
        values = np.array(texts, dtype=np.float64)
        if any("_" in text for text in texts):
            raise ValueError
    except ValueError:
        values = np.full(len(texts), np.nan)
        for i, text in enumerate(texts):
            try:
                values[i] = number(text)
            except ValueError:
                faults.add(places[i], not_a_number(name, places[i], text, learned=learned))
    check_finite(name, values, places, faults)
    return values


def text_column(texts: Iterable[str], missing: frozenset[str] = MISSING) -> Column:
    """Give categories; missing is None."""
    return objects([None if text.strip() in missing else text for text in texts])


def objects(values: Sequence[Any]) -> Column:
    """Give values as an array of objects."""
    # Filled, not converted: NumPy would look into the values for a common type and shape.
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
