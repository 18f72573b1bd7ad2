"""The schema grows: features, categories and classes that come later are learned."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import to_bytes
from tests import inside

NAN = float("nan")


def fingerprint(model):
    return hashlib.sha256(to_bytes(model)).hexdigest()


def tree(**parameters):
    parameters = {"grace_period": 50, "delta": 1e-3, "tau": 0.1} | parameters
    return rp.HoeffdingTree(**parameters)


def columns(n=400, seed=1, names=("a", "b")):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=n) for name in names}


def labels(X, by):
    return np.where(X[by] > 0, "up", "down")


def test_a_new_column_is_learned_and_can_be_split_on():
    early = columns()
    model = tree(tau=0, max_depth=1).partial_fit(early, np.tile(["up", "down"], 200))
    late = columns(2_000, 2, ("a", "b", "c"))
    model.partial_fit(late, labels(late, "c"))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    assert model.splits()[0].feature == "c"


def test_a_column_may_stay_away_and_come_back():
    X = columns(3_000)
    y = labels(X, "a")
    model = tree().partial_fit({n: c[:1000] for n, c in X.items()}, y[:1000])
    assert model.splits()[0].feature == "a"
    model.partial_fit({"a": X["a"][1000:2000]}, y[1000:2000])
    model.partial_fit({"b": X["b"][2000:2100]}, y[2000:2100])
    model.partial_fit({n: c[2000:] for n, c in X.items()}, y[2000:])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert np.mean(model.predict({"a": X["a"]}) == y) > 0.95
    assert model.predict({"b": X["b"][:5]}).shape == (5,)


def test_a_batch_with_both_new_and_absent_columns_is_refused():
    X = columns()
    model = tree().partial_fit(X, labels(X, "a"))
    before = fingerprint(model)
    with pytest.raises(
        ValueError,
        match=re.escape(
            "columns seem to be renamed: 'A' is new and 'a' is absent; "
            "a batch may add columns or omit columns, but not both"
        ),
    ):
        model.partial_fit({"A": X["a"], "b": X["b"]}, labels(X, "a"))
    with pytest.raises(ValueError, match=r"'p', 'q', 'r' and 2 more are new and 'a', 'b' are"):
        model.partial_fit(columns(names="pqrst"), labels(X, "a"))
    with pytest.raises(ValueError, match="renamed"):
        model.predict({"A": X["a"], "b": X["b"]})
    assert fingerprint(model) == before


def test_an_example_with_both_new_and_absent_keys_is_learned():
    model = tree()
    model.learn_one({"a": 1.0, "b": 2.0}, "x")
    model.learn_one({"b": 1.0, "c": "red"}, "y")
    model.learn_one({"d": 4.0}, "x")
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert [f.kind for f in inside.features(model)] == [
        "numeric",
        "numeric",
        "categorical",
        "numeric",
    ]
    assert model.n_seen_ == 3


def test_a_bag_of_words_is_learned():
    """Each text has its own few words; thousands come in time."""
    rng = np.random.default_rng(6)
    model = tree()
    right = 0
    for i in range(3_000):
        spam = bool(rng.random() < 0.5)
        words = {f"w{k}": 1 for k in rng.zipf(1.6, size=6) if k < 5_000}
        words["offer"] = int(spam)
        right += i > 1_000 and model.predict_one(words) == spam
        model.learn_one(words, spam)
    assert model.n_features_in_ > 100
    assert right / 2_000 > 0.9


def test_the_order_of_columns_does_not_matter_once_they_are_known():
    X = columns(1_000, names="abc")
    y = labels(X, "b")
    plain, turned = tree(), tree()
    for i in range(0, 1_000, 100):
        batch = {n: c[i : i + 100] for n, c in X.items()}
        plain.partial_fit(batch, y[i : i + 100])
        turned.partial_fit(
            dict(reversed(batch.items())) if i else batch,
            y[i : i + 100],
        )
    assert fingerprint(turned) == fingerprint(plain)


def test_a_column_of_nothing_is_known_when_its_first_value_comes():
    model = tree()
    nothing = np.array([None, None], dtype=object)
    model.partial_fit({"a": [1.0, 2.0], "b": nothing}, ["x", "y"])
    model.partial_fit({"a": [1.0, 2.0], "b": np.array(["red", None], dtype=object)}, ["x", "y"])
    kinds = {f.name: f.kind for f in inside.features(model)}
    assert kinds == {"a": "numeric", "b": "categorical"}
    model = tree()
    model.partial_fit({"a": [1.0, 2.0], "b": nothing}, ["x", "y"])
    model.partial_fit({"a": [1.0, 2.0], "b": np.array([3, None], dtype=object)}, ["x", "y"])
    kinds = {f.name: f.kind for f in inside.features(model)}
    assert kinds == {"a": "numeric", "b": "numeric"}


def test_an_array_after_named_columns_is_taken_by_position_with_a_warning():
    X = columns()
    y = labels(X, "a")
    model = tree().partial_fit(X, y)
    array = np.column_stack(list(X.values()))
    with pytest.warns(UserWarning, match="X does not have feature names"):
        answers = model.predict(array)
    np.testing.assert_array_equal(answers, model.predict(X))


def test_named_columns_after_an_array_are_taken_by_position_with_a_warning():
    X = columns()
    y = labels(X, "a")
    model = tree().partial_fit(np.column_stack(list(X.values())), y)
    with pytest.warns(UserWarning, match="X has feature names"):
        answers = model.predict(X)
    np.testing.assert_array_equal(answers, model.predict(np.column_stack(list(X.values()))))


def test_an_array_after_numbered_columns_has_them_in_order_unless_it_has_their_numbers():
    X = columns(names=(4, 1))
    model = tree().partial_fit(X, labels(X, 4))
    array = np.column_stack(list(X.values()))
    np.testing.assert_array_equal(model.predict(array), model.predict(X))
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        model.predict(np.zeros((1, 3)))
    X = columns(names=(1, 0))
    model = tree().partial_fit(X, labels(X, 1))
    array = np.column_stack([X[0], X[1]])
    np.testing.assert_array_equal(model.predict(array), model.predict(X))


def test_new_categories_are_learned_in_a_tree_that_has_split_on_them():
    rng = np.random.default_rng(4)
    word = rng.choice(np.array(["red", "green"], dtype=object), size=500)
    model = tree().partial_fit({"word": word}, (word == "red").astype(int))
    assert model.splits()[0].cut == "word (each value)"
    assert model.n_leaves_ == 2
    blue = np.full(50, "blue", dtype=object)
    model.partial_fit({"word": blue}, np.full(50, 2))
    assert model.n_leaves_ == 3
    assert inside.features(model)[0].categories == [*dict.fromkeys(word), "blue"]
    assert model.predict_one({"word": "blue"}) == 2
    assert model.predict_one({"word": "red"}) == 1
    assert model.explain_one({"word": "blue"})[-1].node not in (
        model.explain_one({"word": "red"})[-1].node,
        model.explain_one({"word": "green"})[-1].node,
    )


def test_a_new_category_is_one_of_the_rest():
    rng = np.random.default_rng(4)
    word = rng.choice(np.array(["red", "green", "blue"], dtype=object), size=900)
    model = tree(categorical_cuts="one-against-rest", max_depth=1)
    model.partial_fit({"word": word}, np.where(word == "red", "warm", "cold"))
    assert model.splits()[0].cut == "word = red"
    assert model.predict_one({"word": "violet"}) == "cold"
    model.partial_fit({"word": ["violet"] * 10}, ["cold"] * 10)
    assert model.explain_one({"word": "violet"})[-1].node == (
        model.explain_one({"word": "green"})[-1].node
    )


def test_new_classes_are_learned_and_get_the_next_columns():
    X = columns(300)
    model = tree().partial_fit(X, ["a", "b", "b"] * 100)
    assert model.predict_proba(X).shape == (300, 2)
    model.partial_fit(columns(900, 3), ["z", "c", "a"] * 300)
    assert model.classes_.tolist() == ["a", "b", "z", "c"]
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (300, 4)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities.mean(axis=0) > 0).all()


def test_hundreds_of_classes_may_come_one_by_one():
    model = tree()
    for i in range(300):
        model.learn_one({"x": float(i)}, f"class {i}")
        probabilities = model.predict_proba_one({"x": 0.0})
        assert len(probabilities) == i + 1
        assert sum(probabilities.values()) == pytest.approx(1.0)
    assert len(model.classes_) == 300


def test_hundreds_of_features_may_come_one_by_one():
    model, whole = tree(), tree()
    for i in range(200):
        model.learn_one({f"f{k}": float(k * i) for k in range(i + 1)}, i % 2)
    assert model.n_features_in_ == 200
    X = {
        f"f{k}": np.array([float(k * i) if k <= i else NAN for i in range(200)]) for k in range(200)
    }
    whole.partial_fit(X, np.arange(200) % 2)
    assert fingerprint(model) == fingerprint(whole)
