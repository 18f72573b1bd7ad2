"""Check the parameters of generators."""

from __future__ import annotations

import math
from numbers import Integral, Real

__all__ = ["check_concept", "check_count", "check_fraction", "check_not_negative", "check_seed"]


def check_count(name: str, value: int, least: int = 1) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")


def check_fraction(name: str, value: float) -> None:
    if not isinstance(value, Real) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")


def check_not_negative(name: str, value: float) -> None:
    if not isinstance(value, Real) or not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")


def check_seed(seed: int) -> None:
    check_count("seed", seed, least=0)


def check_concept(concept: int, most: int) -> None:
    if concept not in range(1, most + 1):
        raise ValueError(f"concept must be a whole number from 1 to {most}, got {concept!r}")
