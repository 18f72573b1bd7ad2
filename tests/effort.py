"""How much the tests try.

``make test`` tries a part of the largest products and of the random attacks. ``RIPARIAN_TESTS=all``
tries the whole products, and ``RIPARIAN_ATTACK=N`` makes the attacks N times as long;
``make test-all`` sets both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

__all__ = ["ALL", "ATTACK", "in_turn"]

ALL = os.environ.get("RIPARIAN_TESTS") == "all"
ATTACK = int(os.environ.get("RIPARIAN_ATTACK", "1"))


def in_turn(
    settings: Mapping[str, Any],
    streams: Mapping[str, Any],
    always: Iterable[str] = (),
    extra: int = 1,
) -> list[Any]:
    """Pairs of a stream and settings, as parameters of a test.

    All pairs with ``RIPARIAN_TESTS=all``; otherwise every setting with the streams `always` and
    `extra` others, which go round.
    """
    always = list(always)
    others = [name for name in streams if name not in always]
    pairs = []
    for turn, name in enumerate(settings):
        chosen = [others[(turn * extra + i) % len(others)] for i in range(extra)]
        for stream in streams if ALL else [*always, *chosen]:
            pairs.append(pytest.param(streams[stream], settings[name], id=f"{stream}-{name}"))
    return pairs
