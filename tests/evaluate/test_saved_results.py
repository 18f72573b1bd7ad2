"""A result as bytes is the same result, and goes on as if nothing had happened."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian.evaluate import Result


def rows(n, seed, labels):
    rng = np.random.default_rng(seed)
    y = rng.choice(labels, n)
    return y, np.where(rng.random(n) < 0.7, y, rng.choice(labels, n))


def updated(result, n, seed, labels):
    y, predicted = rows(n, seed, labels)
    result.seconds += 0.5
    result.update(y.tolist(), predicted.tolist(), leaves=seed, depth=2, memory=3)
    return result


@pytest.mark.parametrize("labels", [[0, 1], ["a", "b", "c"], [True, False], [0.5, 1.5, 2.0]])
@pytest.mark.parametrize("every", [None, 300])
def test_a_result_goes_on_from_its_bytes(labels, every):
    whole = Result(every, sliding_rows=77, fading_factor=0.99)
    parts = Result(every, sliding_rows=77, fading_factor=0.99)
    for seed, n in enumerate([1, 999, 2500, 10]):
        updated(whole, n, seed, labels)
        parts = Result.from_bytes(updated(parts, n, seed, labels).to_bytes())
    assert parts.to_bytes() == whole.to_bytes()
    assert parts.to_dict() == whole.to_dict()
    assert [type(k) for k in parts.labels] == [type(k) for k in whole.labels]


def test_without_the_clock_equal_rows_give_equal_bytes():
    first, second = (updated(Result(), 1500, 1, ["a", "b"]) for _ in range(2))
    second.seconds = 99.0
    updated(first, 1500, 2, ["a", "b"])
    updated(second, 1500, 2, ["a", "b"])
    assert first.to_bytes() != second.to_bytes()
    assert first.to_bytes(clock=False) == second.to_bytes(clock=False)
    assert Result.from_bytes(first.to_bytes(clock=False)).seconds == 0.0


def test_scores_of_probabilities_are_kept():
    result = rp.evaluate.prequential(
        rp.VFDT(), rp.streams.sea(n_rows=3000), proba=True, progress=False
    )
    again = Result.from_bytes(result.to_bytes())
    assert (again.log_loss, again.auc) == (result.log_loss, result.auc)
    assert again.to_dict() == result.to_dict()


def test_an_empty_result_and_more_classes_than_are_confused():
    assert Result.from_bytes(Result().to_bytes()).n == 0
    many = list(range(1200))
    result = updated(Result(), 5000, 1, many)
    assert result.confusion is None
    assert Result.from_bytes(result.to_bytes()).to_bytes() == result.to_bytes()


@pytest.mark.parametrize("data", [b"", b"riparian", bytes(100)])
def test_other_bytes_are_refused(data):
    with pytest.raises(ValueError, match="not a result of riparian"):
        Result.from_bytes(data)


def test_every_cut_of_the_bytes_is_refused():
    data = updated(Result(), 100, 1, ["a", "b"]).to_bytes()
    for end in range(0, len(data) - 1, 97):
        with pytest.raises(ValueError, match="not a result of riparian"):
            Result.from_bytes(data[:end])
