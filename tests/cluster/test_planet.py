"""PLANET: equal to a sequential learner with the same candidates, for any number of workers."""

from __future__ import annotations

import functools
import os
import pickle
import signal
import sys

import numpy as np
import pandas as pd
import pytest

import riparian as rp
from riparian.cluster.planet_worker import PlanetWorker
from tests.cluster.batch_data import codes_of, labels_of, mixed, tree_of, tree_of_reference
from tests.inside import core, snapshot
from tests.reference.batch import batch_tree
from tests.reference.histogram import Histogram


def candidates_of(frame, n_bins, pieces=64):
    """The cuts of merged reference histograms, and all codes."""
    found = []
    size = max(1, -(-len(frame) // pieces))
    for column in codes_of(frame):
        if column.dtype.kind == "i":
            found.append(np.unique(column[column >= 0]))
            continue
        merged = Histogram(n_bins)
        for first in range(0, len(column), size):
            own = Histogram(n_bins)
            for x in column[first : first + size]:
                if not np.isnan(x):
                    own.update(float(x))
            merged.merge(own)
        values = [p for p, _ in merged.bins[:-1]]
        found.append(np.array(values if merged.exact else merged.uniform(n_bins)))
    return found


def grown(frame, y, workers, **settings):
    impurity = settings.pop("impurity", "gini")
    with rp.cluster.threads(workers) as pool:
        return rp.cluster.planet(
            frame, y, pool=pool, model=rp.HoeffdingTree(impurity=impurity), **settings
        )


@pytest.mark.parametrize("in_memory", [0, 150, 10**6])
@pytest.mark.parametrize("impurity", ["gini", "entropy"])
def test_the_tree_is_that_of_a_sequential_learner_for_any_number_of_workers(impurity, in_memory):
    frame, y = mixed(3, 1200)
    limits = {"max_depth": 5, "min_rows": 8, "in_memory": in_memory}
    want = batch_tree(
        codes_of(frame), labels_of(y), 3, candidates_of(frame, 12), impurity=impurity, **limits
    )
    files = set()
    for workers in (1, 3, 7):
        model = grown(frame, y, workers, impurity=impurity, bins=12, sample=None, **limits)
        got, expected = tree_of(model), tree_of_reference(want)
        assert len(got) > 15
        for one, other in zip(got, expected, strict=True):
            assert one[0] == other[0]
            if one[0] != "leaf":
                assert one[1] == pytest.approx(other[1], rel=1e-12)
            assert one[2:] == other[2:] if one[0] != "leaf" else one == other
        files.add(pickle.dumps({k: v.tobytes() for k, v in snapshot(model).items()}))
    assert len(files) == 1


def test_every_kind_of_cut_occurs_in_these_trees():
    frame, y = mixed(3, 1200)
    cuts = [cut for cut in tree_of(grown(frame, y, 1, max_depth=5, min_rows=8)) if len(cut) > 2]
    assert {cut[0] for cut in cuts} == {0, 1, 2}
    assert {cut[3] for cut in cuts} == {True, False}


def test_tables_in_small_groups_give_the_same_tree():
    frame, y = mixed(4, 900)
    trees = [
        tree_of(grown(frame, y, 2, min_rows=5, in_memory=0, table_bytes=size))
        for size in (1, 1 << 28)
    ]
    assert trees[0] == trees[1]


def test_it_goes_on_from_the_stream_saves_and_explains(tmp_path):
    frame, y = mixed(5, 4000)
    model = grown(frame, y, 2, max_depth=3)
    assert {split.reason for split in model.splits()} == {"seeded"}
    assert any("c = " in split.cut or "c in" in split.cut for split in model.splits())
    before = model.score(frame, y)
    model.partial_fit(frame, y)
    assert model.n_seen_ == len(y)
    assert model.score(frame, y) >= before - 0.02
    assert "came with the batch tree" in model.guarantee()
    model.save(tmp_path / "model.rip")
    loaded = rp.load(tmp_path / "model.rip")
    assert (loaded.predict(frame) == model.predict(frame)).all()
    loaded.partial_fit(frame, y)
    model.partial_fit(frame, y)
    assert snapshot(loaded).keys() == snapshot(model).keys()
    assert all((snapshot(loaded)[k] == v).all() for k, v in snapshot(model).items())


def test_predictions_of_the_fresh_tree_are_those_of_the_reference():
    frame, y = mixed(6, 800)
    model = grown(frame, y, 3, max_depth=4, min_rows=10, in_memory=10**6)
    columns = codes_of(frame)
    tree = batch_tree(columns, labels_of(y), 3, impurity="gini", max_depth=4, min_rows=10)
    assert tree.feature is not None
    for row, proba in enumerate(model.predict_proba(frame)):
        node = tree
        while node.feature is not None:
            x = columns[node.feature][row]
            missing = x < 0 if node.category >= 0 else np.isnan(x)
            left = x == node.category if node.category >= 0 else x <= node.threshold
            node = node.children[0 if (node.missing_left if missing else left) else 1]
        np.testing.assert_allclose(proba, node.counts / node.counts.sum())


def test_files_are_read_by_the_workers_and_give_the_tree_of_the_table(tmp_path):
    frame, y = mixed(7, 1000)
    labelled = frame.assign(kind=np.array(["no", "maybe", "yes"])[y])
    for i, part in enumerate(np.array_split(np.arange(1000), 5)):
        labelled.iloc[part].to_parquet(tmp_path / f"part{i}.parquet")
    settings = {"sample": None, "bins": 200, "max_depth": 4, "in_memory": 0}
    with rp.cluster.processes(2) as pool:
        files = rp.cluster.planet(str(tmp_path / "*.parquet"), "kind", pool=pool, **settings)
    table = rp.cluster.planet(labelled, "kind", pool=rp.cluster.threads(1), **settings)
    assert files.classes_.tolist() == table.classes_.tolist()
    assert [len(cut) for cut in tree_of(files)] == [len(cut) for cut in tree_of(table)]
    assert (files.predict(frame) == table.predict(frame)).mean() > 0.99


class Dying(PlanetWorker):
    """Dies at the third call of `count`, if it is the first worker of its number."""

    def __init__(self, number, folder):
        super().__init__(number)
        self.folder, self.calls = folder, 0

    def count(self, message):
        self.calls += 1
        mark = self.folder / f"{self.number}"
        if self.calls == 3 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().count(message)


def test_a_worker_that_dies_is_replaced_and_the_tree_is_the_same(tmp_path, monkeypatch):
    frame, y = mixed(8, 1500)
    settings = {"max_depth": 5, "min_rows": 5, "in_memory": 0, "sample": None}
    want = tree_of(grown(frame, y, 1, **settings))
    module = sys.modules["riparian.cluster.planet_crew"]
    monkeypatch.setattr(module, "PlanetWorker", functools.partial(Dying, folder=tmp_path))
    with rp.cluster.processes(2) as pool:
        model = rp.cluster.planet(
            frame, y, pool=pool, model=rp.HoeffdingTree(impurity="gini"), **settings
        )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0", "1"]
    assert tree_of(model) == want


def test_bagged_trees_are_those_of_rows_drawn_by_philox():
    frame, y = mixed(9, 700)
    settings = {"max_depth": 4, "min_rows": 5, "sample": None, "bins": 10}
    with rp.cluster.threads(3) as pool:
        trees = rp.cluster.planet(
            frame,
            y,
            pool=pool,
            n_trees=3,
            seed=11,
            in_memory=60,
            model=rp.HoeffdingTree(impurity="gini"),
            **settings,
        )
    for tree, model in enumerate(trees):
        # Philox(key=[seed, tree]) draws a number for each row.
        generator = np.random.Generator(np.random.Philox(key=np.array([11, tree], np.uint64)))
        uniform = generator.random(700)
        drawn = np.searchsorted(
            np.cumsum(np.exp(-1) / [1, 1, 2, 6, 24, 120, 720]), uniform, "right"
        )
        np.testing.assert_array_equal(drawn, core.draw_weights(11, tree, 0, 700))
        rows = np.repeat(np.arange(700), drawn)
        columns = [column[rows] for column in codes_of(frame)]
        want = batch_tree(
            columns,
            labels_of(y)[rows],
            3,
            candidates_of(frame, 10),
            impurity="gini",
            max_depth=4,
            min_rows=5,
            in_memory=60,
        )
        cuts = [cut[0] for cut in tree_of(model)]
        assert cuts == [cut[0] for cut in tree_of_reference(want)]
    assert len({tuple(map(str, tree_of(model))) for model in trees}) == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bins": 1}, "bins must be a whole number from 2 on, got 1"),
        ({"bins": 255}, "bins must be at most 254, got 255"),
        ({"max_depth": -1}, "max_depth must be a whole number from 0 on, got -1"),
        ({"min_rows": 0}, "min_rows must be a whole number from 1 on, got 0"),
        ({"n_trees": 0}, "n_trees must be a whole number from 1 on, got 0"),
        ({"model": rp.HoeffdingTree(impurity="loss", costs=[[0, 1], [1, 0]])}, "impurity must be"),
    ],
)
def test_what_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        rp.cluster.planet(np.zeros((4, 1)), [0, 1, 0, 1], **settings)


def test_identifiers_and_infinite_values_are_refused():
    names = pd.DataFrame({"id": [f"u{i}" for i in range(1500)]})
    with pytest.raises(ValueError, match="'id' has 1,500 categories, but max_categories is 1,000"):
        rp.cluster.planet(names, np.arange(1500) % 2)
    with pytest.raises(ValueError, match="column 'x0', row 1: inf cannot be learned"):
        rp.cluster.planet([[1.0], [np.inf]], [0, 1])
    with pytest.raises(ValueError, match="column 'age', row 2: inf cannot be learned"):
        rp.cluster.planet({"age": [1.0, 2.0, -np.inf], "y": [0, 1, 1]}, "y")


def test_a_constant_column_and_one_without_values_are_never_cut():
    frame = pd.DataFrame(
        {"same": np.ones(400), "none": np.full(400, np.nan), "x": np.arange(400.0)}
    )
    model = rp.cluster.planet(frame, (frame["x"] > 250).astype(int), max_depth=3)
    assert [split.feature for split in model.splits()] == ["x"]
