"""riparian in River: a model is a classifier of River, without a wrapper."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import riparian as rp
from riparian.models.registry import RECIPES
from tests import inside

river = pytest.importorskip("river")

from river import (  # noqa: E402  # noqa: E402
    base,
    checks,
    compose,
    drift,
    ensemble,
    evaluate,
    imblearn,
    metrics,
    multiclass,
    preprocessing,
)
from river.utils import expand_param_grid  # noqa: E402

MODELS: dict[str, Callable[[], Any]] = {
    "HoeffdingTree": rp.HoeffdingTree,
    "StreamTree": rp.StreamTree,
    "the best of three, costs": lambda: rp.VFDT(
        leaf=("majority", "naive-bayes", "linear-units"), costs={(True, False): 3.0}
    ),
    "StreamForest": lambda: rp.StreamForest(n_estimators=3),
    "AdaptiveRandomForest": lambda: rp.AdaptiveRandomForest(
        n_estimators=2, estimator=rp.HAT(grace_period=50), leaf_features=None
    ),
    "OADT": rp.OADT,
}


def all_checks():
    for name, new_model in MODELS.items():
        for i, check in enumerate(checks.yield_checks(new_model())):
            if check.__name__ not in inside.skipped_by_river(new_model()):
                yield pytest.param(new_model, check, id=f"{name}-{i}-{check.__name__}")


@pytest.mark.parametrize(("new_model", "check"), list(all_checks()))
def test_river_finds_its_conventions_kept(new_model, check):
    check(new_model().clone())


def test_only_oadt_depends_on_the_order_of_features():
    assert inside.skipped_by_river(rp.OADT()) == {"check_shuffle_features_no_impact"}
    for name in set(MODELS) - {"OADT"}:
        assert not inside.skipped_by_river(MODELS[name]())


def stream(n=3_000, seed=1):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = {"warm": rng.normal(15, 8), "wet": rng.uniform(0, 100), "wind": rng.normal(20, 5)}
        yield x, bool((x["warm"] > 18) ^ (x["wet"] > 70))


#: Whose bounds are so wide that a tie must be called earlier.
TAU = {"CTree": 0.3, "DsCART": 2.0, "McDiarmidTree": 100.0}
#: Misclassification and hits see little in two features that only tell together.
ACCURACY = {
    "CertifiedTree": 0.8,
    "CorrHTree": 0.8,
    "CorrectedVFDT": 0.75,
    "HybridTree": 0.8,
    "MDT": 0.8,
    "MisclassificationTree": 0.8,
}


@pytest.fixture(params=RECIPES)
def tree(request):
    name = request.param
    return RECIPES[name](grace_period=50, delta=1e-3, tau=TAU.get(name, 0.1))


def test_a_tree_works_in_a_pipeline_as_it_is(tree):
    model = compose.Pipeline(preprocessing.StandardScaler(), tree)
    accuracy = evaluate.progressive_val_score(stream(), model, metrics.Accuracy())
    assert accuracy.get() > ACCURACY.get(type(tree).__name__, 0.85)
    assert tree.n_seen_ == 3_000
    assert set(tree.feature_names_in_) == {"warm", "wet", "wind"}


def test_a_pipeline_may_be_written_with_a_bar(tree):
    model = preprocessing.StandardScaler() | tree
    for x, y in stream(500):
        model.predict_one(x)
        model.learn_one(x, y)
    assert tree.n_seen_ == 500
    probabilities = model.predict_proba_one({"warm": 25.0, "wet": 10.0, "wind": 20.0})
    assert sum(probabilities.values()) == pytest.approx(1.0)


def test_a_tree_is_evaluated_as_it_is(tree):
    accuracy = evaluate.progressive_val_score(stream(), tree, metrics.Accuracy())
    again = type(tree)(**tree.get_params(deep=False))
    right = []
    for x, y in stream():
        answer = again.predict_one(x)
        if answer is not None:
            right.append(answer == y)
        again.learn_one(x, y)
    assert accuracy.get() == pytest.approx(np.mean(right))


def test_probabilities_are_evaluated_too(tree):
    loss = evaluate.progressive_val_score(stream(), tree, metrics.LogLoss())
    assert 0 < loss.get() < 0.6
    again = type(tree)(**tree.get_params(deep=False))
    area = evaluate.progressive_val_score(stream(), again, metrics.ROCAUC())
    assert area.get() > 0.85


def test_a_tree_counts_as_a_classifier_of_river(tree):
    assert isinstance(tree, base.Classifier)
    assert isinstance(tree, base.MiniBatchClassifier)
    assert isinstance(tree, base.Base)
    assert not isinstance(tree, base.Regressor)
    assert str(tree) == repr(tree)


def test_river_is_not_imported_and_its_methods_work_without_it():
    program = """
import sys, pandas as pd, riparian as rp
model = rp.VFDT(tau=0.1)
model.learn_many(pd.DataFrame({"a": [1.0, 2.0]}), pd.Series(["x", "y"]))
assert model.clone({"tau": 0.2}).tau == 0.2
assert model.predict_many(pd.DataFrame({"a": [1.0]})).tolist() == ["x"]
try:
    (lambda x: x) | model
except TypeError:
    pass
else:
    raise AssertionError
assert not any(name.startswith("river") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def learned(model, n=300):
    for x, y in stream(n):
        model.learn_one(x, y)
    return model


def test_a_clone_has_the_parameters_and_nothing_learned():
    model = learned(rp.VFDT(grace_period=50))
    clone = model.clone()
    assert clone.grace_period == 50
    assert clone.predict_one({"warm": 1.0}) is None
    changed = model.clone({"grace_period": 7, "tau": 0.2})
    assert (changed.grace_period, changed.tau) == (7, 0.2)
    assert model.grace_period == 50
    assert model.n_seen_ == 300


def test_a_clone_with_attributes_has_learned_the_same_and_goes_on_alone():
    model = learned(rp.VFDT(grace_period=50))
    copy = model.clone({"tau": 0.3}, include_attributes=True)
    assert (copy.n_seen_, copy.tau) == (300, 0.3)
    learned(copy)
    assert model.n_seen_ == 300


def test_a_clone_with_a_parameter_of_a_policy():
    model = rp.CTree(grace_period=50).clone({"bound__c": 0.5})
    assert model.bound == rp.bounds.ConfidencePractical(c=0.5)


def test_a_clone_refuses_a_name_of_river_and_says_what_it_is_here():
    with pytest.raises(ValueError, match=r"River's leaf_prediction='nba' is leaf='adaptive'"):
        rp.VFDT().clone({"leaf_prediction": "nba"})


def test_a_grid_of_river_makes_models_of_all_parameters():
    models = expand_param_grid(rp.VFDT(), {"grace_period": [50, 100], "tau": [0.1, 0.2]})
    assert [(m.grace_period, m.tau) for m in models] == [
        (50, 0.1),
        (50, 0.2),
        (100, 0.1),
        (100, 0.2),
    ]
    forests = expand_param_grid(rp.Forest(), {"estimator": [(rp.VFDT, {"tau": [0.1, 0.3]})]})
    assert [type(forest.estimator) for forest in forests] == [rp.VFDT, rp.VFDT]
    assert [forest.estimator.tau for forest in forests] == [0.1, 0.3]


#: Made of a classifier that is copied with River's `clone`.
ENSEMBLES: dict[str, Callable[[Any], Any]] = {
    "Bagging": lambda model: ensemble.BaggingClassifier(model, n_models=3, seed=1),
    "ADWINBagging": lambda model: ensemble.ADWINBaggingClassifier(model, n_models=3, seed=1),
    "LeveragingBagging": lambda model: ensemble.LeveragingBaggingClassifier(
        model, n_models=3, seed=1
    ),
    "LeveragingBagging-wt": lambda model: ensemble.LeveragingBaggingClassifier(
        model, n_models=3, bagging_method="wt", seed=1
    ),
    "SRP": lambda model: ensemble.SRPClassifier(model, n_models=3, seed=1, subspace_size=0.7),
    "AdaBoost": lambda model: ensemble.AdaBoostClassifier(model, n_models=3, seed=1),
    "OneVsRest": multiclass.OneVsRestClassifier,
    "OneVsOne": multiclass.OneVsOneClassifier,
    "oversampled": lambda model: imblearn.RandomOverSampler(
        model, desired_dist={True: 0.5, False: 0.5}, seed=1
    ),
    "retrained at a drift": lambda model: drift.DriftRetrainingClassifier(
        model, drift.binary.DDM()
    ),
}
MEMBERS = {
    "HoeffdingTree": lambda: rp.HoeffdingTree(grace_period=50, delta=1e-3, tau=0.1),
    "StreamForest": lambda: rp.StreamForest(n_estimators=2),
    "a pipeline": lambda: preprocessing.StandardScaler() | rp.StreamTree(grace_period=50, tau=0.1),
}


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("kind", ENSEMBLES)
def test_an_ensemble_of_river_works_with_a_model_as_it_is(kind, member, capsys):
    model = ENSEMBLES[kind](MEMBERS[member]())
    accuracy = evaluate.progressive_val_score(
        stream(1_200), model, metrics.Accuracy(), print_every=600, show_memory=True, show_time=True
    )
    assert accuracy.get() > 0.7
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all("B" in line.rsplit(" ", 1)[1] for line in lines)


@pytest.mark.parametrize("kind", ENSEMBLES)
def test_a_clone_of_an_ensemble_of_river_has_learned_nothing(kind):
    model = ENSEMBLES[kind](rp.VFDT(grace_period=50))
    learned(model, 50)
    inner: Any = model.clone()._wrapped_model
    assert isinstance(inner, rp.VFDT)
    assert inner.grace_period == 50
    assert not inner.__sklearn_is_fitted__()


def test_three_classes_are_learned_one_against_the_rest_in_batches_too():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 3, 3_000), "b": rng.normal(size=3_000)})
    y = pd.Series(np.array(["low", "mid", "top"])[X["a"].astype(int)])
    model = multiclass.OneVsRestClassifier(rp.HoeffdingTree(grace_period=50, tau=0.1))
    model.learn_many(X, y)
    assert (model.predict_many(X) == y).mean() > 0.95
    shares: Any = model.predict_proba_many(X)
    assert shares.sum(axis=1).to_numpy() == pytest.approx(1.0)


def frame(n=400, seed=3):
    rows = list(stream(n, seed))
    index = [f"row {i}" for i in range(n)]
    return pd.DataFrame([x for x, _ in rows], index=index), pd.Series([y for _, y in rows])


def test_many_rows_are_learned_and_predicted_as_one_by_one():
    X, y = frame()
    many, one = rp.VFDT(leaf="adaptive", grace_period=50), rp.VFDT(leaf="adaptive", grace_period=50)
    many.learn_many(X.head(150), y.head(150))
    many.learn_many(X.tail(250), y.tail(250), w=np.ones(250))
    for x, label in zip(X.to_dict("records"), y, strict=True):
        one.learn_one(x, label)
    assert many.splits() == one.splits()
    labels, shares = many.predict_many(X), many.predict_proba_many(X)
    assert isinstance(labels, pd.Series)
    assert list(labels.index) == list(shares.index) == list(X.index)
    for i, x in enumerate(X.to_dict("records")):
        assert labels.iloc[i] == one.predict_one(x)
        assert shares.iloc[i].to_dict() == one.predict_proba_one(x)


def test_many_rows_of_polars_are_a_frame_of_polars():
    X, y = frame()
    model = rp.VFDT(leaf="adaptive")
    model.learn_many(pl.from_pandas(X), pl.from_pandas(y))
    labels, shares = (
        model.predict_many(pl.from_pandas(X)),
        model.predict_proba_many(pl.from_pandas(X)),
    )
    assert labels.to_list() == model.predict(X).tolist()
    assert shares.columns == [str(label) for label in model.classes_]
    np.testing.assert_array_equal(shares.to_numpy(), model.predict_proba(X))


def test_many_rows_before_anything_was_learned():
    X, _ = frame(3)
    model = rp.VFDT()
    assert model.predict_many(X).tolist() == [None] * 3
    assert model.predict_proba_many(X).shape == (3, 0)


@pytest.mark.parametrize("method", ["predict_many", "predict_proba_many"])
def test_many_rows_must_be_a_frame(method):
    model = rp.VFDT()
    model.learn_many(*frame())
    with pytest.raises(
        TypeError, match=f"{method} needs a DataFrame of pandas or polars, got ndar"
    ):
        getattr(model, method)(np.zeros((2, 3)))


def test_many_rows_in_a_pipeline():
    X, y = frame(2_000)
    model = preprocessing.StandardScaler() | rp.VFDT(leaf="adaptive", grace_period=50, tau=0.1)
    model.learn_many(X, y)
    assert (model.predict_many(X).to_numpy() == y.to_numpy()).mean() > 0.8


def test_a_function_may_begin_a_pipeline():
    def without_wind(x):
        return {name: value for name, value in x.items() if name != "wind"}

    model = without_wind | rp.VFDT()
    assert isinstance(model, compose.Pipeline)
    learned(model)
    assert list(model["VFDT"].feature_names_in_) == ["warm", "wet"]


def test_the_memory_of_a_model_is_the_one_it_counts():
    model = rp.StreamForest(n_estimators=3)
    empty = inside.memory_for_river(model)
    assert 0 < empty < 1_000
    learned(model, 2_000)
    assert model.memory_bytes_ <= inside.memory_for_river(model) <= model.memory_bytes_ + 1_000
    assert model._memory_usage.endswith("B")
    bagging = ensemble.BaggingClassifier(rp.StreamForest(n_estimators=3), n_models=3, seed=1)
    learned(bagging, 2_000)
    assert inside.memory_for_river(bagging) > sum(m.memory_bytes_ for m in bagging) > 0


def test_mutate_sets_the_memory_limit_and_nothing_else():
    model = learned(rp.VFDT(), 50)
    model.mutate({"max_bytes": "2MB"})
    learned(model, 10)
    assert model.max_bytes == "2MB"
    with pytest.raises(ValueError, match="'tau' is not a mutable attribute"):
        model.mutate({"tau": 0.5})


def test_a_pickle_counts_as_a_classifier_too():
    again = pickle.loads(pickle.dumps(learned(rp.VFDT())))
    assert again.clone().get_params() == again.get_params()
    assert isinstance(again, base.Classifier)
