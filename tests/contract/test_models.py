"""No model is forgotten."""

from riparian.models import MODELS
from riparian.recipes import RECIPES
from tests.contract.conftest import OTHERS


def test_every_model_is_part_of_the_contract():
    others = {cls.__name__ for cls, _ in OTHERS.values()}
    assert others == set(MODELS) - set(RECIPES)
