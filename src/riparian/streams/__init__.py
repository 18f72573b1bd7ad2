"""Streams to learn from without a file: the generators of the literature, and a drifting demo."""

from riparian.streams.drifting import drifting
from riparian.streams.generators import hyperplane, led, random_rbf, random_tree, sea, wide
from riparian.streams.names import from_name
from riparian.streams.readers import open_stream
from riparian.streams.stream import Stream

__all__ = [
    "Stream",
    "drifting",
    "from_name",
    "hyperplane",
    "led",
    "open_stream",
    "random_rbf",
    "random_tree",
    "sea",
    "wide",
]
