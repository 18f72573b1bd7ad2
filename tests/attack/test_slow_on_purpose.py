"""Streams that are made to be slow: what a row costs stays bounded."""

from __future__ import annotations

import time

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Window
from riparian.storage.modelfile import from_bytes, to_bytes


def seconds(make, X, y, **options):
    """Process time of learning the rows, the shortest of three."""
    times = []
    for _ in range(3):
        model = make()
        start = time.process_time()
        model.partial_fit(X, y, **options)
        times.append(time.process_time() - start)
    return min(times)


def every_row_a_class(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3)), np.arange(n)


# -- many classes ---------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:y looks like a quantity")
def test_a_new_class_does_not_copy_all_others():
    """Eight times as many classes took 64 times as long when each copied what was there."""

    def make():
        return rp.VFDT(grace_period=1e6, max_classes=50_000)

    few, many = every_row_a_class(3_000), every_row_a_class(24_000)
    assert seconds(make, *many) < 24 * seconds(make, *few) + 0.05


@pytest.mark.parametrize(
    ("leaf", "adaptation"),
    [
        ("majority", "none"),
        ("naive-bayes", "none"),
        ("linear-units", "none"),
        ("majority", Window(size=150, validity_period=100)),
        ("naive-bayes", Window(size=150, validity_period=100)),
    ],
)
@pytest.mark.parametrize("max_bytes", [150_000, 300_000])
def test_room_for_many_classes_is_the_same_after_loading(leaf, adaptation, max_bytes):
    """Classes come and go around the sizes at which there is room for more of them."""
    rng = np.random.default_rng(4)
    n = 700
    X = {"x": rng.normal(size=n), "z": rng.normal(size=n)}
    X["z"][rng.random(n) < 0.05] = np.nan
    y = np.concatenate([np.arange(130), rng.integers(0, 130, n - 130)])
    model = rp.HoeffdingTree(leaf=leaf, adaptation=adaptation, max_bytes=max_bytes)
    for first in range(0, n, 50):
        part = {name: column[first : first + 50] for name, column in X.items()}
        model.partial_fit(part, y[first : first + 50])
        loaded = from_bytes(to_bytes(model), {})
        assert loaded.memory_bytes_ == model.memory_bytes_
        assert to_bytes(loaded) == to_bytes(model)
    rest = {name: column[:100] for name, column in X.items()}
    np.testing.assert_array_equal(
        model.prequential(rest, y[:100]), loaded.prequential(rest, y[:100])
    )
    assert to_bytes(loaded) == to_bytes(model)


@pytest.mark.parametrize("make", [rp.ITI, rp.ID3, rp.ID4, rp.ID5R])
def test_trees_that_restructure_refuse_more_classes_than_they_can_hold(make):
    model = make()
    X = np.zeros((1_001, 1), dtype=int)
    with pytest.raises(ValueError, match=rf"1,001 classes; {make.__name__} supports at most 1,000"):
        model.partial_fit(X, np.arange(1_001))
    model.partial_fit(X[:1], [3], classes=np.arange(1_000))
    before = to_bytes(model)
    for label in (1_000, "another"):
        with pytest.raises(ValueError, match=rf"{make.__name__} supports at most 1,000"):
            model.learn_one({0: 0}, label)
    assert to_bytes(model) == before


def test_a_cut_between_many_classes_is_scored_from_the_one_before_it():
    """250 classes of one row each took 8 s, and each doubling 16 times as long."""
    few, many = every_row_a_class(60), every_row_a_class(240)
    assert seconds(rp.ITI, *many) < 150 * seconds(rp.ITI, *few) + 0.05


@pytest.mark.parametrize("metric", ["gain-ratio", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 17, 40])
def test_many_classes_give_the_batch_tree(metric, n_classes):
    """The score that is carried from cut to cut chooses the test that a fresh one does."""
    rng = np.random.default_rng(n_classes)
    X = np.round(rng.normal(size=(150, 3)), 1)
    y = rng.integers(0, n_classes, 150)
    model, batch = rp.ITI(metric=metric), rp.ITI(metric=metric, mode="batch")
    for i in range(150):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        batch.partial_fit(X[i : i + 1], y[i : i + 1])
        if i % 10 == 9:
            assert model.export_text() == batch.export_text()


# -- noise ----------------------------------------------------------------------------------------


def noise(rng, n, n_features=20, missing=0.0):
    X = rng.normal(size=(n, n_features))
    X[rng.random(X.shape) < missing] = np.nan
    return X, rng.integers(0, 2, n)


def test_restructuring_on_noise_costs_less_than_building_the_tree_each_time():
    """It took nearly twice as many additions, and ever more of them with more rows."""
    X, y = noise(np.random.default_rng(0), 280)
    model, batch = rp.ITI(), rp.ITI(mode="batch")
    model.partial_fit(X, y)
    for i in range(280):
        batch.partial_fit(X[i : i + 1], y[i : i + 1])
        assert batch.n_nodes_ > 0
    assert model.export_text() == batch.export_text()
    assert model.n_count_additions_ < 0.7 * batch.n_count_additions_


@pytest.mark.parametrize("metric", ["gain-ratio", "entropy"])
@pytest.mark.parametrize("max_examples", [None, 60])
def test_a_subtree_that_is_built_again_is_the_one_of_the_batch_learner(
    metric, max_examples, effort, report_tries
):
    tries = 0
    for seed in range(3 * effort):
        rng = np.random.default_rng(seed)
        X, y = noise(rng, 120, n_features=6, missing=0.1 * (seed % 2))
        columns = {f"x{i}": X[:, i] for i in range(5)} | {"c": rng.choice(list("pqrs"), 120)}
        y = np.where(rng.random(120) < 0.3, rng.integers(0, 3, 120), y)
        options = {"metric": metric, "max_examples": max_examples}
        model, batch = rp.ITI(**options), rp.ITI(mode="batch", **options)
        weights = rng.choice([1.0, 0.5, 3.0], 120) if seed % 3 == 2 else np.ones(120)
        for i in range(120):
            row = {name: column[i : i + 1] for name, column in columns.items()}
            for each in (model, batch):
                each.partial_fit(row, y[i : i + 1], sample_weight=weights[i : i + 1])
            assert model.export_text() == batch.export_text()
            tries += 1
    report_tries("examples that restructure a tree of noise", tries)


def test_id5r_on_noise_is_id3_after_every_example():
    rng = np.random.default_rng(5)
    X = {f"c{i}": rng.choice(list("abc"), 200) for i in range(8)}
    y = rng.integers(0, 3, 200)
    model, batch = rp.ID5R(), rp.ID3()
    for i in range(200):
        row = {name: column[i : i + 1] for name, column in X.items()}
        model.partial_fit(row, y[i : i + 1])
        batch.partial_fit(row, y[i : i + 1])
        if i % 4 == 3:
            assert model.export_text() == batch.export_text()
