"""The schema in the JSON of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

from riparian.data.identifiers import Watch
from riparian.data.schema import Feature, Schema
from riparian.data.times import TimeKind
from riparian.data.values import OTHER, category_of, label_of, name_of
from riparian.errors import ModelFileError
from riparian.storage.values import value_from_json, value_to_json

__all__ = ["check_agreement", "schema_from_json", "schema_to_json"]


def schema_to_json(schema: Schema) -> dict[str, Any]:
    features: list[dict[str, Any]] = [
        {
            "name": f.name,
            "kind": f.kind,
            "categories": [value_to_json(v) for v in f.codes],
            # Only features of dates have it, so that files of other models stay as they were.
            **({} if f.time is None else {"time": f.time}),
        }
        for f in schema.features
    ]
    for place, watch in schema.watches.items():
        features[place]["watch"] = asdict(watch)
    return {
        "features": features,
        "ignored": schema.ignored,
        "classes": [value_to_json(label) for label in schema.classes],
    }


def schema_from_json(data: Any) -> Schema:
    schema = Schema()
    for entry in data["features"]:
        name, kind = entry["name"], entry["kind"]
        if type(name) not in (str, int) or name_of(name) in schema.index:
            raise ModelFileError("the schema holds an impossible or repeated name")
        if kind not in ("numeric", "categorical"):
            raise ModelFileError("the schema holds an unknown kind")
        values = [value_from_json(v) for v in entry["categories"]]
        categories = [v if v is OTHER else category_of(v) for v in values]
        time = entry.get("time")
        if time is not None and (time not in get_args(TimeKind) or kind != "numeric"):
            raise ModelFileError("the schema holds an unknown kind of time")
        feature = Feature(name, kind, time=time)
        schema.add_feature(feature)
        schema.add_categories(feature, categories)
        if len(feature.codes) != len(categories) or (kind == "numeric" and categories):
            raise ModelFileError("the schema holds impossible categories")
        if "watch" in entry:
            schema.restore_watch(len(schema.features) - 1, _watch_from_json(entry["watch"]))
    schema.ignored = _count(data.get("ignored", 0))
    labels = [label_of(value_from_json(v)) for v in data["classes"]]
    schema.add_classes(labels)
    if len(schema.classes) != len(labels):
        raise ModelFileError("the schema repeats a class")
    return schema


def _watch_from_json(data: Any) -> Watch:
    if not isinstance(data, dict) or set(data) != set(Watch.__slots__):
        raise ModelFileError("the schema holds an unknown state of an identifier")
    flags = [data["cut"], data["left_out"]]
    counts = [_count(data[name]) for name in ("values", "repeats", "forgotten")]
    if not all(isinstance(flag, bool) for flag in flags) or counts[1] > counts[0]:
        raise ModelFileError("the schema holds an impossible state of an identifier")
    return Watch(counts[0], counts[1], flags[0], flags[1], counts[2])


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**62:
        raise ModelFileError("the schema holds an impossible count")
    return value


def check_agreement(schema: Schema, arrays: Mapping[str, Any]) -> None:
    """Check that every code in the arrays has a name in the schema, and every name a code."""
    kinds = [int(f.kind == "categorical") for f in schema.features]
    if arrays["kinds"].tolist() != kinds:
        raise ModelFileError("schema and tree disagree about the features")
    seen = arrays["categories"].tolist()
    known = [schema.n_codes(i) for i, f in enumerate(schema.features) if f.kind == "categorical"]
    if seen != known:
        raise ModelFileError("schema and tree disagree about the categories")
    if int(arrays["classes"][0]) != len(schema.classes):
        raise ModelFileError("schema and tree disagree about the classes")
