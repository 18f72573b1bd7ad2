"""The streams on which a default was chosen, and those that it was tried on afterwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from riparian_experiments import datasets

from riparian import streams
from riparian.streams import Stream
from riparian.streams.stream import CHUNK_ROWS, Rows

__all__ = ["CHOOSING", "HELD_OUT", "IN_ORDER", "Maker", "opened"]

Maker = Callable[[int], Stream]

#: Rows at most; fewer where there are many features, as every run takes longer there.
ROWS = 100_000
MANY_FEATURES = 50
ROWS_OF_MANY = 50_000
ROWS_OF_WIDE = 20_000


def _made(generator: Callable[..., Stream], **options: Any) -> Maker:
    return lambda seed: generator(seed=seed, **options)


def _gradual(generator: Callable[..., Stream], before: int, after: int) -> Maker:
    return lambda seed: streams.gradual_drift(
        generator(concept=before, seed=seed),
        generator(concept=after, seed=seed + 1000),
        center=ROWS // 2,
        width=ROWS // 5,
        seed=seed,
    )


def _abrupt(generator: Callable[..., Stream], before: int, after: int) -> Maker:
    return lambda seed: streams.abrupt_drift(
        generator(concept=before, seed=seed),
        generator(concept=after, seed=seed + 1000),
        at=ROWS // 2,
    )


def _recurring(generator: Callable[..., Stream], concepts: tuple[int, ...]) -> Maker:
    return lambda seed: streams.recurring_drift(
        [generator(concept=c, seed=seed + 1000 * c) for c in concepts], every=ROWS // 8
    )


def _noisy(make: Maker, fraction: float) -> Maker:
    return lambda seed: streams.with_label_noise(make(seed), fraction, seed=seed)


def _with_gaps(make: Maker, fraction: float) -> Maker:
    return lambda seed: streams.with_missing(make(seed), fraction, seed=seed)


def _uneven(make: Maker, shares: list[list[float]]) -> Maker:
    return lambda seed: streams.imbalanced(make(seed), shares, seed=seed, n_rows=ROWS)


def _real(name: str) -> Maker:
    return lambda seed: streams.shuffled(_loaded(name), seed=seed)


def _real_in_order(name: str) -> Maker:
    return lambda seed: _loaded(name)


@lru_cache(maxsize=1)
def _loaded(name: str) -> Stream:
    stream: Stream = datasets.load(name, shuffle=False, download=False)
    return stream


_CHOOSING: dict[str, Maker] = {
    "agrawal": _made(streams.agrawal, concept=2),
    "agrawal, gradual drift": _gradual(streams.agrawal, 4, 7),
    "corrected_node": _made(streams.corrected_node),
    "hyperplane": _made(streams.hyperplane),
    "hyperplane, ten times as fast": _made(streams.hyperplane, speed=1e-4),
    "led": _made(streams.led),
    "led, wrong labels": _noisy(_made(streams.led), 0.2),
    "mdt_tree": _made(streams.mdt_tree),
    "random_rbf": _made(streams.random_rbf),
    "random_rbf, moving": _made(streams.random_rbf, speed=1e-4),
    "sea": _made(streams.sea),
    "sea, recurring drift": _recurring(streams.sea, (1, 2, 3, 4)),
    "waveform": _made(streams.waveform),
    "waveform, gaps": _with_gaps(_made(streams.waveform, n_irrelevant=19), 0.2),
    "wide": _made(streams.wide, n_rows=ROWS_OF_WIDE),
    "a9a": _real("a9a"),
    "adult": _real("adult"),
    "covertype, in order": _real_in_order("covertype"),
    "covertype": _real("covertype"),
    "iris": _real("iris"),
    "magic": _real("magic"),
    "transfusion": _real("transfusion"),
}
_HELD_OUT: dict[str, Maker] = {
    "drifting": _made(streams.drifting, n_rows=ROWS),
    "gaussian_clusters": _made(streams.gaussian_clusters, n_classes=5),
    "gaussian_clusters, uneven": _uneven(_made(streams.gaussian_clusters), [[0.95, 0.05]]),
    "mixed": _made(streams.mixed),
    "mixed, wrong labels": _noisy(_made(streams.mixed), 0.2),
    "rand_cbt": _made(streams.rand_cbt),
    "random_tree": _made(streams.random_tree),
    "random_tree, 5 classes": _made(streams.random_tree, n_classes=5, max_depth=8),
    "random_tree, wrong labels": _noisy(_made(streams.random_tree), 0.2),
    "sine": _made(streams.sine),
    "sine, abrupt drift": _abrupt(streams.sine, 1, 3),
    "stagger": _made(streams.stagger),
    "stagger, recurring drift": _recurring(streams.stagger, (1, 2, 3)),
    "cod_rna": _real("cod_rna"),
    "ecoli": _real("ecoli"),
    "elec2, in order": _real_in_order("elec2"),
    "elec2": _real("elec2"),
    "htru2": _real("htru2"),
    "seeds": _real("seeds"),
    "wifi": _real("wifi"),
}
_ALL = _CHOOSING | _HELD_OUT

#: Those that a seed does not change.
IN_ORDER = tuple(name for name in _ALL if name.endswith("in order"))


@lru_cache(maxsize=1)
def opened(name: str, seed: int) -> Stream:
    """Give a stream that makes its rows once, for all models that come one after the other."""
    stream = _ALL[name](seed)
    rows = ROWS_OF_MANY if len(stream.names) > MANY_FEATURES else ROWS
    rows = min(rows, stream.n_rows or rows)
    kept: list[Rows] = []

    def make_chunk(number: int) -> Rows:
        if not kept:
            kept.append(stream.take(rows))
        part = slice(number * CHUNK_ROWS, (number + 1) * CHUNK_ROWS)
        return kept[0][0][part], kept[0][1][part]

    return Stream(stream.names, stream.classes, rows, make_chunk, categories=stream.categories)


#: By name, a function of the seed: as `riparian.evaluate.compare` takes them.
CHOOSING: dict[str, Maker] = {name: partial(opened, name) for name in _CHOOSING}
HELD_OUT: dict[str, Maker] = {name: partial(opened, name) for name in _HELD_OUT}
