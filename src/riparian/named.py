"""Streams by name, generated or real: ``synth:sea?concept=2``, ``dataset:elec2``."""

from __future__ import annotations

from collections.abc import Callable

from riparian import datasets
from riparian.streams import names
from riparian.streams.stream import Stream

__all__ = ["open_named"]


def open_named(
    name: str, note: Callable[[str], None] = lambda message: None, *, seed: int | None = None
) -> Stream:
    """Give the generator or the real data set that a name means.

    Parameters
    ----------
    name : str
        As for `riparian.streams.from_name` and `riparian.datasets.from_name`.
    note : callable
        Called with a message if a data set should be shuffled.
    seed : int, optional
        Of a generator, or of the order of a data set's rows, unless the name has it.

    Examples
    --------
    >>> open_named("synth:sea?rows=500", seed=3)
    Stream(500 rows, 3 features, 2 classes)
    """
    if name.startswith(datasets.PREFIX):
        return datasets.from_name(_with(name, "shuffle", seed), note)
    if name.startswith(names.PREFIX):
        return names.from_name(_with(name, "seed", seed))
    raise ValueError(
        f"a stream's name must begin with {names.PREFIX!r} or {datasets.PREFIX!r}, got {name!r}"
    )


def _with(name: str, option: str, value: int | None) -> str:
    if value is None or f"{option}=" in name:
        return name
    return f"{name}{'&' if '?' in name else '?'}{option}={value}"
