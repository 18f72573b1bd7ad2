"""Models that River accepts as classifiers of its own."""

from __future__ import annotations

import sys

__all__ = ["announce_to_river"]


def announce_to_river(cls: type) -> None:
    """Make `cls` count as a classifier of River, if River is in use.

    River checks ``isinstance(model, river.base.Classifier)`` before it evaluates a
    model. River itself is never imported here.
    """
    river = sys.modules.get("river.base")
    if river is not None and not issubclass(cls, river.Classifier):
        river.Classifier.register(cls)
