"""Forests: trees that learn side by side and predict together."""

from typing import Any

from riparian.forests.accuracy_weighted import AccuracyWeightedEnsemble, ChunkMember
from riparian.forests.adaptive_random_forest import AdaptiveRandomForest
from riparian.forests.ensemble import Ensemble, Vote
from riparian.forests.forest import Forest
from riparian.forests.leveraging_bagging import LeveragingBagging
from riparian.forests.online_bagging import OnlineBagging
from riparian.forests.stream_forest import StreamForest
from riparian.forests.streaming_random_patches import StreamingRandomPatches
from riparian.forests.ufft import UFFT, PairMember, PairVote, n_min

__all__ = [
    "FORESTS",
    "UFFT",
    "AccuracyWeightedEnsemble",
    "AdaptiveRandomForest",
    "ChunkMember",
    "Ensemble",
    "Forest",
    "LeveragingBagging",
    "OnlineBagging",
    "PairMember",
    "PairVote",
    "StreamForest",
    "StreamingRandomPatches",
    "Vote",
    "n_min",
]

#: Every one of them.
FORESTS: dict[str, type[Ensemble[Any]]] = {
    cls.__name__: cls
    for cls in (
        Forest,
        AccuracyWeightedEnsemble,
        AdaptiveRandomForest,
        LeveragingBagging,
        OnlineBagging,
        StreamForest,
        StreamingRandomPatches,
        UFFT,
    )
}
