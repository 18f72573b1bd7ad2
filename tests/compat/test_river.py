"""riparian in River: as it is in pipelines and evaluation, and as an estimator of River's kind."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import riparian as rp
from riparian.models.registry import RECIPES

river = pytest.importorskip("river")

from river import base, checks, compose, evaluate, metrics, preprocessing  # noqa: E402

from riparian.compat.river import RiverTree  # noqa: E402

MODELS = {
    "as it comes": RiverTree,
    "VFDT": lambda: RiverTree(rp.VFDT()),
    "linear-units": lambda: RiverTree(rp.HoeffdingTree(leaf="linear-units", grace_period=20)),
    "the best of three, costs": lambda: RiverTree(
        rp.VFDT(leaf=("majority", "naive-bayes", "linear-units"), costs={(True, False): 3.0})
    ),
    "OADT": lambda: RiverTree(rp.OADT()),
    "naive Bayes": lambda: RiverTree(rp.HoeffdingTree(leaf="naive-bayes", grace_period=20)),
}


def all_checks():
    for name, new_model in MODELS.items():
        for i, check in enumerate(checks.yield_checks(new_model())):
            if name == "OADT" and check.__name__ == "check_shuffle_features_no_impact":
                continue  # its first weights hang on the places of the features
            yield pytest.param(new_model, check, id=f"{name}-{i}-{check.__name__}")


@pytest.mark.parametrize(("new_model", "check"), list(all_checks()))
def test_river_finds_its_conventions_kept(new_model, check):
    model = new_model()
    assert check.__name__ not in model._unit_test_skips()
    check(model.clone())


def stream(n=3_000, seed=1):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = {"warm": rng.normal(15, 8), "wet": rng.uniform(0, 100), "wind": rng.normal(20, 5)}
        yield x, bool((x["warm"] > 18) ^ (x["wet"] > 70))


#: Whose bounds are so wide that a tie must be called earlier.
TAU = {"CTree": 0.3, "DsCART": 2.0, "McDiarmidTree": 100.0}
#: Misclassification and hits see little in two features that only tell together.
ACCURACY = {
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
    assert isinstance(RiverTree(tree), base.Classifier)


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_wrapper_learns_what_the_tree_learns(recipe):
    plain = RECIPES[recipe](grace_period=50, delta=1e-3)
    wrapped = RiverTree(RECIPES[recipe](grace_period=50, delta=1e-3))
    for x, y in stream():
        assert wrapped.predict_one(x) == plain.predict_one(x)
        assert wrapped.predict_proba_one(x) == plain.predict_proba_one(x)
        plain.learn_one(x, y)
        wrapped.learn_one(x, y)
    again = pickle.loads(pickle.dumps(wrapped))
    assert again.predict_proba_one(x) == plain.predict_proba_one(x)


def test_a_clone_of_the_wrapper_has_the_parameters_and_nothing_learned():
    wrapped = RiverTree(rp.VFDT(grace_period=50))
    for x, y in stream(200):
        wrapped.learn_one(x, y)
    clone = wrapped.clone()
    assert clone.model.grace_period == 50
    assert clone.predict_one(x) is None
    changed = wrapped.clone({"model": rp.VFDT(grace_period=7)})
    assert changed.model.grace_period == 7
    assert wrapped.predict_one(x) in (True, False)


def test_the_wrapper_never_teaches_the_model_it_was_given():
    given = rp.VFDT()
    wrapped = RiverTree(given)
    wrapped.learn_one({"warm": 3.0}, True)
    assert not given.__sklearn_is_fitted__()


def test_a_forest_of_river_grows_from_the_wrapper():
    from river import ensemble

    forest = ensemble.BaggingClassifier(
        RiverTree(rp.VFDT(grace_period=50, delta=1e-3, tau=0.1)), n_models=3, seed=1
    )
    accuracy = evaluate.progressive_val_score(stream(2_000), forest, metrics.Accuracy())
    assert accuracy.get() > 0.8
