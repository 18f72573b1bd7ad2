"""One example at a time, as River users write it: the same tree as in batches."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import riparian as rp
from riparian.models.registry import RECIPES
from riparian.storage.modelfile import to_bytes
from tests import inside


def fingerprint(model):
    return hashlib.sha256(to_bytes(model)).hexdigest()


#: Whose bounds are so wide that a tie must be called earlier.
TAU = {"CTree": 0.3, "DsCART": 2.0, "McDiarmidTree": 100.0}
#: Misclassification and hits do not see what helps in one branch only.
ACCURACY = {"CorrectedVFDT": 0.65, "HybridTree": 0.88, "MDT": 0.88, "MisclassificationTree": 0.88}


@pytest.fixture(params=RECIPES)
def tree(request):
    name = request.param
    return RECIPES[name](grace_period=50, delta=1e-3, tau=TAU.get(name, 0.1))


def flats(n=2_000, seed=8):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        size, rooms = rng.uniform(20, 200), int(rng.integers(1, 6))
        city = str(rng.choice(["Ulm", "Bonn", "Jena"]))
        dear = size > 120 if city == "Bonn" else rooms > 3
        yield {"size": size, "rooms": rooms, "city": city}, "dear" if dear else "cheap"


def test_the_first_lines_of_the_manual_work(tree):
    assert tree.predict_one({"age": 31}) is None
    assert tree.predict_proba_one({"age": 31}) == {}
    assert tree.learn_one({"age": 31, "job": "nurse"}, "yes") is None
    assert tree.predict_one({"age": 31, "job": "nurse"}) == "yes"
    assert tree.predict_proba_one({"age": 31, "job": "nurse"}) == {"yes": 1.0}
    assert tree.n_seen_ == 1


def test_a_stream_of_examples_is_learned(tree):
    right = []
    for x, y in flats(4_000):
        right.append(tree.predict_one(x) == y)
        tree.learn_one(x, y)
    assert np.mean(right[2_000:]) > ACCURACY.get(type(tree).__name__, 0.93)
    used = {split.feature for split in tree.splits()}
    assert used >= ({"rooms"} if isinstance(tree, rp.CorrectedVFDT) else {"rooms", "size", "city"})


def test_answers_before_learning_are_those_of_prequential(tree):
    rows = list(flats())
    X = {name: [x[name] for x, _ in rows] for name in rows[0][0]}
    batch = type(tree)(**tree.get_params(deep=False))
    want = batch.prequential(X, [y for _, y in rows])
    got = []
    for x, y in rows:
        got.append(tree.predict_one(x))
        tree.learn_one(x, y)
    assert got[0] is None
    assert got[1:] == want[1:].tolist()
    assert fingerprint(tree) == fingerprint(batch)


def test_the_most_likely_class_is_the_answer(tree):
    for x, y in flats():
        tree.learn_one(x, y)
    for x, _ in flats(300, seed=9):
        probabilities = tree.predict_proba_one(x)
        assert tree.predict_one(x) == max(probabilities, key=probabilities.get)


def test_examples_are_not_changed_and_not_kept(tree):
    x = {"size": 50.0, "rooms": 2, "city": "Ulm", "extra": None}
    same = dict(x)
    tree.learn_one(x, "cheap")
    tree.predict_one(x)
    tree.predict_proba_one(x)
    tree.explain_one(x)
    assert x == same
    before = fingerprint(tree)
    x["size"] = 1e9
    x.clear()
    assert fingerprint(tree) == before


def test_weights_are_those_of_partial_fit(tree):
    rng = np.random.default_rng(1)
    rows = list(flats(800))
    weights = rng.choice([0.0, 0.3, 1.0, 2.5], size=800)
    for (x, y), w in zip(rows, weights.tolist(), strict=True):
        tree.learn_one(x, y, w=w)
    X = {name: [x[name] for x, _ in rows] for name in rows[0][0]}
    batch = type(tree)(**tree.get_params(deep=False))
    batch.partial_fit(X, [y for _, y in rows], sample_weight=weights)
    assert tree.n_seen_ == np.count_nonzero(weights)
    assert fingerprint(tree) == fingerprint(batch)


def test_the_path_of_an_example_ends_where_it_is_learned(tree):
    for x, y in flats():
        tree.learn_one(x, y)
    x = {"size": 150.0, "rooms": 4, "city": "Bonn"}
    steps = tree.explain_one(x)
    assert steps[0].node == 0
    assert len(steps) >= 2
    before = inside.nodes(tree)["counts"]
    tree.learn_one(x, "dear")
    nodes = inside.nodes(tree)
    if len(nodes["counts"]) == len(before):
        gained = np.flatnonzero((nodes["counts"] - before).sum(axis=1))
        keeps = inside.axes(tree)["adaptation"].name in ("window", "reevaluation", "options")
        assert gained.tolist() == [step.node for step in steps][0 if keeps else -1 :]


def test_depth_counts_the_steps_of_the_longest_path():
    model = rp.VFDT(grace_period=50, delta=1e-3, tau=0.1)
    longest = 0
    for x, y in flats():
        model.learn_one(x, y)
    for x, _ in flats(500, seed=3):
        longest = max(longest, len(model.explain_one(x)))
    assert longest == model.depth_ + 1
