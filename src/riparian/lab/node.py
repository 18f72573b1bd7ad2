"""A leaf with a known distribution."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.data.costs import cost_matrix_of_all
from riparian.errors import one_of
from riparian.policies import names

__all__ = ["Node", "s1_node"]

Costs: TypeAlias = ArrayLike | Mapping[tuple[Any, Any], float]

_TOLERANCE = 1e-9


@dataclasses.dataclass(frozen=True, eq=False)
class Node:
    """The joint distribution of categorical features and the class at one leaf.

    Parameters
    ----------
    probabilities : array-like of shape (n_values of feature 0, ..., n_classes)
        One axis per feature; the last axis is the class. The sum must be 1 within 1e-9.
    features : sequence of str, optional
        Names of the features. By default a0, a1 and so on.
    classes : sequence, optional
        Names of the classes. By default 0, 1 and so on.

    Examples
    --------
    Two coins, one of which is independent of the class:

    >>> coin = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> noise = np.array([0.5, 0.5])
    >>> node = Node(coin[:, None, :] * noise[None, :, None], features=["coin", "noise"])
    >>> node.true_gains("gini").round(3)
    array([0.18, 0.  ])
    """

    probabilities: NDArray[np.float64]
    features: Sequence[str] = ()
    classes: Sequence[Any] = ()

    def __post_init__(self) -> None:
        given = np.array(self.probabilities, dtype=np.float64, order="C")
        if given.ndim < 2:
            raise ValueError(
                "probabilities must have one axis per feature and one for the class, "
                f"got the shape {given.shape}"
            )
        if min(given.shape) < 1 or given.shape[-1] < 2:
            raise ValueError(
                "probabilities must have at least one value per feature and two classes, "
                f"got the shape {given.shape}"
            )
        if not np.isfinite(given).all() or (given < 0.0).any():
            raise ValueError("probabilities must be finite and not negative")
        total = float(given.sum())
        if abs(total - 1.0) > _TOLERANCE:
            raise ValueError(f"probabilities must sum to 1, got {total!r}")
        given /= total
        given.flags.writeable = False
        object.__setattr__(self, "probabilities", given)
        names = tuple(self.features) or tuple(f"a{i}" for i in range(given.ndim - 1))
        classes = tuple(self.classes) or tuple(range(given.shape[-1]))
        for what, got, wanted in (
            ("features", names, given.ndim - 1),
            ("classes", classes, given.shape[-1]),
        ):
            if len(got) != wanted or len(set(got)) != wanted:
                raise ValueError(f"{what} must be {wanted} different names, got {list(got)}")
        object.__setattr__(self, "features", names)
        object.__setattr__(self, "classes", classes)

    def table(self, feature: int) -> NDArray[np.float64]:
        """Return the joint probabilities of one feature and the class.

        Parameters
        ----------
        feature : int
            Index of the feature.

        Returns
        -------
        table : ndarray of shape (n_values, n_classes)
            The probabilities.
        """
        others = tuple(a for a in range(self.probabilities.ndim - 1) if a != feature)
        return np.ascontiguousarray(self.probabilities.sum(axis=others))

    def true_gains(
        self, impurity: str = "entropy", costs: Costs | None = None
    ) -> NDArray[np.float64]:
        """Return the true gain of each feature, with one branch per value.

        Parameters
        ----------
        impurity : str, default="entropy"
            Name of an impurity other than ``"hybrid"``. Entropy is in bits.
        costs : matrix or dict, optional
            Misclassification costs for ``impurity="loss"``: a matrix ``[predicted][true]``, or
            ``{(predicted, true): cost}``.

        Returns
        -------
        gains : ndarray of shape (n_features,)
            The gains.

        Examples
        --------
        >>> s1_node().true_gains("entropy").round(6)
        array([0.135305, 0.001463])
        >>> s1_node().true_gains("accuracy").round(6)
        array([0.18 , 0.005])
        """
        if callable(impurity):
            raise TypeError("impurity must be a name: the laboratory does not support callables")
        if impurity == "hybrid":
            raise ValueError(
                "impurity must not be 'hybrid', which has two gains; use 'misclassification' or "
                "'gini'"
            )
        one_of("impurity", impurity, [name for name in names("impurity") if name != "hybrid"])
        matrix = cost_matrix_of_all(costs, self.classes) if impurity == "loss" else None
        whole = self.table(0).sum(axis=0)
        before = float(_core.impurity(impurity, whole[None, :], matrix)[0])
        gains = []
        for a in range(len(self.features)):
            table = self.table(a)
            after = _core.impurity(impurity, table, matrix)
            gains.append(before - float(table.sum(axis=1) @ after))
        return np.array(gains)


def s1_node() -> Node:
    """Return the controlled node of Matuszyk, Krempl and Spiliopoulou (2013), table 1.

    Feature A1 has the values A, B and C; A2 has D and E. The classes are c1 and c2. A1 is the best
    feature by every impurity.
    """
    probabilities = np.array(
        [
            [[0.0675, 0.1575], [0.0675, 0.1575]],
            [[0.1350, 0.0900], [0.1575, 0.0675]],
            [[0.0450, 0.0050], [0.0450, 0.0050]],
        ]
    )
    return Node(probabilities, features=("A1", "A2"), classes=("c1", "c2"))
