"""The published forests are declarations over Forest."""

from __future__ import annotations

import inspect

import pytest
from sklearn.base import clone

import riparian as rp
from riparian.models.registry import MODELS
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.modelfile.parts import Parts

ALWAYS = {"n_estimators", "rate", "costs", "max_bytes", "n_jobs", "random_state"}
ALWAYS |= {"categorical_features", "max_categories", "max_features", "max_classes"}
ALWAYS |= {"class_weight", "date_parts"}
#: What a recipe takes in addition.
TAKES = {
    "AdaptiveRandomForest": {"estimator", "leaf_features", "warning", "drift"},
    "LeveragingBagging": {"estimator", "drift"},
    "OnlineBagging": {"estimator"},
    "StreamForest": {"leaf_features", "warning", "drift"},
    "StreamingRandomPatches": {"estimator", "features", "warning", "drift"},
}
FREE = set(inspect.signature(rp.Forest).parameters)
recipe = pytest.mark.parametrize("name", TAKES)


def test_all_recipes_of_the_forest_are_listed():
    recipes = {name for name, cls in MODELS.items() if issubclass(cls, rp.Forest)}
    assert recipes == {"Forest", *TAKES}


@recipe
def test_a_recipe_shows_exactly_the_parameters_that_it_takes(name):
    cls = getattr(rp, name)
    wanted = ALWAYS | TAKES[name]
    assert set(cls().get_params(deep=False)) == wanted
    assert set(inspect.signature(cls).parameters) == wanted
    assert set(inside.docstring_entries(cls.__doc__)) == wanted
    for fixed in FREE - wanted:
        with pytest.raises(TypeError, match=rf"{name} has no parameter '{fixed}'"):
            cls(**{fixed: None})


@recipe
def test_the_docstring_of_a_recipe_has_its_defaults(name):
    cls = getattr(rp, name)
    for parameter, shown in inspect.signature(cls).parameters.items():
        head = inside.docstring_entries(cls.__doc__)[parameter].partition("\n")[0]
        assert head.endswith(f", default={shown.default!r}")


@recipe
def test_a_recipe_has_all_axes_of_the_forest_but_the_threads(name):
    axes = inside.axes(getattr(rp, name)())
    assert set(axes) == FREE - {"n_jobs"}


def test_a_recipe_is_the_forest_with_what_it_fixes():
    X, y = rp.streams.sea(seed=1).take(3_000)
    recipe = rp.LeveragingBagging(n_estimators=3, random_state=5).fit(X, y)
    free = rp.Forest(
        n_estimators=3, replacement="worst", drift=0.002, weighted_votes=False, random_state=5
    ).fit(X, y)
    mine, theirs = inside.snapshot(recipe), inside.snapshot(free)
    assert mine.keys() == theirs.keys()
    assert all((mine[key] == theirs[key]).all() for key in mine)


@recipe
def test_a_file_with_another_value_of_what_a_recipe_fixes_is_refused(name):
    model = getattr(rp, name)(n_estimators=2)
    parts = Parts(to_bytes(model))
    assert repr(from_bytes(parts.data())) == repr(clone(model))
    parts.header["parameters"]["weighted_votes"] = not parts.header["parameters"]["weighted_votes"]
    with pytest.raises(rp.ModelFileError, match=f"{name} has no weighted_votes="):
        from_bytes(parts.data())


def test_a_file_with_another_member_than_a_recipe_fixes_is_refused():
    parts = Parts(to_bytes(rp.StreamForest()))
    parts.header["parameters"]["estimator"]["parameters"]["grace_period"] = 51
    with pytest.raises(rp.ModelFileError, match="StreamForest has no estimator="):
        from_bytes(parts.data())
