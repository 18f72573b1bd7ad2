"""The accuracy-weighted ensemble, against its reference and on its own."""

import numpy as np
import pytest

from riparian import AccuracyWeightedEnsemble, HoeffdingTree
from riparian.streams import random_rbf, sea
from tests.reference.awe import ReferenceAWE, random_mse

TREE = {"grace_period": 30, "delta": 0.05, "tau": 0.1}


def test_the_vector_of_the_sheet():
    assert random_mse((0.7, 0.3)) == pytest.approx(0.21)


def changing(n):
    X, y = sea(seed=2).take(n)
    y = y.copy()
    y[n // 2 :] = 1 - y[n // 2 :]
    return X, y


@pytest.mark.parametrize("costs", [None, {(0, 1): 4.0, (1, 0): 1.0}], ids=["accuracy", "costs"])
@pytest.mark.parametrize("epochs", [1, 3])
def test_weights_and_answers_are_the_reference_s(epochs, costs):
    X, y = changing(1150)
    model = AccuracyWeightedEnsemble(
        estimator=HoeffdingTree(**TREE),
        n_estimators=3,
        n_stored=4,
        chunk_size=100,
        n_folds=5,
        epochs=epochs,
        costs=costs,
    )
    _, p = model.prequential(X, y, proba=True)
    seen = list(dict.fromkeys(y.tolist()))
    matrix = costs and np.array([[costs.get((a, b), 0.0) for b in seen] for a in seen])
    if costs:
        matrix = matrix / matrix.max()  # what costs most is 1
    reference = ReferenceAWE(TREE, 100, 3, 4, 5, epochs, matrix)
    order = [seen.index(c) for c in model.classes_]
    expected = np.array(reference.run(X, y))[:, order]
    np.testing.assert_allclose(p[100:], expected, atol=1e-12)
    np.testing.assert_allclose(model.weights_, [w for w, _, _ in reference.members], atol=1e-12)
    assert model.chunks_.tolist() == [n for _, n, _ in reference.members]


def test_weights_do_not_hang_on_the_unit_of_costs():
    X, y = sea(seed=2).take(1000)
    costs = np.array([[0.0, 4.0], [1.0, 0.0]])
    cents, euros = (
        AccuracyWeightedEnsemble(chunk_size=200, costs=scale * costs).fit(X, y).weights_
        for scale in (128.0, 1.0)
    )
    assert (euros > 0).any()
    np.testing.assert_array_equal(cents, euros)


def test_a_member_of_the_old_concept_comes_back():
    X, y = sea(seed=2).take(3000)
    y = y.copy()
    y[1000:2000] = 1 - y[1000:2000]
    model = AccuracyWeightedEnsemble(chunk_size=250, n_estimators=3, n_stored=20)
    said = model.prequential(X, y)
    # The chunk that brings the old concept back is lost; the next one has its old trees.
    assert (said[2250:] == y[2250:]).mean() > 0.85
    assert (model.chunks_[:3] < 4).any()


def told(model, X):
    """The members that speak up, and what their votes count."""
    votes = model.explain_one(dict(enumerate(X[0].tolist())))
    return {vote.member: vote.weight for vote in votes}


def test_a_member_that_does_not_vote_counts_nothing():
    X, y = sea(seed=2).take(4000)
    model = AccuracyWeightedEnsemble(n_estimators=2, n_stored=8).fit(X, y)
    assert (model.weights_ > 0).all()
    weights = [m.weight for m in model.members()]
    assert weights == [*model.weights_[:2], *[0.0] * 6]
    assert told(model, X) == dict(enumerate(weights[:2]))


def test_where_none_beats_chance_the_newest_counts_1_and_the_others_nothing():
    X, y = sea(seed=2).take(300)
    y = np.where(np.arange(300) < 200, y, 0)  # of one class: chance is never wrong
    model = AccuracyWeightedEnsemble(chunk_size=100).fit(X, y)
    assert model.weights_.tolist() == [0.0] * 3
    weights = [m.weight for m in model.members()]
    assert weights == (model.chunks_ == 2).astype(float).tolist()
    assert told(model, X) == {weights.index(1.0): 1.0}


def test_the_tree_of_the_first_chunk_counts_1_while_it_learns():
    X, y = sea(seed=2).take(100)
    model = AccuracyWeightedEnsemble().fit(X, y)
    assert [m.weight for m in model.members()] == [1.0]
    assert told(model, X) == {0: 1.0}


def test_more_classes_than_a_chunk_has():
    X, y = random_rbf(seed=1, n_classes=5).take(2000)
    order = np.argsort(y, kind="stable")
    model = AccuracyWeightedEnsemble(chunk_size=150).partial_fit(X[order], y[order])
    assert len(model.classes_) == 5
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("chunk_size", 1), ("n_stored", 3), ("n_folds", 1), ("epochs", 0), ("n_estimators", 0)],
)
def test_a_wrong_number_is_refused(name, value):
    with pytest.raises(ValueError, match=name):
        AccuracyWeightedEnsemble(**{name: value}).partial_fit([[1.0]], [0])
