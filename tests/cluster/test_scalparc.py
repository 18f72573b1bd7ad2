"""ScalParC: the exhaustive tree, for every number of workers."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

import riparian as rp
from riparian.cluster.sorted_lists import ListWorker
from tests.cluster.batch_data import codes_of, labels_of, mixed, tree_of, tree_of_reference
from tests.reference.batch import batch_tree


def grown(frame, y, workers, impurity="gini", **settings):
    with rp.cluster.threads(workers) as pool:
        return rp.cluster.scalparc(
            frame, y, pool=pool, model=rp.HoeffdingTree(impurity=impurity), **settings
        )


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_tree_is_the_exhaustive_one_for_every_number_of_workers(seed, impurity):
    frame, y = mixed(seed, 500)
    limits = {"max_depth": 6, "min_rows": 4}
    want = tree_of_reference(
        batch_tree(codes_of(frame), labels_of(y), 3, impurity=impurity, **limits)
    )
    assert len(want) > 20
    for workers in (1, 2, 3, 5, 8):
        assert tree_of(grown(frame, y, workers, impurity, **limits)) == want


def test_more_workers_than_rows():
    X = np.arange(6.0)[:, None]
    model = grown(X, [0, 0, 0, 1, 1, 1], 9, min_rows=1)
    assert [split.cut for split in model.splits()] == ["x0 <= 2"]


def test_processes_give_the_tree_that_threads_give():
    frame, y = mixed(2, 400)
    with rp.cluster.processes(2) as pool:
        model = rp.cluster.scalparc(frame, y, pool=pool, max_depth=4)
    assert tree_of(model) == tree_of(grown(frame, y, 1, max_depth=4))
    model.partial_fit(frame, y)
    assert model.n_seen_ == 400


def test_no_worker_holds_or_is_sent_more_than_its_share(monkeypatch):
    seen = []

    class Watched(ListWorker):
        def assign(self, message):
            records, _ = pickle.loads(message)
            seen.append(("assign", len(records)))
            return super().assign(message)

        def begin(self, message):
            answer = super().begin(message)
            seen.append(("table", len(self._table)))
            seen.extend(("list", len(own.records)) for own in self._lists)
            return answer

    monkeypatch.setattr(sys.modules["riparian.cluster.batch_scalparc"], "ListWorker", Watched)
    frame, y = mixed(3, 601)
    grown(frame, y, 4, max_depth=3)
    assert max(size for _, size in seen) <= -(-601 // 4)
