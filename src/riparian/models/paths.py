"""The paths of rows through a tree, as scikit-learn returns them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["indicator", "side_by_side"]


def indicator(nodes: Mapping[str, NDArray[Any]]) -> csr_matrix:
    """Return which nodes each row visits, from the nodes of a tree and the ends of the paths.

    Returns
    -------
    indicator : csr_matrix of shape (n_rows, n_nodes)
        1 for each node on the path of a row.
    """
    from scipy.sparse import csr_matrix

    ends, parent, depth = (nodes[name].astype(np.int64) for name in ("ends", "parent", "depth"))
    lengths = depth[ends] + 1
    first = np.concatenate([[0], np.cumsum(lengths)])
    visited = np.empty(first[-1], dtype=np.int64)
    rows, here = np.arange(len(ends)), ends
    while len(rows):
        # A node stands at its depth in the path, so each path begins with the root.
        visited[first[rows] + depth[here]] = here
        above = parent[here]
        rows, here = rows[above >= 0], above[above >= 0]
    shape = (len(ends), len(parent))
    found = csr_matrix((np.ones(len(visited), dtype=np.int64), visited, first), shape=shape)
    found.sort_indices()
    return found


def side_by_side(found: list[csr_matrix]) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Return the indicators of several trees as one, and where the nodes of each tree begin."""
    from scipy.sparse import hstack

    widths = [one.shape[1] for one in found]
    return hstack(found, format="csr"), np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
