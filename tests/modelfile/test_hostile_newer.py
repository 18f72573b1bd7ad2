"""Hostile files of forests, of trees that restructure and of gradient trees, one by one."""

from __future__ import annotations

import re

import pytest

import riparian as rp
from riparian.storage.modelfile import from_bytes
from tests.modelfile.parts import as_array, set_value
from tests.modelfile.samples import samples


def sample(name):
    return next(s for s in samples("newer") if s.header["recipe"] == name).copy()


@pytest.mark.parametrize(
    ("model", "array", "value", "message"),
    [
        ("AdaptiveRandomForest", "seen", 2**63, "seen is too large"),
        ("AdaptiveRandomForest", "warnings", 2**40, "warnings that nobody gave"),
        ("LeveragingBagging", "warnings", 1, "warnings that nobody gave"),
        ("OnlineBagging", "drifts", 1, "drifts that nobody found"),
        ("OnlineBagging", "generations", 2, "generations do not go with"),
        ("StreamingRandomPatches", "generations", 2**63, "generations do not go with"),
        ("OnlineBagging", "answered", 1e300, "right is more than answered"),
        ("StreamingRandomPatches", "share", 1.5, "share is not one"),
        ("StreamingRandomPatches", "left_out", 2, "another value than 0 and 1"),
        ("AccuracyWeightedEnsemble", "member_weights", 1e300, "an impossible weight"),
        ("AccuracyWeightedEnsemble", "chunk_weights", 1e300, "an impossible weight"),
        ("AccuracyWeightedEnsemble", "member_chunks", 3, "a chunk to come"),
        ("AccuracyWeightedEnsemble", "chunks", 2**60, "the rows seen"),
        ("UFFT", "drifts", 2**40, "drifts that nobody found"),
        ("UFFT", "seen", 2**64 - 1, "seen is too large"),
        ("UFFT", "order", 2, "order holds no class, or one twice"),
        ("ID5R", "counters", 2**63, "an impossible counter"),
        ("ITI", "weights", 0.3, "an impossible weight"),
        ("ID4", "counts", 0.0, "a value has more weight than its class"),
        ("ID4", "parent", 0, "the first node is not the root"),
        ("OADT", "seen", 2**63, "seen does not agree with classes"),
    ],
)
def test_what_no_model_can_hold_is_refused(model, array, value, message):
    bad = sample(model)
    set_value(bad.arrays[array], 0, value)
    with pytest.raises(rp.ModelFileError, match=re.escape(message)):
        from_bytes(bad.data())


def test_no_two_members_are_of_one_chunk():
    bad = sample("AccuracyWeightedEnsemble")
    for name in ("member_chunks", "member_weights"):
        set_value(bad.arrays[name], 1, as_array(bad.arrays[name])[0].item())
    with pytest.raises(rp.ModelFileError, match="a chunk twice"):
        from_bytes(bad.data())


def test_the_tree_in_the_background_is_the_younger_one():
    bad = sample("AdaptiveRandomForest")
    front, back, *_ = as_array(bad.arrays["generation"]).tolist()
    set_value(bad.arrays["generation"], 0, back)
    set_value(bad.arrays["generation"], 1, front)
    with pytest.raises(rp.ModelFileError, match="the older one"):
        from_bytes(bad.data())


def test_a_node_of_id4_has_seen_no_more_than_its_parent_has_of_its_branch():
    bad = sample("ID4")
    k = len(bad.header["schema"]["classes"])
    for place in range(k, 2 * k):
        set_value(bad.arrays["counts"], place, 100.0)
    with pytest.raises(rp.ModelFileError, match="a node has more weight than its branch"):
        from_bytes(bad.data())
