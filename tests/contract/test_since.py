"""`since=` separates what happened after a number of examples from what happened before."""

from __future__ import annotations

import pytest

import riparian as rp


def test_since_gives_the_splits_after_it(recipe, mixed):
    model = recipe.eager()
    told = [0]
    for batch in mixed.batches(1000):
        batch.learned_by(model)
        for since in (0, *told, model.n_seen_):
            expected = [s for s in model.splits() if s.seen > since]
            assert model.splits(since=since) == expected
            assert model.changes(since=since) == [c for c in model.changes() if c.seen > since]
        told.append(model.n_seen_)
    assert model.splits(since=None) == model.splits()


@pytest.mark.parametrize("since", [-1, 1.5, "all", 2**64])
def test_a_wrong_since_is_refused(since, mixed):
    model = mixed[:50].learned_by(rp.HAT())
    for asked in (model.splits, model.changes):
        with pytest.raises(ValueError, match="since must be a number of examples or None, got"):
            asked(since=since)
