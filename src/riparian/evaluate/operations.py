"""Count the operations of restructuring trees while they learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.table import read_table
from riparian.models.restructuring.model import RestructuringModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["count_operations", "plot_operations"]

#: The attribute of a model with each counter, and its description.
_COUNTED = {
    "additions": ("n_count_additions_", "instance-count additions"),
    "scores": ("n_e_scores_", "E-score calculations"),
    "restructurings": ("n_restructurings_", "restructurings"),
}


def count_operations(
    model: RestructuringModel[Any], X: Any, y: Any, *, points: int = 50
) -> dict[str, NDArray[np.int64]]:
    """Let a model learn rows, and record its operation counters.

    Parameters
    ----------
    model : ID3, ID3Prime, ID4, ID5R or ITI
        The model. A lazy one restructures at every point.
    X, y
        The rows, as for ``partial_fit``.
    points : int, default=50
        Number of points at which the counters are recorded.

    Returns
    -------
    counters : dict of ndarray
        ``"n"``, the number of learned examples at each point, and the counters ``"additions"``,
        ``"scores"`` and ``"restructurings"`` up to there.

    Examples
    --------
    >>> from riparian import ID5R
    >>> from riparian.evaluate import count_operations
    >>> X = [["a", "b"], ["a", "c"], ["d", "b"], ["d", "c"]] * 5
    >>> count_operations(ID5R(), X, [0, 1, 1, 0] * 5, points=4)["n"].tolist()
    [5, 10, 15, 20]
    """
    table = read_table(X)
    rows = np.arange(table.n_rows)
    labels = np.asarray(y)
    ends = np.unique(np.linspace(0, table.n_rows, points + 1).astype(int)[1:])
    found: dict[str, list[int]] = {"n": [], **{name: [] for name in _COUNTED}}
    first = 0
    for end in ends.tolist():
        model.partial_fit(_rows(X, rows[first:end]), labels[first:end])
        found["n"].append(end)
        for name, (attribute, _) in _COUNTED.items():
            found[name].append(getattr(model, attribute))
        first = end
    return {name: np.array(values, dtype=np.int64) for name, values in found.items()}


def plot_operations(
    counted: Mapping[str, Mapping[str, Any]],
    axes: Sequence[Axes] | None = None,
    *,
    counters: Sequence[str] = ("additions", "scores"),
) -> Sequence[Axes]:
    """Plot counters against the learned examples: one panel per counter, one line per model.

    Parameters
    ----------
    counted : mapping of str to mapping
        The result of :func:`count_operations` for each name.
    axes : sequence of Axes, optional
        One for each of `counters`. By default those of a new figure.
    counters : sequence of str, default=("additions", "scores")
        The counters: "additions", "scores" or "restructurings".

    Returns
    -------
    axes : sequence of Axes
        The axes.
    """
    import matplotlib.pyplot as plt

    from riparian.errors import one_of

    for name in counters:
        one_of("counters", name, _COUNTED)
    if axes is None:
        width = 4.5 * len(counters)
        _, made = plt.subplots(1, len(counters), figsize=(width, 3.5), layout="constrained")
        axes = list(np.atleast_1d(made))
    if len(axes) != len(counters):
        raise ValueError(f"axes must have one entry per counter, {len(counters)}, got {len(axes)}")
    for ax, name in zip(axes, counters, strict=True):
        for label, values in counted.items():
            ax.plot(values["n"], values[name], label=label)
        ax.set_xlabel("examples")
        ax.set_ylabel(_COUNTED[name][1])
        ax.set_yscale("symlog", linthresh=1)
        ax.grid(alpha=0.3)
    axes[0].legend(frameon=False)
    return axes


def _rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of an array, a frame, a list or a mapping of columns."""
    if isinstance(X, Mapping):
        return {name: np.asarray(column)[rows] for name, column in X.items()}
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return np.asarray(X)[rows] if hasattr(X, "dtype") else [X[i] for i in rows.tolist()]
