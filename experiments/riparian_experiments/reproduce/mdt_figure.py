"""mDT: where the gains of three impurities are highest between Gaussians (figure 1, theorem 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from riparian import cuts, impurities
from riparian_experiments.reproduce.experiment import (
    SIZES,
    Experiment,
    Parameter,
    Run,
    mean,
    verdict,
)
from riparian_experiments.reproduce.outcome import Outcome, Picture, Table, tidy
from riparian_experiments.reproduce.published import MDT_SOURCE

__all__ = ["EXPERIMENTS", "Leaf", "gains", "random_leaf"]

#: Number of random leaves at which theorem 1 is checked, and of split points between their classes.
#: The paper has one picture, so all sizes are equal.
_SIZE: dict[str, Parameter] = {"leaves": 2000, "points": 2001}
FIGURE_1 = {size: dict(_SIZE) for size in SIZES}

IMPURITIES = ("entropy", "gini", "misclassification")


@dataclass(frozen=True)
class Leaf:
    """The Gaussians of one feature at a leaf: weight, mean and standard deviation per class."""

    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    deviations: NDArray[np.float64]

    def intersections(self) -> NDArray[np.float64]:
        found: NDArray[np.float64] = cuts.intersections(self.weights, self.means, self.deviations)
        return found

    def between(self, points: int) -> NDArray[np.float64]:
        """Return split points from three deviations below the classes to three above them."""
        low = (self.means - 3 * self.deviations).min()
        high = (self.means + 3 * self.deviations).max()
        return np.linspace(low, high, points)

    def densities(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        z = (x - self.means[:, None]) / self.deviations[:, None]
        scale = self.weights / (np.sqrt(2 * np.pi) * self.deviations)
        found: NDArray[np.float64] = scale[:, None] * np.exp(-0.5 * z * z)
        return found


#: The paper shows three classes but not their parameters; these are ours.
EXAMPLE = Leaf(
    weights=np.array([300.0, 400.0, 200.0]),
    means=np.array([0.0, 2.0, 6.0]),
    deviations=np.array([0.6, 1.8, 0.8]),
)


def gains(leaf: Leaf, x: NDArray[np.float64], impurity: str) -> NDArray[np.float64]:
    """Return the gain of a split at each point, by equations 9 and 10 of the paper."""
    left = leaf.weights * ndtr((x[:, None] - leaf.means) / leaf.deviations)
    return impurities.gain(np.stack([left, leaf.weights - left], axis=1), impurity)


def random_leaf(rng: np.random.Generator) -> Leaf:
    """Return a leaf with two to five classes of random weight, mean and deviation."""
    classes = int(rng.integers(2, 6))
    return Leaf(
        np.ceil(rng.uniform(20, 1000, classes)),
        rng.uniform(0, 10, classes),
        rng.uniform(0.3, 3, classes),
    )


def _shares(leaf: Leaf, points: int) -> dict[str, float]:
    """Return the best gain of an intersection, as a share of the best gain of any point.

    Impurities for which no point has a gain are left out.
    """
    at, x = leaf.intersections(), leaf.between(points)
    found = {}
    for impurity in IMPURITIES:
        best = float(gains(leaf, x, impurity).max())
        if best > 1e-9:
            found[impurity] = float(gains(leaf, at, impurity).max(initial=0.0)) / best
    return found


def _figure_1(run: Run, *, leaves: int, points: int) -> Outcome:
    rng = np.random.default_rng(run.seed)
    drawn = [_shares(random_leaf(rng), points) for _ in range(leaves)]
    shares = {name: [found[name] for found in drawn if name in found] for name in IMPURITIES}
    # The points can miss the highest gain by a little but cannot exceed it.
    reached = {name: sum(share >= 1 - 1e-9 for share in shares[name]) for name in IMPURITIES}
    lost = {name: [max(0.0, 1 - share) for share in shares[name]] for name in IMPURITIES}
    x, at = EXAMPLE.between(2001), EXAMPLE.intersections()
    curves = {impurity: gains(EXAMPLE, x, impurity) for impurity in IMPURITIES}
    tops = {impurity: float(x[curve.argmax()]) for impurity, curve in curves.items()}
    n = len(shares["misclassification"])
    return Outcome(
        claims=[
            "The highest misclassification gain is at an intersection of two Gaussians: "
            f"{verdict(reached['misclassification'] == n)} at "
            f"{reached['misclassification']:,} of {n:,} random leaves where a split has a gain.",
            "For entropy and Gini it is not: the best intersection reaches the highest gain at "
            f"{reached['entropy']:,} and {reached['gini']:,} leaves, and loses "
            f"{mean(lost['entropy']):.1%} and {mean(lost['gini']):.1%} of it on average.",
        ],
        notes=[
            "The paper does not give the Gaussians of its figure. Those of the picture are ours; "
            "the random leaves have two to five classes."
        ],
        tables=[
            Table(
                "The picture: the best split, and the nearest intersection",
                ("impurity", "best split at", "gain", "nearest intersection", "distance"),
                [
                    (
                        impurity,
                        f"{tops[impurity]:.3f}",
                        f"{curves[impurity].max():.4f}",
                        f"{at[np.abs(at - tops[impurity]).argmin()]:.3f}",
                        f"{np.abs(at - tops[impurity]).min():.3f}",
                    )
                    for impurity in IMPURITIES
                ],
            ),
            Table(
                "Random leaves: the best intersection against the best of all points",
                ("impurity", "as good", "mean loss", "largest loss"),
                [
                    (
                        impurity,
                        f"{reached[impurity]:,} of {len(shares[impurity]):,}",
                        f"{mean(lost[impurity]):.2%}",
                        f"{max(lost[impurity]):.2%}",
                    )
                    for impurity in IMPURITIES
                ],
            ),
        ],
        pictures=[
            Picture(
                "Gaussians of three classes with their intersections, and the gain of each split",
                lambda: draw(EXAMPLE, x, curves),
            )
        ],
    )


def draw(leaf: Leaf, x: NDArray[np.float64], curves: Mapping[str, NDArray[np.float64]]) -> Any:
    """Draw the densities above the gains, which are divided by their highest value."""
    import matplotlib.pyplot as plt

    from riparian.export.palette import class_colour

    _, (upper, lower) = plt.subplots(2, sharex=True, figsize=(7.6, 5.6), layout="constrained")
    for place in leaf.intersections():
        for ax in (upper, lower):
            ax.axvline(place, color="0.75", linewidth=1.0)
    for k, density in enumerate(leaf.densities(x)):
        upper.plot(x, density, color=class_colour(k), label=f"class {k}")
    for k, (impurity, curve) in enumerate(curves.items()):
        colour = class_colour(k + len(leaf.weights))
        lower.plot(x, curve / curve.max(), color=colour, label=impurity)
        lower.plot(x[curve.argmax()], 1.0, "v", color=colour)
    upper.set_xlim(x[0], x[-1])
    upper.set_ylabel("density x examples")
    lower.set_ylabel("gain / highest gain")
    lower.set_xlabel("split point")
    tidy(lower)
    return tidy(upper)


EXPERIMENTS = (
    Experiment(
        "mdt-figure-1",
        "mDT, figure 1: where the gain is highest",
        MDT_SOURCE,
        _figure_1,
        FIGURE_1,
    ),
)
