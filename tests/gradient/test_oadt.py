"""OADT: each plane against the slow reference, and what such a tree learns."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import riparian as rp
from tests import inside
from tests.reference import gradient


def stream(n, seed, classes=2, n_numeric=3, categories=4):
    """Numbers, one of them far from 0, and words; some of each are missing."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, n_numeric)) * [1.0, 20.0, 0.1][:n_numeric]
    numbers[:, 0] += 1e3
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    word = rng.integers(-1, categories, size=n)
    known = np.nan_to_num(numbers[:, 0], nan=1e3)
    y = (known - 1e3 + 0.5 * word > 0.4).astype(int)
    y = np.where(rng.random(n) < 0.3, rng.integers(0, classes, size=n), y)
    return numbers, word, y, rng.choice([0.3, 1.0, 2.0], size=n)


def both(parameters, *, classes=2, n=250, seed=0):
    """The model and the reference, after the same rows."""
    numbers, word, y, w = stream(n, seed, classes)
    # Classes and categories are numbered as they come.
    labels, words = {}, {}
    codes = [labels.setdefault(label, len(labels)) for label in y.tolist()]
    categories = [-1 if c < 0 else words.setdefault(c, len(words)) for c in word.tolist()]
    columns = {f"x{i}": numbers[:, i] for i in range(numbers.shape[1])}
    columns["word"] = np.array([None if c < 0 else f"w{c}" for c in word], dtype=object)
    model = rp.OADT(**parameters).partial_fit(columns, y, sample_weight=w)
    # Columns of objects are features from their first value on.
    kinds = [f.kind for f in inside.features(model)]
    given = dict(parameters)
    slow = gradient.ReferenceOADT(kinds, seed=given.pop("random_state", 0) or 0, **given)
    order = [f.name for f in inside.features(model)]
    for i in range(n):
        row = [categories[i] if name == "word" else columns[name][i] for name in order]
        slow.learn(row, codes[i], w[i])
    return model, slow, columns, order, categories


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"depth": 1, "slope": 1.0},
        {"depth": 2, "loss": "squared"},
        {"depth": 3, "rate": "constant", "learning_rate": 0.05, "random_state": 7},
        {"depth": 2, "step": "plain", "slope": 5.0},
        {"depth": 4, "settling": 2, "final_rate": 0.4},
    ],
    ids=str,
)
def test_every_plane_is_that_of_the_reference(parameters, classes):
    model, slow, columns, order, categories = both(parameters, classes=classes)
    arrays = inside.snapshot(model)
    assert model.n_trees_ == len(slow.trees) == (1 if classes == 2 else classes)
    inner = slow.inner
    numeric = [f for f, kind in enumerate(slow.kinds) if kind == "numeric"]
    inputs = [(f, -1) for f in numeric]
    (words,) = (f for f, kind in enumerate(slow.kinds) if kind == "categorical")
    inputs += [(words, c) for c in range(int(arrays["categories"][0]))]
    weights = arrays["weights"].reshape(-1, inner, len(inputs))
    biases = arrays["biases"].reshape(-1, inner)
    for tree, (want_weights, want_biases) in enumerate(slow.trees):
        places = [slow.inputs.index(place) for place in inputs]
        np.testing.assert_allclose(weights[tree], want_weights[:, places], rtol=0, atol=1e-8)
        np.testing.assert_allclose(biases[tree], want_biases, rtol=0, atol=1e-8)
    some = {name: column[:30] for name, column in columns.items()}
    found = model.predict_proba(some)
    for i in range(30):
        row = [categories[i] if name == "word" else columns[name][i] for name in order]
        np.testing.assert_allclose(found[i], slow.probabilities(row), atol=1e-7)


def test_inputs_may_come_as_they_are():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, size=(200, 2))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[0] = 0.5, -0.5
    y = (rng.random(200) < 0.5).astype(int)
    y[:2] = 0, 1
    model = rp.OADT(depth=2, standardise=False).partial_fit(X, y)
    slow = gradient.ReferenceOADT(["numeric"] * 2, depth=2, standardise=False)
    for row, label in zip(X, y, strict=True):
        slow.learn(row, label)
    arrays = inside.snapshot(model)
    np.testing.assert_allclose(arrays["weights"].reshape(3, 2), slow.trees[0][0], atol=1e-9)
    np.testing.assert_allclose(arrays["biases"], slow.trees[0][1], atol=1e-9)


def xor(n, seed):
    X = np.random.default_rng(seed).uniform(-1, 1, size=(n, 2))
    return X, X[:, 0] * X[:, 1] > 0


def spirals(n, seed, turns=1.5):
    """Two arms, the one turned half round from the other."""
    rng = np.random.default_rng(seed)
    angle = np.sqrt(rng.uniform(size=n)) * turns * 2 * np.pi
    y = rng.integers(0, 2, size=n)
    radius = angle / (turns * 2 * np.pi)
    turned = angle + np.pi * y
    X = np.column_stack([radius * np.cos(turned), radius * np.sin(turned)])
    return X + 0.01 * rng.normal(size=X.shape), y


@pytest.mark.parametrize("seed", range(5))
def test_it_learns_xor(seed):
    X, y = xor(30_000, seed)
    calm = rp.OADT(depth=2, final_rate=0.01, random_state=seed)
    assert (calm.prequential(X, y) == y)[-5_000:].mean() > 0.95
    # Four corners, and nothing close to the axes.
    corners = np.sign(X) + 0.3 * np.random.default_rng(seed).normal(size=X.shape)
    right = rp.OADT(depth=2, random_state=seed).prequential(corners[:5_000], y[:5_000]) == y[:5_000]
    assert right[-1_000:].mean() > 0.99


@pytest.mark.parametrize("seed", range(3))
def test_it_learns_two_spirals(seed):
    X, y = spirals(150_000, seed)
    model = rp.OADT(depth=7, slope=6, random_state=seed)
    right = model.prequential(X, y) == y
    assert right[-10_000:].mean() > 0.97


@pytest.mark.parametrize("n_features", [2, 5, 20])
def test_one_plane_learns_what_is_linear(n_features):
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(20_000, n_features))
    normal = rng.normal(size=n_features)
    y = X @ normal > 0.3
    right = rp.OADT(depth=1).prequential(X, y) == y
    assert right[-5_000:].mean() > 0.95
    sharp = rp.OADT(depth=1, slope=10).prequential(X, y) == y
    assert sharp[-5_000:].mean() > 0.98


def test_with_one_feature_only_a_plain_step_turns_a_plane_round():
    x = np.random.default_rng(0).normal(size=(5_000, 1))
    for y in (x[:, 0] > 0, x[:, 0] < 0):
        right = rp.OADT(depth=1, step="plain").prequential(x, y) == y
        assert right[-1_000:].mean() > 0.95


def test_it_follows_a_turned_concept():
    X, y = xor(40_000, 1)
    y[20_000:] = ~y[20_000:]
    right = rp.OADT().prequential(X, y) == y
    assert right[15_000:20_000].mean() > 0.95
    assert right[20_000:20_200].mean() < 0.3
    assert right[35_000:].mean() > 0.9


# -- looking inside -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    X, y = xor(5_000, 2)
    columns = {"east": X[:, 0], "north": X[:, 1]}
    columns["sky"] = np.where(y, "blue", "grey").astype(object)
    return rp.OADT(depth=3).partial_fit(columns, np.where(y, "same", "other"))


def test_the_soft_path_is_what_the_planes_say(fitted):
    example = {"east": 0.3, "north": -0.7, "sky": "grey"}
    path = fitted.explain_one(example)
    assert [step.node for step in path] == list(range(1, 8))
    by_node = {step.node: step for step in path}
    second = fitted.classes_[1]
    assert {step.label for step in path} == {second}
    slope = fitted.slope
    leaves = {}
    for step in path:
        assert step.left == pytest.approx(1 / (1 + math.exp(-slope * step.value)), rel=1e-12)
        for child, share in ((2 * step.node, step.left), (2 * step.node + 1, 1 - step.left)):
            reached = step.reached * share
            if child in by_node:
                assert by_node[child].reached == pytest.approx(reached)
            else:
                leaves[child] = reached
    assert sum(leaves.values()) == pytest.approx(1.0, abs=1e-12)
    positive = sum(share for leaf, share in leaves.items() if leaf % 2 == 0)
    assert fitted.predict_proba_one(example)[second] == pytest.approx(positive, rel=1e-12)
    assert "node 1" in str(path[0])


def test_the_value_of_a_node_is_its_plane_times_the_inputs(fitted):
    arrays = inside.snapshot(fitted)
    mean = dict(zip(["east", "north"], arrays["mean"], strict=True))
    deviation = np.sqrt(arrays["squares"] / arrays["known"])
    deviation = dict(zip(["east", "north"], deviation, strict=True))
    example = {"east": 0.3, "north": float("nan"), "sky": "grey"}
    east = (0.3 - mean["east"]) / deviation["east"]
    for plane, step in zip(fitted.planes(), fitted.explain_one(example), strict=True):
        assert (plane.label, plane.node) == (step.label, step.node)
        weights = plane.weights
        assert set(weights) == {"east", "north", "sky = blue", "sky = grey"}
        assert np.linalg.norm(list(weights.values())) == pytest.approx(1.0, rel=1e-12)
        value = weights["east"] * east + weights["sky = grey"] + plane.bias
        assert step.value == pytest.approx(value, rel=1e-9)


def test_the_text_shows_planes_and_leaves(fitted):
    text = fitted.export_text(n_terms=2, decimals=3)
    lines = text.splitlines()
    second = repr(str(fitted.classes_[1]))
    assert lines[0] == f"for {second}:"
    assert len(lines) == 1 + 7 + 8
    assert "..." in lines[1]
    assert sum(line.endswith(f"|   {second}") for line in lines) == 4
    assert sum("not " in line for line in lines) == 4


def test_sizes(fitted):
    assert (fitted.n_trees_, fitted.depth_, fitted.n_leaves_, fitted.n_nodes_) == (1, 3, 8, 15)
    three = rp.OADT(depth=2).fit([[0.0], [1.0], [2.0]], [1, 2, 3])
    assert (three.n_trees_, three.n_leaves_, three.n_nodes_) == (3, 12, 21)
    assert [plane.label for plane in three.planes()][::3] == [1, 2, 3]


def test_costs_choose_the_answer_and_leave_the_probabilities():
    X, y = xor(3_000, 3)
    plain = rp.OADT().partial_fit(X, y)
    costly = rp.OADT(costs={(False, True): 9.0}).partial_fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), costly.predict_proba(X))
    expected = costly.predict_proba(X)[:, list(costly.classes_).index(True)] > 0.1
    np.testing.assert_array_equal(costly.predict(X), expected)


WRONG: dict[str, list[Any]] = {
    "depth": [0, 11, 2.0, True, None],
    "slope": [0, -1.0, 1e4, float("nan"), "steep"],
    "learning_rate": [-0.1, 1e4, float("inf"), None],
    "final_rate": [-0.1, float("nan"), "0"],
    "settling": [0, float("nan"), None],
    "rate": ["normalized", 1.0],
    "loss": ["logistic", None],
    "step": ["tangents"],
    "standardise": [1, "yes", None],
    "random_state": [-1, 0.5, 2**32],
    "costs": [0, [[1.0]] * 2, {}],
    "max_bytes": [0, "much"],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in WRONG.items() for v in vs])
def test_a_wrong_parameter_is_refused_by_name(name, value):
    model = rp.OADT(**{name: value})
    with pytest.raises(ValueError, match=f"{name} must"):
        model.partial_fit([[1.0, 2.0]], ["a"])
    assert not model.__sklearn_is_fitted__()


def test_uncertain_values_are_refused():
    model = rp.OADT().partial_fit({"x": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(ValueError, match="OADT does not support uncertain values"):
        model.learn_one({"x": rp.Uncertain.normal(1.0, 0.1)}, "a")


def test_the_shell_shows_its_planes(fitted, tmp_path, capsys):
    from riparian.cli.app import app

    fitted.save(tmp_path / "model.rip")
    with pytest.raises(SystemExit) as end:
        app(["show", str(tmp_path / "model.rip")])
    assert end.value.code == 0
    told = capsys.readouterr().out
    for line in fitted.export_text().splitlines():
        assert line in told
    with pytest.raises(SystemExit) as end:
        app(["show", str(tmp_path / "model.rip"), "--json"])
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out)["model"] == "OADT"
