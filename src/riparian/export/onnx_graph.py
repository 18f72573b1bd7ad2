"""An ONNX graph in the making: its inputs as one matrix, its steps, its outputs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper

from riparian.export.categories import is_text, number_of_category
from riparian.export.values import sound_text
from riparian.free_names import column_names, free_names
from riparian.wording import exact_value, label_text

if TYPE_CHECKING:
    from onnx import ModelProto

    from riparian.schema import Feature

__all__ = ["ML", "Graph"]

#: Versions with double thresholds and maps from strings to floats; old, for old runtimes.
_ONNX, _ML, _IR = 17, 3, 8
#: The domain of trees and of maps from text.
ML = "ai.onnx.ml"
#: A category that the model has not seen; codes begin at 0.
_UNSEEN = -1.0


class Graph:
    """Steps over one matrix of numbers.

    Parameters
    ----------
    features : sequence of Feature
        The columns.
    dtype : {"float64", "float32"}
        Type of numeric input.

    Attributes
    ----------
    matrix : str
        The value that holds a column a feature: numbers, NaN where they are missing; of text
        the codes, -1 for a category that is not known.
    texts : list of bool
        Whether the categories of each feature are text.
    kind : int
        The type of numbers as ONNX knows it.

    Notes
    -----
    Inputs of single columns have the names of the features. Names of ours, also those of the
    outputs, are others: ``label_2`` where a feature has the name ``label``.
    """

    def __init__(self, features: Sequence[Feature], dtype: str) -> None:
        self.features = features
        self.dtype = dtype
        self.kind: int = TensorProto.DOUBLE if dtype == "float64" else TensorProto.FLOAT
        self._categories = [feature.categories for feature in features]
        self.texts = [is_text(feature, "ONNX") for feature in features]
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._columns: list[str] = []
        if any(self.texts):
            self._columns = [_input_name(name) for name in column_names(features)]
        self._prefix = _free_prefix(self._columns)
        self.matrix = self._read() if self._columns else self._input("X", len(features))

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a step of one output, and give the name of that."""
        return self.add_all(operator, 1, *inputs, domain=domain, **attributes)[0]

    def add_all(
        self, operator: str, outputs: int, *inputs: str, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add a step of several outputs, and give their names."""
        names = [f"{self._prefix}{len(self._nodes)}/{i}" for i in range(outputs)]
        self._nodes.append(
            helper.make_node(operator, list(inputs), names, domain=domain, **attributes)
        )
        return names

    def constant(self, values: Any, kind: int | None = None) -> str:
        """Numbers, of the type of the input unless another is named, or texts."""
        name = f"{self._prefix}constant/{len(self._constants)}"
        kind = self.kind if kind is None else kind
        shape = np.shape(values)
        flat = values if kind == TensorProto.STRING else np.asarray(values).ravel().tolist()
        self._constants.append(helper.make_tensor(name, kind, shape, flat))
        return name

    def number_of(self, feature: int, code: int) -> float:
        """The number that stands for a category: its code if it is text, else itself."""
        if self.texts[feature]:
            return float(code)
        kind = np.float64 if self.dtype == "float64" else np.float32
        category = self._categories[feature][code]
        return number_of_category(self.features[feature], category, "ONNX", kind)

    def model(self, classes: Sequence[Hashable], place: str, probabilities: str) -> ModelProto:
        """The whole, with labels looked up by their places."""
        labels, kind = _labels(classes)
        known = self.constant(labels, kind)
        (label,) = free_names(["label"], self._columns)
        (shares,) = free_names(["probabilities"], self._columns)
        self._nodes.append(helper.make_node("Gather", [known, place], [label]))
        self._nodes.append(
            helper.make_node("Cast", [probabilities], [shares], to=TensorProto.FLOAT)
        )
        graph = helper.make_graph(
            self._nodes,
            "riparian",
            self._inputs,
            [
                helper.make_tensor_value_info(label, kind, ["rows"]),
                helper.make_tensor_value_info(shares, TensorProto.FLOAT, ["rows", len(classes)]),
            ],
            self._constants,
        )
        return helper.make_model(
            graph,
            producer_name="riparian",
            opset_imports=[helper.make_opsetid("", _ONNX), helper.make_opsetid(ML, _ML)],
            ir_version=_IR,
        )

    def _input(self, name: str, width: int, kind: int | None = None) -> str:
        kind = self.kind if kind is None else kind
        self._inputs.append(helper.make_tensor_value_info(name, kind, ["rows", width]))
        return name

    def _read(self) -> str:
        """One input a column, and the matrix that they make."""
        columns = []
        for feature, name, text in zip(self.features, self._columns, self.texts, strict=True):
            if not text:
                columns.append(self._input(name, 1))
                continue
            known = [sound_text(exact_value(c), "ONNX") for c in feature.categories]
            codes = {category: float(code) for code, category in enumerate(known)}
            codes.setdefault("", float("nan"))
            found = self.add(
                "LabelEncoder",
                self._input(name, 1, TensorProto.STRING),
                domain=ML,
                keys_strings=list(codes),
                values_floats=list(codes.values()),
                default_float=_UNSEEN,
            )
            columns.append(self.add("Cast", found, to=self.kind))
        return self.add("Concat", *columns, axis=1)


def _input_name(name: str) -> str:
    if not name:
        raise ValueError("ONNX cannot have an empty name; name the column before learning")
    return sound_text(name, "ONNX")


def _free_prefix(taken: Sequence[str]) -> str:
    """What the names of inner values begin with, and no name of a column."""
    prefix = "riparian/"
    while any(name.startswith(prefix) for name in taken):
        prefix += "/"
    return prefix


def _labels(classes: Sequence[Hashable]) -> tuple[list[Any], int]:
    """Labels as ONNX has them, and their type."""
    labels = [exact_value(label) for label in classes]
    if all(isinstance(label, str) for label in labels):
        return [sound_text(label, "ONNX").encode() for label in labels], TensorProto.STRING
    for label in labels:
        if not isinstance(label, int) or not -(2**63) <= label < 2**63:
            raise ValueError(
                "the labels must be all text or all whole numbers below 2**63 for ONNX, "
                f"got {label_text(label)!r} among them"
            )
    return [int(label) for label in labels], TensorProto.INT64
