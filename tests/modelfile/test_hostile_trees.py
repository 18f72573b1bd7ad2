"""Hostile files of trees, one by one."""

from __future__ import annotations

import json
import math
import struct

import pytest
import safetensors

import riparian as rp
from riparian.storage.modelfile import from_bytes
from tests.modelfile.parts import set_value
from tests.modelfile.samples import check_works, samples, with_units


@pytest.fixture(scope="module")
def parts():
    return samples()[0]


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e308])
def test_what_no_leaf_can_watch_is_refused(value):
    """The first numbers of each watch, and its size."""
    for whole in samples()[2:7]:
        for place in (0, 1, 2):
            bad = whole.copy()
            set_value(bad.arrays["watch"], place, value)
            with pytest.raises(rp.ModelFileError):
                from_bytes(bad.data())
        for size in (0, 1, 2**40, 2**64 - 1):
            bad = whole.copy()
            set_value(bad.arrays["watch_sizes"], 0, size)
            with pytest.raises(rp.ModelFileError):
                from_bytes(bad.data())


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e308, 1e300])
def test_what_no_unit_can_hold_is_refused(value):
    """Of a leaf: the units, their categories, the moments, then weights, steps and traces."""
    for whole in with_units():
        for place in range(20):
            bad = whole.copy()
            set_value(bad.arrays["units"], place, value)
            with pytest.raises(rp.ModelFileError):
                from_bytes(bad.data())


@pytest.mark.parametrize("name", ["units", "unit_sizes", "right_idbd"])
def test_the_arrays_of_units_are_there_where_leaves_have_units_and_nowhere_else(name):
    plain, idbd = samples()[0], with_units()[0]
    without = idbd.copy()
    del without.arrays[name]
    with pytest.raises(rp.ModelFileError):
        from_bytes(without.data())
    strange = plain.copy()
    strange.arrays[name] = idbd.copy().arrays[name]
    with pytest.raises(rp.ModelFileError):
        from_bytes(strange.data())
    # A file of an older format has none of them.
    older = plain.copy()
    del older.arrays[name]
    check_works(from_bytes(older.data()))


def test_a_watch_of_another_kind_is_refused():
    whole = samples()
    for i in range(2, 8):
        for j in range(2, 8):
            bad = whole[i].copy()
            for name in ("watch", "watch_sizes"):
                bad.arrays[name] = whole[j].copy().arrays[name]
            if i != j:
                with pytest.raises(rp.ModelFileError):
                    from_bytes(bad.data())


@pytest.mark.parametrize(
    "costs",
    [
        {"pairs": 3},
        {"pairs": [["a", "b"]]},
        {"pairs": [["a", "b", "c"]]},
        {"pairs": [["a", "b", -1.0]]},
        {"pairs": [["a", [], 1.0]]},
        {"pairs": []},
        {"pears": []},
        [[0.0, 1.0], [1.0, 0.0]],
        [[0.0] * 3] * 3,
        [],
        "a",
        None,
        {"function": "os.system"},
    ],
    ids=str,
)
def test_costs_are_checked_as_if_a_user_gave_them(costs):
    bad = samples()[2].copy()
    bad.header["parameters"]["costs"] = costs
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


@pytest.mark.parametrize(
    ("array", "place", "value"),
    [
        ("parent", 0, 0),
        ("parent", 1, 1),
        ("parent", 1, 2),
        ("parent", 1, 2**31 - 1),
        ("heavy", 0, 0),
        ("heavy", 0, 2**31 - 1),
        ("feature", 0, 99),
        ("test", 0, 9),
        ("counts", 0, math.nan),
        ("counts", 0, math.inf),
        ("counts", 0, -1.0),
        ("classes", 0, 2**32 - 1),
        ("classes", 0, 65_536),
        ("categories", 0, 2**32 - 1),
        ("seen", 0, 2**64 - 1),
        ("values", 0, 2**32 - 1),
        ("values", 0, 1_000_000),
        ("gaussian", 0, math.nan),
        ("split_node", 0, 2**31 - 1),
        ("split_gain", 0, math.nan),
    ],
)
def test_what_no_tree_can_hold_is_refused(parts, array, place, value):
    bad = parts.copy()
    set_value(bad.arrays[array], place, value)
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("delta", 0),
        ("delta", 2.0),
        ("delta", math.nan),
        ("grace_period", -1),
        ("grace_period", 10**400),
        ("grace_period", "200"),
        ("cuts", {"policy": "bins", "parameters": {"count": 10**9}}),
        ("cuts", {"policy": "bins", "parameters": {"count": 0}}),
        ("cuts", {"policy": "bins", "parameters": {"count": "7"}}),
        ("cuts", {"policy": "bins", "parameters": {"count": {"function": "builtins:len"}}}),
        ("cuts", {"policy": "bins", "parameters": {"counts": 7}}),
        ("cuts", {"policy": "bins", "parameters": {"__class__": 7}}),
        ("cuts", {"policy": "bins", "parameters": None}),
        ("cuts", {"policy": "bins", "parameters": []}),
        ("cuts", {"policy": "bin", "parameters": {}}),
        ("cuts", {"policy": "hoeffding", "parameters": {}}),
        ("cuts", {"policy": "__class__", "parameters": {}}),
        ("cuts", {"policy": ["bins"], "parameters": {}}),
        ("cuts", {"policy": None, "parameters": {}}),
        ("cuts", {"policy": "bins"}),
        ("cuts", {"policy": "bins", "parameters": {}, "more": 1}),
        ("cuts", [{"policy": "bins", "parameters": {}}]),
        ("delta", {"policy": "bins", "parameters": {}}),
        ("leaf", [{"policy": "majority", "parameters": {"step": 0.1}}]),
        ("leaf", [{"policy": "majority", "parameters": {}}, {"policy": "x", "parameters": {}}]),
        ("leaf", [{"policy": "majority", "parameters": {}}] * 2),
        ("leaf", []),
        ("adaptation", {"policy": "window", "parameters": {"hook": {"function": "os:abort"}}}),
        ("max_depth", -1),
        ("max_leaves", 0),
        ("max_leaves", 1.5),
        ("leaf", "lambda: 1"),
        ("leaf", None),
        ("impurity", ["gini"]),
        ("clip_to_range", 1),
        ("categorical_features", 5),
        ("categorical_features", "all"),
        ("categorical_features", {"a": 1}),
        ("categorical_features", [[1]]),
        ("categorical_features", [None]),
        ("_engine", None),
        ("__class__", "x"),
        ("predict", "x"),
    ],
)
def test_parameters_are_checked_as_if_a_user_gave_them(parts, name, value):
    bad = parts.copy()
    bad.header["parameters"][name] = value
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


@pytest.mark.parametrize("name", ["metadata", "positions"])
@pytest.mark.parametrize("value", [None, 1, "text", [], [["a", 1]], True])
def test_metadata_and_positions_are_objects(parts, name, value):
    bad = parts.copy()
    bad.header[name] = value
    with pytest.raises(rp.ModelFileError, match=f"{name}_ must be a dict with strings as keys"):
        from_bytes(bad.data())


def test_numbers_in_metadata_are_finite(parts):
    bad = parts.copy()
    bad.header["metadata"] = {"a": math.nan}
    with pytest.raises(rp.ModelFileError, match="metadata_ must consist of JSON values"):
        from_bytes(bad.data())


def test_an_unknown_policy_and_an_unknown_parameter_are_named(parts):
    bad = parts.copy()
    bad.header["parameters"]["bound"] = {"policy": "chernoff", "parameters": {}}
    with pytest.raises(rp.ModelFileError, match="unknown policy 'chernoff' for bound"):
        from_bytes(bad.data())
    bad.header["parameters"]["bound"] = {"policy": "confidence-practical", "parameters": {"d": 1}}
    with pytest.raises(rp.ModelFileError, match="unknown parameters of ConfidencePractical"):
        from_bytes(bad.data())


def test_a_model_without_a_schema_has_learned_nothing(parts):
    bad = parts.copy()
    bad.header["schema"] = None
    with pytest.raises(rp.ModelFileError, match="a model without a schema has arrays"):
        from_bytes(bad.data())
    bad.arrays.clear()
    assert not from_bytes(bad.data()).__sklearn_is_fitted__()
    bad.header["format"] = 4  # which had no such models
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


@pytest.mark.parametrize("missing", ["format", "recipe", "parameters", "schema"])
def test_a_header_without_a_part_is_refused(parts, missing):
    bad = parts.copy()
    del bad.header[missing]
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


def test_schema_and_tree_must_agree(parts):
    for change in (
        lambda schema: schema["classes"].pop(),
        lambda schema: schema["classes"].append("one more"),
        lambda schema: schema["classes"].append(schema["classes"][0]),
        lambda schema: schema["features"].pop(),
        lambda schema: schema["features"].append(schema["features"][0]),
        lambda schema: schema["features"][0].update(kind="categorical"),
        lambda schema: schema["features"][0].update(name=schema["features"][1]["name"]),
        lambda schema: schema["features"][1]["categories"].pop(),
        lambda schema: schema["features"][1]["categories"].append("u"),
        lambda schema: schema["features"][0]["categories"].append("u"),
    ):
        bad = parts.copy()
        change(bad.header["schema"])
        with pytest.raises(rp.ModelFileError):
            from_bytes(bad.data())


def test_a_class_list_that_is_too_long_cannot_make_learning_large(parts):
    bad = parts.copy()
    bad.header["schema"]["classes"] += [f"class {i}" for i in range(100_000)]
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


def test_a_message_stays_short(parts):
    for name in ("leaf", "delta", "cuts"):
        bad = parts.copy()
        bad.header["parameters"][name] = "x" * 1_000_000
        with pytest.raises(rp.ModelFileError) as caught:
            from_bytes(bad.data())
        assert len(str(caught.value)) < 10_000


def test_safetensors_checks_what_it_promises():
    """The reader relies on it; a version that does not would show here."""
    huge = {"a": {"dtype": "F64", "shape": [2**40], "data_offsets": [0, 8]}}
    data = json.dumps(huge).encode()
    with pytest.raises(safetensors.SafetensorError):
        safetensors.deserialize(struct.pack("<Q", len(data)) + data + bytes(8))
