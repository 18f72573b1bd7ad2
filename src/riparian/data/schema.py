"""The schema: features, categories and classes, and their codes.

The schema grows with the stream. Reading a batch (:mod:`riparian.data.reading`) does not change
it. The engine calls :meth:`Schema.grow` and adds them to its own tables in the same native
call, so that both know the same names even if an exception is raised.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from riparian.data.formatting import exact_value
from riparian.data.identifiers import Verdict, Watch
from riparian.data.naming import memory_of, size_of_categories
from riparian.data.times import TimeKind, time_text
from riparian.data.values import Name

if TYPE_CHECKING:
    from riparian.data.reading import Reading

__all__ = ["Feature", "Kind", "Schema"]

Kind = Literal["numeric", "categorical"]
K = TypeVar("K", bound=Hashable)

#: The bytes of the schema's own object. They are fixed, so that another attribute does not change
#: what a memory limit does to a model.
_OWN_BYTES = 80


@dataclass(slots=True)
class Feature:
    """A feature of the stream. An integer name is a position."""

    name: Name
    kind: Kind
    codes: dict[Hashable, int] = field(default_factory=dict)
    #: What its numbers are seconds of; None if they are plain numbers.
    time: TimeKind | None = None

    @property
    def label(self) -> str:
        name = exact_value(self.name)
        return name if isinstance(name, str) else f"x{name}"

    @property
    def categories(self) -> list[Hashable]:
        return list(self.codes)

    def number_text(self, value: float) -> str:
        """Return a value of a numeric feature as text, a date as a date."""
        return f"{value:.6g}" if self.time is None else time_text(self.time, value)


class Schema:
    """The ordered features and classes of one model."""

    # Without slots the size of the attribute dict would depend on the history of the program.
    __slots__ = (
        "class_codes",
        "classes",
        "codes",
        "features",
        "ignored",
        "index",
        "measured",
        "owner",
        "plain",
        "watches",
    )

    def __init__(self, owner: str = "the model") -> None:
        self.owner = owner  # the name of the model in error messages
        self.features: list[Feature] = []
        self.classes: list[Hashable] = []
        self.class_codes: dict[Hashable, int] = {}
        #: For single examples: name to position, and value to code (None: numeric; False: left
        #: out).
        self.index: dict[Name, int] = {}
        self.codes: list[dict[Hashable, int] | Literal[False] | None] = []
        #: Features that may be identifiers, or are, by position.
        self.watches: dict[int, Watch] = {}
        #: Number of known values that were ignored because there are too many features.
        self.ignored = 0
        #: For each feature with categories: how many of them were measured, the last of those, and
        #: their bytes.
        self.measured: dict[int, tuple[int, Hashable, int]] = {}
        #: How many of the first features are known to be numeric, with their positions as names,
        #: and the last of them.
        self.plain: tuple[int, Feature | None] = (0, None)

    @property
    def bytes(self) -> int:
        """Memory of the names in bytes; see `memory_of`."""
        total = _OWN_BYTES + sum(map(memory_of, self.lists))
        for place, feature in enumerate(self.features):
            total += sum(map(memory_of, (feature, feature.codes, feature.name, place)))
            total += sum(
                memory_of(value) + memory_of(code) for value, code in feature.codes.items()
            )
        return total + sum(
            memory_of(label) + memory_of(code) for label, code in self.class_codes.items()
        )

    @property
    def lists(self) -> tuple[Any, ...]:
        """The lists that the engine truncates to the names it knows (``bindings/names.hpp``)."""
        return self.features, self.codes, self.index, self.classes, self.class_codes

    @property
    def n_names(self) -> int:
        """Number of features and categories. It is unchanged if no name was added."""
        return len(self.features) + sum(len(codes) for codes in self.codes if codes)

    @property
    def undecided(self) -> bool:
        """Whether a feature may turn out to be an identifier."""
        return any(not watch.left_out for watch in self.watches.values())

    def left_out(self, place: int) -> bool:
        """Whether a feature is an identifier that is left out."""
        return place in self.watches and self.watches[place].left_out

    def n_codes(self, place: int) -> int:
        """Number of codes of a feature, with those whose names were freed."""
        watch = self.watches.get(place)
        return len(self.features[place].codes) + (watch.forgotten if watch else 0)

    def copy(self) -> Schema:
        """Return a schema that grows apart from this one; its lists have the same sizes."""
        twin = Schema(self.owner)
        for f in self.features:
            twin.features.append(Feature(f.name, f.kind, _again(f.codes), f.time))
        for codes, feature in zip(self.codes, twin.features, strict=True):
            twin.codes.append(codes if codes is None or codes is False else feature.codes)
        twin.index = _again(self.index)
        for label in self.classes:
            twin.classes.append(label)
        twin.class_codes = _again(self.class_codes)
        twin.watches = dict(self.watches)
        twin.ignored = self.ignored
        twin.measured = dict(self.measured)
        place, last = self.plain
        if any(feature is last for feature in self.features[place - 1 : place]):
            twin.plain = place, twin.features[place - 1]
        return twin

    def forget_measures(self) -> None:
        """Look at all names again; some may have been taken back."""
        self.measured.clear()
        self.plain = (0, None)

    def has_plain_positions(self, n: int) -> bool:
        """Return whether there are `n` features, numeric and named by their positions.

        Only features that are new since the last call are looked at.
        """
        # Other threads call this too. The last feature that was looked at tells whether those
        # before it are still the same.
        place, last = self.plain
        if len(self.features) != n:
            return False
        if not any(feature is last for feature in self.features[place - 1 : place]):
            place = 0
        new = self.features[place:n]
        if any(f.kind != "numeric" or f.name != at for at, f in enumerate(new, place)):
            return False
        if new and place + len(new) == n:
            self.plain = n, new[-1]
        return True

    @property
    def named(self) -> bool:
        """Whether the features have names, not just positions."""
        return any(isinstance(f.name, str) for f in self.features)

    # -- features ---------------------------------------------------------------------------

    def grow(
        self, reading: Reading, declared: list[Hashable], added: list[Hashable], *, first: bool
    ) -> tuple[Any, ...]:
        """Add the new names of a batch.

        Parameters
        ----------
        reading : Reading
            The batch.
        declared : list
            The labels of `classes=`.
        added : list
            The new labels of the batch.
        first : bool
            Whether the engine has no names yet.

        Returns
        -------
        added : tuple
            The new names and their bytes, for ``bindings/names.hpp``.
        """
        names = self.bytes if first else 0
        names += sum(self.add_feature(feature) for feature in reading.new_features)
        categories = [
            (place, self.add_categories(self.features[place], values))
            for place, values in reading.new_categories.items()
        ]
        declares = bool(declared) and not self.classes
        of_declared = self.add_classes(declared) if declares else []
        n_declared = len(self.classes) if declares else 0
        kinds = [feature.kind == "categorical" for feature in reading.new_features]
        first_new = len(self.features) - len(kinds)
        watched = [
            place
            for place, column in reading.watched.items()
            if place >= first_new and column.watch is not None and not column.watch.cut
        ]
        return (
            names,
            kinds,
            categories,
            of_declared,
            self.add_classes(added),
            n_declared,
            watched,
            [self._native(place, verdict) for place, verdict in reading.verdicts],
        )

    def _native(self, place: int, verdict: Verdict) -> tuple[int, int, bool, int]:
        """Return a verdict as ``bindings/names.hpp`` reads it."""
        watch = verdict.watch
        identifier = watch is not None and watch.left_out
        freed = self._size_of_names(place) if watch is not None and watch.frees else 0
        return verdict.row, place, identifier, freed

    def _size_of_names(self, place: int) -> int:
        """Return the bytes that are freed with the categories of a feature."""
        codes = self.features[place].codes
        of_names = sum(memory_of(value) + memory_of(code) for value, code in codes.items())
        return of_names + memory_of(codes) - memory_of({})

    def sizes_of_categories(self) -> dict[int, int]:
        """Return the bytes that the categories of features need at most, by position.

        Only categories that are new since the last call are measured.
        """
        measured = {}
        for place, feature in enumerate(self.features):
            codes = feature.codes
            if not codes:
                continue
            n, last, size = self.measured.get(place, (0, None, 0))
            # Names are taken back from the end when a batch fails.
            if n and codes.get(last) != n - 1:
                n = size = 0
            new = list(islice(reversed(codes), len(codes) - n))
            last = new[0] if new else last
            measured[place] = (len(codes), last, size + size_of_categories(new))
        self.measured = measured
        return {place: size for place, (_, _, size) in measured.items()}

    def restore_watch(self, place: int, watch: Watch) -> None:
        """Set what a model file knows about a possible identifier."""
        if self.features[place].kind != "categorical":
            raise ValueError("a numeric feature cannot be an identifier")
        if watch.left_out and watch.forgotten and self.features[place].codes:
            raise ValueError("the names of an identifier were freed")
        self.watches[place] = watch
        if watch.left_out:
            self.codes[place] = False

    def set_watch(self, place: int, watch: Watch | None) -> None:
        """Set or drop what is known about a possible identifier."""
        if watch is None or place >= len(self.features):
            self.watches.pop(place, None)
        else:
            self.watches[place] = watch

    def add_feature(self, feature: Feature) -> int:
        """Add a feature at the next position, and return its bytes."""
        lists = (self.features, self.codes, self.index)
        before = sum(map(memory_of, lists))
        # The index is updated last: a reader in another thread must find the feature.
        self.features.append(feature)
        self.codes.append(feature.codes if feature.kind == "categorical" else None)
        self.index[feature.name] = place = len(self.features) - 1
        parts = (feature, feature.codes, feature.name, place)
        return _grown(before, sum(map(memory_of, lists))) + sum(map(memory_of, parts))

    def add_categories(self, feature: Feature, values: Iterable[Hashable]) -> list[int]:
        """Assign codes to the values, and return the bytes of each."""
        codes, sizes = feature.codes, []
        for value in values:
            before = memory_of(codes)
            codes.setdefault(value, len(codes))
            sizes.append(
                memory_of(value) + memory_of(len(codes) - 1) + _grown(before, memory_of(codes))
            )
        return sizes

    def label(self, place: int) -> str:
        return self.features[place].label if place < len(self.features) else f"x{place}"

    # -- classes ----------------------------------------------------------------------------

    def add_classes(self, labels: Iterable[Hashable]) -> list[int]:
        """Assign codes to the labels, and return the bytes of each new one."""
        sizes = []
        for label in labels:
            if label not in self.class_codes:
                before = memory_of(self.classes) + memory_of(self.class_codes)
                self.classes.append(label)
                self.class_codes[label] = code = len(self.classes) - 1
                after = memory_of(self.classes) + memory_of(self.class_codes)
                sizes.append(memory_of(label) + memory_of(code) + _grown(before, after))
        return sizes


def _again(found: dict[K, int]) -> dict[K, int]:
    # Filled one by one, as names come: a copy of a dict may have another size.
    twin: dict[K, int] = {}
    for name, code in found.items():
        twin[name] = code
    return twin


def _grown(before: int, after: int) -> int:
    # A dict from which names were removed shrinks when the next name is added.
    return max(0, after - before)
