r"""The quality gain: how much better the branches of a cut predict than the leaf.

The quality of a node is the mean over its examples of 1 for a right prediction and 0 for a wrong
one, or of 1 - cost. It is a mean of terms between 0 and 1, as Hoeffding's bound requires, if the
labels do not come from the same examples. This is what the evaluators are for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian.data.costs import cost_matrix_of_all
from riparian.errors import one_of
from riparian.policies.arguments import not_negative

__all__ = ["accuracy_gain", "error_gain", "loss_gain", "quality_gain"]

Doubles = NDArray[np.float64]


def accuracy_gain(table: ArrayLike) -> Doubles:
    r"""Return how much a cut raises the accuracy, by resubstitution.

    .. math:: G = \frac1N \Big(\sum_b \max_k T_{bk} - \max_k \sum_b T_{bk}\Big)

    The labels come from the same counts that evaluate them. The result is exactly the gain of
    misclassification. :func:`quality_gain` has the other evaluators.

    Parameters
    ----------
    table : array-like of shape (..., n_branches, n_classes)
        Class weights in each branch of each cut.

    Returns
    -------
    gain : ndarray of shape (...)
        The gain of each cut.

    References
    ----------
    .. [1] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the
       Hoeffding inequality in stream mining. IDA 2013, pp. 298-309, eq. 5 to 7.

    Examples
    --------
    >>> float(accuracy_gain([[30, 10], [5, 55]]))
    0.2
    >>> float(accuracy_gain([[30, 10], [40, 35]]))  # both branches keep the majority
    0.0
    """
    return error_gain(table)


def loss_gain(table: ArrayLike, costs: ArrayLike) -> Doubles:
    r"""Return how much cost a cut saves, by resubstitution, in units of the largest cost.

    .. math:: G = \frac1N \Big(\min_l \sum_{bk} T_{bk} c_{lk} -
       \sum_b \min_l \sum_k T_{bk} c_{lk}\Big), \qquad
       c_{lk} = \frac{\mathrm{cost}(l, k)}{\max \mathrm{cost}}

    The label of a branch is the class with the lowest cost by its own counts. Ties go to the
    lowest code.

    Parameters
    ----------
    table : array-like of shape (..., n_branches, n_classes)
        Class weights in each branch of each cut.
    costs : array-like of shape (n_classes, n_classes)
        Cost of predicting the class of the row if the class of the column is true.

    Returns
    -------
    gain : ndarray of shape (...)
        The gain of each cut.

    References
    ----------
    .. [1] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the
       Hoeffding inequality in stream mining. IDA 2013, pp. 298-309, eq. 5, 6 and 8.

    Examples
    --------
    >>> float(loss_gain([[90, 0], [0, 10]], costs=[[0, 10], [0.1, 0]]).round(9))
    0.009
    """
    branches = _branches(table)
    scaled = cost_matrix_of_all(costs, range(branches.shape[-1]))
    return _saved(-(branches @ scaled.T), branches)


def quality_gain(
    branches: ArrayLike,
    labels: ArrayLike,
    evaluator: str = "resubstitution",
    costs: ArrayLike | None = None,
    holdout_examples: int = 30,
) -> float:
    r"""Return the accuracy gain or loss reduction of one cut over a sequence of examples.

    .. math:: G = \frac1n \sum_i \mathrm{hit}(\text{label of the branch of } i, y_i) -
       \mathrm{hit}(\text{label of the leaf}, y_i)

    A hit is 1 or 0, or with `costs` :math:`1 - \mathrm{cost}/\max\mathrm{cost}`. A label is
    the class with the largest weight or the lowest cost by the counts so far. Ties and empty
    branches get the lowest class. The evaluators differ in when a label is fixed:

    ``"resubstitution"``
        After all examples, the same that evaluate it: :func:`accuracy_gain`,
        :func:`loss_gain`. The terms are not independent of the labels.
    ``"prequential"``
        Each example is evaluated with the labels from the examples before it. Early labels
        are poor.
    ``"holdout"``
        The first `holdout_examples` fix all labels, and the later examples are averaged. This
        is a mean of independent terms, as Hoeffding's bound requires.

    The tree computes the same while it learns (``evaluator=``). This function is the plain
    version, to read and to test.

    Parameters
    ----------
    branches : array-like of shape (n_examples,)
        The branch of each example, from 0, in order.
    labels : array-like of shape (n_examples,)
        The class of each example, from 0.
    evaluator : {"resubstitution", "prequential", "holdout"}, default="resubstitution"
        When a label is fixed.
    costs : array-like of shape (n_classes, n_classes), default=None
        Costs ``[predicted][true]``. None is accuracy.
    holdout_examples : int, default=30
        Number of examples that fix the labels. Only for ``"holdout"``.

    Returns
    -------
    gain : float
        The gain. NaN if no example is averaged.

    References
    ----------
    .. [1] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the
       Hoeffding inequality in stream mining. IDA 2013, pp. 298-309, section 4.2. The
       paper does not say when the label of a branch is fixed.

    Examples
    --------
    >>> branches, labels = [0, 0, 1, 1, 0], [1, 1, 0, 0, 1]
    >>> quality_gain(branches, labels), quality_gain(branches, labels, "prequential")
    (0.4, 0.6)
    >>> quality_gain(branches, labels, "holdout", holdout_examples=3)
    0.5
    """
    one_of("evaluator", evaluator, ["resubstitution", "prequential", "holdout"])
    branch_of = _codes("branches", branches)
    truths = _codes("labels", labels)
    if branch_of.shape != truths.shape:
        raise ValueError(
            f"branches and labels must have one entry per example, got {branch_of.size} and "
            f"{truths.size}"
        )
    if not (isinstance(holdout_examples, int | np.integer) and holdout_examples >= 1):
        raise ValueError(f"holdout_examples must be at least 1, got {holdout_examples!r}")
    n_classes = int(truths.max(initial=0)) + 1
    price = 1.0 - np.eye(n_classes)
    if costs is not None:
        price = cost_matrix_of_all(costs, range(len(np.atleast_1d(costs))))
    if n_classes > len(price):
        rule = f"below the {len(price)} classes of costs"
        raise ValueError(f"labels must be {rule}, got {n_classes - 1}")
    counts = np.zeros((int(branch_of.max(initial=0)) + 1, len(price)))
    if evaluator == "resubstitution":
        np.add.at(counts, (branch_of, truths), 1.0)
        gain = accuracy_gain(counts) if costs is None else loss_gain(counts, costs)
        return float(gain) if branch_of.size else np.nan

    fixed = holdout_examples if evaluator == "holdout" else 0
    leaf_label = 0
    branch_labels = np.zeros(len(counts), dtype=np.intp)
    gained = 0.0
    for i, (branch, truth) in enumerate(zip(branch_of, truths, strict=True)):
        if i >= fixed:
            gained += price[leaf_label, truth] - price[branch_labels[branch], truth]
        if i < fixed or evaluator == "prequential":
            counts[branch, truth] += 1.0
            # argmin returns the lowest class of equal costs.
            leaf_label = int((price @ counts.sum(axis=0)).argmin())
            branch_labels[branch] = (price @ counts[branch]).argmin()
    averaged = branch_of.size - fixed
    return float(gained / averaged) if averaged > 0 else np.nan


def error_gain(table: ArrayLike) -> Doubles:
    """Return the gain of misclassification, computed as a difference of counts."""
    branches = _branches(table)
    return _saved(branches, branches)


def _branches(table: ArrayLike) -> Doubles:
    branches = not_negative("table", table)
    if branches.ndim < 2 or branches.shape[-1] == 0:
        raise ValueError(
            f"table must have the shape (..., n_branches, n_classes), got {branches.shape}"
        )
    return branches


def _saved(merits: Doubles, branches: Doubles) -> Doubles:
    """Return (sum of the best merits of the branches - best merit of the leaf) / weight.

    `merits` has the shape (..., n_branches, n_labels). Both sums run over the branches in the same
    order, so that equal terms cancel exactly.
    """
    whole = np.zeros(merits.shape[:-2] + merits.shape[-1:])
    apart = np.zeros(merits.shape[:-2])
    for b in range(merits.shape[-2]):
        whole = whole + merits[..., b, :]
        apart = apart + merits[..., b, :].max(axis=-1)
    weight = branches.sum(axis=(-1, -2))
    return np.asarray((apart - whole.max(axis=-1)) / np.where(weight > 0.0, weight, 1.0))


def _codes(parameter: str, values: ArrayLike) -> NDArray[np.intp]:
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.intp)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer) or (array < 0).any():
        raise ValueError(f"{parameter} must be a sequence of whole numbers from 0, got {values!r}")
    return array.astype(np.intp)
