"""Progress bars: on a terminal, in a notebook, and lines in a log."""

from __future__ import annotations

import re
import sys
from types import ModuleType, SimpleNamespace

import pytest

import riparian as rp
from riparian.show import progress
from riparian.show.progress import ProgressBar


class Handle:
    def __init__(self, shown):
        self._shown = shown

    def update(self, value):
        self._shown.append(value._repr_html_())


@pytest.fixture
def notebook(monkeypatch):
    """What a Jupyter kernel would display: the package IPython, whose shell has a kernel."""
    shown: list[str] = []

    def display(value, *, display_id):
        assert display_id is True
        shown.append(value._repr_html_())
        return Handle(shown)

    module = ModuleType("IPython")
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setattr(module, "get_ipython", lambda: shell, raising=False)
    monkeypatch.setattr(module, "display", SimpleNamespace(display=display), raising=False)
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setattr(progress, "_REFRESH_SECONDS", 0.0)
    return SimpleNamespace(shown=shown, shell=shell)


def test_a_notebook_shows_a_bar_without_further_packages_and_removes_it(notebook, capsys):
    with ProgressBar("reading") as bar:
        bar.update(25, 100, "25 rows <a>")
    assert notebook.shown[0] == ""
    assert "<progress style=" in notebook.shown[1]
    assert re.search(r"value='25' max='100'.*25% 25 rows &lt;a&gt;", notebook.shown[2])
    assert notebook.shown[-1] == ""
    assert capsys.readouterr().err == ""


def test_an_evaluation_in_a_notebook_shows_its_figures(notebook):
    stream = rp.streams.sea(n_rows=3_000)
    rp.evaluate.prequential(rp.VFDT(), stream, block=1_000)
    assert any("3,000 rows" in text and "accuracy" in text for text in notebook.shown)
    count = len(notebook.shown)
    rp.evaluate.prequential(rp.VFDT(), stream, progress=False)
    assert len(notebook.shown) == count


def test_ipython_on_a_terminal_is_no_notebook(notebook):
    del notebook.shell.kernel
    with ProgressBar("reading") as bar:
        assert not bar.is_due
    assert notebook.shown == []


def test_elsewhere_lines_come_only_if_they_are_wanted(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(progress, "_LINE_SECONDS", 0.0)
    with ProgressBar("reading") as bar:
        bar.update(1, 2, "one of two")
    assert capsys.readouterr().err == ""
    with ProgressBar("reading", shown=True) as bar:
        bar.update(1, 2, "one of two")
    assert capsys.readouterr().err == "riparian:  50%  one of two\n"
