"""Streams to learn from: generators of the literature, changes made to them, files and frames."""

from riparian.streams.boundaries import hyperplane, mixed, sea, sine
from riparian.streams.clouds import gaussian_clusters, random_rbf, wide
from riparian.streams.drifting import drifting
from riparian.streams.faults import DamagedFileError
from riparian.streams.frames import from_frames
from riparian.streams.memory import from_arrays, in_memory
from riparian.streams.names import from_name
from riparian.streams.readers import open_stream
from riparian.streams.records import from_iterable
from riparian.streams.rules import agrawal, corrected_node, stagger
from riparian.streams.shapes import led, waveform
from riparian.streams.stream import Stream
from riparian.streams.trees import mdt_tree, rand_cbt, random_tree
from riparian.streams.wrappers import (
    abrupt_drift,
    delayed,
    gradual_drift,
    imbalanced,
    recurring_drift,
    shuffled,
    with_label_noise,
    with_missing,
)

__all__ = [
    "DamagedFileError",
    "Stream",
    "abrupt_drift",
    "agrawal",
    "corrected_node",
    "delayed",
    "drifting",
    "from_arrays",
    "from_frames",
    "from_iterable",
    "from_name",
    "gaussian_clusters",
    "gradual_drift",
    "hyperplane",
    "imbalanced",
    "in_memory",
    "led",
    "mdt_tree",
    "mixed",
    "open_stream",
    "rand_cbt",
    "random_rbf",
    "random_tree",
    "recurring_drift",
    "sea",
    "shuffled",
    "sine",
    "stagger",
    "waveform",
    "wide",
    "with_label_noise",
    "with_missing",
]
