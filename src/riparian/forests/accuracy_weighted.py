"""The accuracy-weighted ensemble."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.compat import announce_to_river
from riparian.forests.ensemble import Ensemble, Member, Standing
from riparian.policies.parameter import whole
from riparian.tree import HoeffdingTree

__all__ = ["AccuracyWeightedEnsemble", "ChunkMember"]


@dataclass(frozen=True)
class ChunkMember(Member):
    """How the tree of one chunk stands."""

    #: Which chunk it learned; the first is 0.
    chunk: int


class AccuracyWeightedEnsemble(Ensemble[_core.ChunkForest]):
    r"""One tree a chunk of the stream, weighted by how well it does on the last chunk.

    At the end of a chunk every tree is tried on it: with the mean :math:`MSE_i` of
    :math:`(1 - P_i(y|x))^2` over its rows, and :math:`MSE_r = \sum_k p_k (1 - p_k)^2` of who
    draws classes as often as they are, the tree counts

    .. math:: w_i = \max(MSE_r - MSE_i, 0).

    The tree that has learned the chunk itself is evaluated by cross-validation over it. Between
    chunks nobody's vote changes. With `costs`, divided by the largest of them, a tree counts
    what it saves a row against drawing classes at random.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        What a member is, as in :class:`riparian.Forest`.
    n_estimators : int, default=15
        How many members vote: the best that beat chance, and where none does the newest.
    n_stored : int, default=30
        How many are kept and may come back.
    chunk_size : int, default=500
        Rows of a chunk. The model remembers those of the chunk at hand.
    n_folds : int, default=10
        Of the cross-validation.
    epochs : int, default=1
        How often a tree goes through its chunk.
    costs, max_bytes, n_jobs, categorical_features
        As in :class:`riparian.Forest`.

    Attributes
    ----------
    weights_ : ndarray
        What each member that is kept was worth on the last chunk, the largest first; those that
        do not vote included.
    chunks_ : ndarray
        Which chunk each of them has learned, from 0 on.
    estimators_ : list of HoeffdingTree
        Copies of them.

    Notes
    -----
    Until the first chunk is full its tree predicts while it learns. Instance-based pruning (the
    paper's section 5) is left out: all members predict.

    The error of a fold is divided by the rows of the fold. MOA divides by those of the chunk,
    which makes the newest tree look ten times better than it is.

    References
    ----------
    .. [1] H. Wang, W. Fan, P. Yu, J. Han. Mining concept-drifting data streams using ensemble
       classifiers. KDD 2003, pp. 226-235, section 4.

    Examples
    --------
    >>> from riparian import AccuracyWeightedEnsemble
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(2_000)
    >>> model = AccuracyWeightedEnsemble().fit(X, y)
    >>> sorted(model.chunks_.tolist()), bool((model.weights_ > 0).all())
    ([0, 1, 2, 3], True)
    """

    def __init__(
        self,
        *,
        estimator: HoeffdingTree | None = None,
        n_estimators: int = 15,
        n_stored: int = 30,
        chunk_size: int = 500,
        n_folds: int = 10,
        epochs: int = 1,
        costs: Any = None,
        max_bytes: int | str | None = None,
        n_jobs: int | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_stored = n_stored
        self.chunk_size = chunk_size
        self.n_folds = n_folds
        self.epochs = epochs
        self.costs = costs
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        announce_to_river(type(self))

    _native = _core.ChunkForest

    def _own_settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        voting = whole("n_estimators", axes["n_estimators"], 1, 10_000)
        return {
            "rows": whole("chunk_size", axes["chunk_size"], 2, 10_000_000),
            "voting": voting,
            "stored": whole("n_stored", axes["n_stored"], voting, 10_000),
            "folds": whole("n_folds", axes["n_folds"], 2, 1_000),
            "epochs": whole("epochs", axes["epochs"], 1, 1_000),
        }

    def _standings(self) -> list[Standing]:
        return [
            Standing(tree, vote, chunk=chunk)
            for tree, _, vote, chunk, _ in self._fitted().records()
        ]

    def _member(self, member: int, standing: Standing) -> Member:
        of_any = super()._member(member, standing)
        return ChunkMember(**dataclasses.asdict(of_any), chunk=cast(int, standing.chunk))

    @property
    def weights_(self) -> NDArray[np.float64]:
        return np.array([weight for _, weight, _, _, kept in self._fitted().records() if kept])

    @property
    def chunks_(self) -> NDArray[np.intp]:
        found = [chunk for _, _, _, chunk, kept in self._fitted().records() if kept]
        return np.array(found, dtype=np.intp)


AccuracyWeightedEnsemble._composition = AccuracyWeightedEnsemble
