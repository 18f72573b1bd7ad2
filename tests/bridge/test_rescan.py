"""The same data several times: learned as such, and never passed off as new evidence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes
from riparian.streams import sea
from tests import inside


def data(n=2000):
    X, y = sea(seed=1).take(n)
    return np.asarray(X), np.asarray(y)


def nodes(model):
    return {k: np.asarray(v).tolist() for k, v in inside.nodes(model).items()}


def test_a_rescan_learns_what_learning_again_learns():
    X, y = data()
    model = rp.VFDT().fit(X, y).rescan(X, y, passes=4, progress=False)
    again = rp.VFDT().fit(X, y)
    for _ in range(4):
        again.partial_fit(X, y)
    assert nodes(model) == nodes(again)
    assert model.n_seen_ == 10_000
    assert (model.n_passes_, again.n_passes_) == (5, 1)


def test_certificates_and_guarantee_tell_the_pass():
    X, y = data(6000)
    model = rp.VFDT().fit(X, y)
    once = len(model.splits())
    assert once > 0
    assert "presented" not in model.guarantee()
    model.rescan(X, y, passes=3, progress=False)
    splits = model.splits()
    assert len(splits) > once
    assert [s.pass_number for s in splits[:once]] == [1] * once
    assert all(2 <= s.pass_number <= 4 for s in splits[once:])
    for s in splits:
        assert s.pass_number == (s.seen - 1) // 6000 + 1
    assert str(splits[-1]).endswith(f"pass {splits[-1].pass_number}")
    assert "pass" not in str(splits[0])
    text = model.guarantee()
    assert "presented 4 times, so the bound no longer holds" in text
    assert f"({len(splits) - once} splits were made since then)" in text


def test_passes_one_by_one_and_saved_in_between_are_the_same():
    X, y = data()
    whole = rp.HoeffdingTree().fit(X, y).rescan(X, y, passes=3, progress=False)
    parts = rp.HoeffdingTree().fit(X, y)
    for _ in range(3):
        parts = from_bytes(to_bytes(parts)).rescan(X, y, progress=False)
    assert to_bytes(parts) == to_bytes(whole)
    assert parts.n_passes_ == 4


def test_fit_starts_over():
    X, y = data()
    model = rp.VFDT().fit(X, y).rescan(X, y, progress=False)
    assert model.fit(X, y).n_passes_ == 1


def test_nothing_changes_where_the_rows_are_wrong():
    X, y = data()
    model = rp.VFDT().fit(X, y)
    before = to_bytes(model)
    wrong = X.copy()
    wrong[17, 1] = np.inf
    with pytest.raises(ValueError, match="row 17"):
        model.rescan(wrong, y, passes=2, progress=False)
    for passes in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match="passes must be a whole number from 1"):
            model.rescan(X, y, passes=passes)
    with pytest.raises(ValueError, match="labels for"):
        model.rescan(X, y[:5])
    assert to_bytes(model) == before
    with pytest.raises(NotFittedError):
        rp.VFDT().rescan(X, y)


class Breaks:
    """An impurity that fails after a number of checks."""

    def __init__(self, calls):
        self.calls = calls

    def __call__(self, counts):
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("enough")
        return 1.0 - (counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1e-300)).max(axis=-1)


def test_a_function_that_fails_in_a_later_pass_leaves_the_model_as_it_was():
    X, y = data()
    model = rp.HoeffdingTree(impurity=Breaks(10**9)).fit(X, y)
    before = nodes(model)
    inside.learned_with(model)["impurity"].calls = 12
    with pytest.raises(RuntimeError, match="enough"):
        model.rescan(X, y, passes=5, progress=False)
    assert nodes(model) == before
    assert model.n_passes_ == 1


def test_weights_count_in_every_pass():
    X, y = data(500)
    w = np.where(np.arange(500) % 5 == 0, 0.0, 2.0)
    model = rp.VFDT().fit(X, y, sample_weight=w).rescan(X, y, 2, w, progress=False)
    assert model.n_seen_ == 1200
    assert inside.nodes(model)["counts"].sum() == 2400


def test_long_runs_tell_how_far_they_are(capsys, monkeypatch):
    monkeypatch.setattr("riparian.show.progress._LINE_SECONDS", 0.0)
    X, y = data(200)
    model = rp.VFDT().fit(X, y)
    model.rescan(X, y, passes=3, progress=True)
    assert "riparian:  67%  pass 2 of 3" in capsys.readouterr().err
    model.rescan(X, y, passes=3)
    assert capsys.readouterr().err == ""
