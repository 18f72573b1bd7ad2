"""The accuracy-weighted ensemble."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.times import DateParts
from riparian.models.forests.ensemble import Ensemble
from riparian.models.forests.members import Member, Standing
from riparian.models.hoeffding import HoeffdingTree
from riparian.policies.parameter import whole

__all__ = ["AccuracyWeightedEnsemble", "ChunkMember"]


@dataclass(frozen=True)
class ChunkMember(Member):
    """The state of the tree of one chunk."""

    #: The chunk that it learned; the first is 0.
    chunk: int


class AccuracyWeightedEnsemble(Ensemble[_core.ChunkForest], paper="wang2003"):
    r"""One tree per chunk of the stream, weighted by its error on the last chunk.

    At the end of a chunk every tree is evaluated on it. :math:`MSE_i` is the mean of
    :math:`(1 - P_i(y|x))^2` over the rows of the chunk, and
    :math:`MSE_r = \sum_k p_k (1 - p_k)^2` is that of random predictions with the class shares
    :math:`p_k` of the chunk. The weight of the tree is

    .. math:: w_i = \max(MSE_r - MSE_i, 0).

    The tree that has learned this chunk is evaluated by cross-validation. Weights change only at
    the end of a chunk. With `costs`, divided by the largest cost, the weight is the cost per row
    that the tree saves against random predictions.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        The tree that each member is, as in :class:`riparian.Forest`.
    n_estimators : int, default=15
        Number of members that vote: the best of those that beat chance, or the newest if none
        does.
    n_stored : int, default=30
        Number of members that are kept and may vote again.
    chunk_size : int, default=500
        Rows per chunk. The model keeps the rows of the present chunk.
    n_folds : int, default=10
        Number of folds of the cross-validation.
    epochs : int, default=1
        How often a tree learns its chunk.
    costs, class_weight, max_bytes, n_jobs, categorical_features, date_parts
        As in :class:`riparian.Forest`.
    max_categories, max_features, max_classes
        As in :class:`riparian.Forest`.

    Attributes
    ----------
    weights_ : ndarray
        The weight of each stored member on the last chunk, the largest first, also of members
        that do not vote.
    chunks_ : ndarray
        The chunk that each of them has learned; the first is 0.
    estimators_ : list of HoeffdingTree
        Copies of the members.

    Notes
    -----
    Until the first chunk is complete, its tree predicts while it learns. The error of a fold is
    divided by the rows of the fold. MOA divides by the rows of the chunk, so that the newest tree
    looks ten times better than it is.

    *Differs from the paper*: instance-based pruning (section 5) is left out: all members predict.

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
        class_weight: Mapping[Any, float] | None = None,
        max_bytes: int | str | None = None,
        n_jobs: int | None = None,
        categorical_features: Any = "from_dtype",
        date_parts: DateParts = None,
        max_categories: int = 1000,
        max_features: int = 10_000,
        max_classes: int = 1000,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_stored = n_stored
        self.chunk_size = chunk_size
        self.n_folds = n_folds
        self.epochs = epochs
        self.costs = costs
        self.class_weight = class_weight
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        self.date_parts = date_parts
        self.max_categories = max_categories
        self.max_features = max_features
        self.max_classes = max_classes

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

    def _member_columns(self, members: Sequence[Any]) -> dict[str, list[str]]:
        return {**super()._member_columns(members), "chunk": [f"{m.chunk:,}" for m in members]}

    def _change_lines(self, members: Sequence[Any], columns: Mapping[str, list[str]]) -> list[str]:
        return ["A member is never replaced: its weight follows its accuracy on the last chunk."]

    @property
    def weights_(self) -> NDArray[np.float64]:
        return np.array([weight for _, weight, _, _, kept in self._fitted().records() if kept])

    @property
    def chunks_(self) -> NDArray[np.intp]:
        found = [chunk for _, _, _, chunk, kept in self._fitted().records() if kept]
        return np.array(found, dtype=np.intp)
