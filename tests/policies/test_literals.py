"""The names in the type hints of a tree are those that the core declares."""

from __future__ import annotations

import typing
from typing import Any, Literal

import pytest

import riparian as rp
from riparian.models.settings import tree_parameters
from riparian.policies import AXES, names

HINTS = typing.get_type_hints(rp.HoeffdingTree.__init__)
CHOICES = {name: p.choices for name, p in tree_parameters().items() if p.kind == "choice"}


def literals(hint: Any) -> list[str]:
    """All strings that a type hint allows, in their order."""
    if typing.get_origin(hint) is Literal:
        return list(typing.get_args(hint))
    found = [name for part in typing.get_args(hint) for name in literals(part)]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("axis", AXES)
def test_the_hint_of_an_axis_lists_the_policies_of_the_core(axis):
    assert literals(HINTS[axis]) == names(axis)


@pytest.mark.parametrize("name", CHOICES)
def test_the_hint_of_a_parameter_lists_the_choices_of_the_core(name):
    assert literals(HINTS[name]) == list(CHOICES[name])
