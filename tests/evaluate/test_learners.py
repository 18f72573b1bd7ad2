"""Models of other libraries, late labels, hold-out and folds: each is the plain loop it names."""

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

import riparian as rp
from riparian import evaluate, streams

N = 3000


def rows(n=N, **options):
    return streams.random_rbf(n_features=4, n_classes=3, n_centroids=9, n_rows=n, **options)


@pytest.mark.parametrize("block", [13, 1000, 5000])
def test_a_scikit_learn_classifier_learns_in_lots_of_a_hundred(block):
    X, y = rows().take(N)
    model, right = GaussianNB(), 0
    for start in range(0, N, 100):
        part = slice(start, start + 100)
        if start:
            right += int((model.predict(X[part]) == y[part]).sum())
        model.partial_fit(X[part], y[part], classes=[0, 1, 2])
    result = evaluate.prequential(GaussianNB(), rows(), block=block, progress=False)
    assert result.correct == right


def test_a_river_classifier_learns_row_by_row():
    river = pytest.importorskip("river.naive_bayes")
    X, y = rows(500).take(500)
    model, right = river.GaussianNB(), 0
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        row = dict(enumerate(x))
        right += model.predict_one(row) == label
        model.learn_one(row, label)
    result = evaluate.prequential(river.GaussianNB(), rows(500), progress=False)
    assert result.correct == right


def test_probabilities_of_other_libraries_are_scored():
    river = pytest.importorskip("river.naive_bayes")
    for model in (rp.VFDT(leaf="adaptive"), GaussianNB(), river.GaussianNB()):
        result = evaluate.prequential(model, rows(), proba=True, progress=False)
        # A guess by equal shares has ln 3 = 1.0986.
        assert 0.1 < result.log_loss < 1.3


@pytest.mark.parametrize("block", [50, 3000])
def test_late_labels_are_learned_late(block):
    X, y = rows().take(N)
    model = rp.VFDT(grace_period=50)
    right = learned = 0
    # A delay of 100 rows: lots of 10, each learned once its last row is 100 rows old.
    for start in range(0, N, 10):
        if learned:
            right += int((model.predict(X[start : start + 10]) == y[start : start + 10]).sum())
        if start + 10 - learned >= 110:
            model.partial_fit(X[learned : learned + 10], y[learned : learned + 10])
            learned += 10
    late = streams.delayed(rows(), rows=100)
    result = evaluate.prequential(rp.VFDT(grace_period=50), late, block=block, progress=False)
    assert result.correct == right
    asked = evaluate.prequential(rp.VFDT(grace_period=50), rows(), delay=100, progress=False)
    assert asked.correct == right


def test_late_labels_cost_accuracy_after_a_drift():
    drift = streams.abrupt_drift(streams.sine(concept=1), streams.sine(concept=2), at=5000)
    soon = evaluate.prequential(rp.VFDT(), drift, rows=10_000, progress=False)
    late = evaluate.prequential(rp.VFDT(), drift, rows=10_000, delay=2000, progress=False)
    assert late.accuracy < soon.accuracy


def test_a_classifier_that_takes_numbers_only_says_which_column_has_text():
    with pytest.raises(TypeError, match="GaussianNB accepts only numbers, but column 'size' has"):
        evaluate.prequential(GaussianNB(), streams.stagger(n_rows=300), progress=False)


def test_scikit_learn_must_know_the_classes():
    class Unlabelled:
        def blocks(self, size):
            yield from rows().blocks(size)

    with pytest.raises(ValueError, match="needs all classes before it learns"):
        evaluate.prequential(SGDClassifier(), Unlabelled(), progress=False)
    result = evaluate.prequential(
        SGDClassifier(random_state=0), Unlabelled(), classes=[0, 1, 2], progress=False
    )
    assert result.n == N


def test_what_cannot_learn_is_refused():
    with pytest.raises(TypeError, match="object cannot be evaluated: it must have prequential"):
        evaluate.prequential(object(), rows(), progress=False)


def test_holdout_learns_the_first_rows_and_predicts_the_others():
    X, y = rows().take(N)
    model = rp.VFDT(grace_period=50)
    want = rp.VFDT(grace_period=50).partial_fit(X[:2000], y[:2000])
    result = evaluate.holdout(model, rows(), train=2000, test=700, block=300, progress=False)
    assert result.n == 700
    assert result.accuracy == want.score(X[2000:2700], y[2000:2700])
    assert model.n_seen_ == 2000
    assert evaluate.holdout(GaussianNB(), rows(), train=2000, progress=False).n == 1000


def test_holdout_needs_rows_to_predict():
    message = "train must be below the number of rows of the stream, 3000, got 3000"
    with pytest.raises(ValueError, match=message):
        evaluate.holdout(rp.VFDT(), rows(), train=N, progress=False)


def test_folds_are_neighbouring_rows():
    X, y = rows(1000).take(1000)
    found = evaluate.folds(rp.VFDT(grace_period=50), rows(1000), k=4, passes=2)
    for i in range(4):
        test = np.zeros(1000, dtype=bool)
        test[250 * i : 250 * (i + 1)] = True
        model = rp.VFDT(grace_period=50)
        for _ in range(2):
            model.partial_fit(X[~test], y[~test])
        assert found.test_accuracy[i] == model.score(X[test], y[test])
        assert found.train_accuracy[i] == model.score(X[~test], y[~test])
        assert found.nodes[i] == model.n_nodes_
    assert found.table()["depth"].shape == (4,)


def test_folds_are_refused_where_there_are_none():
    with pytest.raises(ValueError, match="an endless stream cannot be divided into folds"):
        evaluate.folds(rp.VFDT(), streams.sea())
    with pytest.raises(ValueError, match="k must be between 2 and the number of rows, 10, got 11"):
        evaluate.folds(rp.VFDT(), streams.sea(n_rows=10), k=11)
