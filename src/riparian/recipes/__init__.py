"""Published algorithms, and the default: each a choice on the axes of one engine."""

from riparian.modelfile import load
from riparian.recipes.corrected_vfdt import CorrectedVFDT
from riparian.recipes.corrhtree import CorrHTree
from riparian.recipes.ctree import CTree
from riparian.recipes.cvfdt import CVFDT
from riparian.recipes.dscart import DsCART
from riparian.recipes.efdt import EFDT
from riparian.recipes.hat import HAT
from riparian.recipes.hoeffding_option_tree import HoeffdingOptionTree
from riparian.recipes.hybrid_tree import HybridTree
from riparian.recipes.mcdiarmid_tree import McDiarmidTree
from riparian.recipes.mdt import MDT
from riparian.recipes.misclassification_tree import MisclassificationTree
from riparian.recipes.nip import NIP
from riparian.recipes.stream_tree import StreamTree
from riparian.recipes.vfdt import VFDT
from riparian.recipes.vfdtc import VFDTc
from riparian.tree import HoeffdingTree

__all__ = [
    "CVFDT",
    "EFDT",
    "HAT",
    "MDT",
    "NIP",
    "RECIPES",
    "VFDT",
    "CTree",
    "CorrHTree",
    "CorrectedVFDT",
    "DsCART",
    "HoeffdingOptionTree",
    "HybridTree",
    "McDiarmidTree",
    "MisclassificationTree",
    "StreamTree",
    "VFDTc",
    "load",
]

#: The free composition and those with a name of their own.
RECIPES: dict[str, type[HoeffdingTree]] = {
    cls.__name__: cls
    for cls in (
        HoeffdingTree,
        CTree,
        CVFDT,
        CorrHTree,
        CorrectedVFDT,
        DsCART,
        EFDT,
        HAT,
        HoeffdingOptionTree,
        HybridTree,
        MDT,
        McDiarmidTree,
        MisclassificationTree,
        NIP,
        StreamTree,
        VFDT,
        VFDTc,
    )
}
