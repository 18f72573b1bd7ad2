"""How a tree adapts to change.

A tree accepts a policy by its name, ``HoeffdingTree(adaptation="window")``, or as an object with
parameters, ``HoeffdingTree(adaptation=rp.adaptation.Window(size=10_000))``.

The classes are created from the declarations of the core; see :mod:`riparian.policies`.
"""

from __future__ import annotations

from riparian.policies import Policy, publish


def __getattr__(name: str) -> type[Policy]:  # for type checkers, which cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("adaptation", globals())
