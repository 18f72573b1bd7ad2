"""Every recipe against the slow tree of the specification, split by split."""

import inspect
import re

import numpy as np
import pytest

import riparian as rp
from riparian.bounds import DeltaMethod
from riparian.models.hoeffding import ALWAYS_TAKEN
from riparian.models.registry import RECIPES
from riparian.statistics import Intervals
from tests import inside
from tests.reference.values import best_split
from tests.split_by_split import STREAMS, assert_same_tree

COSTS = [[0.0, 4.0, 2.0], [4.0, 0.0, 4.0], [2.0, 1.0, 0.0]]

# Parameters with which each recipe splits within a thousand rows.
SMALL = {"grace_period": 50, "delta": 0.01, "tau": 0.15}
TRIED = {
    "HoeffdingTree": [SMALL | {"leaf": "majority"}],
    "CTree": [
        {"grace_period": 50, "confidence_c": 0.2, "tau": 0.08},
        {"grace_period": 50, "confidence_c": 0.1, "confidence_form": "derived", "tau": 0.08},
        {"bound": "confidence", "grace_period": 50, "delta": 0.5, "tau": 1.0},
    ],
    "CorrHTree": [SMALL | {"delta": 0.2}],
    "CorrectedVFDT": [
        SMALL | {"delta": 0.2},
        SMALL | {"delta": 0.2, "spend_delta": True, "evaluator": "holdout"},
        SMALL | {"delta": 0.5, "impurity": "loss", "costs": COSTS},
    ],
    "DsCART": [SMALL | {"delta": 0.2, "tau": 0.3}],
    "HybridTree": [SMALL, SMALL | {"bound": "hoeffding"}],
    "MDT": [
        SMALL | {"cuts": cuts} for cuts in ("bins", "intersections", "delayed", "combined", "qda")
    ]
    + [SMALL | {"equal_variance": "skip", "missing_second": "-inf"}],
    # Its bound for entropy is above 1 for a million examples: ties of a large tau only.
    "McDiarmidTree": [SMALL | {"impurity": "gini", "delta": 0.5, "tau": 0.6}, SMALL | {"tau": 30}],
    "MisclassificationTree": [SMALL],
    "SPDT": [
        {"grace_period": 50, "n_bins": 12, "max_depth": 4},
        SMALL | {"bound": "hoeffding", "n_bins": 6},
    ],
    # The softmax leaves have a reference of their own: policies/test_softmax.py.
    "StreamTree": [
        SMALL | {"adaptation": "none", "leaf": leaf, "grace_period": 70}
        for leaf in ("majority", "adaptive")
    ],
    "VFDT": [SMALL, SMALL | {"leaf": "adaptive"}],
    "VFDTc": [SMALL],
}
CASES = [
    pytest.param(RECIPES[name], options, id=f"{name} {i}")
    for name, tried in TRIED.items()
    for i, options in enumerate(tried)
]


def test_every_recipe_is_compared():
    # NIP's intervals have no reference: below it is compared with exhaustive values. What
    # follows change has references of its own (test_hat.py and its neighbours).
    following = {"HAT", "CVFDT", "EFDT", "HoeffdingOptionTree", "UCVFDT", "CertifiedTree"}
    assert set(TRIED) | {"NIP"} | following == set(RECIPES)


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize(("recipe", "options"), CASES)
def test_a_recipe_is_the_tree_of_the_reference(recipe, options, stream):
    _, reference = assert_same_tree(recipe, options, stream, 800)
    assert reference.splits


def few_values(seed, n, missing=0.0):
    """Eight values a feature, which intervals keep exactly."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, size=(n, 4)).astype(float)
    y = ((X[:, 0] > 2) ^ (X[:, 1] > 5)).astype(int) + (X[:, 2] == 7)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("impurity", ["entropy", "gini"])
@pytest.mark.parametrize(
    "bound",
    [
        "hoeffding",
        DeltaMethod(pairing="independent"),
        DeltaMethod(pairing="conservative"),
        DeltaMethod(pairing="paired"),
    ],
    ids=str,
)
def test_nip_splits_as_exhaustive_values_do(bound, impurity, missing):
    X, y = few_values(3, 4000, missing)
    shared = {"impurity": impurity, "bound": bound, "leaf": "majority"} | SMALL
    nip = rp.NIP(**shared)
    exhaustive = rp.HoeffdingTree(statistics="exhaustive", **shared)
    answers = [model.prequential(X, y, proba=True)[1] for model in (nip, exhaustive)]
    got, want = nip.splits(), exhaustive.splits()
    assert len(got) == len(want) > 3
    for one, other in zip(got, want, strict=True):
        assert (one.node, one.seen, one.reason) == (other.node, other.seen, other.reason)
        assert (one.feature, one.n) == (other.feature, other.n)
        assert one.gain == pytest.approx(other.gain, abs=1e-12)
        assert one.runner_up_gain == pytest.approx(other.runner_up_gain, abs=1e-12)
        assert one.epsilon == pytest.approx(other.epsilon, rel=1e-12)
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bound", ["hoeffding", "delta-method"])
def test_nip_finds_the_cut_of_exhaustive_values_among_continuous_ones(bound, seed):
    """Pruning forgets exact values only where the best cut cannot be."""
    rng = np.random.default_rng(seed)
    X = rng.random((6_000, 3))
    y = ((X[:, 0] > 0.3712) ^ (rng.random(6_000) < 0.3)).astype(int)
    shared = {"bound": bound, "leaf": "majority", "grace_period": 20, "delta": 1e-7, "tau": 0.0}
    nip = rp.NIP(statistics=Intervals(count=20), **shared).partial_fit(X, y)
    exact = rp.HoeffdingTree(statistics="exhaustive", **shared).partial_fit(X, y)
    got, want = nip.splits()[0], exact.splits()[0]
    assert (got.seen, got.feature) == (want.seen, want.feature) == (got.seen, "x0")
    assert got.gain == pytest.approx(want.gain, rel=1e-9)
    thresholds = [inside.nodes(model)["threshold"][0] for model in (nip, exact)]
    assert thresholds[0] == pytest.approx(thresholds[1], abs=1e-3)


def test_the_first_split_of_nip_is_that_of_brute_force():
    X, y = few_values(4, 3000)
    for bound in ("hoeffding", "delta-method"):
        model = rp.NIP(bound=bound, **SMALL).partial_fit(X, y)
        first = model.splits()[0]
        rows = slice(0, first.seen)
        found = [best_split(X[rows, f], y[rows]) for f in range(4)]
        gains = sorted((gain for _, gain in found), reverse=True)
        best = max(range(4), key=lambda f: found[f][1])
        assert first.feature == f"x{best}"
        assert first.gain == pytest.approx(gains[0], abs=1e-12)
        assert first.runner_up_gain == pytest.approx(gains[1], abs=1e-12)
        threshold = inside.nodes(model)["threshold"][0]
        assert found[best][0] <= threshold < found[best][0] + 1.0


# -- what every recipe takes ----------------------------------------------------------------------

#: What every recipe takes, with the default of the free composition. A recipe may have its own
#: defaults for the others, or fix them.
SHARED = sorted({*ALWAYS_TAKEN} - {"leaf", "costs", "grace_period", "delta", "tau"})
OWN = [cls for name, cls in RECIPES.items() if name != "HoeffdingTree"]


@pytest.mark.parametrize("cls", OWN, ids=lambda cls: cls.__name__)
def test_every_recipe_takes_what_is_shared(cls):
    free = rp.HoeffdingTree().get_params()
    found = cls().get_params()
    own = inspect.signature(cls.__init__).parameters
    assert {name: found[name] for name in SHARED} == {name: free[name] for name in SHARED}
    assert {name: own[name].default for name in SHARED} == {name: free[name] for name in SHARED}
    for name in SHARED:
        assert re.search(rf"^    (max_depth, )?{name}\b.* : ", cls.__doc__, re.MULTILINE), name
    assert cls.__doc__.count("max_bytes : ") == 1
    model = cls(adaptive_grace=True, max_bytes="1MB", short_memory=0)
    assert (model.adaptive_grace, model.max_bytes) == (True, "1MB")
    assert "adaptive_grace=True, max_bytes='1MB')" in re.sub(r"\s+", " ", repr(model))


@pytest.mark.parametrize("cls", OWN, ids=lambda cls: cls.__name__)
def test_what_a_recipe_does_not_have_is_refused_in_its_name(cls):
    others = set(rp.HoeffdingTree().get_params()) - set(cls().get_params())
    assert {"min_gain", "leaf_features"} <= others
    assert "statistics" in others or cls in (rp.NIP, rp.CTree, rp.SPDT)
    for name in (*others, "n_cuts", "adaptive_graces"):
        with pytest.raises(TypeError, match=rf"{cls.__name__} has no parameter '{name}'"):
            cls(**{name: 1})


def test_a_recipe_with_shared_parameters_is_the_free_composition_with_them():
    X, y = few_values(5, 4000)
    extras = {"adaptive_grace": True, "drop_poor_features": True, "short_memory": 50} | SMALL
    recipe, free = rp.VFDT(**extras), rp.HoeffdingTree(leaf="majority", **extras)
    assert recipe.partial_fit(X, y).splits() == free.partial_fit(X, y).splits() != []
    assert recipe.splits() != rp.VFDT(**SMALL).partial_fit(X, y).splits()


def test_corrected_vfdt_breaks_ties_by_the_order_of_the_classes():
    """`fit` sorts the labels. `partial_fit` takes them as they come, unless it is given classes."""
    differ = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 400)
        y[0] = 1  # the larger label comes first
        X = np.column_stack([y ^ (rng.random(400) < flips) for flips in (0.1, 0.25)]).astype(float)
        shared = {"categorical_features": [0, 1], "grace_period": 1, "delta": 0.05}
        fitted = rp.CorrectedVFDT(**shared).fit(X, y).splits()
        told = rp.CorrectedVFDT(**shared).partial_fit(X, y, classes=[0, 1]).splits()
        came = rp.CorrectedVFDT(**shared).partial_fit(X, y).splits()
        assert [(s.seen, s.cut) for s in fitted] == [(s.seen, s.cut) for s in told]
        differ += [s.seen for s in fitted] != [s.seen for s in came]
    assert differ > 0
