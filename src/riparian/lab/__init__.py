r"""The laboratory of bounds: how often is a split wrong?

A leaf with a known distribution (`Node`) draws examples until it decides, and repeats this many
times. Its best feature is known, so wrong decisions can be counted and compared with the `delta`
that the bound promises::

    >>> from riparian import lab
    >>> print(lab.decisions(epsilons=1, delta=0.05, repetitions=10_000, seed=1))
    entropy, hoeffding, 1 epsilon: 1,569 of 10,000 decisions were wrong, 15.7 % (95 % interval
    15.0 % to 16.4 %), after 32.3 examples on average; delta 0.05 is broken

`compare` runs several methods and `plot` draws the results. ``riparian lab`` does both on the
command line. `read_node` reads a distribution from a file.
"""

from __future__ import annotations

from riparian.lab.decisions import decisions
from riparian.lab.methods import METHODS, compare
from riparian.lab.node import Node, s1_node
from riparian.lab.node_file import read_node
from riparian.lab.outcome import Decisions
from riparian.lab.plot import plot

__all__ = [
    "METHODS",
    "Decisions",
    "Node",
    "compare",
    "decisions",
    "plot",
    "read_node",
    "s1_node",
]
