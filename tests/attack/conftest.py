"""Attacks on every model; tests/effort.py says how long they are.

Each attack reports how many tries it made; the numbers are printed after the tests.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.effort import ATTACK

_counts: Counter[str] = Counter()


@pytest.fixture
def effort() -> int:
    """By how much an attack is longer than usual."""
    return ATTACK


@pytest.fixture
def report_tries(record_property):
    """Call it as ``report_tries("what was tried", count)``."""

    def report(what: str, count: int) -> None:
        record_property(what, count)

    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call":
        for what, count in report.user_properties:
            if isinstance(count, int):
                _counts[what] += count


def pytest_terminal_summary(terminalreporter) -> None:
    if _counts and not hasattr(terminalreporter.config, "workerinput"):
        terminalreporter.section("tries of attacks")
        for what, count in sorted(_counts.items()):
            terminalreporter.line(f"{count:12,}  {what}")


@pytest.fixture
def folder(tmp_path):
    """An empty folder of its own."""
    made = tmp_path / "folder"
    made.mkdir()
    return made
