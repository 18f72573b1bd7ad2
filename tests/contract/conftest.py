"""Every recipe with every kind of leaf, compositions that no recipe has, every other model, and
one stream that holds everything at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Alternates, Window
from riparian.bounds import DeltaMethod
from riparian.drift import DDM, KSWIN
from riparian.impurities import Loss
from riparian.leaves import LinearUnits
from riparian.modelfile import to_bytes
from riparian.models import MODELS
from riparian.policies import names
from riparian.recipes import RECIPES
from riparian.restructuring import RESTRUCTURING
from riparian.statistics import Intervals
from tests import inside
from tests.modelfile.parts import Parts

#: Small enough to split often, where a recipe has such a parameter.
EAGER = {"grace_period": 50, "delta": 1e-3, "tau": 0.08}
#: Whose bounds are so wide that a tie must be called earlier.
TAU = {
    "CTree": 0.3,
    "DsCART": 2.0,
    "McDiarmidTree": 100.0,
    "holdout-pairs": 0.3,
    "spent-delta": 0.3,
    "kearns-mansour": 1.5,
}

#: What is cheap and late in `mixed`: a label that is not known yet must not be given.
COSTS = {("maybe", "no"): 0.1, ("maybe", "yes"): 0.2, ("never", "maybe"): 5.0, ("no", "yes"): 2.0}
#: Of the first forty classes.
MATRIX = (1.0 - np.eye(40) + np.triu(np.full((40, 40), 0.5), 1)).tolist()

#: Free compositions of axes that no recipe combines.
COMPOSITIONS = {
    "holdout-pairs": {"impurity": Loss(evaluator="holdout"), "costs": COSTS},
    "holdout-matrix": {
        "impurity": Loss(evaluator="holdout", holdout_examples=45),
        "costs": MATRIX,
    },
    "prequential-pairs": {"impurity": Loss(evaluator="prequential"), "costs": COSTS},
    "loss-pairs": {"impurity": "loss", "costs": COSTS},
    "paired": {"bound": DeltaMethod(pairing="paired")},
    "spent-delta": {"spend_delta": True, "inherit_counts": "count", "epsilons": 2},
    "exhaustive": {"statistics": "exhaustive", "impurity": "gini", "categorical_cuts": "both"},
    "intervals": {"statistics": Intervals(count=9), "runner_up": "cut"},
    "qda": {"cuts": "qda"},
    "delayed": {"cuts": "delayed", "categorical_cuts": "both"},
    "combined": {"cuts": "combined", "variance": "population"},
    "kearns-mansour": {"impurity": "kearns-mansour", "bound": "confidence"},
    "linear-units-both": {"leaf": LinearUnits(meta_step=0.05), "categorical_cuts": "both"},
    "softmax": {"leaf": "softmax", "categorical_cuts": "both"},
    "best-of-four": {"leaf": ("majority", "naive-bayes", "linear-units", "softmax")},
    "best-of-three": {"leaf": ("majority", "naive-bayes", "linear-units"), "costs": COSTS},
    "costs-matrix": {"costs": MATRIX, "inherit_counts": "none"},
    "adaptive-grace": {"adaptive_grace": True, "categorical_cuts": "both"},
    "poor-features": {
        "drop_poor_features": True,
        "leaf": "majority",
        "adaptive_grace": True,
        "short_memory": 40,
    },
    "poor-values": {"drop_poor_features": True, "leaf": "majority", "statistics": "intervals"},
    "drawn-features": {"leaf_features": 3, "random_state": 5},
    "short-memory": {"short_memory": 150, "inherit_counts": "count"},
    "window": {"adaptation": Window(size=300, validity_period=100, test_period=100, test_size=50)},
    "short-values": {"short_memory": 90, "statistics": "intervals", "adaptive_grace": True},
}


@dataclass(frozen=True)
class Recipe:
    """A recipe with one kind of leaf, or a composition; calling it makes a fresh model."""

    name: str
    leaf: str | None = None
    composition: str | None = None

    def __call__(self, **parameters):
        """A model with these parameters; a recipe without one of them cannot show the property."""
        cls = RECIPES[self.name]
        known = cls().get_params()
        unknown = sorted(set(parameters) - set(known))
        if unknown:
            pytest.skip(f"{self.name} has no parameter {', '.join(unknown)}")
        own = {"leaf": self.leaf} if self.leaf else {}
        return cls(**COMPOSITIONS.get(self.composition, {}) | own | parameters)

    def eager(self, **parameters):
        """A model that splits as early as its parameters let it."""
        known = RECIPES[self.name]().get_params()
        eager = EAGER | {"tau": TAU.get(self.composition or self.name, EAGER["tau"])}
        return self(**{k: v for k, v in eager.items() if k in known} | parameters)

    @property
    def statistics(self):
        """What its leaves keep of numbers; memory is constant with Gaussians only."""
        return inside.axes(self())["statistics"].name

    @property
    def adaptation(self):
        """How it follows change."""
        return inside.axes(self())["adaptation"].name

    @property
    def shrinks(self):
        """Whether it may have fewer nodes after more examples."""
        return self.adaptation in ("window", "alternates", "reevaluation")

    @property
    def follows(self):
        """Whether its leaves weigh the last examples more than the ones before."""
        leaves = {leaf.name for leaf in inside.axes(self())["leaf"]}
        units = bool(leaves & {"linear-units", "softmax"})
        return units or self.composition == "window"

    @property
    def forgets(self):
        """Whether old examples are forgotten: what it holds hangs on the last ones."""
        return self.adaptation == "window"

    @property
    def heaviest(self):
        """The largest weight that it learns; where it forgets, a full window has an exact sum."""
        if self.forgets:
            return (2**53 - 1) // self.window * 2.0**-20
        return np.nextafter(2.0**53, 0)

    @property
    def window(self):
        """How many examples it remembers, where it forgets."""
        return inside.axes(self())["adaptation"].size

    def of(self, rows):
        """Enough of these rows for it to show everything."""
        return rows

    #: The row of those from which on new classes and categories come.
    late = 2000
    restructures = False
    #: Bytes that are few for it.
    limit = 60_000

    def enough(self, n):
        """Of so many rows, as many as show what there is to see."""
        return n

    def must_know(self, n):
        """Leaves out a test that asks for the last `n` examples."""
        if self.forgets and self.window < n:
            pytest.skip(f"it knows its last {self.window} examples only")

    @property
    def keeps(self):
        """Whether its inner nodes learn too."""
        return self.adaptation in ("window", "reevaluation", "options")

    @property
    def slow(self):
        """Whether it looks at a leaf after every example, or at every value."""
        return self.statistics != "gaussian" or self().grace_period < 10

    def __str__(self):
        return "-".join(filter(None, [self.name, self.leaf, self.composition]))


def all_recipes():
    """Each with its own leaf and the one that keeps the most; two of them with every leaf."""
    for name, cls in RECIPES.items():
        own = [cls().leaf, "adaptive"]
        if not isinstance(own[0], str):
            yield Recipe(name)
        for leaf in names("leaf"):
            if leaf in own or name in ("HoeffdingTree", "VFDT"):
                yield Recipe(name, leaf)
    for composition in COMPOSITIONS:
        yield Recipe("HoeffdingTree", composition=composition)


MEMBER = rp.HoeffdingTree(grace_period=50, delta=0.01, tau=0.1)
PAIRS = {"n_min": "fixed", "grace_period": 50, "delta": 0.01, "tau": 0.1}
FOREST = {"estimator": MEMBER, "n_estimators": 3}
ALARMED = FOREST | {"warning": 0.5, "drift": 0.2}

#: Every model that is no recipe of the tree: members of several kinds, detectors, costs, windows.
OTHERS = {
    "OnlineBagging": (rp.OnlineBagging, FOREST),
    "LeveragingBagging": (rp.LeveragingBagging, FOREST | {"drift": 0.3}),
    "AdaptiveRandomForest": (rp.AdaptiveRandomForest, ALARMED),
    "StreamingRandomPatches": (rp.StreamingRandomPatches, ALARMED),
    "StreamForest": (rp.StreamForest, {"n_estimators": 3, "warning": 0.5, "drift": 0.2}),
    "Forest-options": (
        rp.Forest,
        {"estimator": rp.HoeffdingOptionTree(grace_period=50, delta=0.01), "n_estimators": 2},
    ),
    "Forest-HAT": (
        rp.Forest,
        {
            "estimator": rp.HAT(grace_period=50, adaptation=Alternates(bootstrap=True)),
            "n_estimators": 2,
            "rate": 2.0,
        },
    ),
    "Forest-detectors": (
        rp.Forest,
        {
            "estimator": rp.CTree(leaf="majority", grace_period=50),
            "n_estimators": 3,
            "features": 3,
            "leaf_features": 2,
            "replacement": "background",
            "warning": KSWIN(window_size=40, stat_size=10, alpha=0.05),
            "drift": DDM(warm_start=20),
            "costs": COSTS,
        },
    ),
    "AccuracyWeightedEnsemble": (
        rp.AccuracyWeightedEnsemble,
        FOREST | {"n_stored": 5, "chunk_size": 150, "n_folds": 3, "costs": COSTS},
    ),
    "UFFT": (rp.UFFT, PAIRS | {"short_memory": 150}),
    "UFFT-own": (
        rp.UFFT,
        PAIRS
        | {
            "short_memory": 80,
            "memory": "tree",
            "leaf": ("majority", "naive-bayes", "linear-units"),
        },
    ),
    "UFFT-drift": (
        rp.UFFT,
        PAIRS | {"short_memory": 60, "drift": 0.3, "leaf": "majority", "costs": COSTS},
    ),
    "ID3": (rp.ID3, {}),
    "ID3Prime": (rp.ID3Prime, {}),
    "ID4": (rp.ID4, {}),
    "ID4-pure": (rp.ID4, {"count_when_pure": True, "alpha": 0.2}),
    "ID5R": (rp.ID5R, {}),
    "ID5R-window": (rp.ID5R, {"max_examples": 70}),
    "ITI": (rp.ITI, {}),
    "ITI-lazy": (rp.ITI, {"lazy": True}),
    "ITI-batch": (rp.ITI, {"mode": "batch"}),
    "ITI-window": (rp.ITI, {"metric": "entropy", "max_examples": 70}),
    "OADT": (rp.OADT, {}),
    "OADT-deep": (rp.OADT, {"depth": 7, "slope": 8.0, "random_state": 3}),
    "OADT-plane": (rp.OADT, {"depth": 1, "step": "plain", "loss": "squared"}),
    "OADT-constant": (
        rp.OADT,
        {"rate": "constant", "learning_rate": 0.05, "final_rate": 0.05},
    ),
    "OADT-raw": (rp.OADT, {"standardise": False, "costs": COSTS}),
}


@dataclass(frozen=True)
class Other:
    """A model that is no recipe of the tree; calling it makes a fresh one."""

    name: str

    def __call__(self, **parameters):
        cls, own = OTHERS[self.name]
        unknown = sorted(set(parameters) - set(cls().get_params()))
        if unknown:
            pytest.skip(f"{cls.__name__} has no parameter {', '.join(unknown)}")
        return cls(**own | parameters)

    eager = __call__

    @property
    def restructures(self):
        """Whether it looks at all examples that it holds after each, with exact weights."""
        return OTHERS[self.name][0] in RESTRUCTURING.values()

    @property
    def heaviest(self):
        """The largest weight that it learns, once; all that it holds have an exact sum."""
        return 1e6 if self.restructures else np.nextafter(2.0**53, 0)

    @property
    def late(self):
        """The row of those that it is taught from which on new classes and categories come."""
        return 60 if self.restructures else 300

    @property
    def limit(self):
        """Of all its trees; every category has a place in every plane of a gradient tree."""
        return 2_000_000 if OTHERS[self.name][0] is rp.OADT else 600_000

    def enough(self, n):
        return n // 10

    def of(self, rows):
        """Where new classes and categories arrive; numbers that repeat where each is a branch."""
        if not self.restructures:
            return rows[2000 - self.late : 2500]
        part = rows[2000 - self.late : 2080]
        columns = {n: c if c.dtype == object else c.round() for n, c in part.columns.items()}
        return Rows(columns | {"clock": (part.columns["clock"] / 20).round()}, part.y, part.w)

    def __str__(self):
        return self.name


@pytest.fixture(params=all_recipes(), ids=str)
def recipe(request):
    return request.param


@pytest.fixture(params=[Other(name) for name in OTHERS], ids=str)
def other(request):
    return request.param


@pytest.fixture(params=[*all_recipes(), *map(Other, OTHERS)], ids=str)
def model(request):
    """A recipe, or another model."""
    return request.param


@pytest.fixture
def stream(model, mixed):
    """As much of `mixed` as the model is taught."""
    return model.of(mixed)


@pytest.fixture(params=MODELS.values(), ids=MODELS)
def cls(request):
    """A model as it comes, where the kind of leaf makes no difference."""
    return request.param


@pytest.fixture(params=[*RECIPES.values(), rp.OADT], ids=[*RECIPES, "OADT"])
def single(request):
    """The same of models that are one tree, and learn a row without looking at all the others."""
    return request.param


@pytest.fixture(params=RECIPES.values(), ids=RECIPES)
def tree_cls(request):
    """The same of Hoeffding trees only."""
    return request.param


@pytest.fixture(scope="session")
def with_known():
    """A model with those of these parameters that it has."""

    def make(cls, **parameters):
        known = cls().get_params()
        return cls(**{k: v for k, v in parameters.items() if k in known})

    return make


@pytest.fixture(scope="session")
def fingerprint():
    """What two models share if, and only if, their files are equal byte for byte."""

    def of(model):
        data = to_bytes(model)
        if isinstance(model, rp.ID3 | rp.ITI):
            # What it costs to keep the tree hangs on when it was asked.
            parts = Parts(data)
            del parts.arrays["counters"]
            data = parts.data()
        if type(model) in RESTRUCTURING.values():  # a file holds the examples, not the tree
            data += model.export_text().encode()
        return hashlib.sha256(data).hexdigest()

    return of


@dataclass(frozen=True)
class Rows:
    """Columns, labels and weights of some rows."""

    columns: dict
    y: np.ndarray
    w: np.ndarray

    def __len__(self):
        return len(self.y)

    def __getitem__(self, rows):
        return Rows({n: c[rows] for n, c in self.columns.items()}, self.y[rows], self.w[rows])

    def batches(self, size):
        return (self[i : i + size] for i in range(0, len(self), size))

    def examples(self):
        """One dict a row, as River users write them."""
        names = list(self.columns)
        values = zip(*(c.tolist() for c in self.columns.values()), strict=True)
        for row, y, w in zip(values, self.y.tolist(), self.w.tolist(), strict=True):
            yield dict(zip(names, row, strict=True)), y, w

    def taught_to(self, model, size=None):
        for batch in self.batches(size or len(self)):
            model.partial_fit(batch.columns, batch.y, sample_weight=batch.w)
        return model


@pytest.fixture(scope="session")
def mixed():
    """NaN, None, categories, fractional weights; late in it new classes and new categories."""
    rng = np.random.default_rng(7)
    n = 4000
    late = np.arange(n) > 0.5 * n
    height = rng.normal(size=n)
    width = rng.normal(3.0, 2.0, size=n)
    clock = 1e9 + rng.uniform(0.0, 100.0, size=n)
    colour = rng.choice(np.array(["red", "green", "blue"], dtype=object), size=n)
    colour[late & (rng.random(n) < 0.2)] = "ultraviolet"
    grade = rng.choice(np.array(["a", "b"], dtype=object), size=n)
    grade[late & (rng.random(n) < 0.1)] = "z"

    y = np.where((height > 0.3) ^ (colour == "green"), "yes", "no").astype(object)
    y[(width > 4.0) & late] = "maybe"
    y[(colour == "ultraviolet") & (clock > 1e9 + 50)] = "never"
    flipped = rng.random(n) < 0.05
    y[flipped] = rng.permutation(y[flipped])

    for numbers in (height, width, clock):
        gaps = rng.random(n) < 0.05
        gaps[0] = False
        numbers[gaps] = np.nan
    for values in (colour, grade):
        gaps = rng.random(n) < 0.05
        gaps[0] = False
        values[gaps] = None
    columns = {"height": height, "colour": colour, "width": width, "grade": grade, "clock": clock}
    return Rows(columns, y, rng.choice([0.25, 0.5, 1.0, 1.0, 1.7, 3.0], size=n))


@pytest.fixture
def with_instruction_sets():
    """Does something with every instruction set of this machine; leaves the engine as it was."""
    before = inside.core.instruction_set()

    def run(job):
        sets = [
            name for name in ("baseline", "avx2", "avx512") if inside.core.use_instruction_set(name)
        ]
        if len(sets) == 1:
            pytest.skip("this machine has one instruction set")
        return [job() for name in sets if inside.core.use_instruction_set(name)]

    yield run
    assert inside.core.use_instruction_set(before)
