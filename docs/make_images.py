"""Draw the pictures of the README and of docs: ``python docs/make_images.py``.

The tree and the accuracy are those of `make demo`; the laboratory's are the figures of lab.md, the
ranks those of evaluation.md, the detectors' those of drift.md, the curves of trees that follow
change those of adaptation.md, the pull-up and the operations those of restructuring.md, the
surfaces those of gradient.md; some take minutes. Each is drawn for light and for dark pages. Seeds
are fixed, so a second run draws the same pictures. Names after the command, such as ``drift``, draw
these only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

import riparian as rp
from riparian.cli.compare import DEFAULT_STREAMS
from riparian.cli.parse_models import parse_model
from riparian.export.palette import DARK, LIGHT, class_colour

FOLDER = Path(__file__).parent / "images"
DOTS_PER_INCH = 144
ROWS_OF_THE_TREE = 20_000  # later its leaves lie deeper than a page is wide


def draw_tree(model: rp.HoeffdingTree) -> Figure:
    """The upper levels of the tree, as `model.plot()` draws them."""
    figure = model.plot(max_depth=2).figure
    assert isinstance(figure, Figure)
    return figure


def draw_accuracy(results: dict[str, rp.evaluate.Result], *, dark: bool) -> Figure:
    """Accuracy of several models over time, and where the river changes."""
    colours = DARK if dark else LIGHT
    last = list(results.values())[-1]
    n, baseline = float(last.n), last.baselines["majority class"]
    figure, axes = plt.subplots(figsize=(8.4, 3.8), layout="constrained")
    axes.axvspan(0.6 * n, 0.8 * n, color=colours["flow"], linewidth=0)
    axes.axvline(0.35 * n, color=colours["quiet"], linewidth=1.2, linestyle=(0, (4, 3)))
    axes.axhline(baseline, color=colours["quiet"], linewidth=1.4, linestyle=(0, (1, 2)))
    for k, (name, result) in enumerate(results.items()):
        colour = class_colour((4, 1, 2)[k] if dark else (0, 1, 2)[k], dark=dark)
        axes.plot(result.curve.rows, result.curve.accuracy, color=colour, linewidth=2.0, label=name)
    axes.text(0.342 * n, 0.62, "a dam is closed", ha="right")
    axes.text(0.7 * n, 0.985, "snow and soil take over", ha="center", va="center")
    axes.text(0.01 * n, baseline + 0.01, "always the commonest class", color=colours["quiet"])
    axes.set_xlim(0, n)
    axes.set_ylim(0.5, 1.0)
    axes.set_xlabel("rows")
    axes.set_ylabel("accuracy before learning")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.tick_params(colors=colours["quiet"], length=0)
    axes.grid(axis="y", color=colours["line"], linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.37, 0.1), frameon=False, labelcolor=colours["ink"]
    )
    return figure


def draw_lab(decisions: dict[str, rp.lab.Decisions]) -> Figure:
    """Wrong decisions against the examples they took, as `riparian lab --plot` draws them."""
    figure = rp.lab.plot(decisions).figure
    assert isinstance(figure, Figure)
    return figure


def compared() -> rp.evaluate.Comparison:
    """What the command of evaluation.md compares."""
    texts = ["VFDT", "VFDT(leaf=adaptive)", "HoeffdingTree(leaf=linear-units)", "CorrectedVFDT"]
    texts += ["CTree"]
    models = {text: parse_model(text) for text in texts}
    return rp.evaluate.compare(models, DEFAULT_STREAMS, seeds=range(3), rows=100_000)


def draw_ranks(found: rp.evaluate.Comparison) -> Figure:
    """The critical-difference diagram, as `riparian compare --plot` draws it."""
    figure = found.plot_ranks().figure
    assert isinstance(figure, Figure)
    return figure


def draw_window(*, dark: bool) -> Figure:
    """The rate of errors as ADWIN sees it, and how long its window is."""
    colours = DARK if dark else LIGHT
    blue = class_colour(4 if dark else 0, dark=dark)
    n = 16_000
    rates = np.interp(
        np.arange(n), [0, 5000, 5001, 9000, 12_000, n], [0.2, 0.2, 0.5, 0.5, 0.1, 0.1]
    )
    wrong = np.random.default_rng(3).random(n) < rates
    detector = rp.drift.ADWIN()
    estimates, widths, drifts = np.zeros(n), np.zeros(n), []
    for i, x in enumerate(wrong):
        detector.update(x)
        estimates[i], widths[i] = detector.estimate, detector.width
        if detector.drift_detected:
            drifts.append(i)
    figure, (upper, lower) = plt.subplots(
        2, sharex=True, figsize=(8.4, 4.6), layout="constrained", height_ratios=(3, 2)
    )
    upper.plot(rates, color=colours["quiet"], linewidth=1.4, linestyle=(0, (4, 3)))
    upper.plot(estimates, color=blue, linewidth=2.0)
    upper.text(3000, 0.225, "ADWIN's estimate", ha="center", color=blue)
    upper.text(10_900, 0.2, "the true rate of errors", ha="right", color=colours["quiet"])
    upper.set_ylim(0, 0.6)
    upper.set_ylabel("rate of errors")
    lower.plot(widths, color=blue, linewidth=2.0)
    lower.set_ylabel("length of the window")
    lower.yaxis.set_major_formatter("{x:,.0f}")
    lower.set_ylim(0, None)
    lower.scatter(drifts, widths[drifts], color=colours["ink"], s=14, zorder=3)
    lower.text(10_100, 0.75 * widths.max(), "a dot: drift detected")
    lower.set_xlabel("values")
    _plain([upper, lower], colours)
    lower.xaxis.set_major_formatter("{x:,.0f}")
    lower.set_xlim(0, n)
    return figure


def draw_detectors(rows: list[dict[str, Any]], *, dark: bool) -> Figure:
    """How late each detector is, against how often it is wrong."""
    colours = DARK if dark else LIGHT
    figure, axes = plt.subplots(figsize=(8.4, 4.8), layout="constrained")
    least = 2e-3  # of 300 series none had an alarm
    names = list(dict.fromkeys(row["detector"] for row in rows))
    for position, name in enumerate(names):
        of_one = [row for row in rows if row["detector"] == name and np.isfinite(row["delay"])]
        alarms = [max(row["alarms"], least) for row in of_one]
        delays = [row["delay"] for row in of_one]
        colour = class_colour(position, dark=dark)
        if name == "KSWIN":  # a yellow that a light page swallows
            colour = colours["ink"]
        axes.plot(alarms, delays, color=colour, linewidth=1.6, marker="o", markersize=4, label=name)
        for row, x, y in zip(of_one, alarms, delays, strict=True):
            if row["default"]:
                axes.plot(x, y, "o", color=colour, markersize=10, markerfacecolor="none")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("alarms in 10,000 values without a change")
    axes.set_ylabel("values until a change from 0.2 to 0.4 is found")
    ticks = [least, 0.01, 0.1, 1, 10, 100]
    axes.set_xticks(ticks, ["none", *(f"{tick:g}" for tick in ticks[1:])])
    axes.set_yticks([20, 50, 100, 200, 500, 1000], ["20", "50", "100", "200", "500", "1,000"])
    axes.minorticks_off()
    axes.legend(frameon=False, labelcolor=colours["ink"])
    _plain([axes], colours)
    axes.grid(color=colours["line"], linewidth=0.8)
    return figure


def before_and_after() -> tuple[rp.ID5R, rp.ID5R]:
    """A tree before and after the example that pulls another attribute up to its root."""
    rows = [
        (("sunny", "calm"), "go"),
        (("rain", "calm"), "go"),
        (("rain", "wind"), "stay"),
        (("sunny", "wind"), "go"),
        (("sunny", "wind"), "stay"),
    ]
    trees = rp.ID5R(), rp.ID5R()
    for tree, n in zip(trees, (len(rows) - 1, len(rows)), strict=True):
        for (sky, air), label in rows[:n]:
            tree.learn_one({"sky": sky, "air": air}, label)
    return trees


def draw_pull_up(trees: tuple[rp.ID5R, rp.ID5R]) -> Figure:
    """The two trees one above the other."""
    figure, axes = plt.subplots(2, figsize=(8.4, 6.4), layout="constrained")
    for ax, tree, title in zip(axes, trees, ("before", "after"), strict=True):
        tree.plot(ax=ax)
        ax.set_title(title, loc="left")
    return figure


def counted_operations() -> dict[str, dict[str, Any]]:
    """Eight attributes of three values; the label follows three of them, a tenth is noise."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, size=(1_000, 8))
    y = ((X[:, 0] == X[:, 1]) | (X[:, 2] == 2)) ^ (rng.random(1_000) < 0.1)
    models = {"ID3'": rp.ID3Prime(), "ID5R": rp.ID5R(), "ID4": rp.ID4()}
    return {name: rp.evaluate.count_operations(m, X, y) for name, m in models.items()}


def draw_operations(counted: dict[str, dict[str, Any]], *, dark: bool) -> Figure:
    """Additions and E-scores against the examples."""
    colours = DARK if dark else LIGHT
    cycle = mpl.cycler(color=[class_colour(i, dark=dark) for i in (1, 4 if dark else 0, 2)])
    with mpl.rc_context({"axes.prop_cycle": cycle, "lines.linewidth": 2.0}):
        axes = rp.evaluate.plot_operations(counted)
    _plain(list(axes), colours)
    for ax in axes:
        ax.grid(visible=False, axis="x")
    figure = axes[0].figure
    assert isinstance(figure, Figure)
    return figure


def spirals(n: int) -> tuple[Any, Any]:
    """Two arms of one and a half turns, the one turned half round from the other."""
    rng = np.random.default_rng(0)
    angle = np.sqrt(rng.uniform(size=n)) * 3 * np.pi
    y = rng.integers(0, 2, size=n)
    turned = angle + np.pi * y
    X = np.column_stack([np.cos(turned), np.sin(turned)]) * (angle / (3 * np.pi))[:, np.newaxis]
    return X + 0.01 * rng.normal(size=X.shape), y


def draw_surfaces(models: dict[str, tuple[rp.OADT, Any, Any]], *, dark: bool) -> Figure:
    """The probability of the second class over the plane, and the last examples."""
    colours = DARK if dark else LIGHT
    both = [class_colour(position, dark=dark) for position in (0, 1)]
    blend = LinearSegmentedColormap.from_list("two", [both[0], colours["ground"], both[1]])
    grid = np.linspace(-1.1, 1.1, 301)
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    figure, every = plt.subplots(
        1, len(models), figsize=(4.2 * len(models), 4.7), layout="constrained"
    )
    for axes, (title, (model, X, y)) in zip(every, models.items(), strict=True):
        surface = model.predict_proba(points)[:, 1].reshape(301, 301)
        steps = np.linspace(0, 1, 21)  # a smooth picture is five times as large a file
        axes.contourf(grid, grid, surface, levels=steps, cmap=blend)
        axes.contour(grid, grid, surface, levels=[0.5], colors=colours["ink"], linewidths=1.4)
        for position, label in enumerate(model.classes_):
            of_one = X[y == label][-300:]
            axes.scatter(*of_one.T, s=7, color=both[position], edgecolor=colours["ink"], lw=0.4)
        axes.set_title(title, fontsize=10, color=colours["ink"])
        axes.set(xticks=[], yticks=[], xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
        axes.spines[:].set_visible(False)
    return figure


def _plain(every: list[Any], colours: dict[str, str]) -> None:
    for axes in every:
        axes.tick_params(colors=colours["quiet"], length=0)
        axes.grid(axis="y", color=colours["line"], linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[:].set_visible(False)


def traded() -> list[dict[str, Any]]:
    """What `python benchmarks/drift_detectors.py --trade --series 300` measures."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
    from drift_detectors import trade

    return list(trade(300))


TREES_DRAWN = ["VFDT", "HAT", "CVFDT", "EFDT", "MOA HAT", "MOA EFDT"]


def followed() -> dict[str, dict[str, Any]]:
    """What `python benchmarks/following_change.py recovery` measures on generated streams."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
    from following_change import measured

    return {w.name: {"at": at, **found} for w, at, found in measured(TREES_DRAWN) if at}


def draw_recovery(curves: dict[str, dict[str, Any]], kind: str, *, dark: bool) -> Figure:
    """Accuracy around a change, one panel a stream; MOA's trees are dashed."""
    colours = DARK if dark else LIGHT
    names = [name for name in curves if name.endswith(kind)]
    figure, panels = plt.subplots(3, 2, figsize=(8.4, 7.6), layout="constrained", sharex=True)
    hues = (4 if dark else 0, 1, 2)  # the first blue is dim on a dark ground
    shades = {
        name: class_colour(hue, dark=dark) for name, hue in zip(TREES_DRAWN[1:4], hues, strict=True)
    }
    for axes, name in zip(panels.flat, names, strict=False):
        curve = curves[name]
        if kind == "gradual":
            axes.axvspan(40_000, 60_000, color=colours["flow"], linewidth=0)
        for change in range(curve["at"], 100_000, curve["at"]):
            axes.axvline(change, color=colours["quiet"], linewidth=1.0, linestyle=(0, (4, 3)))
        for tree_ in TREES_DRAWN:
            ours = tree_.removeprefix("MOA ")
            smooth = np.convolve(np.pad(curve[tree_], 1, mode="edge"), np.ones(3) / 3, "valid")
            axes.plot(
                (np.arange(len(smooth)) + 0.5) * 1000,
                smooth,
                color=shades.get(ours, colours["quiet"]),
                linewidth=1.5,
                linestyle="-" if ours == tree_ else (0, (2, 1.2)),
                label=tree_,
            )
        axes.set_title(name.removesuffix(f", {kind}"), fontsize=10, color=colours["ink"])
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlim(0, 100_000)
        axes.set_xticks([0, 40_000, 80_000])
    panels[1, 1].tick_params(labelbottom=True)
    last = panels.flat[-1]
    last.axis("off")
    last.legend(*panels.flat[0].get_legend_handles_labels(), loc="center", frameon=False, ncols=2)
    _plain(list(panels.flat[:-1]), colours)
    figure.supxlabel("rows", color=colours["ink"], fontsize=10)
    figure.supylabel("accuracy before learning", color=colours["ink"], fontsize=10)
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


def tree() -> dict[str, Callable[[bool], Figure]]:
    """Learn the stream once for each picture of the README."""
    stream = rp.streams.drifting()
    young = rp.StreamTree()
    rp.evaluate.prequential(young, stream, rows=ROWS_OF_THE_TREE, progress=False)
    models = (rp.StreamForest(), rp.HAT(), rp.StreamTree())
    results = {
        type(model).__name__: rp.evaluate.prequential(model, stream, progress=False)
        for model in models
    }
    return {
        "tree": lambda dark: draw_tree(young),
        "accuracy": lambda dark: draw_accuracy(results, dark=dark),
    }


def lab() -> dict[str, Callable[[bool], Figure]]:
    """Count the decisions of the laboratory."""
    decisions = rp.lab.compare(delta=0.05, repetitions=100_000)
    return {"lab": lambda dark: draw_lab(decisions)}


def ranks() -> dict[str, Callable[[bool], Figure]]:
    """Compare the models of evaluation.md."""
    found = compared()
    return {"ranks": lambda dark: draw_ranks(found)}


def drift() -> dict[str, Callable[[bool], Figure]]:
    """Measure the detectors of drift.md."""
    rows = traded()
    return {
        "drift-window": lambda dark: draw_window(dark=dark),
        "drift-detectors": lambda dark: draw_detectors(rows, dark=dark),
    }


def recovery() -> dict[str, Callable[[bool], Figure]]:
    """Measure the trees of adaptation.md, and MOA's, on streams that change."""
    curves = followed()
    return {
        "recovery-abrupt": lambda dark: draw_recovery(curves, "abrupt", dark=dark),
        "recovery-gradual": lambda dark: draw_recovery(curves, "gradual", dark=dark),
        "recovery-recurring": lambda dark: draw_recovery(curves, "recurring", dark=dark),
    }


def restructuring() -> dict[str, Callable[[bool], Figure]]:
    """Count the operations of restructuring.md."""
    trees, counted = before_and_after(), counted_operations()
    return {
        "pull-up": lambda dark: draw_pull_up(trees),
        "operations": lambda dark: draw_operations(counted, dark=dark),
    }


def gradient() -> dict[str, Callable[[bool], Figure]]:
    """Teach the trees of gradient.md."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(30_000, 2))
    y = X[:, 0] * X[:, 1] > 0
    arms, arm = spirals(150_000)
    models = {
        "exclusive or: 3 planes, 30,000 examples": (rp.OADT(depth=2).partial_fit(X, y), X, y),
        "two spirals: 127 planes, 150,000 examples": (
            rp.OADT(depth=7, slope=6).partial_fit(arms, arm),
            arms,
            arm,
        ),
    }
    return {"gradient": lambda dark: draw_surfaces(models, dark=dark)}


GROUPS = {
    "tree": tree,
    "lab": lab,
    "ranks": ranks,
    "drift": drift,
    "recovery": recovery,
    "restructuring": restructuring,
    "gradient": gradient,
}


def main(names: list[str]) -> None:
    """Draw the groups of pictures that are asked for, or all."""
    mpl.use("agg")
    FOLDER.mkdir(exist_ok=True)
    for group in names or GROUPS:
        for picture, draw in GROUPS[group]().items():
            for scheme in ("light", "dark"):
                with mpl.rc_context(style(dark=scheme == "dark")):
                    save(draw(scheme == "dark"), FOLDER / f"{picture}-{scheme}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
