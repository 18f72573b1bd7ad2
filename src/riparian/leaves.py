"""Leaf predictors: what a leaf predicts with.

``"majority"``
    The class with the largest weight. A new leaf starts with the class weights that
    its parent's split estimated for it (``inherit_counts=``).
``"naive-bayes"``
    Naive Bayes over the statistics of the leaf: Gaussians for numeric features and
    smoothed counts for categorical ones, in logarithms. Missing values are skipped.
``"adaptive"``
    Majority or naive Bayes, whichever was right more often at this leaf. Both are
    evaluated on every example before it is learned. Ties go to naive Bayes (Gama, Rocha
    and Medas, Accurate decision trees for mining high-speed data streams, KDD 2003).
``"linear-units"``
    One linear unit per class. It learns a step size for each of its weights by incremental
    delta-bar-delta (:func:`idbd`). A new leaf starts with the units of its parent. Parameters:
    ``LinearUnits(step=0.05, meta_step=0.01)``.
``"softmax"``
    Multinomial logistic regression, trained by stochastic gradient descent on the log loss. A
    new leaf starts with the weights of its parent. Parameters: ``Softmax(step=0.02)``.

If several are given, ``("majority", "naive-bayes", "linear-units")``, a leaf predicts with the one
that was right more often at this leaf. Ties go to softmax, then to the linear units, because only
these two have learned something in a new leaf; then to naive Bayes, then to the majority. The order
in which they are given does not matter.

A leaf predictor can also be an object of your own, alone or as one of several. It has
``learn(x, y, w)`` and ``predict_proba(x)``, where `x` is an :class:`Example` and `y` the number of
the class. docs/policies.md has an example.

The names that :class:`riparian.HoeffdingTree` accepts for ``leaf=``:

>>> from riparian.policies import names
>>> names("leaf")
['majority', 'naive-bayes', 'adaptive', 'linear-units', 'softmax']
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.policies import Policy, publish
from riparian.policies.own_leaf import Example

__all__ = ["Example", "Steps", "idbd"]


class Steps(NamedTuple):
    """The steps of :func:`idbd`, one row per example.

    Attributes
    ----------
    error : float64 array of shape (n_rows,)
        Target minus prediction, before the step.
    alpha : float64 array of shape (n_rows, n_inputs)
        The step sizes used.
    weights, trace : float64 array of shape (n_rows, n_inputs)
        The weights :math:`w` and traces :math:`h` after the step.
    """

    error: NDArray[np.float64]
    alpha: NDArray[np.float64]
    weights: NDArray[np.float64]
    trace: NDArray[np.float64]


def idbd(
    x: ArrayLike,
    y: ArrayLike,
    *,
    theta: float = 0.01,
    alpha: float = 0.05,
    sample_weight: ArrayLike | None = None,
) -> Steps:
    r"""Train a linear unit by incremental delta-bar-delta, which adapts the step sizes.

    With the error :math:`\delta = y - w^\top x`, each input is updated in this order:

    .. math::

        \beta_i &\leftarrow \beta_i + \theta\,\delta\,x_i h_i, \qquad \alpha_i = e^{\beta_i} \\
        w_i &\leftarrow w_i + \alpha_i\,\delta\,x_i \\
        h_i &\leftarrow h_i\,\max(0, 1 - \alpha_i x_i^2) + \alpha_i\,\delta\,x_i

    The steps of an input become longer while its errors keep their sign, and shorter when
    the sign changes. A step changes :math:`\beta_i` by at most 2 and keeps it in [-10, 10].
    If :math:`\sum_i \alpha_i x_i^2 > 1`, all step sizes are scaled down to make the sum 1,
    so that a step never overshoots its target. Weights and traces are limited to one million
    in absolute value. With ``theta=0`` this is the LMS rule.

    Parameters
    ----------
    x : array-like of shape (n_rows, n_inputs)
        Inputs, at most one million in absolute value. Add a column of ones for an intercept.
    y : array-like of shape (n_rows,)
        Targets.
    theta : float, default=0.01
        Step size of the step sizes, from 0 to 1.
    alpha : float, default=0.05
        The initial step size, from 5e-05 to 1.
    sample_weight : array-like of shape (n_rows,), optional
        Factor of the step of each row. (A leaf repeats the step instead, and uses a factor for
        the fractional part only.)

    Returns
    -------
    steps : Steps
        Errors, step sizes, weights and traces.

    References
    ----------
    .. [1] R. S. Sutton. Adapting bias by gradient descent: an incremental version of
       delta-bar-delta. AAAI 1992, pp. 171-176, figure 2.

    Examples
    --------
    >>> steps = idbd([[1, 2], [1, -1], [1, 0.5]], [1, -1, 1])
    >>> steps.error
    array([ 1.        , -0.95      ,  0.92370487])
    >>> steps.weights[-1]
    array([0.04868588, 0.17067494])
    """
    inputs = np.ascontiguousarray(x, dtype=np.float64)
    targets = np.ascontiguousarray(y, dtype=np.float64)
    if inputs.ndim != 2 or targets.shape != inputs.shape[:1]:
        raise ValueError(
            f"x must have two dimensions and y one number per row, got the shapes {inputs.shape} "
            f"and {targets.shape}"
        )
    weights = np.ones(len(targets))
    if sample_weight is not None:
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != targets.shape or not (weights >= 0.0).all():
        raise ValueError("sample_weight must have one number per row, each at least 0")
    if not (np.abs(inputs) <= 1e6).all() or not (np.abs(targets) <= 1e6).all():
        raise ValueError("x and y must be numbers from -1e+06 to 1e+06")
    if not 0.0 <= theta <= 1.0:
        raise ValueError(f"theta must be a number from 0 to 1, got {theta!r}")
    if not 5e-5 <= alpha <= 1.0:
        raise ValueError(f"alpha must be a number from 5e-05 to 1, got {alpha!r}")
    return Steps(*_core.idbd(inputs, targets, weights, float(theta), float(alpha)))


def __getattr__(name: str) -> type[Policy]:  # for type checkers, which cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("leaf", globals())
