"""Which trees may be members of a forest."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian.models.registry import GROUPS, MODELS

TREES = [*GROUPS["trees"], *GROUPS["trees that follow change"]]
NEEDS_ALL_FEATURES = {
    "CVFDT": "inner nodes compare the gains of all features",
    "CorrectedVFDT": "hits are counted for all features",
    "EFDT": "inner nodes compare the gains of all features",
    "HoeffdingOptionTree": "inner nodes compare the gains of all features",
    "StreamTree": "softmax leaves use all features",
    "UCVFDT": "inner nodes compare the gains of all features",
}


def rows():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return X, X[:, 0] > 0


@pytest.mark.parametrize("name", TREES)
def test_leaves_draw_features_where_the_tree_can_do_with_some(name):
    forest = rp.AdaptiveRandomForest(estimator=MODELS[name](), n_estimators=2)
    if name in NEEDS_ALL_FEATURES:
        with pytest.raises(ValueError, match=f"{NEEDS_ALL_FEATURES[name]}$") as caught:
            forest.fit(*rows())
        said = str(caught.value)
        assert "leaf_features=0.6" in said or "leaf_features=None, got 0.6" in said
        forest.set_params(leaf_features=None)
    assert forest.fit(*rows()).n_seen_ == 60


@pytest.mark.parametrize("name", sorted(set(MODELS) - set(TREES)))
def test_what_does_not_grow_by_a_bound_is_no_member(name):
    forest = rp.OnlineBagging(estimator=MODELS[name]())
    with pytest.raises(ValueError, match="estimator must be a HoeffdingTree or one of its recipes"):
        forest.fit(*rows())
