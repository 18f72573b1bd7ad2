"""The last member is another tree, and recent accuracies weigh the votes."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.modelfile.parts import Parts

MEMBER = rp.HoeffdingTree(grace_period=50, delta=0.01, inherit_counts="count")
MIXED = {
    "estimator": MEMBER,
    "replacement": "background",
    "drift": 0.001,
    "vote_power": 12,
    "vote_memory": 1000,
    "last_member": rp.StreamTree(),
}


def turning(n):
    """A boundary that turns around in the middle."""
    X, y = rp.streams.hyperplane(seed=3).take(n)
    return X, np.where(np.arange(n) < n // 2, y, 1 - y)


def test_the_last_member_is_the_tree_alone():
    X, y = turning(6_000)
    forest = rp.Forest(**MIXED, n_estimators=3, random_state=4).fit(X, y)
    alone = rp.StreamTree().fit(X, y)
    last = forest.estimators_[-1]
    assert len(alone.splits()) > 2
    assert last.export_text() == alone.export_text()
    np.testing.assert_array_equal(last.predict_proba(X), alone.predict_proba(X))
    assert [str(split) for split in forest.splits()[-1]] == [str(s) for s in alone.splits()]
    # The other members draw as they do without it.
    without = rp.Forest(**MIXED | {"last_member": None}, n_estimators=2, random_state=4).fit(X, y)
    for mine, theirs in zip(forest.estimators_[:2], without.estimators_, strict=True):
        assert mine.export_text() == theirs.export_text()


def test_weights_are_recent_accuracies_to_a_power():
    X, y = turning(4_000)
    forest = rp.Forest(**MIXED, n_estimators=3)
    right = np.zeros(3)
    predicted = 0.0
    for row, label in zip(X, y, strict=True):
        x = dict(enumerate(row.tolist()))
        if predicted:
            votes = forest.explain_one(x)
            weights = [((r + 0.5) / (predicted + 1)) ** 12 for r in right]
            assert [vote.weight for vote in votes] == pytest.approx(weights, rel=1e-9)
            hits = np.array([vote.label == label for vote in votes])
        else:
            hits = np.array([member_label == label for member_label in [0] * 3])
        right, predicted = right * 0.999 + hits, predicted * 0.999 + 1
        forest.learn_one(x, label)
    assert forest.n_drifts_ > 0


def test_the_better_member_decides():
    X, y = rp.streams.hyperplane(seed=1).take(20_000)
    mixed = rp.Forest(**MIXED, n_estimators=10)
    even = rp.Forest(**MIXED | {"vote_power": 1, "vote_memory": None}, n_estimators=10)
    alone = (rp.StreamTree().prequential(X, y) == y).mean()
    found = [(forest.prequential(X, y) == y).mean() for forest in (mixed, even)]
    # The tree alone is four points better than bagged trees here.
    assert found[1] + 0.015 < found[0]
    assert found[0] > alone - 0.02


def test_joined_forests_have_the_last_members_of_both():
    X, y = turning(3_000)
    here = rp.Forest(**MIXED, n_estimators=3).fit(X, y)
    there = rp.Forest(**MIXED, n_estimators=2, random_state=5).fit(X[::-1], y[::-1])
    both = rp.Forest.join([here, there])
    assert [s.is_last for s in inside.standings(both)] == [False, False, True, False, True]
    again = from_bytes(to_bytes(both))
    both.partial_fit(X, y)
    again.partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert to_bytes(again) == to_bytes(both)
    assert both.estimators_[2].n_seen_ == 6_000


def test_forests_without_it_have_the_files_that_they_had():
    X, y = turning(500)
    parts = Parts(to_bytes(rp.Forest(n_estimators=2).fit(X, y)))
    assert not {"vote_power", "vote_memory", "last_member"} & set(parts.header["parameters"])
    assert "is_last" not in inside.snapshot(rp.Forest(n_estimators=2).fit(X, y))


def test_a_memory_limit_holds():
    X, y = turning(8_000)
    forest = rp.Forest(**MIXED, n_estimators=4, max_bytes="400kB")
    for start in range(0, len(y), 1_000):
        forest.partial_fit(X[start : start + 1_000], y[start : start + 1_000])
        assert forest.memory_bytes_ <= 400_000
    with pytest.raises(ValueError, match="max_bytes"):
        rp.Forest(**MIXED, n_estimators=4, max_bytes="20kB").fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"last_member": rp.ITI()}, "last_member must be a HoeffdingTree or one of its recipes"),
        ({"last_member": rp.VFDT(max_bytes="1MB")}, "last_member must have max_bytes=None"),
        ({"last_member": rp.VFDT(), "features": 2}, "last_member needs features=None, got"),
        ({"vote_power": 0}, "vote_power must be"),
        ({"vote_power": 33}, "vote_power must be"),
        ({"vote_power": 1.5}, "vote_power must be"),
        ({"vote_memory": 0}, "vote_memory must be"),
        ({"vote_power": 2, "weighted_votes": False}, "vote_power needs weighted_votes=True"),
        ({"vote_memory": 9.0, "weighted_votes": False}, "vote_memory needs weighted_votes=True"),
    ],
)
def test_what_is_refused(parameters, message):
    X, y = turning(50)
    with pytest.raises(ValueError, match=message):
        rp.Forest(**parameters).fit(X, y)


@pytest.mark.parametrize("marks", [[0, 2], [0], [0, 0, 1]])
def test_marks_that_no_forest_has_are_refused(marks):
    X, y = turning(200)
    forest = rp.Forest(**MIXED, n_estimators=2).fit(X, y)
    arrays = inside.snapshot(forest) | {"is_last": np.array(marks, dtype=np.uint8)}
    with pytest.raises(ValueError, match="is_last"):
        inside.restored(forest, arrays)


def test_a_forest_without_a_last_member_has_no_marks():
    X, y = turning(200)
    forest = rp.Forest(n_estimators=2).fit(X, y)
    arrays = inside.snapshot(forest) | {"is_last": np.array([0, 1], dtype=np.uint8)}
    with pytest.raises(ValueError, match="is_last"):
        inside.restored(forest, arrays)
