"""What the documentation site is made from is complete, and its check finds what is wrong."""

import importlib
import re
from pathlib import Path

import pytest

from docs.site.check import problems
from docs.site.policies import functions_on_pages
from riparian.models.registry import MODELS
from riparian.policies import AXES, classes

DOCS = Path(__file__).parents[1] / "docs"
FORMULAS = DOCS / "site" / "formulas"


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_in_the_table_of_recipes(name):
    assert f"`{name}`" in (DOCS / "recipes.md").read_text("utf-8")


@pytest.mark.parametrize("axis", AXES)
def test_the_policies_of_an_axis_are_in_the_table_below_its_heading(axis):
    text = (DOCS / "policies.md").read_text("utf-8")
    section = re.search(rf"^## {axis}: .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE)) == set(classes(axis))


@pytest.mark.parametrize("axis", AXES)
def test_the_page_of_every_policy_has_a_formula(axis):
    module = importlib.import_module(AXES[axis])
    for name, functions in functions_on_pages(axis).items():
        computed = any(".. math::" in getattr(module, f).__doc__ for f in functions)
        assert computed or (FORMULAS / axis / f"{name}.md").exists(), name


def test_every_written_formula_belongs_to_a_policy():
    for path in FORMULAS.rglob("*.md"):
        assert path.stem in classes(path.parent.name), path


def test_the_check_of_a_site_finds_dead_links_and_what_is_loaded_from_elsewhere(tmp_path):
    (tmp_path / "good.html").write_text('<h2 id="top"></h2><a href="bad.html">bad</a>', "utf-8")
    (tmp_path / "bad.html").write_text(
        '<a href="good.html#top">right</a> <a href="https://example.org/">elsewhere</a>'
        '<a href="good.html#gone">no anchor</a> <a href="gone.html">no page</a>'
        '<script src="https://example.org/code.js"></script> <img src="gone.png">',
        "utf-8",
    )
    assert problems(tmp_path) == [
        "bad.html: loads https://example.org/code.js from another host",
        "bad.html: loads gone.png, which is not there",
        "bad.html: links to good.html#gone, but the page has no such anchor",
        "bad.html: links to gone.html, which is not there",
    ]
