"""Streams that are made to be slow: what a row costs stays bounded."""

from __future__ import annotations

import time

import numpy as np
import pytest

import riparian as rp
from riparian.modelfile import from_bytes, to_bytes


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


def test_a_new_class_does_not_copy_all_others():
    """Eight times as many classes took 64 times as long when each copied what was there."""

    def make():
        return rp.VFDT(grace_period=1e6)

    few, many = every_row_a_class(3_000), every_row_a_class(24_000)
    assert seconds(make, *many) < 24 * seconds(make, *few) + 0.05


@pytest.mark.parametrize(
    ("leaf", "adaptation"),
    [
        ("majority", "none"),
        ("naive-bayes", "none"),
        ("idbd", "none"),
        ("majority", "window"),
        ("naive-bayes", "window"),
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
    model = rp.HoeffdingTree(
        leaf=leaf, adaptation=adaptation, window=150, validity_period=100, max_bytes=max_bytes
    )
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
