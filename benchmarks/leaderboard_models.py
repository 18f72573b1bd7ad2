"""The models of the leaderboard: those of riparian, MOA and River, each with its defaults.

Ensembles have ten members, except where a paper fixes another number. Two classes of riparian take
no part because they are there to be composed (`HoeffdingTree` and `Forest`), and five because they
are made for small sets: the restructuring trees keep examples or restructure at every row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from choosing_runs import measures
from choosing_streams import Data

import riparian as rp
from riparian.models.registry import GROUPS, MODELS

__all__ = ["BOARDS", "LIBRARIES", "Entrant", "entrants", "version"]

BOARDS = ("trees", "forests")
LIBRARIES = ("riparian", "moa", "river")

Run = Callable[[Data, int, float], dict[str, float]]


@dataclass(frozen=True)
class Entrant:
    """A model that takes part: its name on the board, and how it is run."""

    name: str
    library: str
    board: str
    run: Run


_COMPOSED = ("HoeffdingTree", "Forest")
_BOARD_OF_GROUP = {
    "trees": "trees",
    "trees that follow change": "trees",
    "gradient trees": "trees",
    "forests": "forests",
}
#: Classes of moa.classifiers and their options: ten members, and MOA's defaults otherwise.
_MOA = {
    "trees.HoeffdingTree": "",
    "trees.HoeffdingAdaptiveTree": "",
    "trees.HoeffdingOptionTree": "",
    "trees.EFDT": "",
    "trees.PLASTIC": "",
    "trees.LAST": "",
    "meta.AdaptiveRandomForest": "-s 10",
    "meta.StreamingRandomPatches": "-s 10",
    "meta.LeveragingBag": "-s 10",
}
#: Classes of River: their names on the board, and which board.
_RIVER = {
    "HoeffdingTreeClassifier": ("River HoeffdingTree", "trees"),
    "HoeffdingAdaptiveTreeClassifier": ("River HAT", "trees"),
    "ExtremelyFastDecisionTreeClassifier": ("River EFDT", "trees"),
    "ARFClassifier": ("River ARF", "forests"),
    "SRPClassifier": ("River SRP", "forests"),
}


def entrants(libraries: Iterable[str] = LIBRARIES) -> list[Entrant]:
    """Return the models of some libraries; those that a library does not have are left out."""
    makers = {"riparian": _of_riparian, "moa": _of_moa, "river": _of_river}
    return [entrant for library in libraries for entrant in makers[library]()]


def version(library: str) -> str:
    """Return the version of a library."""
    if library == "riparian":
        return str(rp.__version__)
    from peers import moa_prequential, river_prequential

    return {"moa": moa_prequential, "river": river_prequential}[library].version()


def _of_riparian() -> list[Entrant]:
    found = [
        Entrant(name, "riparian", board, _native(MODELS[name]()))
        for group, board in _BOARD_OF_GROUP.items()
        for name in GROUPS[group]
        if name not in _COMPOSED
    ]
    adaptive = Entrant(
        "VFDT (adaptive leaves)", "riparian", "trees", _native(rp.VFDT(leaf="adaptive"))
    )
    return [adaptive, *found]


def _native(model: Any) -> Run:
    def run(data: Data, seed: int, limit: float) -> dict[str, float]:
        return measures(model, data, seed)

    return run


def _of_moa() -> list[Entrant]:
    from peers import moa_prequential as moa

    def runs(name: str, options: str) -> Run:
        return lambda data, seed, limit: moa.run(name, options, data, seed, limit).measures(data)

    return [
        Entrant(
            f"MOA {name.partition('.')[2]}",
            "moa",
            "trees" if name.startswith("trees.") else "forests",
            runs(name, options),
        )
        for name, options in _MOA.items()
        if moa.has(name)
    ]


def _of_river() -> list[Entrant]:
    from peers import river_prequential as river

    def runs(name: str) -> Run:
        return lambda data, seed, limit: river.run(name, data, seed, limit).measures(data)

    return [Entrant(shown, "river", board, runs(name)) for name, (shown, board) in _RIVER.items()]
