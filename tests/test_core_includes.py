"""Includes in the core point one way: from what is above to what is below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

CORE = Path(__file__).parents[1] / "core"

#: From the bottom to the top. A directory may include its own files and what stands below it; those
#: that share a line below the engines may include each other.
LEVELS = [
    {"data", "memory", "random", "simd", "encoding", "arrow"},
    {"statistics", "bound", "impurity", "cuts", "leaf", "drift", "kernels"},
    {"settings"},
    {"check"},
    {"growth"},
    {"adaptation"},
    {"tree"},
    {"forest", "gradient", "restructuring", "lab", "batch"},
]
HEIGHT = {part: height for height, parts in enumerate(LEVELS) for part in parts}
ENGINES = LEVELS[-1]

#: Files that stand elsewhere than their directory. The settings are one value of each axis, and the
#: check reads them.
MOVED = {"settings.hpp": "settings"}


def part_of(file: str) -> str:
    """The part of the core that a file belongs to."""
    if file in MOVED:
        return MOVED[file]
    if "/" not in file:
        return "data"  # demand.hpp and named.hpp need nothing
    directory = file.split("/", 1)[0]
    # The kernels are compiled for each instruction set, and evaluate impurities and cuts.
    return "kernels" if directory == "simd" and not file.endswith(".hpp") else directory


def includes(text: str, file: str) -> list[str]:
    """The files of the core that a file includes, as paths from core/."""
    found = re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)
    return [str((CORE / file).parent.joinpath(name).resolve().relative_to(CORE)) for name in found]


def core_files() -> Iterator[str]:
    for path in sorted(CORE.rglob("*.?pp")):
        file = path.relative_to(CORE).as_posix()
        if not file.startswith("tests/"):
            yield file


def wrong_way(file: str, included: str) -> str | None:
    """What is wrong with an include, if anything is."""
    part, below = part_of(file), part_of(included)
    if part == below or HEIGHT[below] < HEIGHT[part]:
        return None
    if HEIGHT[below] == HEIGHT[part] and part not in ENGINES:
        return None
    return f"core/{file} includes core/{included}: {part} must not include {below}"


def test_includes_point_one_way():
    wrong = [
        problem
        for file in core_files()
        for included in includes((CORE / file).read_text(), file)
        if (problem := wrong_way(file, included))
    ]
    assert wrong == []


def test_no_file_includes_itself_through_others():
    TopologicalSorter(
        {file: includes((CORE / file).read_text(), file) for file in core_files()}
    ).prepare()


def test_all_directories_have_a_level():
    assert {part_of(file) for file in core_files()} <= set(HEIGHT)


@pytest.mark.parametrize(
    ("file", "included"),
    [
        ("data/batch.hpp", "statistics/leaf_statistics.hpp"),
        ("impurity/hits.hpp", "tree/tree.hpp"),
        ("check/check.hpp", "tree/nodes.hpp"),
        ("tree/tree.hpp", "forest/forest.hpp"),
        ("drift/kswin.cpp", "lab/lab.hpp"),
        ("forest/forest.hpp", "lab/lab.hpp"),
        ("simd/kernels.hpp", "impurity/any.hpp"),
    ],
)
def test_the_other_way_is_noticed(file, included):
    assert wrong_way(file, included) is not None
