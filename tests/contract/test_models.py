"""No model is forgotten, and none is left out of a test by its name."""

from __future__ import annotations

from collections import Counter

import pytest

from riparian.models.registry import MODELS, RECIPES
from tests import inside
from tests.contract import matrix
from tests.contract.parameters import COMPOSITIONS, OTHERS


def test_every_model_is_part_of_the_contract():
    others = {cls.__name__ for cls, _ in OTHERS.values()}
    assert others == set(MODELS) - set(RECIPES)
    assert {entry.cls for entry in matrix.FIRST} == set(MODELS.values())


def test_two_models_of_each_engine_get_every_case():
    found = Counter(inside.engine_type(entry.cls) for entry in matrix.FULL)
    assert found == {inside.engine_type(cls): 2 for cls in MODELS.values()}


@pytest.mark.parametrize("argument", ["model", "recipe", "other"])
def test_every_model_is_in_the_list_of_every_test(argument):
    for test in ("test_a", "test_b"):
        found = matrix.entries(argument, test)
        assert {e.cls for e in found} == {e.cls for e in matrix.ARGUMENTS[argument]}


def test_the_other_entries_come_in_turn():
    found = {str(e) for i in range(400) for e in matrix.entries("model", f"test {i}")}
    assert found == {str(entry) for entry in matrix.WHOLE}
    assert {f"HoeffdingTree-{name}" for name in COMPOSITIONS} <= found
