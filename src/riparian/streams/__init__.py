"""Streams to learn from: generators, wrappers that change a stream, files, frames and arrays."""

from riparian.streams.drifts import abrupt_drift, gradual_drift, recurring_drift
from riparian.streams.frames import from_frames
from riparian.streams.generators.boundaries import hyperplane, mixed, sea, sine
from riparian.streams.generators.clouds import gaussian_clusters, random_rbf, wide
from riparian.streams.generators.drifting import drifting
from riparian.streams.generators.rules import agrawal, corrected_node, stagger
from riparian.streams.generators.shapes import led, waveform
from riparian.streams.generators.trees import mdt_tree, rand_cbt, random_tree
from riparian.streams.memory import from_arrays, in_memory
from riparian.streams.names import from_name
from riparian.streams.readers.faults import DamagedFileError
from riparian.streams.readers.formats import open_stream
from riparian.streams.readers.records import from_iterable
from riparian.streams.stream import Stream
from riparian.streams.wrappers import (
    delayed,
    imbalanced,
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
