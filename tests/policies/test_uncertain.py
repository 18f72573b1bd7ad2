"""Values that are distributions: trees against the reference, what is refused, bytes."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import riparian as rp
from riparian import HoeffdingTree, Uncertain
from riparian.bounds import Betting, DeltaMethod
from riparian.impurities import Accuracy
from tests import inside
from tests.effort import ALL
from tests.reference import uncertain as reference
from tests.split_by_split import assert_same_splits, axes_of

QUICK = {"grace_period": 40, "delta": 1e-3, "tau": 0.1}


def bytes_of(model):
    return pickle.dumps(model)


def stream(n, seed=0):
    """Rows of two numbers and two categories, most of them uncertain, labels and weights.

    Each row comes twice: with the package's distributions and with the reference's, whose
    categories are codes in the order of their first appearance.
    """
    rng = np.random.default_rng(seed)
    codes = [{}, {}]
    rows, wanted, labels = [], [], []
    for i in range(n):
        a, b = rng.normal(), rng.uniform(0, 9)
        c, d = rng.integers(0, 4), rng.integers(0, 3)
        kind = rng.integers(0, 6)
        if kind == 0:
            first = Uncertain.interval(a - 0.3, a + 0.2), reference.Interval(a - 0.3, a + 0.2)
        elif kind == 1:
            first = Uncertain.normal(a, 0.3), reference.Normal(a, 0.3)
        elif kind == 2:
            first = (
                Uncertain.normal(a, 0.5, lo=a - 1, hi=a + 0.1),
                reference.Normal(a, 0.5, a - 1, a + 0.1),
            )
        elif kind == 3:
            first = (
                Uncertain.values([a + 0.4, a - 0.1, a], weights=[1, 2, 4]),
                reference.Numbers({a - 0.1: 2, a: 4, a + 0.4: 1}),
            )
        else:
            first = (a, a) if kind == 4 else (None, math.nan)
        second = (b, b)
        if rng.random() < 0.5:
            second = Uncertain.interval(b, b + 1.5), reference.Interval(b, b + 1.5)
        categories = []
        for f, value in enumerate((c, d)):
            name = "abcd"[value]
            other = "abcd"[(value + 1) % (4 - f)]
            if rng.random() < 0.5:
                mass = {name: 0.7, other: 0.3}
                coded = {codes[f].setdefault(k, len(codes[f])): p for k, p in mass.items()}
                categories.append((Uncertain.categories(mass), reference.Categories(coded)))
            else:
                categories.append((name, codes[f].setdefault(name, len(codes[f]))))
        both = [first, second, *categories]
        rows.append([x for x, _ in both])
        wanted.append([x for _, x in both])
        labels.append(int((a > 0.2) ^ (c % 2 == 0)) if b < 5 or i < n // 2 else 2)
    X = np.empty((n, 4), dtype=object)
    X[:] = rows
    return X, wanted, labels, rng.choice([0.25, 1.0, 2.5], n)


@pytest.mark.parametrize(
    "options",
    [
        {"leaf": "majority"},
        {"leaf": "naive-bayes"},
        {"leaf": "adaptive"},
        {"leaf": "linear-units"},
        {"leaf": ("majority", "naive-bayes", "linear-units")},
        {"categorical_cuts": "one-against-rest", "leaf": "majority"},
        {"categorical_cuts": "both", "cuts": "intersections", "leaf": "majority"},
        {"impurity": "gini", "inherit_counts": "count", "spend_delta": True},
        {"statistics": "exhaustive", "leaf": "majority"},
        {"drop_poor_features": True, "leaf": "majority"},
        {"max_leaves": 5, "epsilons": 2, "leaf": "majority"},
        {"adaptive_grace": True, "inherit_counts": "none"},
    ],
    ids=str,
)
def test_the_tree_is_that_of_the_specification(options):
    X, rows, y, w = stream(900 if ALL else 600)
    model = HoeffdingTree(**QUICK, **options)
    axes = axes_of(model)
    kinds = ["numeric", "numeric", "categorical", "categorical"]
    tree = reference.UncertainTree(kinds, **axes)
    label = {}
    codes = [label.setdefault(k, len(label)) for k in y]
    expected, answers = [], []
    for row, k, weight in zip(rows, codes, w, strict=True):
        expected.append(tree.probabilities(row, 3))
        answers.append(tree.predict(row))
        tree.learn(row, k, weight)
    labels, probabilities = model.prequential(X, y, sample_weight=w, proba=True)
    assert model.n_leaves_ > 3
    assert_same_splits(model, tree)
    np.testing.assert_allclose(probabilities[1:], np.array(expected)[1:], atol=1e-7)
    assert [label[k] for k in labels[1:].tolist()] == answers[1:]


def degenerate(X):
    """Every certain value as a distribution of one value."""
    out = X.copy()
    for i, row in enumerate(X):
        for f, x in enumerate(row):
            if isinstance(x, str):
                out[i, f] = Uncertain.categories({x: 1.0})
            elif isinstance(x, float):
                out[i, f] = [
                    Uncertain.interval(x, x),
                    Uncertain.normal(x, 0.0),
                    Uncertain.values([x, x], weights=[1, 2]),
                ][i % 3]
    return out


def certain_stream(n):
    rng = np.random.default_rng(3)
    X = np.empty((n, 3), dtype=object)
    X[:, 0] = rng.normal(size=n).tolist()
    X[:, 1] = rng.choice(["a", "b", "c"], n).tolist()
    X[:, 2] = rng.uniform(size=n).tolist()
    y = ((X[:, 0] > 0).astype(int) ^ (X[:, 1] == "a")).tolist()
    return X, y


@pytest.mark.parametrize("recipe", [rp.VFDT, rp.VFDTc, rp.HAT, rp.StreamTree, rp.McDiarmidTree])
def test_distributions_of_one_value_give_the_certain_tree_byte_for_byte(recipe):
    X, y = certain_stream(1000)
    eager = {"grace_period": 50, "delta": 0.05, "tau": 0.2}
    want = recipe(**eager).partial_fit(X, y)
    assert want.n_leaves_ > 5 or recipe is rp.McDiarmidTree  # which hardly ever splits
    got = recipe(**eager).partial_fit(degenerate(X), y)
    one = recipe(**eager)
    for row, k in zip(degenerate(X), y, strict=True):
        one.learn_one(dict(enumerate(row)), k)
    assert bytes_of(got) == bytes_of(want) == bytes_of(one)
    np.testing.assert_array_equal(got.predict_proba(degenerate(X)), want.predict_proba(X))


@pytest.mark.parametrize(
    "options", [{}, {"max_bytes": 24_000}, {"leaf": ("naive-bayes", "linear-units")}], ids=str
)
def test_batches_of_any_size_give_the_same_bytes(options):
    X, _, y, w = stream(1200, seed=1)
    models = []
    for size in (1, 7, 1200):
        model = HoeffdingTree(**QUICK, **options)
        for i in range(0, len(y), size):
            model.partial_fit(X[i : i + size], y[i : i + size], sample_weight=w[i : i + size])
        models.append(bytes_of(model))
    one = HoeffdingTree(**QUICK, **options)
    for row, k, weight in zip(X, y, w, strict=True):
        one.learn_one(dict(enumerate(row)), k, weight)
    asked = HoeffdingTree(**QUICK, **options)
    asked.prequential(X, y, sample_weight=w)
    assert len({*models, bytes_of(one), bytes_of(asked)}) == 1


@pytest.mark.parametrize(
    "options",
    [{}, {"statistics": "exhaustive"}, {"statistics": "intervals"}, {"leaf": "linear-units"}],
    ids=str,
)
def test_saving_between_two_rows_changes_nothing(options, tmp_path):
    X, _, y, w = stream(1000, seed=2)
    whole = HoeffdingTree(**QUICK, **options).partial_fit(X, y, sample_weight=w)
    half = HoeffdingTree(**QUICK, **options).partial_fit(X[:501], y[:501], sample_weight=w[:501])
    half.save(tmp_path / "half.riparian")
    loaded = rp.load(tmp_path / "half.riparian")
    loaded.partial_fit(X[501:], y[501:], sample_weight=w[501:])
    assert whole.n_leaves_ > 2
    assert bytes_of(loaded) == bytes_of(whole)
    np.testing.assert_array_equal(loaded.predict_proba(X), whole.predict_proba(X))


def test_the_limit_of_memory_holds():
    X, _, y, _ = stream(3000, seed=4)
    model = HoeffdingTree(grace_period=20, delta=0.3, tau=0.5, max_bytes=30_000)
    inactive = 0
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        assert model.memory_bytes_ <= 30_000
        inactive += model.n_leaves_ - model.n_active_leaves_
    assert inactive > 0


def test_counts_are_fractions_worked_by_hand():
    model = HoeffdingTree(grace_period=1e9)
    model.learn_one({"c": Uncertain.categories({"a": 0.7, "b": 0.3}), "x": 1.0}, "no")
    model.learn_one({"c": "b", "x": Uncertain.interval(0.0, 10.0)}, "no", w=2.0)
    arrays = inside.snapshot(model)
    np.testing.assert_allclose(arrays["cells"], [0.7, 2.3], rtol=1e-15)
    # One value 1 of weight 1 and 0.5, 1.5, ..., 9.5 of weight 0.2 each: the mean is
    # (1 + 2 * 5) / 3, the squares 1 + 0.2 * 332.5 - 3 * (11 / 3)^2, from 0.5 to 9.5.
    np.testing.assert_allclose(
        arrays["gaussian"], [11 / 3, 1 + 66.5 - 121 / 3, 0.5, 9.5], rtol=1e-13
    )
    assert arrays["counts"].tolist() == [3.0]
    assert model.n_seen_ == 2


def test_weights_of_parts_do_not_delay_a_check():
    # 0.1 ten times is less than 1.
    model = HoeffdingTree(grace_period=100, leaf="majority", tau=10.0)
    for i in range(100):
        model.learn_one({"x": Uncertain.interval(i % 2, i % 2 + 0.5)}, i % 2)
    assert [s.seen for s in model.splits()] == [100]


def grown():
    """A split at about 0 on x, and below its right side one on the categories c."""
    rng = np.random.default_rng(0)
    x, c = rng.choice([-1.0, 1.0], 3000), rng.choice(["a", "b"], 3000)
    y = np.where(x < 0, "left", np.char.add("right ", c))
    model = HoeffdingTree(leaf="majority", grace_period=50)
    model.partial_fit({"x": x, "c": c}, y)
    assert model.n_leaves_ == 3
    return model


def test_an_answer_is_the_sum_of_the_leaves_by_their_shares():
    model = grown()
    cut = inside.nodes(model)["threshold"][0]
    x = Uncertain.interval(cut - 1.0, cut + 3.0)
    c = Uncertain.categories({"a": 0.2, "b": 0.8})
    got = model.predict_proba_one({"x": x, "c": c})
    want = dict.fromkeys(got, 0.0)
    for share, row in [
        (0.25, {"x": -1.0, "c": "a"}),
        (0.75 * 0.2, {"x": 1.0, "c": "a"}),
        (0.75 * 0.8, {"x": 1.0, "c": "b"}),
    ]:
        for label, p in model.predict_proba_one(row).items():
            want[label] += share * p
    assert got == pytest.approx(want, rel=1e-12)
    assert model.predict_one({"x": x, "c": c}) == "right b"


def test_what_is_less_than_a_millionth_goes_nowhere():
    model = grown()
    cut = inside.nodes(model)["threshold"][0]
    before = inside.nodes(model)["counts"].copy()
    model.learn_one({"x": Uncertain.interval(cut - 1.0, cut + 5e-7), "c": "a"}, "left")
    added = inside.nodes(model)["counts"] - before
    assert added.sum() == pytest.approx(1.0 - 5e-7, abs=1e-9)
    assert (added > 0).sum() == 1


def test_a_category_without_a_branch_is_answered_above_and_learned_in_a_new_one():
    model = grown()
    row = {"x": 1.0, "c": Uncertain.categories({"a": 0.5, "new": 0.5})}
    inner = model.predict_proba_one({"x": 1.0, "c": "new"})
    leaf = model.predict_proba_one({"x": 1.0, "c": "a"})
    want = {k: 0.5 * inner[k] + 0.5 * leaf[k] for k in leaf}
    assert model.predict_proba_one(row) == pytest.approx(want)
    model.learn_one(row, "left")
    assert model.n_leaves_ == 4
    assert inside.nodes(model)["counts"][-1].sum() == 0.5


def test_answers_by_cost_weigh_the_sum():
    model = grown()
    costs = {("left", "right a"): 100.0, ("right b", "right a"): 100.0}
    model_with = HoeffdingTree(leaf="majority", grace_period=50, costs=costs)
    rng = np.random.default_rng(0)
    x, c = rng.choice([-1.0, 1.0], 3000), rng.choice(["a", "b"], 3000)
    model_with.partial_fit({"x": x, "c": c}, np.where(x < 0, "left", np.char.add("right ", c)))
    row = {"x": 1.0, "c": Uncertain.categories({"a": 0.2, "b": 0.8})}
    assert model.predict_one(row) == "right b"
    assert model_with.predict_one(row) == "right a"


# ---- what is refused -------------------------------------------------------------------------

BAD = [
    (lambda: Uncertain.interval(2, 1), "lo must not be above hi, got 2 and 1"),
    (lambda: Uncertain.interval(math.nan, 1), "lo must be a number, got nan"),
    (lambda: Uncertain.interval(0, math.inf), "hi must be finite, got inf"),
    (lambda: Uncertain.normal(0, -1), "sd must be at least 0, got -1"),
    (lambda: Uncertain.normal(0, math.nan), "sd must be a number, got nan"),
    (lambda: Uncertain.normal(0, 1, lo=3, hi=2), "lo must not be above hi"),
    (lambda: Uncertain.normal(0, 1, lo=20, hi=30), "must contain at least 1e-09 of the normal"),
    (lambda: Uncertain.normal(0, 0, lo=1), "mean must be between lo and hi if sd is 0"),
    (lambda: Uncertain.values([]), "values must have at least one number"),
    (lambda: Uncertain.values([1, math.nan]), "values must be a number, got nan"),
    (
        lambda: Uncertain.values([1, 2], weights=[1]),
        "weights must have one number per value, got 1 weights",
    ),
    (lambda: Uncertain.values([1, 2], weights=[1, 0]), "weights must be above 0, got 0"),
    (lambda: Uncertain.categories({}), "at least one category"),
    (lambda: Uncertain.categories({"a": 0.7}), "probabilities must sum to 1, got 0.7"),
    (lambda: Uncertain.categories({"a": 1.5, "b": -0.5}), "probabilities must be above 0"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[m for _, m in BAD])
def test_impossible_distributions_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("bad", ["a", None, True])
def test_bounds_are_numbers(bad):
    with pytest.raises(TypeError, match="lo must be a number"):
        Uncertain.interval(bad, 1)


def test_categories_are_strings():
    with pytest.raises(TypeError, match="categories must be strings, got 1"):
        Uncertain.categories({1: 0.5, 2: 0.5})


def test_a_distribution_of_the_wrong_kind_names_column_and_row_and_changes_nothing():
    model = grown()
    before = bytes_of(model)
    colour = Uncertain.categories({"a": 0.5, "b": 0.5})
    level = Uncertain.interval(0, 1)
    for column, values, message in [
        ("x", [1.0, colour], "column 'x', row 1: .* in a column of numbers"),
        ("x", [None, colour], "column 'x', row 1: .* is not allowed in a numeric column"),
        ("c", ["a", level], "column 'c', row 1: .* in a column of categories"),
        ("c", [None, level], "column 'c', row 1: .* is not allowed in a categorical column"),
        ("x", [colour, level], "column 'x', row 0: .*"),
    ]:
        X = {"x": [0.5, 0.5], "c": ["a", "a"], column: values}
        with pytest.raises(ValueError, match=message):
            model.partial_fit(X, ["left", "left"])
        with pytest.raises(ValueError, match=message):
            model.predict(X)
    assert bytes_of(model) == before


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"impurity": Accuracy(evaluator="prequential")}, "impurity__evaluator='prequential'"),
        ({"bound": DeltaMethod(pairing="paired")}, "bound__pairing='paired'"),
        ({"short_memory": 10}, "short_memory=10"),
        ({"bound": "betting", "impurity": "gini"}, "bound='betting'"),
        ({"bound": Betting(budget="leaf"), "impurity": "accuracy"}, "bound='betting'"),
    ],
    ids=str,
)
def test_trees_that_cannot_take_them_say_so(options, name):
    model = HoeffdingTree(**options).partial_fit([[0.0], [1.0]], [0, 1])
    before = bytes_of(model)
    x = {0: Uncertain.interval(0, 1)}
    for call in (lambda: model.learn_one(x, 1), lambda: model.predict_one(x)):
        with pytest.raises(ValueError, match=f"uncertain values cannot be learned with {name}"):
            call()
    assert bytes_of(model) == before


def test_one_path_cannot_explain_a_distribution():
    with pytest.raises(ValueError, match="column 'x', row 0: a single path does not support"):
        grown().explain_one({"x": Uncertain.interval(-1, 1), "c": "a"})


def test_huge_bounds_stay_finite():
    model = HoeffdingTree()
    model.learn_one({"x": Uncertain.interval(-1.7e308, 1.7e308)}, "a")
    model.learn_one({"x": Uncertain.normal(1e308, 1e308)}, "b")
    assert np.isfinite(inside.snapshot(model)["gaussian"]).all()
    assert all(map(math.isfinite, model.predict_proba_one({"x": 0.0}).values()))


def test_rows_of_weight_0_are_not_there():
    X, _, y, _ = stream(300, seed=5)
    weights = np.arange(300) % 3 > 0
    got = HoeffdingTree().partial_fit(X, y, sample_weight=weights.astype(float))
    want = HoeffdingTree().partial_fit(X[weights], np.array(y)[weights])
    assert bytes_of(got) == bytes_of(want)


# ---- columns ---------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["dict", "pandas", "polars", "pyarrow"])
def test_pairs_of_columns_are_the_distributions_they_describe(library):
    rng = np.random.default_rng(0)
    lo, mean, b = rng.normal(size=(3, 200))
    columns = {"a.lo": lo, "b": b, "a.hi": lo + 1.0, "m.mean": mean, "m.sd": np.full(200, 0.5)}
    columns |= {"t.lo": lo, "t.hi": lo + 2.0, "t.mean": lo + 0.5, "t.sd": lo**2}
    columns["a.lo"], columns["a.hi"] = (np.where(b > 1, np.nan, x) for x in (lo, lo + 1.0))
    y = (b > 0).astype(int)
    rows = [
        {
            "a": None if b[i] > 1 else Uncertain.interval(lo[i], lo[i] + 1.0),
            "b": b[i],
            "m": Uncertain.normal(mean[i], 0.5),
            "t": Uncertain.normal(lo[i] + 0.5, lo[i] ** 2, lo=lo[i], hi=lo[i] + 2.0),
        }
        for i in range(200)
    ]
    frame = columns
    if library != "dict":
        module = pytest.importorskip(library)
        make = module.table if library == "pyarrow" else module.DataFrame
        frame = make(columns)
    got = HoeffdingTree().partial_fit(rp.uncertain_columns(frame), y)
    want = HoeffdingTree()
    for row, k in zip(rows, y.tolist(), strict=True):
        want.learn_one(row, k)
    assert bytes_of(got) == bytes_of(want)


def test_pairs_are_joined_only_where_that_is_asked():
    X = {"a.lo": [0.0, 1.0], "a.hi": [1.0, 2.0], "b.lo": [0.0, 1.0]}
    assert HoeffdingTree().partial_fit(X, [0, 1]).n_features_in_ == 3
    joined = HoeffdingTree().partial_fit(rp.uncertain_columns(X), [0, 1])
    assert joined.feature_names_in_.tolist() == ["a", "b.lo"]


@pytest.mark.parametrize(
    ("X", "features", "message"),
    [
        ({"a.lo": [0, 2], "a.hi": [1, 1]}, None, "column 'a', row 1: lo must not be above hi"),
        ({"a.mean": [0, 2], "a.sd": [1, -1]}, None, "column 'a', row 1: sd must be at least 0"),
        ({"a.lo": [0, np.nan], "a.hi": [1, 1]}, None, "column 'a', row 1: lo must be a number"),
        ({"a.lo": [0, np.inf], "a.hi": [1, 1]}, None, "column 'a', row 1: lo must be finite"),
        ({"a.lo": [0], "a.hi": [1], "a": [1]}, None, "both a column 'a' and a column 'a.lo'"),
        ({"a.lo": ["x"], "a.hi": [1]}, None, "column 'a.lo' must be numeric"),
        ({"a.lo": [0], "b": [1]}, ["a"], "features names 'a', but the data has neither 'a.lo'"),
        ([[1.0, 2.0]], None, "X must have named columns"),
    ],
    ids=str,
)
def test_impossible_columns_are_refused(X, features, message):
    with pytest.raises(ValueError, match=message):
        rp.uncertain_columns(X, features)
