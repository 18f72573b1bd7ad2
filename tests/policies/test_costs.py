"""Costs in decisions: the answer is the class of least expected cost, and nothing else changes."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from typer.testing import CliRunner

import riparian as rp
from riparian.cli.app import app
from riparian.data.costs import cost_matrix
from riparian.evaluate import prequential
from riparian.impurities import Loss
from riparian.models.registry import RECIPES
from riparian.show.report import report_html
from riparian.storage import modelfile
from tests import inside
from tests.split_by_split import STREAMS, mixed, numbers

# A missed P is expensive: rows are predictions.
COSTS = [[0.0, 10.0], [0.1, 0.0]]
PAIRS = {("N", "P"): 10.0, ("P", "N"): 0.1}
THREE = [[0.0, 4.0, 2.0], [4.0, 0.0, 4.0], [2.0, 1.0, 0.0]]
TRIPLE = ("majority", "naive-bayes", "linear-units")
LEAVES = ["majority", "naive-bayes", "adaptive", "linear-units", TRIPLE]
EAGER = {"grace_period": 50, "delta": 0.01, "tau": 0.15}


@pytest.mark.parametrize("costs", [COSTS, PAIRS], ids=["matrix", "pairs"])
def test_the_decision_flips_at_the_threshold_of_the_specification(costs):
    # P is answered iff its probability is above 0.1 / (10 + 0.1) = 0.00990099.
    def answer(p):
        model = rp.HoeffdingTree(leaf="majority", costs=costs)
        model.partial_fit([[0.0], [0.0]], ["N", "P"], sample_weight=[1000 * (1 - p), 1000 * p])
        assert model.predict_proba([[0.0]])[0, 1] == pytest.approx(p)
        assert model.predict_one({0: 0.0}) == model.predict([[0.0]])[0]
        return model.predict([[0.0]])[0]

    threshold = 0.1 / 10.1
    assert round(threshold, 8) == 0.00990099
    for p in (1e-6, 0.0099, 0.00990099, threshold * (1 - 1e-12)):
        assert answer(p) == "N"
    for p in (threshold * (1 + 1e-12), 0.00990100, 0.01, 0.5):
        assert answer(p) == "P"


def test_a_matrix_of_pairs_is_divided_by_the_largest_cost_of_all():
    # The largest pair counts wherever it stands, and also if its classes are not there yet.
    for pairs in (
        {("a", "b"): 2.0, ("b", "a"): 8.0},
        {("b", "a"): 8.0, ("a", "b"): 2.0},
        {("c", "d"): 8.0, ("a", "b"): 2.0, ("b", "a"): 8.0},
    ):
        np.testing.assert_array_equal(cost_matrix(pairs, ["a", "b"]), [[0.0, 0.25], [1.0, 0.0]])
    late = {("a", "b"): 2.0, ("b", "a"): 1.0, ("c", "d"): 8.0}
    np.testing.assert_array_equal(cost_matrix(late, ["a", "b"]), [[0.0, 0.25], [0.125, 0.0]])
    # A pair that is left out costs 1, which is then the largest cost.
    low = {("a", "b"): 0.5}
    np.testing.assert_array_equal(cost_matrix(low, ["a", "b"]), [[0.0, 0.5], [1.0, 0.0]])


@pytest.mark.parametrize("turned", [False, True])
def test_a_tree_splits_by_the_loss_of_the_largest_pair(turned):
    # The gain of a perfect cut is the mean cost of the cheapest class before it.
    pairs = {("a", "b"): 2.0, ("b", "a"): 8.0}
    if turned:
        pairs = dict(reversed(pairs.items()))
    X, y = [[0.0], [1.0]] * 500, ["a", "b"] * 500
    model = rp.HoeffdingTree(impurity="loss", costs=pairs, leaf="majority", tau=0.5)
    (split,) = model.partial_fit(X, y).splits()
    assert split.gain == pytest.approx(0.5 * 2.0 / 8.0, abs=1e-3)


def test_of_equally_cheap_answers_the_first_class_is_given():
    model = rp.HoeffdingTree(costs=[[1, 1, 1], [1, 1, 1], [1, 1, 1]])
    model.partial_fit([[0.0]] * 5, [0, 1, 2, 2, 2])
    assert model.predict([[0.0]]) == [0]


@pytest.mark.parametrize("leaf", LEAVES, ids=str)
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_costs_change_the_answers_and_nothing_that_is_learned(stream, leaf):
    X, y, w, categorical = stream(np.random.default_rng(2), 1500)
    options = EAGER | {"leaf": leaf, "categorical_features": np.flatnonzero(categorical)}
    plain = rp.HoeffdingTree(**options)
    priced = rp.HoeffdingTree(costs=THREE, **options)
    labels, probabilities = plain.prequential(X, y, sample_weight=w, proba=True)
    cheap, same = priced.prequential(X, y, sample_weight=w, proba=True)
    np.testing.assert_array_equal(probabilities, same)
    arrays, others = inside.snapshot(plain), inside.snapshot(priced)
    for name, array in arrays.items():
        assert array.tobytes() == others[name].tobytes(), name
    # Classes are numbered as they came: the matrix is in their order.
    classes = plain.classes_.tolist()
    if len(classes) == 3:
        assert (labels != cheap).any()
    known = np.array([len(set(y[:i].tolist())) for i in range(len(y))])
    k = len(classes)
    for i in range(1, len(y)):
        expected = np.asarray(THREE)[: known[i], : known[i]] @ same[i, : known[i]]
        best = np.flatnonzero(expected <= expected.min() + 1e-12)
        assert classes.index(cheap[i]) in best.tolist()
    assert k <= 3
    np.testing.assert_array_equal(
        priced.prequential(X[:9], y[:9], sample_weight=w[:9] * 0), priced.predict(X[:9])
    )


@pytest.mark.parametrize("leaf", LEAVES, ids=str)
def test_one_at_a_time_and_after_loading_the_answers_are_the_same(leaf, tmp_path):
    X, y, w, categorical = mixed(np.random.default_rng(4), 800)
    y = np.where(y == 1, "P", "N")
    model = rp.HoeffdingTree(
        costs=PAIRS, leaf=leaf, categorical_features=np.flatnonzero(categorical), **EAGER
    )
    model.prequential(X, y, sample_weight=w)
    answers = model.predict(X)
    assert set(answers) == {"N", "P"}
    rows = [dict(enumerate(row)) for row in X.tolist()]
    assert [model.predict_one(row) for row in rows] == answers.tolist()
    model.save(tmp_path / "model.rip")
    again = rp.load(tmp_path / "model.rip")
    assert again.costs == PAIRS
    np.testing.assert_array_equal(again.predict(X), answers)
    assert modelfile.to_bytes(again) == modelfile.to_bytes(model)
    assert clone(again).costs == PAIRS


def test_corrected_vfdt_decides_by_the_costs_that_it_splits_by():
    X, y, *_ = numbers(np.random.default_rng(1), 3000)
    model = rp.CorrectedVFDT(impurity=Loss(), costs=THREE).fit(X, y)
    expected = model.predict_proba(X) @ np.asarray(THREE).T
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmin(axis=1)])


@pytest.mark.parametrize("cls", RECIPES.values(), ids=RECIPES)
def test_every_recipe_decides_by_costs(cls):
    X, y, *_ = numbers(np.random.default_rng(1), 500)
    model = cls(costs=THREE).partial_fit(X, y)
    expected = model.predict_proba(X) @ np.asarray(THREE).T
    got = [model.classes_.tolist().index(k) for k in model.predict(X)]
    np.testing.assert_allclose(
        expected[np.arange(len(X)), got], expected.min(axis=1), rtol=0, atol=1e-12
    )


def test_a_class_that_the_matrix_lacks_is_refused_before_anything_is_learned():
    model = rp.VFDT(costs=COSTS).partial_fit([[0.0], [1.0]], ["N", "P"])
    before = modelfile.to_bytes(model)
    with pytest.raises(ValueError, match=r"costs has 2 rows and columns, but .*; 'Q' is class 3"):
        model.partial_fit([[0.0], [1.0]], ["N", "Q"])
    with pytest.raises(ValueError, match="'Q' is class 3"):
        model.learn_one({0: 1.0}, "Q")
    assert modelfile.to_bytes(model) == before


def test_before_anything_is_learned_there_is_no_cheapest_class():
    assert rp.HoeffdingTree(costs=PAIRS).predict_one({"a": 1.0}) is None


# -- evaluation ---------------------------------------------------------------------------------


class Rows:
    """A stream of one block."""

    def __init__(self, X, y):
        self.X, self.y = X, y

    def blocks(self, size):
        for i in range(0, len(self.y), size):
            yield self.X[i : i + size], self.y[i : i + size]


@pytest.mark.parametrize("costs", [COSTS, PAIRS], ids=["matrix", "pairs"])
def test_the_mean_cost_is_that_of_the_answers(costs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = np.where(X[:, 0] + rng.normal(size=3000) > 1.0, "P", "N").astype(object)
    y[0] = "N"
    model = rp.HoeffdingTree(costs=costs)
    result = prequential(model, Rows(X, y), block=700, progress=False)
    said = rp.HoeffdingTree(costs=costs).prequential(X, y)
    price = {("N", "P"): 10.0, ("P", "N"): 0.1}
    paid = [price.get(pair, 0.0) for pair in zip(said.tolist(), y.tolist(), strict=True)]
    assert result.mean_cost == pytest.approx(np.mean(paid[1:]))  # the first row has no answer
    assert result.to_dict()["mean_cost"] == result.mean_cost
    always = min(np.mean(y[1:] == "P") * 10.0, np.mean(y[1:] == "N") * 0.1)
    assert result.cheapest_class_cost == pytest.approx(always)
    # Costs are what the answers were chosen for.
    plain = rp.HoeffdingTree().prequential(X, y)
    careless = [price.get(pair, 0.0) for pair in zip(plain.tolist(), y.tolist(), strict=True)]
    assert np.mean(paid) < np.mean(careless)
    assert "mean cost" in report_html(model, result, title="costs")


def test_a_model_without_costs_has_no_mean_cost():
    X, y, *_ = numbers(np.random.default_rng(0), 200)
    result = prequential(rp.VFDT(), Rows(X, y), progress=False)
    assert np.isnan(result.mean_cost)
    assert result.to_dict()["mean_cost"] is None


def test_the_command_line_takes_costs_and_several_leaves_and_tells_the_mean_cost(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    y = np.where(x + rng.normal(size=2000) > 1.0, "P", "N")
    path = tmp_path / "data.csv"
    lines = ["x,class", *(f"{a},{b}" for a, b in zip(x, y, strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["run", str(path), "--target", "class", "--recipe", "HoeffdingTree"]
    command += ["--leaf", "majority, naive-bayes,linear-units(meta_step=0.02)"]
    command += ["--costs", '{"N,P": 10, "P,N": 0.1}']
    done = CliRunner().invoke(app, [*command, "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["parameters"]["leaf"] == [
        "majority",
        "naive-bayes",
        {"policy": "linear-units", "parameters": {"step": 0.05, "meta_step": 0.02}},
    ]
    assert 0.0 < told["result"]["mean_cost"] < 1.0
    assert "mean cost" in CliRunner().invoke(app, command).output
