"""What a leaf remembers of numeric features.

A tree accepts a policy by its name, ``HoeffdingTree(statistics="...")``, or with parameters.
The classes are made from what the core declares; see :mod:`riparian.policies`.
"""

from __future__ import annotations

from riparian.policies import Policy, publish


def __getattr__(name: str) -> type[Policy]:  # for type checkers, who cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("statistics", globals())
