"""Pictures of trees: layout, colours, matplotlib."""

from __future__ import annotations

import io
import itertools
import subprocess
import sys
import time

import numpy as np
import pytest

import riparian as rp
from riparian.evidence.structure import Structure
from riparian.export.palette import DARK, LIGHT, class_colour, ink_on
from riparian.show.cards import estimated_width, fitted
from riparian.show.layout import Box, lay_out
from riparian.show.plot import plot_tree
from riparian.streams import sea
from tests.inspect.conftest import DOLLARS, QUOTE, SCRIPT

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def overlap(a: Box, b: Box) -> bool:
    apart = a.x + a.width <= b.x or b.x + b.width <= a.x
    above = a.y + a.height <= b.y or b.y + b.height <= a.y
    return not (apart or above)


@pytest.mark.parametrize("name", ["cover", "jobs", "hostile"])
@pytest.mark.parametrize("max_depth", [0, 1, 2, None])
def test_nothing_in_a_picture_overlaps(request, name, max_depth):
    picture = lay_out(Structure.of(request.getfixturevalue(name)), max_depth=max_depth)
    boxes = [card.box for card in picture.cards] + [edge.label_box for edge in picture.edges]
    for a, b in itertools.combinations(boxes, 2):
        assert not overlap(a, b)
    for box in boxes:
        assert 0 <= box.x < box.x + box.width <= picture.width
        assert 0 <= box.y < box.y + box.height <= picture.height


def test_a_parent_stands_left_of_its_children_and_between_them(cover):
    structure = Structure.of(cover)
    box = {card.node: card.box for card in lay_out(structure).cards}
    for node in structure:
        for child in node.children:
            assert box[child].x > box[node.id].x + box[node.id].width
        if node.children:
            first, last = box[node.children[0]], box[node.children[-1]]
            assert box[node.id].y == (first.y + last.y) / 2


def test_bars_show_the_shares_of_the_classes(cover):
    structure = Structure.of(cover)
    card = lay_out(structure).cards[0]
    widths = np.array([part.width for _, part in card.segments])
    shares = np.array(structure[0].reached) / sum(structure[0].reached)
    np.testing.assert_allclose(widths / widths.sum(), shares, atol=0.02)
    assert [position for position, _ in card.segments] == [0, 1, 2]


def test_branches_are_as_wide_as_their_share(cover):
    structure = Structure.of(cover)
    narrow, wide = lay_out(structure, max_depth=1).edges
    shares = [sum(structure[child].reached) for child in structure[0].children]
    assert (wide.thickness - 1.5) / (narrow.thickness - 1.5) == pytest.approx(shares[1] / shares[0])


def test_the_caption_says_which_examples_a_node_counts():
    X, y = sea(seed=1).take(3_000)
    grown = rp.VFDT(grace_period=50, delta=0.1).fit(X, y)
    assert grown.n_leaves_ > 1
    assert "n: examples since the parent's split" in lay_out(Structure.of(grown)).caption
    whole = rp.ID5R().fit(X[:300].round(), y[:300])
    assert "n: examples that reached the node" in lay_out(Structure.of(whole)).caption


def test_collapsed_subtrees_say_how_much_is_left_out(cover):
    notes = [card.note for card in lay_out(Structure.of(cover), max_depth=1).cards]
    assert notes == ["", "+6 nodes", "+8 nodes"]


def test_of_thirty_categories_the_heaviest_are_drawn_and_the_others_folded(jobs):
    cards = lay_out(Structure.of(jobs), max_depth=1).cards
    assert len(cards) == 1 + 12
    assert (cards[-1].node, cards[-1].title) == (-1, "19 branches")
    notes = [card.note for card in cards if card.note]
    assert notes == ["+2 nodes", "+2 nodes", "+19 nodes"]


def test_with_room_for_them_thirty_categories_are_drawn(jobs):
    picture = lay_out(Structure.of(jobs), max_branches=30)
    assert [edge.label for edge in picture.edges if edge.label.startswith("job")] == [
        f"job {code}" for code in range(30)
    ]


def test_a_chain_of_two_thousand_levels_is_laid_out_in_a_moment(forest):
    structure = Structure.of(forest.chain_model(2000))
    start = time.process_time()
    assert len(lay_out(structure).cards) == 9
    assert len(lay_out(structure, max_depth=None).cards) == 4001
    assert time.process_time() - start < 5.0


def test_many_classes_get_a_short_legend(forest):
    model = forest.grown(forest.leaf(*range(50)), [], [f"class {k:02}" for k in range(50)])
    texts = [key.text for key in lay_out(Structure.of(model)).legend]
    assert len(texts) == 16
    assert texts[-1] == "and 35 more classes"
    assert texts[0] == "class 35"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_depth": -1}, "max_depth must be None or at least 0, got -1"),
        ({"max_branches": 1}, "max_branches must be at least 2, got 1"),
    ],
)
def test_wrong_limits_are_refused(cover, arguments, message):
    with pytest.raises(ValueError, match=message):
        plot_tree(cover, **arguments)


def test_long_texts_are_cut_to_fit():
    text = fitted("income per month before tax", 60.0, 12.0, False, estimated_width)
    assert text == "inco…ax"
    assert estimated_width(text, 12.0) <= 60.0
    long = [f"sensor_{'reading_' * 20}{end}" for end in ("inlet", "outlet")]
    assert len({fitted(name, 120.0, 12.0, False, estimated_width) for name in long}) == 2
    assert fitted("age", 60.0, 12.0, False, estimated_width) == "age"
    assert len(fitted("x" * 10_000_000, 60.0, 12.0, False, estimated_width)) < 20


def as_seen_by_the_colour_blind(colour, kind):
    """Machado, Oliveira and Fernandes (2009), severity 1.0, in linear light."""
    matrix = {
        "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
        "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    }[kind]
    return np.clip(np.array(matrix) @ linear(colour), 0.0, 1.0)


def linear(colour):
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", ["protan", "deutan", "tritan"])
def test_the_first_colours_stay_apart_for_the_colour_blind(kind, dark):
    seen = [as_seen_by_the_colour_blind(class_colour(k, dark=dark), kind) for k in range(7)]
    for a, b in itertools.combinations(seen, 2):
        assert np.abs(a ** (1 / 2.2) - b ** (1 / 2.2)).max() > 0.1


@pytest.mark.parametrize("position", range(40))
def test_class_colours_can_be_seen_on_a_dark_ground(position):
    assert contrast(class_colour(position, dark=True), DARK["leaf"]) > 3.0


def test_a_hundred_classes_have_a_hundred_colours():
    for dark in (False, True):
        assert len({class_colour(k, dark=dark) for k in range(100)}) == 100


def contrast(a, b):
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted(float(weights @ linear(colour)) for colour in (a, b))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_texts_can_be_read_on_every_ground(colours):
    for ground in ("ground", "card", "leaf", "flow"):
        assert contrast(colours["ink"], colours[ground]) > 7.0
    for ground in ("ground", "card", "leaf"):
        assert contrast(colours["quiet"], colours[ground]) > 4.5


@pytest.mark.parametrize("position", range(40))
def test_ink_can_be_read_on_every_class_colour(position):
    for dark in (False, True):
        colour = class_colour(position, dark=dark)
        assert contrast(ink_on(colour), colour) > 4.5


def test_plot_draws_into_a_figure_of_its_own_size(cover):
    ax = plot_tree(cover)
    assert {"birch", "pine", "spruce", "≤ 2956", "= peat", "98% · n 2,082"} <= {
        text.get_text() for text in ax.texts
    }


@pytest.mark.parametrize("size", [None, (5.0, 3.0), (20.0, 4.0)])
@pytest.mark.parametrize("name", ["cover", "jobs"])
def test_texts_in_a_plot_do_not_overlap(request, name, size):
    figure, ax = (None, None) if size is None else plt.subplots(figsize=size)
    ax = plot_tree(request.getfixturevalue(name), ax)
    figure = ax.figure
    figure.set_dpi(300)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    for a, b in itertools.combinations(boxes, 2):
        assert not (a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1)


def test_plot_keeps_to_the_axes_it_is_given(cover):
    _, (left, right) = plt.subplots(1, 2)
    assert plot_tree(cover, left) is left
    assert left.texts
    assert not right.texts


@pytest.mark.parametrize(
    ("name", "drawn"), [("hostile", {SCRIPT, QUOTE, DOLLARS}), ("jobs", {"job", "job 28", "age"})]
)
def test_plot_takes_any_name_as_it_is(request, name, drawn):
    ax = plot_tree(request.getfixturevalue(name))
    assert drawn <= {text.get_text() for text in ax.texts}
    ax.figure.savefig(io.BytesIO(), format="png")


def test_plot_of_one_leaf_and_of_nothing(forest):
    one = plot_tree(forest.grown(forest.leaf(3.0, 1.0), [], ["a", "b"]))
    assert "75% · n 4" in [text.get_text() for text in one.texts]
    none = plot_tree(forest.grown(None, [], []))
    assert [text.get_text() for text in none.texts] == ["nothing learned yet"]
    none.figure.savefig(io.BytesIO(), format="png")


def test_plot_follows_a_dark_style(cover):
    with plt.style.context("dark_background"):
        ax = plot_tree(cover)
    assert DARK["ink"] in {text.get_color() for text in ax.texts}


def test_plot_of_a_whole_chain_stays_within_what_can_be_drawn(forest):
    ax = plot_tree(forest.chain_model(120), max_depth=None)
    assert max(ax.figure.get_size_inches()) <= 200.0


def test_plot_without_matplotlib_names_the_extra(cover, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'riparian\[plot\]'"):
        plot_tree(cover)


def test_matplotlib_is_imported_only_to_draw():
    code = "import sys, riparian.show.plot; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
