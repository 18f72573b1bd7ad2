# Written by python -m tests.stub: the public names of the package.
# ruff: noqa

from riparian import adaptation as adaptation
from riparian import bounds as bounds
from riparian import cluster as cluster
from riparian import cuts as cuts
from riparian import drift as drift
from riparian import evaluate as evaluate
from riparian import impurities as impurities
from riparian import lab as lab
from riparian import leaves as leaves
from riparian import sources as sources
from riparian import statistics as statistics
from riparian import streams as streams
from riparian.data.uncertain import Uncertain as Uncertain
from riparian.data.uncertain_pairs import uncertain_columns as uncertain_columns
from riparian.errors import ModelFileError as ModelFileError
from riparian.evidence.certificates import Split as Split
from riparian.evidence.changes import Change as Change
from riparian.evidence.pending import Pending as Pending
from riparian.models.forests.accuracy_weighted import (
    AccuracyWeightedEnsemble as AccuracyWeightedEnsemble,
)
from riparian.models.forests.adaptive_random_forest import (
    AdaptiveRandomForest as AdaptiveRandomForest,
)
from riparian.models.forests.forest import Forest as Forest
from riparian.models.forests.leveraging_bagging import LeveragingBagging as LeveragingBagging
from riparian.models.forests.online_bagging import OnlineBagging as OnlineBagging
from riparian.models.forests.stream_forest import StreamForest as StreamForest
from riparian.models.forests.streaming_random_patches import (
    StreamingRandomPatches as StreamingRandomPatches,
)
from riparian.models.forests.ufft import UFFT as UFFT
from riparian.models.gradient import OADT as OADT
from riparian.models.hoeffding import HoeffdingTree as HoeffdingTree
from riparian.models.recipes.certified_tree import CertifiedTree as CertifiedTree
from riparian.models.recipes.corrected_vfdt import CorrectedVFDT as CorrectedVFDT
from riparian.models.recipes.corrhtree import CorrHTree as CorrHTree
from riparian.models.recipes.ctree import CTree as CTree
from riparian.models.recipes.cvfdt import CVFDT as CVFDT
from riparian.models.recipes.dscart import DsCART as DsCART
from riparian.models.recipes.efdt import EFDT as EFDT
from riparian.models.recipes.hat import HAT as HAT
from riparian.models.recipes.hoeffding_option_tree import HoeffdingOptionTree as HoeffdingOptionTree
from riparian.models.recipes.hybrid_tree import HybridTree as HybridTree
from riparian.models.recipes.mcdiarmid_tree import McDiarmidTree as McDiarmidTree
from riparian.models.recipes.mdt import MDT as MDT
from riparian.models.recipes.misclassification_tree import (
    MisclassificationTree as MisclassificationTree,
)
from riparian.models.recipes.nip import NIP as NIP
from riparian.models.recipes.spdt import SPDT as SPDT
from riparian.models.recipes.stream_tree import StreamTree as StreamTree
from riparian.models.recipes.ucvfdt import UCVFDT as UCVFDT
from riparian.models.recipes.vfdt import VFDT as VFDT
from riparian.models.recipes.vfdtc import VFDTc as VFDTc
from riparian.models.restructuring.id3 import ID3 as ID3
from riparian.models.restructuring.id3 import ID3Prime as ID3Prime
from riparian.models.restructuring.id4 import ID4 as ID4
from riparian.models.restructuring.id5r import ID5R as ID5R
from riparian.models.restructuring.iti import ITI as ITI
from riparian.sources.learn import learn as learn
from riparian.storage.modelfile import load as load

__version__: str
__all__ = [
    "AccuracyWeightedEnsemble",
    "AdaptiveRandomForest",
    "CTree",
    "CVFDT",
    "CertifiedTree",
    "Change",
    "CorrHTree",
    "CorrectedVFDT",
    "DsCART",
    "EFDT",
    "Forest",
    "HAT",
    "HoeffdingOptionTree",
    "HoeffdingTree",
    "HybridTree",
    "ID3",
    "ID3Prime",
    "ID4",
    "ID5R",
    "ITI",
    "LeveragingBagging",
    "MDT",
    "McDiarmidTree",
    "MisclassificationTree",
    "ModelFileError",
    "NIP",
    "OADT",
    "OnlineBagging",
    "Pending",
    "SPDT",
    "Split",
    "StreamForest",
    "StreamTree",
    "StreamingRandomPatches",
    "UCVFDT",
    "UFFT",
    "Uncertain",
    "VFDT",
    "VFDTc",
    "__version__",
    "adaptation",
    "bounds",
    "cluster",
    "cuts",
    "drift",
    "evaluate",
    "impurities",
    "lab",
    "learn",
    "leaves",
    "load",
    "sources",
    "statistics",
    "streams",
    "uncertain_columns",
]
