"""What every tree that replaces subtrees must show: HAT, EFDT and the option tree with bets."""

import numpy as np
import pytest

import riparian as rp

__all__ = ["assert_same_replacements", "assert_saved_in_parts", "replaced_on_noise"]


def assert_same_replacements(model, reference):
    """The counts of changes and every replacement are those of the reference."""
    counts = model.change_counts()
    assert {kind: counts[kind] for kind in reference.counts} == reference.counts
    replaced = [change for change in model.changes() if change.kind == "replaced"]
    for got, want in zip(replaced, reference.replacements, strict=True):
        assert (got.seen, got.depth) == (want.seen, want.depth)
        assert (got.leaves_before, got.leaves_after) == (want.leaves_before, want.leaves_after)
        assert got.value_before == pytest.approx(want.error_before, rel=1e-9)
        assert got.value_after == pytest.approx(want.error_after, rel=1e-9)
        assert got.bound == pytest.approx(want.bound, rel=1e-9)


def assert_saved_in_parts(make, X, y, path):
    """A model that learns in batches and is saved and loaded between them is the same model."""
    whole, parts = make().fit(X, y), make()
    for first in range(0, len(y), 37):
        parts.partial_fit(X[first : first + 37], y[first : first + 37], classes=[0, 1])
        if first % 370 == 0:
            parts.save(path)
            parts = rp.load(path)
    assert whole.change_counts()["replaced"] >= 1
    assert parts.changes() == whole.changes()
    assert parts.splits(history=True) == whole.splits(history=True)
    assert parts.export_text() == whole.export_text()


def replaced_on_noise(make, seeds):
    """How many duels were started, and how many won, where labels do not depend on features."""
    started = replaced = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        counts = make().fit(rng.normal(size=(4000, 4)), rng.integers(2, size=4000)).change_counts()
        started, replaced = started + counts["started"], replaced + counts["replaced"]
    return started, replaced
