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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from riparian.errors import ModelFileError
from riparian.storage.old_formats import translated
from riparian.storage.parameters import (
    functions_of,
    model_from_json,
    model_name,
    parameters_to_json,
)
from riparian.storage.schemas import check_agreement, schema_from_json, schema_to_json

if TYPE_CHECKING:
    from riparian.models.base import StreamClassifier

__all__ = [
    "FORMAT",
    "Frozen",
    "freeze",
    "from_bytes",
    "functions_of",
    "load",
    "opened",
    "thawed",
    "to_bytes",
    "to_checked_bytes",
    "unfitted",
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
        body = memoryview(data)[:-_DIGEST_BYTES]
        return b"".join([body, hashlib.sha256(body).digest()])


def freeze(model: StreamClassifier[Any]) -> Frozen:
    """Copy what a model has learned. Learning can go on while the copy becomes a file."""
    engine = model._engine
    arrays: dict[str, Any] = {}
    if engine is None:
        parameters, schema = model._axes(), None
    else:
        with model._learning:
            arrays = engine.snapshot()
            parameters, schema = model._learned_with, schema_to_json(model._schema)
        try:
            check_agreement(model._schema, arrays)
        except ModelFileError as error:
            raise _unsavable(error) from None
    header = {
        "format": FORMAT,
        "recipe": model_name(model),
        "parameters": parameters_to_json(parameters),
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


def opened(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arrays and the header of a file; a ModelFileError if it is none."""
    body = memoryview(data)[:-_DIGEST_BYTES]
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
    return arrays, header


def from_bytes(data: bytes, functions: Mapping[str, Any] | None = None) -> StreamClassifier[Any]:
    """Make the model that these bytes describe; a :class:`ModelFileError` if they do not."""
    return thawed(*opened(data), functions)


def thawed(
    arrays: dict[str, Any], header: dict[str, Any], functions: Mapping[str, Any] | None = None
) -> StreamClassifier[Any]:
    """Make the model that was frozen; a ModelFileError if the arrays are not those of one."""
    try:
        parameters = header["parameters"]
        if header["format"] < 5:
            parameters = translated(parameters)
        model = model_from_json(header.get("recipe"), parameters, functions or {})
        model.positions_ = header.get("positions", {})
        model.metadata_ = header.get("metadata", {})
        if header["schema"] is None and header["format"] >= 5:
            if arrays:
                raise ModelFileError("a model without a schema has arrays")
            return model
        schema = schema_from_json(header["schema"])
        axes = model._axes()
        engine = model._restored_engine(axes, arrays)
        check_agreement(schema, arrays)
        model._install(model._completed(engine, schema, axes))
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"impossible contents: {str(error)[:500]}") from None
    return model


def unfitted(recipe: Any, parameters: Any) -> StreamClassifier[Any]:
    """Return the model of a header before it has learned; a ModelFileError if there is none."""
    try:
        return model_from_json(recipe, parameters, {})
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"impossible parameters: {str(error)[:500]}") from None


def _read_header(data: bytes) -> dict[str, Any]:
    length = int.from_bytes(data[:8], "little")
    outer = json.loads(data[8 : 8 + length])
    header = json.loads(outer["__metadata__"][_HEADER])
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    return header
