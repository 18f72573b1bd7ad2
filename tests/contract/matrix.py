"""The models that the contract is tried on, and which of them each test gets.

``make test-all`` tries every case of every test on every entry (tests/effort.py). In ``make test``
a test gets each model of the package once, with one of its cases; the cases go round. The entries
in :data:`FULL`, two of each engine, get every case. Two of the other entries, which differ in leaf
or composition, are added to each test in turn. Of scikit-learn's checks, which are many, a model
that is not in that list gets every fourth.

A test that holds for some models only says so with :func:`where` or :func:`needs`: the property
decides, never a name, and nothing is left out while tests run.
"""

from __future__ import annotations

import inspect
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import riparian as rp
from riparian.models.registry import MODELS, RECIPES, models_of
from riparian.policies import names
from tests import effort, inside
from tests.contract.parameters import COMPOSITIONS, EAGER, OTHERS, TAU

#: How many entries that are in no short list a test gets in addition.
IN_TURN = 2
#: Every model gets one of this many of scikit-learn's checks, unless it is in the short list.
CHECKS_IN_TURN = 4


@dataclass(frozen=True)
class Recipe:
    """A recipe with one kind of leaf, or a composition; calling it makes a new model."""

    name: str
    leaf: str | None = None
    composition: str | None = None

    def __call__(self, **parameters):
        own = {"leaf": self.leaf} if self.leaf else {}
        composed = COMPOSITIONS[self.composition] if self.composition else {}
        return self.cls(**composed | own | parameters)

    def eager(self, **parameters):
        """A model that splits as early as its parameters let it."""
        known = self.cls().get_params()
        eager = EAGER | {"tau": TAU.get(self.composition or self.name, EAGER["tau"])}
        return self(**{k: v for k, v in eager.items() if k in known} | parameters)

    @property
    def cls(self):
        return RECIPES[self.name]

    @property
    def statistics(self):
        """What its leaves keep of numbers."""
        return inside.axes(self())["statistics"].name

    @property
    def adaptation(self):
        """How it follows change."""
        return inside.axes(self())["adaptation"].name

    @property
    def races(self):
        """Whether its splits are certified by tests on single rows, without a half-width."""
        return inside.axes(self())["bound"].name == "betting"

    @property
    def shrinks(self):
        """Whether it may have fewer nodes after more examples."""
        return self.adaptation in ("window", "alternates", "reevaluation")

    @property
    def follows(self):
        """Whether its leaves weigh the last examples more than earlier ones."""
        leaves = {leaf.name for leaf in inside.axes(self())["leaf"]}
        return bool(leaves & {"linear-units", "softmax"}) or not self.knows(1000)

    @property
    def forgets(self):
        """Whether old examples are forgotten: what it holds depends on the last ones."""
        return self.adaptation == "window"

    @property
    def window(self):
        """How many examples it remembers, where it forgets."""
        return inside.axes(self())["adaptation"].size

    def knows(self, n):
        """Whether it still remembers the first of `n` examples."""
        return not self.forgets or self.window >= n

    @property
    def has_constant_memory(self):
        """Whether a leaf needs the same bytes however many different values it learned.

        Exhaustive statistics and intervals keep values; windows of errors grow with the logarithm
        of the examples; a window of examples grows until it is full.
        """
        return self.statistics == "gaussian" and not self.keeps_errors and not self.forgets

    @property
    def keeps_errors(self):
        """Whether its nodes keep windows of their errors."""
        return self.adaptation == "alternates"

    @property
    def heaviest(self):
        """The largest weight that it learns; where it forgets, a full window has an exact sum."""
        if self.forgets:
            return (2**53 - 1) // self.window * 2.0**-20
        return np.nextafter(2.0**53, 0)

    def of(self, rows):
        """The part of these rows that shows everything to it."""
        return rows

    #: The row from which new classes and categories arrive.
    late = 2000
    restructures = False
    #: A low limit of its bytes.
    limit = 60_000

    def enough(self, n):
        """How many of `n` rows show what there is to see."""
        return n

    @property
    def keeps(self):
        """Whether its inner nodes learn too."""
        return self.adaptation in ("window", "reevaluation", "options")

    @property
    def slow(self):
        """Whether it checks a leaf after every example, or every value."""
        return self.statistics != "gaussian" or self().grace_period < 10

    def __str__(self):
        return "-".join(filter(None, [self.name, self.leaf, self.composition]))


@dataclass(frozen=True)
class Other:
    """A model that is no recipe of the tree; calling it makes a new one."""

    name: str

    def __call__(self, **parameters):
        return self.cls(**OTHERS[self.name][1] | parameters)

    eager = __call__

    @property
    def cls(self):
        return OTHERS[self.name][0]

    @property
    def restructures(self):
        """Whether it looks at all examples that it holds after each, with exact weights."""
        return self.cls in models_of("restructuring trees").values()

    @property
    def heaviest(self):
        """The largest weight that it learns, once; all that it holds have an exact sum."""
        return 1e6 if self.restructures else np.nextafter(2.0**53, 0)

    @property
    def late(self):
        """The row from which new classes and categories arrive, of the rows that it learns."""
        return 60 if self.restructures else 300

    @property
    def limit(self):
        """Of all its trees; every category has a place in every plane of a gradient tree."""
        return 2_000_000 if self.cls is rp.OADT else 600_000

    def enough(self, n):
        return n // 10

    def of(self, rows):
        """Where new classes and categories arrive; numbers repeat where each is a branch."""
        if not self.restructures:
            return rows[2000 - self.late : 2500]
        part = rows[2000 - self.late : 2080]
        columns = {n: c if c.dtype == object else c.round() for n, c in part.columns.items()}
        return type(rows)(columns | {"clock": (part.columns["clock"] / 20).round()}, part.y, part.w)

    def __str__(self):
        return self.name


def _recipes() -> Iterator[Recipe]:
    """Each with its own leaf and the one that keeps the most; two of them with every leaf."""
    for name, cls in RECIPES.items():
        own = cls().leaf
        yield Recipe(name, own if isinstance(own, str) else None)
        for leaf in names("leaf"):
            if leaf != own and (leaf == "adaptive" or name in ("HoeffdingTree", "VFDT")):
                yield Recipe(name, leaf)
    for composition in COMPOSITIONS:
        yield Recipe("HoeffdingTree", composition=composition)


WHOLE: list[Any] = [*_recipes(), *map(Other, OTHERS)]

#: The first entry of each model.
FIRST = list({entry.cls: entry for entry in reversed(WHOLE)}.values())[::-1]

#: The entries that get every case: two of each engine, as different as can be.
FULL = [
    entry
    for entry in WHOLE
    if str(entry)
    in {
        *("HoeffdingTree-adaptive", "CVFDT-adaptive"),
        *("AdaptiveRandomForest", "StreamingRandomPatches"),
        *("AccuracyWeightedEnsemble", "AccuracyWeightedEnsemble-options"),
        *("UFFT", "UFFT-drift"),
        *("ID5R", "ITI"),
        *("ID4", "ID4-pure"),
        *("OADT", "OADT-deep"),
    }
]

#: By the name of an argument of a test, the entries or classes that it stands for.
ARGUMENTS: dict[str, list[Any]] = {
    # Any model, in all variants.
    "model": WHOLE,
    "recipe": [entry for entry in WHOLE if isinstance(entry, Recipe)],
    "other": [entry for entry in WHOLE if isinstance(entry, Other)],
    # Any model as it comes, where the kind of leaf makes no difference.
    "cls": list(MODELS.values()),
    # Models that are one tree, and learn a row without looking at all the others.
    "single": [*RECIPES.values(), rp.OADT],
    "tree_cls": list(RECIPES.values()),
}


def where(holds: Callable[..., bool], why: str) -> pytest.MarkDecorator:
    """Marks a test that holds where `holds(...)`, a function of some of its arguments."""
    return pytest.mark.where(holds, why)


def needs(*parameters: str) -> pytest.MarkDecorator:
    """Marks a test of models that have these parameters."""
    return pytest.mark.needs(*parameters)


def has(model: Any, *parameters: str) -> bool:
    """Whether a model, an entry or a class, has these parameters."""
    return set(parameters) <= set(getattr(model, "cls", model)().get_params())


def label(model: Any) -> str:
    return model.__name__ if isinstance(model, type) else str(model)


def entries(argument: str, test: str) -> list[Any]:
    """What a test gets for an argument: all, or the short list and some others in turn."""
    every = ARGUMENTS[argument]
    if effort.ALL or isinstance(every[0], type):
        return every
    short = [entry for entry in every if entry in FIRST or entry in FULL]
    rest = [entry for entry in every if entry not in short]
    turn = zlib.crc32(test.encode())
    return short + [rest[(turn + i * len(rest) // IN_TURN) % len(rest)] for i in range(IN_TURN)]


def _models_of(item: pytest.Function) -> dict[str, Any]:
    return {name: item.callspec.params[name] for name in ARGUMENTS if name in item.callspec.params}


def _applies(item: pytest.Function) -> bool:
    for marker in item.iter_markers("where"):
        holds, _ = marker.args
        asked = inspect.signature(holds).parameters
        if not holds(**{name: item.callspec.params[name] for name in asked}):
            return False
    wanted = [name for marker in item.iter_markers("needs") for name in marker.args]
    return all(has(model, *wanted) for model in _models_of(item).values())


def _values(items: Iterable[pytest.Function]) -> set[tuple[str, str]]:
    """The values of all arguments that are no models."""
    return {
        (name, repr(value))
        for item in items
        for name, value in item.callspec.params.items()
        if name not in ARGUMENTS
    }


def applicable(items: list[pytest.Function]) -> list[pytest.Function]:
    """The cases of one test that hold for their models; no value may be left without a model."""
    kept = [item for item in items if _applies(item)]
    lost = _values(items) - _values(kept)
    if not kept or lost:
        what = ", ".join(f"{name}={value}" for name, value in sorted(lost)) or "it"
        raise pytest.UsageError(f"{items[0].originalname}: no model is left for {what}")
    return kept


def thinned(items: list[pytest.Function]) -> list[pytest.Function]:
    """Of the cases of one test, all for the models in FULL and one for each other model."""
    full = {*FULL, *(entry.cls for entry in FULL)}
    of_model = defaultdict(list)
    for item in items:
        (model,) = _models_of(item).values()
        of_model[model].append(item)
    kept = set()
    for turn, (model, own) in enumerate(of_model.items()):
        kept.update(own if model in full else [own[turn % len(own)]])
    return [item for item in items if item in kept]


def thinned_checks(items: list[pytest.Function]) -> list[pytest.Function]:
    """Of scikit-learn's checks, all for the classes in FULL and a part for each other estimator."""
    full = {entry.cls for entry in FULL}
    of_estimator = defaultdict(list)
    for item in items:
        of_estimator[id(item.callspec.params["estimator"])].append(item)
    kept = set()
    for turn, own in enumerate(of_estimator.values()):
        whole = type(own[0].callspec.params["estimator"]) in full
        kept.update(own if whole else own[turn % CHECKS_IN_TURN :: CHECKS_IN_TURN])
    return [item for item in items if item in kept]
