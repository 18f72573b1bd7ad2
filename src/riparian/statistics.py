"""The statistics of numeric features at a leaf.

A tree accepts a policy by its name, ``HoeffdingTree(statistics="gaussian")``, or as an object with
parameters, ``HoeffdingTree(statistics=rp.statistics.Intervals(count=50))``.

The classes are created from the declarations of the core; see :mod:`riparian.policies`.
"""

from __future__ import annotations

from riparian.policies import Policy, publish


def __getattr__(name: str) -> type[Policy]:  # for type checkers, which cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("statistics", globals())
