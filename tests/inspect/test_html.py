"""Pictures of trees as SVG, and the view in notebooks."""

from __future__ import annotations

import re
import time
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest

from riparian import VFDT
from riparian.evaluate import Result, prequential
from riparian.show.notebook import repr_html
from riparian.show.svg import tree_svg
from riparian.streams import sea

SVG = "{http://www.w3.org/2000/svg}"


class Tags(HTMLParser):
    """What a browser finds: elements, attributes and texts."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        self.texts.append(data)


def parsed(svg):
    return ElementTree.fromstring(svg)


def texts(svg):
    return [element.text for element in parsed(svg).iter(f"{SVG}text")]


def titles(svg):
    return [element.text for element in parsed(svg).iter(f"{SVG}title")]


def test_the_picture_shows_classes_cuts_and_counts(cover):
    shown = texts(tree_svg(cover))
    assert {"birch", "pine", "spruce", "elevation", "≤ 2956", "≠ peat"} <= set(shown)
    assert "98% · n 2,082" in shown


def test_every_node_has_a_tooltip_with_its_counts(cover):
    found = titles(tree_svg(cover))
    assert len(found) == 17
    assert "node 0\ntests elevation\nn 29,946: spruce 18,132, pine 8,877, birch 2,937" in found
    birch = next(title for title in found if "soil = peat" in title)
    assert birch.splitlines()[0].endswith(": soil = peat or missing")
    assert birch.splitlines()[1:] == [
        "predicts birch (98%)",
        "n 2,082: birch 2,050, pine 20, spruce 12",
    ]


def test_the_picture_refers_to_nothing_outside_itself(cover):
    svg = tree_svg(cover).replace('xmlns="http://www.w3.org/2000/svg"', "")
    for forbidden in ("http", "href", "url(", "@import", "<script", " id="):
        assert forbidden not in svg


def test_the_picture_is_readable_on_dark_pages(cover):
    style = parsed(tree_svg(cover)).find(f"{SVG}style").text
    assert "prefers-color-scheme:dark" in style
    assert '[data-jp-theme-light="false"]' in style


def test_collapsed_subtrees_are_counted(cover):
    assert {"+6 nodes", "+8 nodes"} <= set(texts(tree_svg(cover, max_depth=1)))


def test_folded_categories_are_named_in_the_tooltip(jobs):
    folded = titles(tree_svg(jobs))[-1]
    assert folded.startswith("job: job 10, job 11, job 12")


@pytest.mark.parametrize("view", [tree_svg, repr_html])
def test_hostile_names_come_out_harmless(hostile, view):
    html = view(hostile)
    page = Tags(html)
    assert "script" not in page.tags
    assert "b" not in page.tags or view is repr_html
    assert not [name for name in page.attributes if name.startswith("on")]
    assert page.tags.count("svg") == 1
    assert "<script>alert(1)</script>" in "".join(page.texts)
    assert "\x1b" not in html


def test_hostile_names_leave_the_picture_well_formed(hostile):
    assert len(titles(tree_svg(hostile))) == 7


def test_pictures_of_one_leaf_and_of_nothing(forest):
    one = forest.grown(forest.leaf(3.0, 1.0), [], ["a", "b"])
    assert "75% · n 4" in texts(tree_svg(one))
    assert texts(tree_svg(forest.grown(None, [], []))) == ["nothing learned yet"]
    assert "no prediction yet" in texts(tree_svg(forest.grown(forest.leaf(), [], [])))


@pytest.mark.parametrize("view", [tree_svg, repr_html])
def test_a_chain_of_two_thousand_levels_is_drawn_in_a_moment(forest, view):
    model = forest.chain_model(2000)
    start = time.process_time()
    html = view(model)
    assert time.process_time() - start < 2.0
    assert "+3,992 nodes" in html
    assert len(html) < 50_000


def test_the_notebook_shows_name_changed_parameters_and_numbers(forest):
    tree = forest.leaf(3.0, 1.0)
    model = forest.grown(tree, [], ["a", "b"], grace_period=500)
    page = Tags(repr_html(model))
    assert {"Model", "grace_period=500", "183 kB", "leaves", "depth"} <= set(page.texts)
    assert "delta" not in "".join(page.texts)
    assert "svg" in page.tags


def test_the_notebook_says_when_all_parameters_are_defaults(forest):
    model = forest.grown(forest.leaf(1.0), [], ["a"])
    assert "all defaults" in Tags(repr_html(model)).texts


def test_a_model_that_has_not_learned_shows_its_parameters_only(forest):
    page = Tags(repr_html(forest.Model(leaf="<b>")))
    assert "leaf='<b>'" in "".join(page.texts)
    assert "has not learned yet" in page.texts
    assert "svg" not in page.tags
    assert "b" not in page.tags


def test_parameters_may_be_arrays_or_functions(forest):
    import numpy as np

    model = forest.Model(grace_period=np.arange(3), leaf=print, delta=np.arange(1000))
    assert "grace_period=array([0, 1, 2])" in "".join(Tags(repr_html(model)).texts)
    assert "…" in repr_html(model)


def test_the_style_of_a_view_touches_nothing_else_of_the_notebook(cover):
    for page in (
        repr_html(cover),
        prequential(VFDT(), sea(n_rows=3000), progress=False)._repr_html_(),
    ):
        style = page.partition("<style>")[2].partition("</style>")[0]
        rules = re.findall(r"([^{}]+)\{[^{}]*\}", style)
        selectors = [part for rule in rules for part in re.split(r",(?![^(]*\))", rule)]
        assert len(selectors) > 30
        assert all(".riparian-model" in part for part in selectors)


def test_the_notebook_shows_an_evaluation():
    result = prequential(VFDT(), sea(n_rows=3000), progress=False)
    page = Tags(result._repr_html_())
    assert {f"{result.accuracy:.4f}", "3,000", "majority class"} <= set(page.texts)
    assert page.tags.count("svg") == 1
    assert "svg" not in Tags(Result()._repr_html_()).tags


def test_a_result_shows_its_figures_and_its_curve_in_a_notebook():
    result = prequential(VFDT(), sea(n_rows=3_000), progress=False)
    page = result._repr_html_()
    assert "<svg" in page
    assert f"{result.accuracy:.4f}" in page
    assert "3,000" in page
