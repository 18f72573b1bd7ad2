"""How much the tests try.

``make test`` tries a part of the largest products and of the random attacks. ``RIPARIAN_TESTS=all``
tries the whole products, and ``RIPARIAN_ATTACK=N`` makes the attacks N times as long;
``make test-all`` sets both.
"""

from __future__ import annotations

import os

__all__ = ["ALL", "ATTACK"]

ALL = os.environ.get("RIPARIAN_TESTS") == "all"
ATTACK = int(os.environ.get("RIPARIAN_ATTACK", "1"))
