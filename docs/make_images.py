"""Draw the pictures of the README, lab.md and evaluation.md: ``python docs/make_images.py``.

The tree and the accuracy are those of `make demo`; the laboratory's are the figures of lab.md, the
ranks those of evaluation.md; these take some minutes. Each is drawn for light and for dark pages.
Seeds are fixed, so a second run draws the same pictures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

import riparian as rp
from riparian.commands.compare import DEFAULT_STREAMS, model_of
from riparian.palette import DARK, LIGHT, class_colour

FOLDER = Path(__file__).parent / "images"
DOTS_PER_INCH = 144
ROWS_OF_THE_TREE = 20_000  # later its leaves lie deeper than a page is wide


def draw_tree(model: rp.HoeffdingTree) -> Figure:
    """The upper levels of the tree, as `model.plot()` draws them."""
    figure = model.plot(max_depth=2).figure
    assert isinstance(figure, Figure)
    return figure


def draw_accuracy(result: rp.evaluate.Result, *, dark: bool) -> Figure:
    """Accuracy over time, and where the river changes."""
    colours = DARK if dark else LIGHT
    # The first blue is dim as a thin line on a dark ground; the fifth is not.
    blue = class_colour(4 if dark else 0, dark=dark)
    curve, n = result.curve, float(result.n)
    baseline = result.baselines["majority class"]
    figure, axes = plt.subplots(figsize=(8.4, 3.4), layout="constrained")
    axes.axvspan(0.6 * n, 0.8 * n, color=colours["flow"], linewidth=0)
    axes.axvline(0.35 * n, color=colours["quiet"], linewidth=1.2, linestyle=(0, (4, 3)))
    axes.axhline(baseline, color=colours["quiet"], linewidth=1.4, linestyle=(0, (1, 2)))
    axes.plot(curve.rows, curve.accuracy, color=blue, linewidth=2.0)

    axes.text(0.342 * n, 0.75, "a dam is closed", ha="right")
    axes.text(0.7 * n, 0.9, "snow and soil\ntake over", ha="center", va="center")
    axes.text(0.01 * n, baseline + 0.01, "always the commonest class", color=colours["quiet"])
    axes.set_xlim(0, n)
    axes.set_ylim(0.5, 0.98)
    axes.set_xlabel("rows")
    axes.set_ylabel("accuracy before learning")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.tick_params(colors=colours["quiet"], length=0)
    axes.grid(axis="y", color=colours["line"], linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    return figure


def draw_lab(decisions: dict[str, rp.lab.Decisions]) -> Figure:
    """Wrong decisions against the examples they took, as `riparian lab --plot` draws them."""
    figure = rp.lab.plot(decisions).figure
    assert isinstance(figure, Figure)
    return figure


def compared() -> rp.evaluate.Comparison:
    """What the command of evaluation.md compares."""
    texts = ["VFDT", "VFDT(leaf=adaptive)", "HoeffdingTree(leaf=idbd)", "CorrectedVFDT", "CTree"]
    models = {text: model_of(text) for text in texts}
    return rp.evaluate.compare(models, DEFAULT_STREAMS, seeds=range(3), rows=100_000)


def draw_ranks(found: rp.evaluate.Comparison) -> Figure:
    """The critical-difference diagram, as `riparian compare --plot` draws it."""
    figure = found.plot_ranks().figure
    assert isinstance(figure, Figure)
    return figure


def style(*, dark: bool) -> dict[Any, Any]:
    """What matplotlib is to draw on and with."""
    colours = DARK if dark else LIGHT
    return {
        "figure.facecolor": colours["ground"],
        "axes.facecolor": colours["ground"],
        "text.color": colours["ink"],
        "axes.labelcolor": colours["ink"],
        "savefig.facecolor": "auto",
        "font.size": 10,
    }


def save(figure: Figure, path: Path) -> None:
    """Write a PNG that does not name the program that wrote it."""
    figure.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Learn the stream once for each picture, then draw."""
    mpl.use("agg")
    FOLDER.mkdir(exist_ok=True)
    stream = rp.streams.drifting()
    young = rp.StreamTree()
    rp.evaluate.prequential(young, stream, rows=ROWS_OF_THE_TREE, progress=False)
    result = rp.evaluate.prequential(rp.StreamTree(), stream, progress=False)
    decisions = rp.lab.compare(delta=0.05, repetitions=100_000)
    found = compared()
    for scheme in ("light", "dark"):
        dark = scheme == "dark"
        with mpl.rc_context(style(dark=dark)):
            save(draw_tree(young), FOLDER / f"tree-{scheme}.png")
            save(draw_accuracy(result, dark=dark), FOLDER / f"accuracy-{scheme}.png")
            save(draw_lab(decisions), FOLDER / f"lab-{scheme}.png")
            save(draw_ranks(found), FOLDER / f"ranks-{scheme}.png")


if __name__ == "__main__":
    main()
