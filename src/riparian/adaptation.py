"""How a tree follows change.

A tree takes a policy by its name, ``HoeffdingTree(adaptation="...")``, or with parameters.
The classes are made from what the core declares; see :mod:`riparian.policies`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riparian.policies import publish

publish("adaptation", globals())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
