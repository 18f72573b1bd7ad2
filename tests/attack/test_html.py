"""Pages and pictures: evil names are only text in them, and learning on does not break them."""

from __future__ import annotations

import enum
import itertools
import re
import threading
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

import riparian as rp
from riparian.evaluate import prequential
from riparian.show.report import report_html
from riparian.show.svg import tree_svg
from riparian.show.view import ModelView
from tests import inside

#: Texts that would be markup, end an attribute, or a comment, or a style.
EVIL = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]>",
    "<![CDATA[",
    "-->",
    "<!--",
    "&",
    "&lt;",
    "&#60;b&#62;",
    '" onload="alert(1)',
    "' onload='alert(1)",
    "</title></svg>",
    "</style>",
    "<b>",
    "a<b>c",
    "javascript:alert(1)",
    "{{7*7}}",
    "\u202egnp",
    "\x1b[31m",
    "a\nb",
    "\0",
    "\ud800",
    "\ufffe",
]

#: Elements and attributes that our pages have.
OURS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "main",
    "header",
    "footer",
    "section",
    "div",
    "p",
    "b",
    "strong",
    "span",
    "code",
    "details",
    "summary",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "dl",
    "dt",
    "dd",
    "ol",
    "li",
    "h1",
    "h2",
    "pre",
    "svg",
    "g",
    "path",
    "rect",
    "text",
    "polyline",
    "polygon",
    "line",
    "circle",
    "a",
}


class Page(HTMLParser):
    """What is markup in a page, and what is text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self.others = set(), set(), [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        self.others.append(data)

    def unknown_decl(self, data):
        self.others.append(data)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Text(str):
    """A text that says something else of itself."""

    def __str__(self):
        return "<script>alert(1)</script>"

    __repr__ = __str__

    def __format__(self, spec):
        return "<script>alert(1)</script>"

    def replace(self, *args):
        return "<script>alert(1)</script>"

    def isprintable(self):
        return True


def data(names, labels, n=1500):
    rng = np.random.default_rng(5)
    X = {name: rng.normal(size=n) for name in names}
    X["words"] = np.array(labels, dtype=object)[rng.integers(0, len(labels), n)]
    first = X[names[0]]
    y = np.array(labels, dtype=object)[np.digitize(first, np.linspace(-1, 1, len(labels) - 1))]
    return X, y


MODELS = [
    rp.HoeffdingTree(grace_period=50, delta=0.3, tau=0.5),
    rp.HAT(grace_period=50),
    rp.AdaptiveRandomForest(n_estimators=2, n_jobs=1),
    rp.AccuracyWeightedEnsemble(chunk_size=200, n_folds=2, n_jobs=1),
    rp.UFFT(n_min="fixed", grace_period=100, n_jobs=1),
    rp.OADT(depth=2),
]


class Once:
    """A stream of one block."""

    def __init__(self, X, y):
        self._block = X, y

    def blocks(self, size):
        yield self._block


def is_harmless(text, ours=OURS):
    page = Page(text)
    assert page.tags <= ours
    assert not {name for name in page.attributes if name.startswith("on") or name == "src"}
    assert not page.others
    assert "alert(1)" not in re.sub(r">[^<]*<", "><", text)
    text.encode()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_evil_names_are_text_in_every_page(model, report_tries):
    tried = 0
    for first in range(0, len(EVIL), 6):
        evil = EVIL[first : first + 6]
        X, y = data([evil[0], *evil[3:]], evil)
        model.fit(X, y)
        result = prequential(
            type(model)(**model.get_params(deep=False)), Once(X, y), progress=False
        )
        for page in (model._repr_html_(), report_html(model, result, evil[0])):
            is_harmless(page)
            tried += len(evil)
            assert "alert(1)" not in "".join(re.findall(r"<[^>]*>", page))
        if hasattr(model, "n_nodes_") and hasattr(model, "plot") and not hasattr(model, "members"):
            ET.fromstring(tree_svg(model))
    report_tries("evil texts in pages", tried)


@pytest.mark.parametrize("text", EVIL)
def test_a_picture_is_sound_xml_and_keeps_the_name(text):
    X, y = data([text], [text, "other"])
    del X["words"]
    model = rp.HoeffdingTree(grace_period=50, delta=0.3, tau=0.5).fit(X, y)
    assert model.n_leaves_ > 1
    root = ET.fromstring(tree_svg(model))
    titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    shown = text if text.isprintable() and text == text.strip() else repr(text)
    assert any(f"tests {shown}" in title for title in titles)
    assert any(f"predicts {shown}" in title for title in titles)


@pytest.mark.parametrize(
    ("labels", "categories"),
    [
        ([Level.LOW, Level.HIGH], [Level.LOW, Level.HIGH]),
        ([Text("n"), Text("y")], [Text("b"), Text("c")]),
        ([b"<b>", b"<i>"], [b"&", b"<"]),
        ([float("inf"), 1.5], [float("inf"), -1.5]),
    ],
    ids=["IntEnum", "str", "bytes", "inf"],
)
def test_no_value_words_itself_on_a_page(labels, categories):
    X, y = data(["a"], ["no", "yes"])
    X["words"] = np.where(y == "no", "b", "c").astype(object)
    X["a"] = np.random.default_rng(0).normal(size=len(y))
    model = rp.HoeffdingTree(grace_period=50, delta=0.3, tau=0.5).fit(X, y)
    inside.classes(model)[:] = labels
    inside.features(model)[-1].codes = dict(zip(categories, range(2), strict=True))
    inside.features(model)[0].name = Text("a")
    result = prequential(rp.HoeffdingTree(), Once(X, y), progress=False)
    shown = [model._repr_html_(), report_html(model, result, "t"), tree_svg(model)]
    for page in shown:
        is_harmless(page)
        assert "alert" not in page
        assert "Level" not in page
    texts = [model.export_text(), model.export_graphviz(), *map(str, model.splits())]
    assert not re.search("alert|Level", " ".join(texts))
    pytest.importorskip("matplotlib").use("agg")
    drawn = " ".join(text.get_text() for text in model.plot().texts)
    assert not re.search("alert|Level", drawn)


def test_evil_names_are_drawn_as_they_are():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    for text in ["$x^2$", "$", "\\frac{1}{2}", "_a_", "<b>&"]:
        X, y = data([text], [text, "other"])
        del X["words"]
        model = rp.HoeffdingTree(grace_period=50, delta=0.3, tau=0.5).fit(X, y)
        ax = model.plot()
        ax.figure.canvas.draw()
        drawn = [t for t in ax.texts if text in t.get_text()]
        assert drawn
        assert not any(t.get_parse_math() and "$" in t.get_text() for t in drawn)
        plt.close("all")


# -- while the model learns -------------------------------------------------------------------


def looks(model):
    """Whatever shows the members of a forest."""
    yield model._repr_html_
    yield lambda: ModelView(model)
    yield lambda: model.export_text(max_depth=1)
    yield model.members
    yield model.splits
    yield lambda: model.estimators_
    yield lambda: model.estimator_features_
    yield lambda: model.feature_importances_
    yield lambda: model.to_code("python", leaf="majority")
    yield lambda: report_html(model, rp.evaluate.Result(), "t")


class Changing:
    """The engine of a model that learns on between any two calls."""

    def __init__(self, engines):
        self._engines = itertools.cycle(engines)

    def __getattr__(self, name):
        return getattr(next(self._engines), name)


FORESTS = [
    rp.AccuracyWeightedEnsemble(chunk_size=60, n_folds=2, n_jobs=1),
    rp.AccuracyWeightedEnsemble(chunk_size=60, n_folds=2, n_estimators=2, n_stored=3, n_jobs=1),
    rp.UFFT(n_min="fixed", grace_period=50, n_jobs=1),
    rp.AdaptiveRandomForest(n_estimators=3, n_jobs=1),
    rp.StreamingRandomPatches(n_estimators=3, n_jobs=1),
]


@pytest.mark.parametrize("model", FORESTS, ids=lambda model: type(model).__name__)
def test_what_belongs_together_is_read_at_once(model, report_tries):
    """Of a forest that grows, or has other members, between any two calls of its engine."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(900, 4))
    y = np.arange(900) % 3
    y[:60] %= 2  # the third class comes later, and with it more pairs
    stages = []
    model.fit(X[:50], y[:50])
    for start in range(50, 900, 170):
        stages.append(inside.restored(model, inside.snapshot(model)))
        model.partial_fit(X[start : start + 170], y[start : start + 170])
    engine, tried = inside.engine(model), 0
    for pair in itertools.permutations([*stages, engine], 2):
        for look in looks(model):
            inside.set_engine(model, Changing(pair))
            assert look() is not None
            tried += 1
    inside.set_engine(model, engine)
    assert tried == 30 * 10
    report_tries("looks at a forest that changes meanwhile", tried)


def test_a_notebook_shows_a_forest_while_it_learns(effort, report_tries):
    model = rp.AccuracyWeightedEnsemble(chunk_size=20, n_folds=2, n_stored=5, n_estimators=3)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    model.partial_fit(X, y)
    stop = threading.Event()

    def learn():
        while not stop.is_set():
            model.partial_fit(X, y)
            if model.n_seen_ > 4000:
                model.fit(X[:5], y[:5])

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        for _ in range(150 * effort):
            columns = ModelView(model).parts.member_columns
            assert len({len(texts) for texts in columns.values()}) == 1
            assert model._repr_html_().endswith("</div>")
    finally:
        stop.set()
        thread.join()
    report_tries("pages of a forest that learns", 150 * effort)
