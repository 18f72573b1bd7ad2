"""Small models with something of everything, and what a model must be able to do."""

from __future__ import annotations

import functools
import math
import warnings

import numpy as np
from scipy import sparse

import riparian as rp
from riparian.adaptation import Alternates, Options, Reevaluation, Window
from riparian.bounds import DeltaMethod
from riparian.drift import DDM, KSWIN
from riparian.impurities import Accuracy, Loss
from riparian.models.forests.ensemble import Ensemble
from riparian.statistics import Intervals
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.modelfile.parts import Parts, as_array

COSTS = {("a", "b"): 3.0, ("b", "c"): 0.5, ("d", "a"): 0.25}


def sample_models():
    """Plain trees, one for each kind of watch that leaves can keep, and one with a seed."""
    for n, cls, more in [
        (200, rp.HoeffdingTree, {"leaf": "adaptive", "categorical_cuts": "both"}),
        (200, rp.VFDT, {}),
        (200, rp.HoeffdingTree, {"impurity": Loss(evaluator="prequential"), "costs": COSTS}),
        (200, rp.CorrectedVFDT, {"impurity": Accuracy(evaluator="holdout")}),
        (200, rp.HoeffdingTree, {"bound": DeltaMethod(pairing="paired")}),
        (200, rp.VFDTc, {}),
        (1300, rp.NIP, {"statistics": Intervals(count=5), "max_leaves": 4}),
        (200, rp.HybridTree, {}),
        (200, rp.HoeffdingTree, {"leaf": "linear-units"}),
        (200, rp.VFDT, {"leaf": ("majority", "naive-bayes", "linear-units"), "costs": COSTS}),
        (
            300,
            rp.HoeffdingTree,
            {"leaf": "majority", "drop_poor_features": True, "short_memory": 50}
            | {"adaptive_grace": True, "tau": 0.3},
        ),
        # Races that run, with rows of a block that has not ended.
        (700, rp.CertifiedTree, {"delta": 0.5, "tau": 0.1}),
        (700, rp.CertifiedTree, {"delta": 0.5, "tau": 0.1, "impurity": "accuracy"}),
        # Some of its leaves are inactive, others began again.
        (900, rp.HoeffdingTree, {"max_bytes": 23_500, "leaf": "linear-units", "tau": 10.0}),
    ]:
        model = cls(**{"grace_period": 40, "delta": 0.05, "tau": 0.6} | more)
        yield model.partial_fit(*sample_rows(n))
    yield changing_model()
    yield from betting_models()
    yield sparse_model()
    columns, labels = sample_rows(200)
    numbers = {name: columns[name] for name in "ac"}
    seeded = rp.VFDT.from_sklearn(None, numbers, labels, grace_period=40, delta=0.05, tau=0.6)
    yield seeded.partial_fit(columns, labels).rescan(columns, labels, passes=2, progress=False)


def changing_model():
    """Has alternates, some of them with tests, and a history."""
    restless = Alternates(switch_after=40, drift_delta=0.2)
    model = rp.HAT(grace_period=40, delta=0.05, tau=0.6, adaptation=restless)
    columns, labels = sample_rows(200)
    turned = np.array(["b", "c", "a"], dtype=object)[np.searchsorted(["a", "b", "c"], labels)]
    for y in (labels, turned, labels, turned):
        model.partial_fit(columns, y)
    return model


def betting_models():
    """Have alternates that are bet on."""
    restless = Alternates(switch_after=20, drift_delta=0.2, replace_by="betting")
    model = rp.HAT(grace_period=40, delta=0.05, tau=0.6, adaptation=restless)
    columns, labels = sample_rows(200)
    turned = np.array(["b", "c", "a"], dtype=object)[np.searchsorted(["a", "b", "c"], labels)]
    for y in (labels, turned, labels, turned):
        model.partial_fit(columns, y)
    yield model
    window = Window(size=100, validity_period=40, test_size=20, replace_by="betting")
    model = rp.CVFDT(grace_period=40, delta=0.05, tau=0.6, adaptation=window)
    columns, labels = sample_rows(300)
    swapped = columns | {"a": columns["c"], "c": columns["a"]}
    yield model.partial_fit(columns, labels).partial_fit(swapped, labels)
    bets = {"replace_by": "betting", "switch_after": 20, "switch_delta": 0.01}
    for recipe, how in (
        (rp.EFDT, Reevaluation(every=40, **bets)),
        (rp.HoeffdingOptionTree, Options(delta=0.5, **bets)),
    ):
        model = recipe(grace_period=40, delta=0.05, tau=0.6, adaptation=how)
        yield model.partial_fit(columns, labels).partial_fit(swapped, labels)


def sparse_model():
    """Has leaves whose first rows were dense, and others whose first rows were sparse."""
    model = rp.VFDT(grace_period=40, delta=0.05, tau=0.6)
    columns, labels = sample_rows(260)
    numbers = {name: columns[name] for name in "ac"}
    model.partial_fit({name: values[:60] for name, values in numbers.items()}, labels[:60])
    rows = np.column_stack(list(numbers.values()))
    rows[rows < 0.2] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a sparse matrix has no names
        return model.partial_fit(sparse.csr_array(rows[60:]), labels[60:])


#: Of members of forests.
EAGER = {"grace_period": 40, "delta": 0.05, "tau": 0.6}


def newer_models():
    """One of every model that is not a recipe of the tree, each with all that it can hold."""
    tree = rp.HoeffdingTree(**EAGER)
    forest = {"estimator": tree, "n_estimators": 2}
    alarmed = forest | {"warning": 0.9, "drift": 0.01, "random_state": 3}
    for rounds, model in [
        (
            2,
            rp.Forest(
                estimator=rp.HAT(grace_period=40, adaptation=Alternates(drift_delta=0.2)),
                n_estimators=2,
                replacement="background",
                warning=KSWIN(window_size=40, stat_size=10, alpha=0.05),
                drift=DDM(warm_start=20),
                features=2,
                leaf_features=1,
                costs=COSTS,
            ),
        ),
        (1, rp.OnlineBagging(**forest)),
        (5, rp.LeveragingBagging(**forest, drift=0.5)),
        (2, rp.AdaptiveRandomForest(**alarmed)),
        (3, rp.StreamingRandomPatches(**alarmed)),
        (2, rp.StreamForest(n_estimators=2, warning=0.9, drift=0.01)),
        (2, rp.Forest(**forest, vote_power=3, vote_memory=50.0, last_member=rp.StreamTree())),
        (
            2,
            rp.AccuracyWeightedEnsemble(
                estimator=tree, n_estimators=2, n_stored=3, chunk_size=70, n_folds=2, costs=COSTS
            ),
        ),
        (3, rp.UFFT(n_min="fixed", short_memory=40, drift=0.3, **EAGER)),
        (1, rp.UFFT(n_min="fixed", short_memory=30, memory="tree", leaf="linear-units", **EAGER)),
        (1, rp.ID3()),
        (1, rp.ID3Prime()),
        (1, rp.ID4()),
        (2, rp.ID5R(max_examples=150)),
        (1, rp.ITI()),
        (1, rp.ITI(metric="entropy", max_examples=90)),
        (1, rp.OADT(depth=2)),
    ]:
        yield turned_on(model, rounds)


def turned_on(model, rounds):
    """Taught the same rows again and again, every second time with other labels."""
    columns, labels = sample_rows(120)
    if isinstance(model, rp.ID3 | rp.ID3Prime | rp.ID4 | rp.ID5R):  # a number is a category
        columns |= {name: columns[name].round() for name in "ac"}
    turned = np.array(["b", "c", "a"], dtype=object)[np.searchsorted(["a", "b", "c"], labels)]
    for i in range(rounds):
        model.partial_fit(columns, turned if i % 2 else labels)
    return model


def sample_rows(n):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    columns = {
        "a": np.where(rng.random(n) < 0.1, np.nan, y + 0.3 * rng.standard_normal(n)),
        "b": np.array(["u", "v", "w"], dtype=object)[(y + (rng.random(n) < 0.3)) % 3],
        "c": rng.standard_normal(n),
    }
    columns["b"][rng.random(n) < 0.05] = None
    return columns, np.array(["a", "b", "c"], dtype=object)[y]


@functools.cache
def samples(which="trees"):
    models = {"trees": sample_models, "newer": newer_models}[which]()
    return [Parts(to_bytes(model)) for model in models]


def with_units():
    found = [whole for whole in samples() if as_array(whole.arrays["units"]).size]
    assert len(found) == 3
    return found


# -- a model that works -----------------------------------------------------------------------

N = 500
RNG = np.random.default_rng(5)
NUMBERS = RNG.standard_normal(N)
NUMBERS[::17] = np.nan
WORDS = RNG.choice(np.array(["u", "v", "w", None, "new"], dtype=object), N)
LABELS = RNG.choice(np.array(["a", "b", "c", "d"], dtype=object), N)


def columns_for(model, n):
    """Values for the columns that this model says it has, at most fifty of them."""
    columns = {
        feature.name: (NUMBERS if feature.kind == "numeric" else WORDS)[:n]
        for feature in inside.features(model)[:50]
    }
    return columns or {"only": NUMBERS[:n]}


def check_answers(model, columns):
    probabilities = model.predict_proba(columns)
    assert probabilities.shape[1] == len(model.classes_)
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    if len(model.classes_) and inside.engine(model).n_classes:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=0, atol=1e-9)
        assert len(model.predict(columns)) == len(probabilities)
        model.predict_one({name: values[0] for name, values in columns.items()})


def check_works(model, n=N):
    """Predict, learn, grow, report the structure, and save and load again."""
    columns = columns_for(model, n)
    if inside.features(model):
        check_answers(model, {name: values[:40] for name, values in columns.items()})
    model.partial_fit(columns, LABELS[:n])
    model.learn_one({name: values[3] for name, values in columns.items()}, "a")
    more = {name: values[:20] for name, values in columns.items()} | {"brand new": NUMBERS[:20]}
    model.partial_fit(more, LABELS[:20])
    check_answers(model, {name: values[-40:] for name, values in columns.items()})
    check_tells(model)
    data = to_bytes(model)
    assert to_bytes(from_bytes(data)) == data


def check_tells(model):
    """What it says of itself, as far as it does."""
    own = model.splits() if hasattr(model, "splits") else []
    for splits in own if isinstance(model, Ensemble) else [own]:
        assert all(math.isfinite(split.gain) for split in splits)
    for pending in model.pending() if hasattr(model, "pending") else []:
        assert math.isfinite(pending.gain)
    if hasattr(model, "feature_importances_"):
        assert np.isfinite(model.feature_importances_).all()
    model.explain_one({})
    if isinstance(model, Ensemble):
        assert all(str(member) for member in model.members())
        for tree in model.estimators_:
            assert to_bytes(from_bytes(to_bytes(tree))) == to_bytes(tree)
