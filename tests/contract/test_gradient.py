"""What always holds, for trees that learn by gradient; bad input is in test_bad_input.py."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import riparian as rp
from tests import inside

COMPOSITIONS = {
    "as it comes": {},
    "deep": {"depth": 7, "slope": 8.0, "random_state": 3},
    "one plane": {"depth": 1, "step": "plain", "loss": "squared"},
    "constant": {"rate": "constant", "learning_rate": 0.05, "final_rate": 0.05},
    "as they are": {"standardise": False, "costs": {("no", "yes"): 3.0}},
}


@pytest.fixture(params=COMPOSITIONS.values(), ids=COMPOSITIONS)
def new_model(request):
    return lambda **parameters: rp.OADT(**request.param | parameters)


# -- order, determinism ---------------------------------------------------------------------------


def test_a_column_that_comes_late_is_learned_alike_in_batches(new_model, fingerprint):
    rng = np.random.default_rng(5)
    rows = []
    for i in range(400):
        row = {"a": rng.normal(), "b": rng.normal()}
        if i >= 150:
            row |= {"c": rng.normal(), "job": str(rng.integers(0, 3 + i // 100))}
        rows.append((row, int(row["a"] + row.get("c", 0.0) > 0)))
    one = new_model()
    for x, y in rows:
        one.learn_one(x, y)
    names = ["a", "b", "c", "job"]
    columns = {n: np.array([x.get(n) for x, _ in rows], dtype=object) for n in names}
    y = [label for _, label in rows]
    for size in (400, 33):
        model = new_model()
        for i in range(0, 400, size):
            model.partial_fit({n: c[i : i + size] for n, c in columns.items()}, y[i : i + size])
        assert fingerprint(model) == fingerprint(one)


def test_the_seed_alone_makes_another_tree(mixed, fingerprint):
    prints = {fingerprint(mixed[:300].learned_by(rp.OADT(random_state=s))) for s in (0, 1, None)}
    assert len(prints) == 2 + 1  # the parameter itself is in the file: None and 0 differ there
    same = [mixed[:300].learned_by(rp.OADT(random_state=s)) for s in (0, None)]
    rows = mixed[:300].columns
    np.testing.assert_array_equal(*(model.predict_proba(rows) for model in same))


@pytest.mark.parametrize("n_features", [1, 3, 4, 5, 17])
def test_wider_instructions_change_no_bit(
    new_model, fingerprint, with_instruction_sets, n_features
):
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(400, n_features))
    y = rng.integers(0, 3, size=400)

    def job():
        model = new_model(costs=None).partial_fit(X, y)
        return fingerprint(model), model.predict_proba(X).tobytes()

    assert len(set(with_instruction_sets(job))) == 1


# -- saving ---------------------------------------------------------------------------------------


def changed(arrays, name, change):
    with np.errstate(all="ignore"):
        return {**arrays, name: change(arrays[name].copy()).astype(arrays[name].dtype)}


def put(place, value):
    def change(a):
        a[place] = value
        return a

    return change


@pytest.mark.parametrize(
    ("array", "change"),
    [
        ("kinds", put(0, 2)),
        ("kinds", lambda a: a[:-1]),
        ("kinds", lambda a: 1 - a),
        ("met", put(0, 2)),
        ("met", put(0, 0)),
        ("met", lambda a: a[1:]),
        ("categories", put(0, -1)),
        ("categories", put(0, 2_000_000)),
        ("categories", put(0, 2**31 - 1)),
        ("categories", lambda a: a + 1),
        ("categories", lambda a: a[:-1]),
        ("known", put(0, np.nan)),
        ("known", put(0, -1.0)),
        ("known", put(0, 0.0)),
        ("known", put(0, 1e300)),
        ("mean", put(0, np.inf)),
        ("mean", lambda a: a[1:]),
        ("squares", put(0, -1.0)),
        ("squares", put(0, np.nan)),
        ("squares", put(0, 1e307)),
        ("classes", put(0, 0)),
        ("classes", put(0, 2)),
        ("classes", put(0, 2**32 - 1)),
        ("classes", lambda a: a[:0]),
        ("seen", put(0, 0)),
        ("seen", lambda a: np.append(a, 1)),
        ("weights", put(0, np.nan)),
        ("weights", put(0, 3.0)),
        ("weights", lambda a: a * 1.001),
        ("weights", lambda a: a * 0),
        ("weights", lambda a: a[:-1]),
        ("weights", lambda a: a[:0]),
        ("biases", put(3, np.inf)),
        ("biases", put(3, 1e7)),
        ("biases", lambda a: np.append(a, 0.0)),
    ],
)
def test_impossible_arrays_are_refused(mixed, array, change):
    model = mixed.learned_by(rp.OADT())
    arrays = inside.snapshot(model)
    inside.restored(model, arrays)
    with pytest.raises(ValueError, match=r"\w"):
        inside.restored(model, changed(arrays, array, change))


# -- missing values, numbers, memory --------------------------------------------------------------


def test_missing_is_the_mean_and_costs_little():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 4))
    y = np.where(X[:, 2] > 0.25, "above", "below")
    gaps = rng.random(X.shape) < 0.05
    holed = np.where(gaps, np.nan, X)
    whole = (rp.OADT().prequential(X, y) == y)[5_000:].mean()
    right = (rp.OADT().prequential(holed, y) == y)[5_000:]
    assert whole > 0.97
    assert whole - right[~gaps[5_000:, 2]].mean() < 0.015
    model = rp.OADT().partial_fit(holed, y)
    mean = np.nanmean(holed[:, 0])
    asked = np.array([[np.nan, 1.0, 0.4, 0.0], [mean, 1.0, 0.4, 0.0]])
    np.testing.assert_allclose(*model.predict_proba(asked), rtol=1e-9)


@pytest.mark.parametrize("offset", [1e9, -1.7e9])
def test_a_large_offset_changes_almost_nothing(offset):
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(10_000, 3)) * 1024) / 1024
    y = X[:, 0] * X[:, 1] > 0
    plain, shifted = rp.OADT().fit(X, y), rp.OADT().fit(X + offset, y)
    np.testing.assert_allclose(
        shifted.predict_proba(X + offset), plain.predict_proba(X), rtol=0, atol=1e-4
    )


@pytest.mark.parametrize("scale", [2.0**-60, 2.0**60, 2.0**400, 2.0**-400])
def test_the_unit_of_a_feature_does_not_matter(scale):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2_000, 3))
    y = X[:, 0] * X[:, 1] > 0
    plain, scaled = rp.OADT().fit(X, y), rp.OADT().fit(X * scale, y)
    np.testing.assert_array_equal(scaled.predict_proba(X * scale), plain.predict_proba(X))


def test_memory_is_constant():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20_000, 8)), rng.integers(0, 3, size=20_000)
    model = rp.OADT().partial_fit(X[:1_000], y[:1_000])
    before = model.memory_bytes_
    model.partial_fit(X, y)
    assert model.memory_bytes_ == before


def words(n, categories, seed=0):
    rng = np.random.default_rng(seed)
    word = rng.integers(0, categories, size=n)
    return {"word": np.array([f"w{w}" for w in word], dtype=object), "x": rng.normal(size=n)}, (
        word % 2
    )


def test_a_limit_holds_and_what_does_not_fit_is_refused_and_changes_nothing(fingerprint):
    X, y = words(1_000, 20)
    model = rp.OADT(max_bytes=40_000, max_classes=5_000)
    for i in range(0, 1_000, 10):
        model.partial_fit({n: c[i : i + 10] for n, c in X.items()}, y[i : i + 10])
        assert model.memory_bytes_ <= 40_000
    before = fingerprint(model), model.memory_bytes_
    many, labels = words(1_000, 900, seed=1)
    with pytest.raises(ValueError, match="max_bytes is 40000, but"):
        model.partial_fit(X, np.arange(1_000))
    assert (fingerprint(model), model.memory_bytes_) == before
    with pytest.warns(UserWarning, match="no room for more: further ones are ignored"):
        model.partial_fit(X | {f"x{i}": X["x"] for i in range(200)}, y)
    assert model.memory_bytes_ <= 40_000
    model.set_params(max_bytes="10MB").partial_fit(many, labels)
    assert model.n_seen_ == 3_000


def test_a_limit_below_what_an_empty_model_needs_says_how_much_it_needs():
    X = np.random.default_rng(0).normal(size=(100, 10))
    y = X[:, 0] > 0
    with pytest.raises(ValueError, match=r"max_bytes must be at least ([\d,]+) for") as refused:
        rp.OADT(max_bytes=2_000).partial_fit(X, y)
    least = int(str(refused.value).split("at least ")[1].split(" ")[0].replace(",", ""))
    assert rp.OADT(max_bytes=2 * least).partial_fit(X, y).memory_bytes_ <= 2 * least


# -- scikit-learn ---------------------------------------------------------------------------------


def depends_on_the_order(estimator):
    """Every example moves the planes, and this check shuffles the rows."""
    return {"check_sample_weight_equivalence_on_dense_data": "the order of rows counts"}


@parametrize_with_checks(
    [rp.OADT(), rp.OADT(depth=2, loss="squared", costs={("a", "b"): 2.0})],
    expected_failed_checks=depends_on_the_order,
)
def test_scikit_learn(estimator, check):
    check(estimator)
