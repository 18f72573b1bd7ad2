"""Forests: trees that learn side by side and answer together."""

from riparian.forests.adaptive_random_forest import AdaptiveRandomForest
from riparian.forests.forest import Forest, Vote
from riparian.forests.leveraging_bagging import LeveragingBagging
from riparian.forests.online_bagging import OnlineBagging
from riparian.forests.streaming_random_patches import StreamingRandomPatches

__all__ = [
    "FORESTS",
    "AdaptiveRandomForest",
    "Forest",
    "LeveragingBagging",
    "OnlineBagging",
    "StreamingRandomPatches",
    "Vote",
]

#: The free composition and those with a name of their own.
FORESTS: dict[str, type[Forest]] = {
    cls.__name__: cls
    for cls in (
        Forest,
        AdaptiveRandomForest,
        LeveragingBagging,
        OnlineBagging,
        StreamingRandomPatches,
    )
}
