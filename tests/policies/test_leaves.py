"""Leaves: the linear units of the specification, the best of several, and answers by cost."""

import numpy as np
import pytest
from sklearn.base import clone

import riparian as rp
from riparian import leaves
from riparian.leaves import LinearUnits
from riparian.storage import modelfile
from tests import inside
from tests.reference.idbd import idbd as reference_idbd
from tests.split_by_split import STREAMS, mixed, numbers

TRIPLE = ("majority", "naive-bayes", "linear-units")
EAGER = {"grace_period": 50, "delta": 0.01, "tau": 0.15}
INPUTS = [[1.0, 2.0], [1.0, -1.0], [1.0, 0.5]]
TARGETS = [1.0, -1.0, 1.0]


def test_the_vector_of_the_specification_to_the_digits_printed():
    steps = leaves.idbd(INPUTS, TARGETS)
    np.testing.assert_allclose(steps.error, [1.0, -0.95, 0.923704870], rtol=0, atol=5e-10)
    alpha = [[0.05, 0.05], [0.04997626, 0.05004752], [0.04997627, 0.05008048]]
    np.testing.assert_allclose(steps.alpha, alpha, rtol=0, atol=5e-9)
    weights = [[0.05, 0.1], [0.00252256, 0.14754515], [0.04868588, 0.17067494]]
    np.testing.assert_allclose(steps.weights, weights, rtol=0, atol=5e-9)
    np.testing.assert_allclose(steps.trace[0], [0.05, 0.1], rtol=1e-15)
    assert steps.trace[1, 0] == pytest.approx(2.374436e-5, abs=5e-12)
    assert steps.trace[1, 1] == pytest.approx(0.142540394, abs=5e-10)
    np.testing.assert_allclose(steps.trace[2], [0.04618588, 0.16388556], rtol=0, atol=5e-9)


@pytest.mark.parametrize("inputs", [1, 3, 4, 9])
@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_every_step_is_that_of_the_reference(inputs, scale):
    rng = np.random.default_rng(inputs)
    x = rng.normal(scale=scale, size=(400, inputs))
    y = np.sign(x[:, 0] + 0.5 * rng.normal(size=400))
    options = {"theta": 0.05, "alpha": 0.2}
    for got, want in zip(
        leaves.idbd(x, y, **options), reference_idbd(x, y, **options), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-12)


def test_without_a_step_of_the_step_sizes_it_is_lms():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(300, 5)), rng.normal(size=300)
    steps = leaves.idbd(x, y, theta=0.0, alpha=0.01)
    w = np.zeros(5)
    for row, target, error, weights in zip(x, y, steps.error, steps.weights, strict=True):
        delta = target - w @ row
        assert error == pytest.approx(delta, abs=1e-12)
        w += 0.01 * delta * row
        np.testing.assert_allclose(weights, w, atol=1e-12)
    np.testing.assert_allclose(steps.alpha, 0.01, rtol=1e-15)


def test_the_step_sizes_find_the_relevant_inputs():
    # Sutton's task: the signs of 5 inputs flip, one every 20 examples; the others do not matter.
    rng = np.random.default_rng(0)
    n = 20_000
    x = rng.normal(size=(n, 20))
    flips = np.ones((n, 5))
    flips[np.arange(19, n, 20), rng.integers(5, size=n // 20)] = -1.0
    y = (np.cumprod(flips, axis=0) * x[:, :5]).sum(axis=1)
    alpha = leaves.idbd(x, y, theta=0.01).alpha[-1]
    assert alpha[:5].min() > 10 * alpha[5:].max()


def test_no_step_overshoots_its_target():
    steps = leaves.idbd([[1.0, 100.0], [1.0, 100.0]], [1.0, 1.0])
    # Scaled to sum alpha x^2 = 1: the first step reaches the target.
    assert steps.error[1] == pytest.approx(0.0, abs=1e-12)
    assert steps.alpha[0] @ np.square([1.0, 100.0]) == pytest.approx(1.0)


def test_a_step_size_changes_by_two_logarithms_at_most_and_not_without_end():
    x = np.full((200, 1), 0.5)
    steps = leaves.idbd(x, 1e5 * (-1.0) ** np.arange(200), theta=1.0)
    alpha = np.concatenate([[0.05], steps.alpha[:, 0]])
    free = (alpha[1:] * 0.25 < 1 - 1e-9) & (alpha[:-1] * 0.25 < 1 - 1e-9)
    assert np.abs(np.diff(np.log(alpha)))[free].max() <= 2.0 + 1e-9
    assert alpha.min() >= np.exp(-10) * (1 - 1e-12)
    assert np.isfinite(np.concatenate([steps.weights, steps.trace])).all()


def test_an_example_of_weight_two_takes_a_step_twice_as_long():
    once = leaves.idbd([[0.1, 0.2]], [1.0])
    twice = leaves.idbd([[0.1, 0.2]], [1.0], sample_weight=[2.0])
    np.testing.assert_allclose(twice.weights, 2.0 * once.weights, rtol=1e-15)


def test_every_instruction_set_gives_the_same_bits():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(500, 7)) * 2.0, rng.normal(size=500)
    before = inside.core.instruction_set()
    try:
        assert inside.core.use_instruction_set("baseline")
        plain = leaves.idbd(x, y)
    finally:
        inside.core.use_instruction_set(before)
    for a, b in zip(plain, leaves.idbd(x, y), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize(
    ("match", "x", "y", "options"),
    [
        ("x must have two dimensions", [1.0, 2.0], [1.0, 2.0], {}),
        ("one number per row", INPUTS, [1.0], {}),
        ("theta must be a number from 0 to 1, got -1", INPUTS, TARGETS, {"theta": -1}),
        ("alpha must be a number from 5e-05 to 1, got 0", INPUTS, TARGETS, {"alpha": 0}),
        ("x and y must be numbers", [[np.nan]], [1.0], {}),
        ("x and y must be numbers", [[1.0]], [np.inf], {}),
        ("sample_weight must have", INPUTS, TARGETS, {"sample_weight": [1, 2]}),
        ("sample_weight must have", INPUTS, TARGETS, {"sample_weight": [1, 2, -1]}),
    ],
)
def test_what_idbd_refuses(match, x, y, options):
    with pytest.raises(ValueError, match=match):
        leaves.idbd(x, y, **options)


# -- in a tree ----------------------------------------------------------------------------------


def arrays_of(leaf, stream=mixed, n=1200, **options):
    X, y, w, categorical = stream(np.random.default_rng(6), n)
    options = EAGER | {"categorical_features": np.flatnonzero(categorical)} | options
    model = rp.HoeffdingTree(leaf=leaf, **options).partial_fit(X, y, sample_weight=w)
    assert model.n_leaves_ > 3
    return {name: a.tobytes() for name, a in inside.snapshot(model).items()}


def test_several_leaves_that_are_the_pair_of_adaptive_are_adaptive():
    assert arrays_of(("naive-bayes", "majority")) == arrays_of("adaptive")


@pytest.mark.parametrize("leaf", ["majority", "naive-bayes", "adaptive", "linear-units"])
def test_one_leaf_in_a_list_is_that_leaf(leaf):
    assert arrays_of([leaf]) == arrays_of(leaf)


def test_the_order_of_several_leaves_does_not_matter():
    assert arrays_of(TRIPLE) == arrays_of(TRIPLE[::-1])


def test_a_tuple_of_leaves_is_a_parameter_like_any_other(tmp_path):
    X, y, *_ = numbers(np.random.default_rng(0), 500)
    leaf = (*TRIPLE[:2], LinearUnits(step=0.1))
    model = rp.HoeffdingTree(leaf=leaf).fit(X, y)
    assert clone(model).leaf == leaf
    model.save(tmp_path / "model.rip")
    again = rp.load(tmp_path / "model.rip")
    assert again.leaf == leaf
    assert again.get_params() == model.get_params()
    assert modelfile.to_bytes(again) == modelfile.to_bytes(model)
    assert "LinearUnits(step=0.1)" in repr(model)


@pytest.mark.parametrize(
    ("leaf", "match"),
    [
        ((), "leaf must be one of 'majority', .* or several of them"),
        (
            ("majority", "linear-unit"),
            "leaf must be one of .*got 'linear-unit'; did you mean 'linear-units'",
        ),
        (("majority", "majority"), "leaf must not contain a predictor twice"),
        (("adaptive", "linear-units"), "'adaptive' cannot be combined with other leaf predictors"),
        (3, "leaf must be one of"),
        ({"majority"}, "leaf must be one of"),
    ],
)
def test_what_several_leaves_may_not_be(leaf, match):
    with pytest.raises(ValueError, match=match):
        rp.HoeffdingTree(leaf=leaf).partial_fit([[0.0]], [1])


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("meta_step", -0.1), ("meta_step", 2), ("step", 0.0), ("step", np.nan)],
)
def test_step_sizes_are_checked_before_anything_is_learned(parameter, value):
    model = rp.HoeffdingTree(leaf=LinearUnits(**{parameter: value}))
    with pytest.raises(ValueError, match=f"leaf__{parameter} must be a number from"):
        model.partial_fit([[0.0]], [1])
    assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize("leaf", ["linear-units", TRIPLE], ids=str)
def test_new_leaves_answer_as_their_parent_did(leaf):
    X, y, *_ = numbers(np.random.default_rng(3), 3000)
    y = (y > 0).astype(int)
    model = rp.HoeffdingTree(leaf=leaf, grace_period=200)
    single = rp.HoeffdingTree(leaf="linear-units", max_leaves=1)
    row = 0
    while row == 0 or model.n_leaves_ == 1:
        for each in (model, single):
            each.partial_fit(X[row : row + 1], y[row : row + 1])
        row += 1
    np.testing.assert_allclose(model.predict_proba(X), single.predict_proba(X), atol=1e-12)


def test_a_branch_for_a_new_category_answers_by_majority_until_it_has_learned():
    rng = np.random.default_rng(0)
    colour = np.array(["red", "blue"], dtype=object)[rng.integers(0, 2, 600)]
    y = np.where(colour == "red", "yes", "no")
    model = rp.HoeffdingTree(leaf="linear-units", grace_period=50).partial_fit(
        {"colour": colour}, y
    )
    assert model.n_leaves_ == 2
    assert model.predict_one({"colour": "red"}) == "yes"
    assert model.predict_proba_one({"colour": "green"}) == pytest.approx(
        {k: float((y[: model.splits()[0].seen] == k).mean()) for k in ("yes", "no")}
    )
    model.learn_one({"colour": "green"}, "no")
    assert model.n_leaves_ == 3
    assert model.predict_one({"colour": "green"}) == "no"


def test_a_missing_value_is_the_mean():
    X, y, *_ = numbers(np.random.default_rng(1), 400)
    model = rp.HoeffdingTree(leaf="linear-units", max_leaves=1).partial_fit(X, y)
    missing = model.predict_proba(np.full((1, 4), np.nan))
    np.testing.assert_allclose(missing, model.predict_proba(X.mean(axis=0)[None]), atol=1e-12)


def test_units_scale_with_the_numbers_not_with_their_units():
    X, y, *_ = numbers(np.random.default_rng(1), 600)
    one = rp.HoeffdingTree(leaf="linear-units", **EAGER)
    other = rp.HoeffdingTree(leaf="linear-units", **EAGER)
    _, a = one.prequential(X, y, proba=True)
    _, b = other.prequential(X * 2.0**10 + 2.0**15, y, proba=True)
    np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_units_are_kept_where_they_are_asked_for_and_counted(stream):
    X, y, w, categorical = stream(np.random.default_rng(6), 1200)
    sizes = {}
    for leaf in ("majority", "linear-units"):
        model = rp.HoeffdingTree(
            leaf=leaf, categorical_features=np.flatnonzero(categorical), **EAGER
        )
        model.partial_fit(X, y, sample_weight=w)
        arrays = inside.snapshot(model)
        sizes[leaf] = model.memory_bytes_
        assert len(arrays["unit_sizes"]) == (model.n_leaves_ if leaf == "linear-units" else 0)
    kept = arrays["units"].nbytes
    assert kept <= sizes["linear-units"] - sizes["majority"] <= 2 * kept + 400 * model.n_leaves_


def test_extreme_numbers_leave_probabilities_and_a_file_that_loads():
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1e-300, -1e300, 1e300, 1.0, 5e-324, 1e16], size=(3000, 3))
    y = rng.integers(0, 4, 3000)
    w = rng.choice([1e-9, 1.0, 1e12], size=3000)
    model = rp.HoeffdingTree(leaf=LinearUnits(meta_step=1.0, step=1.0), **EAGER)
    _, probabilities = model.prequential(X, y, sample_weight=w, proba=True)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities[1:].sum(axis=1), 1.0, atol=1e-12)
    data = modelfile.to_bytes(model)
    assert modelfile.to_bytes(modelfile.from_bytes(data)) == data
