"""A leaf whose distribution is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.costs import cost_matrix_of_all
from riparian.errors import one_of
from riparian.policies import names

__all__ = ["Node", "s1_node"]

Costs: TypeAlias = ArrayLike | Mapping[tuple[Any, Any], float]

_TOLERANCE = 1e-9


@dataclasses.dataclass(frozen=True, eq=False)
class Node:
    """The joint distribution of categorical attributes and a class at one leaf.

    Parameters
    ----------
    probabilities : array-like of shape (n_values of attribute 0, ..., n_classes)
        One axis an attribute, the class last. They sum to 1 within 1e-9.
    attributes : sequence of str, optional
        Names of the attributes; by default a0, a1 and so on.
    classes : sequence, optional
        Names of the classes; by default 0, 1 and so on.

    Examples
    --------
    Two coins, of which the first tells more about the class:

    >>> coin = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> noise = np.array([0.5, 0.5])
    >>> node = Node(coin[:, None, :] * noise[None, :, None], attributes=["coin", "noise"])
    >>> node.true_gains("gini").round(3)
    array([0.18, 0.  ])
    """

    probabilities: NDArray[np.float64]
    attributes: Sequence[str] = ()
    classes: Sequence[Any] = ()

    def __post_init__(self) -> None:
        given = np.array(self.probabilities, dtype=np.float64, order="C")
        if given.ndim < 2:
            raise ValueError(
                "probabilities must have an axis an attribute and one for the class, "
                f"got the shape {given.shape}"
            )
        if min(given.shape) < 1 or given.shape[-1] < 2:
            raise ValueError(
                "probabilities must have at least one value an attribute and two classes, "
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
        names = tuple(self.attributes) or tuple(f"a{i}" for i in range(given.ndim - 1))
        classes = tuple(self.classes) or tuple(range(given.shape[-1]))
        for what, got, wanted in (
            ("attributes", names, given.ndim - 1),
            ("classes", classes, given.shape[-1]),
        ):
            if len(got) != wanted or len(set(got)) != wanted:
                raise ValueError(f"{what} must be {wanted} different names, got {list(got)}")
        object.__setattr__(self, "attributes", names)
        object.__setattr__(self, "classes", classes)

    def table(self, attribute: int) -> NDArray[np.float64]:
        """Probabilities of one attribute's values (down) and the classes (across)."""
        others = tuple(a for a in range(self.probabilities.ndim - 1) if a != attribute)
        return np.ascontiguousarray(self.probabilities.sum(axis=others))

    def true_gains(
        self, impurity: str = "entropy", costs: Costs | None = None
    ) -> NDArray[np.float64]:
        """The gain of each attribute, one branch a value, on the distribution itself.

        Parameters
        ----------
        impurity : str, default="entropy"
            Any single impurity of a tree by its name; entropy in bits.
        costs : matrix or dict, optional
            What a wrong class costs, for ``impurity="loss"``: [predicted][true], or
            ``{(predicted, true): cost}``.

        Examples
        --------
        >>> s1_node().true_gains("entropy").round(6)
        array([0.135305, 0.001463])
        >>> s1_node().true_gains("accuracy").round(6)
        array([0.18 , 0.005])
        """
        if callable(impurity):
            raise TypeError("impurity must be a name: the laboratory is native")
        if impurity == "hybrid":
            raise ValueError(
                "impurity must be a single one, got 'hybrid': use 'misclassification' and 'gini'"
            )
        one_of("impurity", impurity, [name for name in names("impurity") if name != "hybrid"])
        matrix = cost_matrix_of_all(costs, self.classes) if impurity == "loss" else None
        whole = self.table(0).sum(axis=0)
        before = float(_core.impurity(impurity, whole[None, :], matrix)[0])
        gains = []
        for a in range(len(self.attributes)):
            table = self.table(a)
            after = _core.impurity(impurity, table, matrix)
            gains.append(before - float(table.sum(axis=1) @ after))
        return np.array(gains)


def s1_node() -> Node:
    """The controlled node of Matuszyk, Krempl and Spiliopoulou (2013), table 1.

    Attribute A1 has the values A, B and C, A2 has D and E; the classes are c1 and c2. A1 is right
    for every impurity.
    """
    probabilities = np.array(
        [
            [[0.0675, 0.1575], [0.0675, 0.1575]],
            [[0.1350, 0.0900], [0.1575, 0.0675]],
            [[0.0450, 0.0050], [0.0450, 0.0050]],
        ]
    )
    return Node(probabilities, attributes=("A1", "A2"), classes=("c1", "c2"))
