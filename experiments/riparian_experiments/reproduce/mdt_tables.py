"""The tables of the mDT experiments, and what they say about the claims of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from riparian_experiments.reproduce.experiment import mean, verdict
from riparian_experiments.reproduce.outcome import Table
from riparian_experiments.reproduce.published import VARIANTS

__all__ = [
    "GAINS",
    "Figures",
    "Published",
    "accuracy_claims",
    "figure_tables",
    "ratio_table",
    "size_claims",
]

#: The gains: rounded as in the released code, or exact.
GAINS = ("legacy", "exact")

#: Training and test accuracy, nodes, depth and seconds, by variant and gain.
Figures = dict[tuple[str, str], tuple[float, float, float, float, float]]
#: The same figures of the paper, by their names, for each variant.
Published = dict[str, tuple[float, ...]]

_TEST, _NODES = 1, 2


def size_claims(found: Mapping[str, Figures]) -> list[str]:
    """Report whether intersections give smaller trees, and why."""

    def nodes(cuts: str, gain: str) -> float:
        return mean(f[cuts, gain][_NODES] for f in found.values())

    released = nodes("intersections", "legacy") / nodes("bins", "legacy")
    exact = nodes("intersections", "exact") / nodes("bins", "exact")
    cause = (
        "the difference in size comes from rounding and the tie rule"
        if exact > released and exact > 0.75
        else "rounding and the tie rule alone do not explain the difference in size"
    )
    return [
        f"Intersections give smaller trees with the released rounding: {verdict(released < 0.9)} "
        f"({nodes('intersections', 'legacy'):.1f} nodes against {nodes('bins', 'legacy'):.1f}, "
        f"a ratio of {released:.2f}).",
        f"With exact gains the trees have {nodes('intersections', 'exact'):.1f} and "
        f"{nodes('bins', 'exact'):.1f} nodes, a ratio of {exact:.2f}: {cause}.",
    ]


def accuracy_claims(shown: Mapping[str, tuple[Published, Figures]]) -> list[str]:
    """Report how far the measured test accuracy is from the published one."""
    cells = [
        ours[cuts, "legacy"][_TEST] - published["test"][i]
        for published, ours in shown.values()
        for i, cuts in enumerate(VARIANTS)
    ]
    published_mean = mean(published["test"][0] for published, _ in shown.values())
    ours_mean = {
        gain: mean(ours["bins", gain][_TEST] for _, ours in shown.values()) for gain in GAINS
    }
    below = sum(cell < 0 for cell in cells)
    return [
        f"Test accuracy of bins: published {published_mean:.4f}, {ours_mean['legacy']:.4f} with "
        f"the released rounding, {ours_mean['exact']:.4f} with exact gains. Over all variants "
        f"{below} of {len(cells)} figures with that rounding are below the published ones; the "
        f"differences are from {100 * min(cells):+.1f} to {100 * max(cells):+.1f} points."
    ]


def ratio_table(settings: Mapping[str, Mapping[str, tuple[Published, Figures]]]) -> Table:
    """Return the nodes of intersections divided by those of bins, published and measured."""
    names = {"legacy": "rounded", "exact": "exact"}
    heads = [f"{names[gain]}{', ' * bool(s)}{s}" for s in settings for gain in GAINS]
    by_data: dict[str, list[float]] = {}
    for shown in settings.values():
        for label, (published, ours) in shown.items():
            row = by_data.setdefault(label, [_ratio(published["nodes"])])
            row += [_ratio([ours[cuts, gain][_NODES] for cuts in VARIANTS]) for gain in GAINS]
    rows = [(label, *(f"{ratio:.2f}" for ratio in row)) for label, row in by_data.items()]
    means = (mean(column) for column in zip(*by_data.values(), strict=True))
    rows.append(("mean", *(f"{ratio:.2f}" for ratio in means)))
    return Table(
        "Nodes of intersections divided by nodes of bins", ("data", "published", *heads), rows
    )


def _ratio(nodes: Iterable[float]) -> float:
    by_variant = dict(zip(VARIANTS, nodes, strict=True))
    return by_variant["intersections"] / by_variant["bins"]


def figure_tables(shown: Mapping[str, tuple[Published, Figures]], setting: str = "") -> list[Table]:
    """Return a table for each figure of the paper; `setting` is added to the captions."""
    columns = (
        ("test", "Accuracy in the test", 1, 4),
        ("nodes", "Nodes", 2, 1),
        ("train", "Accuracy in training", 0, 4),
        ("depth", "Depth", 3, 1),
    )
    tables = []
    for name, title, place, digits in columns:
        heads = ["data"]
        for cuts in VARIANTS:
            heads += [cuts, "rounded", "exact"]
        rows = []
        for label, (published, ours) in shown.items():
            row = [label]
            for i, cuts in enumerate(VARIANTS):
                row.append(f"{published[name][i]:.{digits}f}")
                row += [f"{ours[cuts, gain][place]:.{digits}f}" for gain in GAINS]
            rows.append(tuple(row))
        caption = f"{title}{setting}: published, ours as the released code rounds, ours exact"
        tables.append(Table(caption, tuple(heads), rows))
    return tables
