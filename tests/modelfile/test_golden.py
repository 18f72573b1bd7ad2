"""Files that were written once load for ever, and mean what they meant."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import sklearn.base

import riparian as rp
from riparian.data.costs import costs_among
from riparian.storage.modelfile import FORMAT, from_bytes, to_bytes
from tests import inside
from tests.modelfile.make_golden import (
    METADATA,
    MODELS,
    NEWER,
    POSITIONS,
    answers_of,
    splits_of,
)
from tests.modelfile.parts import Parts

FOLDER = Path(__file__).parent / "golden"
FILES = sorted(FOLDER.glob("*.rip"))


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def expected(path):
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def test_there_are_golden_files():
    assert {"vfdt-1", "adaptive-1", "naive-bayes-1"} <= {path.stem for path in FILES}
    kinds = ("prequential", "holdout", "paired", "exhaustive", "intervals", "hybrid")
    assert {f"{kind}-2" for kind in kinds} <= {path.stem for path in FILES}
    assert {"idbd-3", "best-3", "growth-3"} <= {path.stem for path in FILES}
    kinds = ("alternates", "window", "reevaluation", "options")
    assert {f"{kind}-4" for kind in kinds} <= {path.stem for path in FILES}
    assert {"policies-5", "window-5", "forest-5"} <= {path.stem for path in FILES}
    assert set(NEWER) <= {path.stem for path in FILES}


def test_the_forests_have_something_under_way():
    arrays = {name: inside.snapshot(rp.load(FOLDER / f"{name}.rip")) for name in NEWER}
    assert arrays["forest-4"]["has_back"].any()
    assert arrays["forest-4"]["warnings"].sum() > arrays["forest-4"]["drifts"].sum()
    assert arrays["patches-4"]["drifts"].any()
    assert arrays["patches-4"]["left_out"].any()
    assert len(arrays["chunks-4"]["member_chunks"]) == 3
    assert len(arrays["chunks-4"]["chunk_labels"]) > 0
    assert arrays["pairs-4"]["drifts"].any()
    assert len(arrays["id4-4"]["parent"]) > 3
    assert arrays["id5r-4"]["seen"] > len(arrays["id5r-4"]["labels"])


def test_it_loads_and_is_the_tree_that_was_saved(path, expected):
    model = rp.load(path)
    assert model.n_seen_ == expected["n_seen"]
    assert model.n_leaves_ == expected["n_leaves"]
    assert model.depth_ == expected["depth"]
    assert model.classes_.tolist() == expected["classes"]
    assert splits_of(model) == expected["splits"]


def test_its_answers_are_the_same_to_the_last_bit(path, expected):
    model = rp.load(path)
    asked = expected["examples"]
    labels = [model.predict_one(x) for x in asked]
    if getattr(model, "costs", None) is None:
        assert labels == expected["labels"]
    else:  # since format 3 answers are those of least cost
        costs = costs_among(model.costs, expected["classes"])
        cheapest = (np.array(expected["probabilities"]) @ costs.T).argmin(axis=1)
        assert labels == [expected["classes"][k] for k in cheapest]
    got = answers_of(model, asked)
    assert got == expected["probabilities"]
    np.testing.assert_allclose(np.sum(got, axis=1), 1.0, rtol=0, atol=1e-12)


def test_saving_it_again_gives_the_same_file(path):
    data = path.read_bytes()
    again = to_bytes(from_bytes(data))
    assert to_bytes(from_bytes(again)) == again
    # A file of an older format is written in the present one, which may have more arrays.
    if path.stem.endswith(f"-{FORMAT}"):
        before, after = (safetensors.numpy.load(bytes_) for bytes_ in (data, again))
        for name in set(before) - {"~digest"}:
            np.testing.assert_array_equal(before[name], after[name], err_msg=name)
        assert not any(after[name].size for name in set(after) - set(before))


def test_it_goes_on_learning(path, expected):
    model = rp.load(path)
    seen = model.n_seen_
    for x in expected["examples"]:
        model.learn_one(x, "yes")
    assert model.n_seen_ == seen + len(expected["examples"])
    assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    if "continued" in expected:  # recorded since there are forests
        assert answers_of(model, expected["examples"]) == expected["continued"]


def written(model):
    """The parameters of a model as a file of the present format holds them."""
    return Parts(to_bytes(model)).header["parameters"]


def test_it_has_the_parameters_that_it_was_made_with(path):
    """Those of older formats are flat: they are put into the policies that have them."""
    made = sklearn.base.clone((MODELS | NEWER)[path.stem])
    assert written(rp.load(path)) == written(made)


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.stem.endswith("-5")], ids=lambda path: path.stem
)
def test_it_has_its_metadata_and_positions(path):
    model = rp.load(path)
    assert model.metadata_ == METADATA
    assert model.positions_ == POSITIONS
