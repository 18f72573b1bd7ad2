"""Trees that revise themselves after every example: ID3', ID4, ID5R and ITI, and ID3 itself.

They are engines of their own behind the same outside as the streaming trees. ID5R and ITI keep
their examples, and are at every moment the tree that the batch learner would build from them,
whatever their order; see ``docs/restructuring.md`` for when that is worth its price.
"""

from typing import Any

from riparian.restructuring.id3 import ID3, ID3Prime
from riparian.restructuring.id4 import ID4
from riparian.restructuring.id5r import ID5R
from riparian.restructuring.iti import ITI
from riparian.restructuring.model import RestructuringModel
from riparian.restructuring.operations import count_operations, plot_operations

__all__ = [
    "ID3",
    "ID4",
    "ID5R",
    "ITI",
    "RESTRUCTURING",
    "ID3Prime",
    "count_operations",
    "plot_operations",
]

RESTRUCTURING: dict[str, type[RestructuringModel[Any]]] = {
    cls.__name__: cls for cls in (ID3, ID3Prime, ID4, ID5R, ITI)
}
