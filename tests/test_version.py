"""There is one version number."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import riparian

ROOT = Path(__file__).parents[1]


def test_the_package_states_the_version_of_its_metadata():
    assert riparian.__version__ == version("riparian")


def test_only_the_package_itself_sets_the_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"]
    provider = project["tool"]["scikit-build"]["metadata"]["version"]
    text = (ROOT / provider["input"]).read_text("utf-8")
    assert re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE) == [riparian.__version__]


def test_the_citation_and_the_changelog_name_the_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == riparian.__version__
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == riparian.__version__
    experiments = tomllib.loads((ROOT / "experiments/pyproject.toml").read_text("utf-8"))
    assert experiments["project"]["version"] == riparian.__version__
