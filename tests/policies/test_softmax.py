"""Softmax leaves: the reference to 1e-12, and what every leaf predictor has to bear."""

import numpy as np
import pytest
from sklearn.base import clone

import riparian as rp
from riparian.evidence.structure import Structure
from riparian.leaves import Softmax
from riparian.storage import modelfile
from tests import inside
from tests.modelfile.parts import Parts, set_value
from tests.reference.softmax import Softmax as Reference
from tests.split_by_split import mixed

EAGER = {"grace_period": 50, "delta": 0.05, "tau": 0.2}
SEVERAL = ("majority", "naive-bayes", "linear-units", "softmax")


def stream(seed=0, n=1500):
    """Two numbers and a category, with missing values; classes come one after the other."""
    rng = np.random.default_rng(seed)
    job = rng.choice(["nurse", "smith", "baker", None], n).astype(object)
    X = np.column_stack([rng.normal(3.0, 2.0, n), rng.normal(-1.0, 0.1, n)]).astype(object)
    y = (X[:, 0] > 3.0).astype(int) + (job == "smith")
    y[rng.random(n) < 0.1] = 3
    y[:40] = 0
    y[40:80] = np.minimum(y[40:80], 1)
    order = list(dict.fromkeys(y.tolist()))
    y = np.array([order.index(k) for k in y])
    X[rng.random((n, 2)) < 0.1] = np.nan
    w = rng.choice([0.25, 1.0, 3.0, 20.5], n)
    return np.column_stack([X, job]), y, w


KINDS = ["numeric", "numeric", "categorical"]


def plain(row):
    return [None if x is None or x != x else x for x in row]


def weights_of(model, unit, kinds):
    """The saved weights of one unit of the root, of numeric features and the constant."""
    numbers = inside.snapshot(model)["units"]
    numeric, categorical = kinds.count("numeric"), kinds.count("categorical")
    values = numbers[1 : 1 + categorical].astype(int).sum()
    first = 1 + categorical + 3 * numeric + unit * (numeric + 1 + values)
    return numbers[first : first + numeric + 1]


@pytest.mark.parametrize("step", [1.0, 0.02, 1e-4])
def test_probabilities_and_weights_are_those_of_the_reference(step):
    X, y, w = stream()
    model = rp.HoeffdingTree(leaf=Softmax(step=step), max_leaves=1, categorical_features=[2])
    _, got = model.prequential(X, y, sample_weight=w, proba=True)
    reference = Reference(KINDS, step)
    seen = 0
    for i, row in enumerate(X):
        want = reference.probabilities(plain(row), seen)
        if want is not None:
            np.testing.assert_allclose(got[i, :seen], want, rtol=0, atol=1e-12)
            assert not got[i, seen:].any()
        seen = max(seen, y[i] + 1)
        reference.learn(plain(row), y[i], w[i], seen)
    assert seen == 4
    for k in range(seen):
        want = [reference.weights[k].get(i, 0.0) for i in (0, 1, "constant")]
        np.testing.assert_allclose(weights_of(model, k, KINDS), want, rtol=1e-12, atol=1e-12)


def test_a_step_worked_by_hand():
    # The first value has no spread and is 0: only the constants move, by 0.5 * (1 - 1/2).
    model = rp.HoeffdingTree(leaf=Softmax(step=0.5), max_leaves=1)
    model.partial_fit([[7.0]], [0], classes=[0, 1])
    np.testing.assert_array_equal(weights_of(model, 0, ["numeric"]), [0.0, 0.25])
    np.testing.assert_array_equal(weights_of(model, 1, ["numeric"]), [0.0, -0.25])
    share = 1.0 / (1.0 + np.exp(-0.5))
    np.testing.assert_allclose(model.predict_proba([[7.0]]), [[share, 1.0 - share]], atol=1e-15)
    # Of 7 and 9 the second is one deviation above the mean: x = (1, 1), and 0.5 = 1 / (1 + 1).
    model.partial_fit([[9.0]], [1])
    np.testing.assert_allclose(weights_of(model, 1, ["numeric"]), [share / 2, share / 2 - 0.25])


def test_children_begin_with_the_weights_of_their_parent():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 2))
    y = np.where(X[:, 0] > 0.3, 0, 1)
    y[0], y[1] = 0, 1
    model = rp.HoeffdingTree(leaf="softmax", grace_period=100, max_leaves=2)
    _, got = model.prequential(X, y, proba=True)
    (split,) = model.splits()
    threshold = Structure.of(model).threshold(0)
    parts = [Reference(["numeric"] * 2, Softmax().get_params()["step"])]
    seen = 0
    for i, row in enumerate(X.tolist()):
        part = parts[int(row[0] > threshold)] if len(parts) > 1 else parts[0]
        want = part.probabilities(row, seen)
        if want is not None:
            np.testing.assert_allclose(got[i, :seen], want, rtol=0, atol=1e-12)
        seen = max(seen, y[i] + 1)
        part.learn(row, y[i], 1.0, seen)
        if i + 1 == split.seen:
            parts = [part.for_child(), part.for_child()]
    assert len(parts) == 2


@pytest.mark.parametrize("leaf", ["softmax", ("majority", "softmax"), SEVERAL], ids=str)
@pytest.mark.parametrize("max_bytes", [None, 40_000])
def test_order_counts_and_batches_do_not(leaf, max_bytes):
    X, y, w = stream(1, 900)
    files = []
    for size in (1, 7, 900):
        model = rp.HoeffdingTree(leaf=leaf, categorical_features=[2], max_bytes=max_bytes, **EAGER)
        for first in range(0, len(y), size):
            rows = slice(first, first + size)
            model.partial_fit(X[rows], y[rows], sample_weight=w[rows])
        assert max_bytes is None or model.memory_bytes_ <= max_bytes
        files.append(modelfile.to_bytes(model))
        if size == 7:  # saved and loaded on the way
            model = modelfile.from_bytes(files[-1])
            assert modelfile.to_bytes(model) == files[-1]
    assert files[0] == files[1] == files[2]


def test_with_other_predictors_it_wins_ties_and_where_it_was_right_more_often():
    X, y, *_ = mixed(np.random.default_rng(0), 1500)
    model = rp.HoeffdingTree(leaf=SEVERAL, **EAGER).partial_fit(X, y)
    again = rp.HoeffdingTree(leaf=SEVERAL[::-1], **EAGER).partial_fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    tie = rp.HoeffdingTree(leaf=SEVERAL).partial_fit([[0.0]], [1])
    assert Structure.of(tie).n_predicted_by() == {"softmax": 1}
    # Of one leaf, the majority is right about half of the rows.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 6))
    y = (X @ [1.0, -1.0, 1.0, -1.0, 1.0, -1.0] > 0).astype(int)
    model = rp.HoeffdingTree(leaf=("majority", "softmax"), max_leaves=1).partial_fit(X, y)
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize("leaf", ["softmax", ("majority", "softmax"), SEVERAL], ids=str)
def test_a_request_for_probabilities_changes_neither_classes_nor_the_model(leaf):
    X, y, w = stream(n=600)
    model = rp.HoeffdingTree(leaf=leaf, categorical_features=[2], **EAGER)
    other = clone(model)
    labels = model.prequential(X, y, sample_weight=w)
    same, shares = other.prequential(X, y, sample_weight=w, proba=True)
    assert (labels == same).all()
    assert (same[1:] == shares[1:].argmax(axis=1)).all()
    mine, theirs = inside.snapshot(model), inside.snapshot(other)
    assert mine.keys() == theirs.keys()
    assert all((mine[name] == theirs[name]).all() for name in mine)


def test_one_class_no_class_and_a_class_to_come():
    model = rp.HoeffdingTree(leaf="softmax").partial_fit([[1.0], [2.0]], ["a", "a"])
    np.testing.assert_array_equal(model.predict_proba([[1.5]]), [[1.0]])
    model.partial_fit([[1.0]], ["b"])
    assert model.predict_proba([[1.5]]).shape == (1, 2)
    assert model.predict_proba([[np.nan]]).sum() == pytest.approx(1.0)


def test_a_feature_to_come_changes_nothing_before_its_first_value():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    one = rp.HoeffdingTree(leaf="softmax").partial_fit({"a": X[:, 0]}, y)
    late = np.full(300, np.nan)
    two = rp.HoeffdingTree(leaf="softmax").partial_fit({"a": X[:, 0], "b": late}, y)
    for model in (one, two):
        model.partial_fit({"a": X[:, 0], "b": X[:, 1]}, y)
    assert modelfile.to_bytes(one) == modelfile.to_bytes(two)


def test_uncertain_values_give_the_mean_over_the_parts():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = rp.HoeffdingTree(leaf="softmax", max_leaves=1).partial_fit(X, y)
    part = rp.Uncertain.values([0.5, -1.0], [0.25, 0.75])
    got = model.predict_proba(np.array([[part, 0.2]], dtype=object))
    each = model.predict_proba([[0.5, 0.2], [-1.0, 0.2]])
    np.testing.assert_allclose(got[0], 0.25 * each[0] + 0.75 * each[1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("leaf", ["softmax", SEVERAL], ids=str)
def test_a_file_with_impossible_numbers_is_refused(leaf):
    X, y, w = stream(4, 600)
    model = rp.HoeffdingTree(leaf=leaf, categorical_features=[2], **EAGER)
    model.partial_fit(X, y, sample_weight=w)
    whole = Parts(modelfile.to_bytes(model))
    n = inside.snapshot(model)["units"].size
    places = np.random.default_rng(0).choice(n, 60, replace=False)
    for place in [0, 1, 2, *places.tolist()]:
        for wrong in (np.nan, np.inf, -1e308, 1e300):
            bad = whole.copy()
            set_value(bad.arrays["units"], place, wrong)
            with pytest.raises(rp.ModelFileError):
                modelfile.from_bytes(bad.data())
    for size in (0, 1, 2**40, 2**64 - 1):
        bad = whole.copy()
        set_value(bad.arrays["unit_sizes"], 0, size)
        with pytest.raises(rp.ModelFileError):
            modelfile.from_bytes(bad.data())


@pytest.mark.parametrize("value", [0.0, -1.0, 2.0, np.nan, "much"])
def test_the_step_is_checked_before_anything_is_learned(value):
    model = rp.HoeffdingTree(leaf=Softmax(step=value))
    with pytest.raises(ValueError, match="leaf__step must be a number from"):
        model.partial_fit([[0.0]], [1])


def test_it_is_a_policy_like_any_other(tmp_path):
    model = rp.HoeffdingTree(leaf="softmax")
    assert model.set_params(leaf__step=0.1).leaf == Softmax(step=0.1)
    assert clone(model).get_params()["leaf__step"] == 0.1
    assert repr(model.leaf) == "Softmax(step=0.1)"
    model.partial_fit([[0.0], [1.0]], ["a", "b"]).save(tmp_path / "model.rip")
    assert rp.load(tmp_path / "model.rip").leaf == Softmax(step=0.1)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"adaptation": "window"}, "cannot be combined with adaptation='window'"),
        ({"leaf_features": 2}, "needs leaf_features=None"),
    ],
)
def test_what_it_cannot_be_combined_with(options, match):
    with pytest.raises(ValueError, match=match):
        rp.HoeffdingTree(leaf="softmax", **options).partial_fit([[0.0]], [1])


def test_extreme_numbers_leave_probabilities_and_a_file_that_loads():
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1e-300, -1e300, 1e300, 1.0, 5e-324, 1e16], size=(3000, 3))
    y = rng.integers(0, 4, 3000)
    w = rng.choice([1e-9, 1.0, 1e12], size=3000)
    model = rp.HoeffdingTree(leaf=Softmax(step=1.0), **EAGER)
    _, probabilities = model.prequential(X, y, sample_weight=w, proba=True)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities[1:].sum(axis=1), 1.0, atol=1e-12)
    data = modelfile.to_bytes(model)
    assert modelfile.to_bytes(modelfile.from_bytes(data)) == data
