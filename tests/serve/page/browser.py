"""Debian's Chromium, driven by playwright, or the reason why a test is skipped."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from tests.serve.page.player import DIST

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
#: The libraries that `make page` installs, among them the rules of accessibility.
MODULES = Path(__file__).parents[3] / "build" / "page" / "node_modules"


def missing(reason: str) -> NoReturn:
    """Skip the test, or fail if `make test-page` promised that everything is there."""
    if os.environ.get("RIPARIAN_PAGE") == "required":
        pytest.fail(reason)
    pytest.skip(f"{reason}; `make test-page` installs it")


def chromium() -> str:
    """The path of the browser."""
    if importlib.util.find_spec("playwright") is None:
        missing("the Python package playwright is not installed")
    path = shutil.which("chromium")
    if path is None:
        missing("chromium is not installed")
    if not (DIST / "page.js").exists():
        missing("the page is not built")
    return path
