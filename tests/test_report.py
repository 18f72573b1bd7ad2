"""The report is one readable page, whatever the stream was like."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

import riparian
from riparian.evaluate import Result, prequential
from riparian.evidence.structure import Structure
from riparian.show.chart import curve_svg
from riparian.show.outline import outline_html
from riparian.show.report import report_html, write_report
from riparian.streams import drifting, sea
from tests.inspect.conftest import chain_model

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Nesting(HTMLParser):
    """Finds tags that are not closed in order, and gathers the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.text.append(data)


def read(page):
    parser = Nesting()
    parser.feed(page)
    assert parser.open == []
    return " ".join(parser.text)


def learned(stream, **options):
    model = riparian.HoeffdingTree(**options)
    return model, prequential(model, stream, progress=False)


def result_of(right, leaves=1, block=500):
    """A result with given hits and misses."""
    result = Result()
    y = np.zeros(len(right), dtype=int)
    for start in range(0, len(right), block):
        part = slice(start, start + block)
        result.update(y[part], np.where(right[part], 0, 1), leaves)
    return result


def test_the_page_shows_the_figures_the_curve_the_tree_and_the_evidence():
    model, result = learned(drifting(n_rows=30_000))
    text = read(report_html(model, result, "a river"))
    assert "a river" in text
    assert f"{result.accuracy:.4f}" in text
    assert f"{result.kappa:.4f}" in text
    assert "30,000" in text
    for label in ("calm", "watch", "flood"):
        assert label in text
    last = model.splits()[-1]
    for candidate in last.candidates:
        assert candidate.cut in text
        assert f"{candidate.gain:.4f}" in text
    assert f"{last.delta:.2g}" in text
    assert model.guarantee() in text
    assert "max_leaves" in text


def test_the_tooltip_of_a_node_says_why_it_was_split():
    model, result = learned(drifting(n_rows=5_000))
    line = "split at row 1,200 by the bound: gap 0.142, epsilon 0.1299, delta 1e-07"
    assert line in read(report_html(model, result, "a river"))
    assert f'tooltip="{line}"' in model.export_graphviz()


def test_a_bound_without_delta_shows_none():
    model = riparian.CTree(bound=riparian.bounds.ConfidencePractical(c=0.05))
    result = prequential(model, sea(n_rows=20_000), progress=False)
    assert "delta" not in str(model.splits()[0])
    assert model.splits()[0].delta_spent == 0.0
    assert re.search(r" none +[\d,]+ +bound ", read(report_html(model, result, "a sea")))
    assert "delta 0.05" in str(riparian.VFDT(delta=0.05).fit(*sea().take(5_000)).splits()[0])


def test_of_a_hybrid_the_report_says_which_impurity_decided():
    model = riparian.HybridTree(delta=0.1, bound="hoeffding", grace_period=50)
    result = prequential(model, drifting(n_rows=20_000), progress=False)
    assert {split.impurity for split in model.splits()} == {"misclassification", "gini"}
    assert ", misclassification" in read(report_html(model, result, "a river"))


def test_each_table_has_a_caption_and_named_rows_and_columns():
    model, result = learned(sea(n_rows=20_000))
    page = report_html(model, result, "sea")
    tables = re.findall(r"<table.*?</table>", page, flags=re.DOTALL)
    assert len(tables) == 4
    for table in tables:
        assert "<caption>" in table
        assert "scope='col'" in table
        assert "scope='row'" in table


def test_the_drawing_is_sound_and_described():
    _, result = learned(sea(n_rows=20_000))
    drawing = ET.fromstring(curve_svg(result))
    assert drawing.get("role") == "img"
    assert "20,000 rows" in drawing.get("aria-label")
    assert len(drawing.findall(".//title")) == len(result.curve.rows)


@pytest.mark.parametrize(
    "right",
    [
        np.ones(1, dtype=bool),
        np.zeros(1, dtype=bool),
        np.ones(5000, dtype=bool),
        np.zeros(5000, dtype=bool),
        np.arange(5000) % 2 == 0,
        np.arange(5000) != 4321,
        np.arange(30_000) < 15_000,
    ],
)
@pytest.mark.parametrize("leaves", [-1, 0, 1, 2, 12_345])
def test_every_number_of_the_drawing_lies_inside_it(right, leaves):
    drawing = ET.fromstring(curve_svg(result_of(right, leaves)))
    _, _, width, height = map(float, drawing.get("viewBox").split())
    for element in drawing.iter():
        for name, limit in (("x", width), ("y", height)):
            if element.get(name) is not None:
                assert 0 <= float(element.get(name)) <= limit
        if element.get("d"):
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", element.get("d"))]
            assert all(0 <= n <= width for n in numbers)


def test_names_at_the_lines_do_not_lie_on_each_other():
    result = result_of(np.arange(5000) % 100 != 0)
    drawing = ET.fromstring(curve_svg(result))
    places = sorted(
        float(text.get("y"))
        for text in drawing.iter("text")
        if float(text.get("x")) > 760 and text.text.split()[0] in ("last", "majority", "no")
    )
    assert len(places) == 3
    assert np.diff(places).min() >= 16.9


def test_many_classes_are_listed_not_drawn():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    model = riparian.HoeffdingTree()

    class Stream:
        def blocks(self, size):
            yield X, np.arange(3000) % 30

    text = read(report_html(model, prequential(model, Stream()), "many"))
    assert "The 20 most frequent of 30 classes" in text


def test_a_model_that_never_split_has_a_report():
    model, result = learned(sea(n_rows=50))
    text = read(report_html(model, result, "short"))
    assert "The tree" in text
    assert "Last splits" not in text
    assert "No split yet" in text
    assert str(model.pending()[0]) in text
    assert model.guarantee() in text


def test_a_model_that_learned_nothing_has_a_report():
    text = read(report_html(riparian.HoeffdingTree(), Result(), "nothing"))
    assert "nan" in text
    assert "Accuracy over time" not in text


def test_a_report_replaces_the_one_before_or_leaves_it(tmp_path, monkeypatch):
    model, result = learned(sea(n_rows=50))
    path = tmp_path / "r.html"
    write_report(path, model, result, "first")
    write_report(path, model, result, "second")
    assert "second" in path.read_text("utf-8")
    monkeypatch.setattr("os.replace", lambda *names: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report(path, model, result, "third")
    assert "second" in path.read_text("utf-8")
    assert [found.name for found in tmp_path.iterdir()] == ["r.html"]


def test_the_tree_opens_to_any_depth():
    model, result = learned(sea(n_rows=60_000), grace_period=50, delta=0.1, tau=0.2)
    assert model.depth_ > 5
    page = report_html(model, result, "sea")
    outline = page.partition("<div class='outline'>")[2].partition("</section>")[0]
    assert outline.count("<details") == model.n_nodes_ - model.n_leaves_
    assert outline.count("<div>") == model.n_leaves_
    assert outline.count("predicts ") == model.n_leaves_


def test_of_a_large_tree_the_upper_levels_open():
    model = chain_model(3000)
    outline = outline_html(Structure.of(model))
    assert outline.count("<details") == outline.count("</details>") == 200
    assert "+5,600 nodes" in outline


def test_the_curve_marks_the_rows_at_which_the_tree_changed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = (X[:, 0] > 0) ^ (np.arange(20_000) > 10_000)
    model = riparian.HAT(grace_period=50, delta=0.05).fit(X[:4_000], y[:4_000])

    class Rest:
        def blocks(self, size):
            yield X[4_000:], y[4_000:]

    result = prequential(model, Rest(), progress=False)
    rows = [change.seen for change in model.changes()]
    assert rows
    assert min(rows) > 10_000
    page = report_html(model, result, "turned")
    assert "Vertical lines mark changes" in page
    (marks,) = re.findall(r'class="mark" d="([^"]+)"', page)
    places = {float(x) for x in re.findall(r"M([\d.]+) ", marks)}
    # The plot goes from 56 to 784; the 16,000 rows begin after 4,000 examples.
    assert places == {round(56 + 728 * (row - 4_000) / 16_000, 1) for row in rows}
    calm, result = learned(sea(n_rows=3_000))
    assert 'class="mark"' not in report_html(calm, result, "sea")
