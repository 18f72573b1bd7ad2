"""Decision trees that learn from data streams.

``import riparian as rp``, then ``rp.StreamTree()``, a recipe such as ``rp.VFDT()``, or the free
composition ``rp.HoeffdingTree(...)``.
Everything is imported when it is first used, so that the command line starts at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riparian import (
        adaptation,
        bounds,
        cuts,
        datasets,
        drift,
        evaluate,
        impurities,
        lab,
        leaves,
        reproduce,
        restructuring,
        statistics,
        streams,
    )
    from riparian.certificates import Pending, Split
    from riparian.changes import Change
    from riparian.errors import ModelFileError
    from riparian.forests import (
        UFFT,
        AccuracyWeightedEnsemble,
        AdaptiveRandomForest,
        Forest,
        LeveragingBagging,
        OnlineBagging,
        StreamForest,
        StreamingRandomPatches,
    )
    from riparian.gradient import OADT
    from riparian.modelfile import load
    from riparian.recipes import (
        CVFDT,
        EFDT,
        HAT,
        MDT,
        NIP,
        UCVFDT,
        VFDT,
        CorrectedVFDT,
        CorrHTree,
        CTree,
        DsCART,
        HoeffdingOptionTree,
        HybridTree,
        McDiarmidTree,
        MisclassificationTree,
        StreamTree,
        VFDTc,
    )
    from riparian.restructuring import ID3, ID4, ID5R, ITI, ID3Prime
    from riparian.tree import HoeffdingTree
    from riparian.uncertain import Uncertain
    from riparian.uncertain_pairs import uncertain_columns

__all__ = [
    "CVFDT",
    "EFDT",
    "HAT",
    "ID3",
    "ID4",
    "ID5R",
    "ITI",
    "MDT",
    "NIP",
    "OADT",
    "UCVFDT",
    "UFFT",
    "VFDT",
    "AccuracyWeightedEnsemble",
    "AdaptiveRandomForest",
    "CTree",
    "Change",
    "CorrHTree",
    "CorrectedVFDT",
    "DsCART",
    "Forest",
    "HoeffdingOptionTree",
    "HoeffdingTree",
    "HybridTree",
    "ID3Prime",
    "LeveragingBagging",
    "McDiarmidTree",
    "MisclassificationTree",
    "ModelFileError",
    "OnlineBagging",
    "Pending",
    "Split",
    "StreamForest",
    "StreamTree",
    "StreamingRandomPatches",
    "Uncertain",
    "VFDTc",
    "__version__",
    "adaptation",
    "bounds",
    "cuts",
    "datasets",
    "drift",
    "evaluate",
    "impurities",
    "lab",
    "leaves",
    "load",
    "reproduce",
    "restructuring",
    "statistics",
    "streams",
    "uncertain_columns",
]

__version__ = "0.1.0"

_HOME = {
    "Change": "riparian.changes",
    "HoeffdingTree": "riparian.tree",
    "ModelFileError": "riparian.errors",
    "OADT": "riparian.gradient",
    "Pending": "riparian.certificates",
    "Split": "riparian.certificates",
    "Uncertain": "riparian.uncertain",
    "load": "riparian.recipes",
    "uncertain_columns": "riparian.uncertain_pairs",
}
_RECIPES = {
    "CTree",
    "CVFDT",
    "CorrHTree",
    "CorrectedVFDT",
    "DsCART",
    "EFDT",
    "HAT",
    "HoeffdingOptionTree",
    "HybridTree",
    "MDT",
    "McDiarmidTree",
    "MisclassificationTree",
    "NIP",
    "StreamTree",
    "UCVFDT",
    "VFDT",
    "VFDTc",
}
_RESTRUCTURING = {"ID3", "ID3Prime", "ID4", "ID5R", "ITI"}
_FORESTS = {
    "AccuracyWeightedEnsemble",
    "AdaptiveRandomForest",
    "Forest",
    "LeveragingBagging",
    "OnlineBagging",
    "StreamForest",
    "StreamingRandomPatches",
    "UFFT",
}
_MODULES = {
    "adaptation",
    "bounds",
    "cuts",
    "datasets",
    "drift",
    "evaluate",
    "impurities",
    "lab",
    "leaves",
    "reproduce",
    "restructuring",
    "statistics",
    "streams",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _RECIPES:
        value = getattr(importlib.import_module("riparian.recipes"), name)
    elif name in _RESTRUCTURING:
        value = getattr(importlib.import_module("riparian.restructuring"), name)
    elif name in _FORESTS:
        value = getattr(importlib.import_module("riparian.forests"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"riparian.{name}")
    else:
        raise AttributeError(f"module 'riparian' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
