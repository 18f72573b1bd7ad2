"""Model files: data without code, which is checked before a model is made from it.

A file has the layout of safetensors: named arrays, and a JSON header with the format version, the
recipe, its parameters and the schema. The header also holds source positions and free metadata,
which nothing here interprets. safetensors has no checksum, so the last array, ``~digest``, is the
SHA-256 of all bytes before it. The file of a model that has learned nothing has no schema and no
other arrays. The core checks the meaning of the arrays, in one place for each engine
(``core/tree/snapshot.cpp`` for trees).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError
from sklearn.base import BaseEstimator

from riparian.data.class_weights import class_weights
from riparian.data.costs import cost_pairs
from riparian.data.identifiers import Watch
from riparian.data.schema import Feature, Schema
from riparian.data.times import TimeKind
from riparian.data.values import OTHER, category_of, label_of, name_of
from riparian.drift import DETECTORS, Detector
from riparian.errors import ModelFileError
from riparian.policies import AXES, Policy, classes, is_own_leaf
from riparian.policies.callables import importable_name
from riparian.policies.objects import is_own_object
from riparian.policies.own_leaf import OwnLeaf
from riparian.storage.old_formats import translated

if TYPE_CHECKING:
    from riparian.models.base import StreamClassifier

__all__ = [
    "FORMAT",
    "Frozen",
    "freeze",
    "from_bytes",
    "functions_of",
    "load",
    "to_bytes",
    "to_checked_bytes",
    "unfitted",
    "value_from_json",
    "value_to_json",
]

#: The version of the format. It rises when older versions of riparian could misread a file.
FORMAT = 5
#: Every format that this version reads.
READABLE = (1, 2, 3, 4, 5)

_DIGEST = "~digest"
_DIGEST_BYTES = hashlib.sha256().digest_size
_HEADER = "riparian"


def load(
    path: str | os.PathLike[str], functions: Mapping[str, Any] | None = None
) -> StreamClassifier[Any]:
    """Read a model that was written by ``save``.

    Loading runs no code from the file and imports nothing that it names. A file that is damaged
    or that is no model raises a :class:`riparian.ModelFileError`.

    Parameters
    ----------
    path : path-like
        The file.
    functions : dict, optional
        The functions of a model with a callable impurity, bound or hook, because the file holds
        only their names: ``{"impurity": my_impurity}``, ``{"adaptation__hook": my_hook}``, or for
        the members of a forest ``{"estimator__impurity": my_impurity}``. Also the objects of a
        model with drift detectors or leaf predictors of your own: ``{"drift": MyDetector()}``.

    Returns
    -------
    model : StreamClassifier
        The model, with what it has learned.

    Examples
    --------
    >>> import tempfile
    >>> import riparian as rp
    >>> model = rp.StreamForest(n_estimators=3)
    >>> model.learn_one({"age": 31}, "yes")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/forest.rip")
    ...     again = rp.load(f"{folder}/forest.rip")
    >>> again
    StreamForest(n_estimators=3)
    """
    try:
        return from_bytes(Path(path).read_bytes(), functions)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None


@dataclass(frozen=True)
class Frozen:
    """A model as it was at one moment. Any thread can turn it into the bytes of a file."""

    arrays: dict[str, Any]
    header: dict[str, Any]

    def to_bytes(self) -> bytes:
        """Return the bytes of the model's file."""
        arrays = {**self.arrays, _DIGEST: np.zeros(_DIGEST_BYTES, dtype=np.uint8)}
        text = json.dumps(self.header, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        data = safetensors.numpy.save(arrays, metadata={_HEADER: text})
        body = data[:-_DIGEST_BYTES]
        return body + hashlib.sha256(body).digest()


def freeze(model: StreamClassifier[Any]) -> Frozen:
    """Copy what a model has learned. Learning can go on while the copy becomes a file."""
    engine = model._engine
    arrays: dict[str, Any] = {}
    if engine is None:
        parameters, schema = model._axes(), None
    else:
        with model._learning:
            arrays = engine.snapshot()
            parameters, schema = model._learned_with, _schema_to_json(model._schema)
        try:
            _check_agreement(model._schema, arrays)
        except ModelFileError as error:
            raise _unsavable(error) from None
    header = {
        "format": FORMAT,
        "recipe": _name_of(model),
        "parameters": _parameters(parameters),
        "schema": schema,
        "positions": model.positions_,
        "metadata": model.metadata_,
    }
    return Frozen(arrays, header)


def to_bytes(model: StreamClassifier[Any]) -> bytes:
    """Return the whole model as the bytes of a file."""
    return freeze(model).to_bytes()


def to_checked_bytes(model: StreamClassifier[Any]) -> bytes:
    """Return the bytes of a file that surely can be loaded; otherwise raise a ModelFileError."""
    data = to_bytes(model)
    try:
        parameters = model._axes() if model._engine is None else model._learned_with
        from_bytes(data, functions_of(parameters))
    except ModelFileError as error:
        raise _unsavable(error) from None
    return data


def _unsavable(error: ModelFileError) -> ModelFileError:
    return ModelFileError(
        f"the model was not saved, because its file could not be loaded: {error}. This is a bug "
        "in riparian; the file that was there before is unchanged"
    )


def from_bytes(data: bytes, functions: Mapping[str, Any] | None = None) -> StreamClassifier[Any]:
    """Make the model that these bytes describe; a :class:`ModelFileError` if they do not."""
    body = data[:-_DIGEST_BYTES]
    if len(data) < 8 + _DIGEST_BYTES or hashlib.sha256(body).digest() != data[-_DIGEST_BYTES:]:
        raise ModelFileError(
            "the file is damaged or not a riparian model (its checksum does not match)"
        )
    try:
        arrays = safetensors.numpy.load(data)
        header = _read_header(data)
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"not a riparian model: {str(error)[:500]}") from None
    if header.get("format") not in READABLE:
        raise ModelFileError(
            f"the file has format {header.get('format')!r}; this version reads formats "
            f"{', '.join(map(str, READABLE[:-1]))} and {READABLE[-1]}"
        )
    arrays.pop(_DIGEST, None)
    try:
        parameters = header["parameters"]
        if header["format"] < 5:
            parameters = translated(parameters)
        model = _model_of(header.get("recipe"), parameters, functions or {})
        model.positions_ = header.get("positions", {})
        model.metadata_ = header.get("metadata", {})
        if header["schema"] is None and header["format"] >= 5:
            if arrays:
                raise ModelFileError("a model without a schema has arrays")
            return model
        schema = _schema_from_json(header["schema"])
        axes = model._axes()
        engine = model._restored_engine(axes, arrays)
        _check_agreement(schema, arrays)
        model._install(model._completed(engine, schema, axes))
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"impossible contents: {str(error)[:500]}") from None
    return model


def unfitted(recipe: Any, parameters: Any) -> StreamClassifier[Any]:
    """Return the model of a header before it has learned; a ModelFileError if there is none."""
    try:
        return _model_of(recipe, parameters, {})
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"impossible parameters: {str(error)[:500]}") from None


def functions_of(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the functions among parameters, by the names that :func:`load` accepts."""
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, BaseEstimator):
            found |= {f"{name}__{k}": f for k, f in functions_of(value._axes()).items()}
        elif isinstance(value, Detector):
            continue
        elif callable(value) or is_own_object(value):
            found[name] = value
        elif isinstance(value, Policy | tuple):
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, OwnLeaf):
                    found[name] = one.predictor
                elif isinstance(one, Policy):
                    found |= {f"{name}__{k}": f for k, f in one.__dict__.items() if callable(f)}
    return found


def _read_header(data: bytes) -> dict[str, Any]:
    length = int.from_bytes(data[:8], "little")
    outer = json.loads(data[8 : 8 + length])
    header = json.loads(outer["__metadata__"][_HEADER])
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    return header


def _name_of(model: StreamClassifier[Any]) -> str:
    from riparian.models.registry import MODELS

    return next(cls.__name__ for cls in type(model).__mro__ if cls.__name__ in MODELS)


def _parameters(parameters: Mapping[str, Any], below: str = "") -> dict[str, Any]:
    """Return the parameters of a header; `below` is the prefix of their names in messages."""
    return {
        name: _plain(f"{below}{name}", value)
        for name, value in sorted(parameters.items())
        # Files without class weights are those of versions that did not have them.
        if name != "class_weight" or value is not None
    }


def _plain(name: str, value: Any) -> Any:
    """Return a parameter as JSON can hold it."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(name, v) for v in value]
    if isinstance(value, OwnLeaf):
        return {"policy": value.name, "parameters": {"predictor": _plain(name, value.predictor)}}
    if isinstance(value, Policy):
        values = {k: _plain(f"{name}__{k}", v) for k, v in sorted(value.__dict__.items())}
        return {"policy": value.name, "parameters": values}
    if isinstance(value, Detector):
        return {"detector": value._name, "parameters": value.get_params()}
    if isinstance(value, BaseEstimator):  # the estimator of a forest
        axes = value._axes()
        return {
            "model": _name_of(value),
            "parameters": _parameters(axes, f"{name}__"),
        }
    if isinstance(value, Mapping) and name == "class_weight":
        weights = class_weights(value).items()
        return {"weights": [[value_to_json(label), weight] for label, weight in weights]}
    if isinstance(value, Mapping):  # costs
        return {
            "pairs": [
                [value_to_json(predicted), value_to_json(true), cost]
                for (predicted, true), cost in cost_pairs(value).items()
            ]
        }
    if callable(value) or is_own_object(value):
        own = is_own_object(value)
        kind = "class" if own else "function"
        known = importable_name(type(value) if own else value)
        if known is None:
            raise TypeError(
                f"parameter {name}={value!r} cannot be saved: a model file holds the name of a "
                f"{kind}, and this one cannot be imported by its name; define it in a module"
            )
        return {"object" if own else "function": known}
    raise TypeError(f"parameter {name}={value!r} cannot be saved in a model file")


def _model_of(
    recipe: Any, parameters: Any, functions: Mapping[str, Any], below: str = ""
) -> StreamClassifier[Any]:
    """Make the unfitted model of a header; `below` is the prefix of its functions' names."""
    from riparian.models.registry import MODELS

    if not isinstance(recipe, str) or recipe not in MODELS:
        raise ModelFileError(f"unknown recipe {recipe!r}")
    if not isinstance(parameters, dict):
        raise ModelFileError("unknown parameters")
    axes = _with_functions(_from_plain(parameters, functions, below), functions, below)
    return MODELS[recipe]._from_axes(axes)


def _from_plain(
    parameters: Mapping[str, Any], functions: Mapping[str, Any], below: str
) -> dict[str, Any]:
    out = dict(parameters)
    for name, value in out.items():
        if not isinstance(value, dict):
            continue
        if set(value) == {"policy", "parameters"}:
            out[name] = _policy_from_plain(name, value, functions, below)
        elif set(value) == {"detector", "parameters"}:
            kind = DETECTORS.get(value["detector"])
            if kind is None or not isinstance(value["parameters"], dict):
                raise ModelFileError(f"unknown detector {value['detector']!r}")
            out[name] = kind(**value["parameters"])
        elif set(value) == {"model", "parameters"}:
            inner = value["parameters"]
            if isinstance(inner, dict) and inner.get("estimator") is not None:
                raise ModelFileError("a member of a forest cannot be a forest")
            out[name] = _model_of(value["model"], inner, functions, f"{name}__")
    if isinstance(out.get("leaf"), list):
        out["leaf"] = tuple(
            _policy_from_plain("leaf", one, functions, below) if isinstance(one, dict) else one
            for one in out["leaf"]
        )
    weights = out.get("class_weight")
    if isinstance(weights, dict):
        out["class_weight"] = {
            label_of(value_from_json(label)): weight for label, weight in weights["weights"]
        }
    costs = out.get("costs")
    if isinstance(costs, dict):
        out["costs"] = {
            (label_of(value_from_json(predicted)), label_of(value_from_json(true))): cost
            for predicted, true, cost in costs["pairs"]
        }
    return out


def _policy_from_plain(
    axis: str, value: Mapping[str, Any], functions: Mapping[str, Any], below: str
) -> Policy:
    kinds = classes(axis) if axis in AXES else {}
    if axis == "leaf" and value.get("policy") == OwnLeaf.name:
        named = value.get("parameters")
        if not (isinstance(named, dict) and set(named) == {"predictor"}):
            raise ModelFileError("unknown parameters of a leaf predictor")
        found = _with_functions({"leaf": named["predictor"]}, functions, below)["leaf"]
        if not is_own_leaf(found):
            raise ModelFileError("a leaf predictor that has no name")
        return OwnLeaf(found)
    if value.get("policy") not in kinds or not isinstance(value.get("parameters"), dict):
        raise ModelFileError(f"unknown policy {value.get('policy')!r} for {axis}")
    kind = kinds[value["policy"]]
    if set(value["parameters"]) - set(kind.parameters):
        raise ModelFileError(f"unknown parameters of {kind.__name__}")
    values = dict(value["parameters"])
    return kind(**_with_functions(values, functions, f"{below}{axis}__"))


def _with_functions(
    parameters: dict[str, Any], functions: Mapping[str, Any], below: str
) -> dict[str, Any]:
    """Replace names of functions by the functions that the caller passed."""
    for name, value in parameters.items():
        if not (isinstance(value, dict) and set(value) in ({"function"}, {"object"})):
            continue
        key = below + name
        ((kind, known),) = value.items()
        if key not in functions:
            what = "this function" if kind == "function" else "such an object"
            raise ModelFileError(
                f"the model was made with {key}={known}; pass {what}: "
                f"load(path, functions={{{key!r}: ...}})"
            )
        if kind == "function" and not callable(functions[key]):
            raise ModelFileError(f"functions[{key!r}] must be callable")
        if kind == "object" and not is_own_object(functions[key]):
            raise ModelFileError(f"functions[{key!r}] must be an object of the class {known}")
        parameters[name] = functions[key]
    return parameters


# Labels and categories are built-in values, as `riparian.data.values` makes them. They keep their
# types: 1, 1.5, "1" and b"1" differ. True and 1 are equal, so a list can hold only one of them.
def value_to_json(value: Hashable) -> Any:
    """Return a label or a category as JSON can hold it."""
    if isinstance(value, bool | str | int):
        return value
    if value is OTHER:
        return {"other": True}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    raise TypeError(f"{value!r} cannot be saved in a model file")


def value_from_json(value: Any) -> Hashable:
    """Return the label or category that :func:`value_to_json` wrote."""
    if isinstance(value, bool | str | int):
        return value
    if isinstance(value, dict) and len(value) == 1:
        (kind, text), *_ = value.items()
        if kind == "float" and isinstance(text, str):
            number = float.fromhex(text)
            if number == number:
                return number
        if kind == "bytes" and isinstance(text, str):
            return bytes.fromhex(text)
        if kind == "other" and text is True:
            return OTHER
    raise ModelFileError("the schema holds an impossible value")


def _schema_to_json(schema: Schema) -> dict[str, Any]:
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


def _schema_from_json(data: Any) -> Schema:
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
        raise ModelFileError("the schema watches a feature in an unknown way")
    flags = [data["cut"], data["left_out"]]
    counts = [_count(data[name]) for name in ("values", "repeats", "forgotten")]
    if not all(isinstance(flag, bool) for flag in flags) or counts[1] > counts[0]:
        raise ModelFileError("the schema watches a feature in an impossible way")
    return Watch(counts[0], counts[1], flags[0], flags[1], counts[2])


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**62:
        raise ModelFileError("the schema holds an impossible count")
    return value


def _check_agreement(schema: Schema, arrays: Mapping[str, Any]) -> None:
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
