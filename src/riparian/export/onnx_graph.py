"""Builder of ONNX graphs: the inputs as one matrix, operators, and outputs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper

from riparian.data.formatting import exact_value, label_text
from riparian.data.free_names import column_names, free_names
from riparian.data.values import OTHER
from riparian.export.categories import is_text, number_of_category, other_of
from riparian.export.values import sound_text

if TYPE_CHECKING:
    from onnx import ModelProto

    from riparian.data.schema import Feature

__all__ = ["ML", "Graph"]

#: The oldest versions with float64 thresholds and string-to-float maps, for old runtimes.
_ONNX, _ML, _IR = 17, 3, 8
#: The operator domain of trees and of string maps.
ML = "ai.onnx.ml"
#: The code of a category that the model has not seen.
_UNSEEN = -1.0


class Graph:
    """Operators over one matrix of numbers.

    Parameters
    ----------
    features : sequence of Feature
        The columns.
    dtype : {"float64", "float32"}
        Type of numeric input.

    Attributes
    ----------
    matrix : str
        Name of the matrix with one column per feature: numbers (NaN is missing), or codes of text
        categories (-1 is unknown).
    texts : list of bool
        Whether the categories of each feature are text.
    kind : int
        The ONNX type of numbers.

    Notes
    -----
    Inputs of single columns have the names of the features. Generated names, including those of
    the outputs, avoid them: ``label_2`` if a feature has the name ``label``.
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
        """Add an operator with one output, and return the name of the output."""
        return self.add_all(operator, 1, *inputs, domain=domain, **attributes)[0]

    def add_all(
        self, operator: str, outputs: int, *inputs: str, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add an operator with several outputs, and return their names."""
        names = [f"{self._prefix}{len(self._nodes)}/{i}" for i in range(outputs)]
        self._nodes.append(
            helper.make_node(operator, list(inputs), names, domain=domain, **attributes)
        )
        return names

    def constant(self, values: Any, kind: int | None = None) -> str:
        """Add a constant, by default of the type of the input, and return its name."""
        name = f"{self._prefix}constant/{len(self._constants)}"
        kind = self.kind if kind is None else kind
        shape = np.shape(values)
        flat = values if kind == TensorProto.STRING else np.asarray(values).ravel().tolist()
        self._constants.append(helper.make_tensor(name, kind, shape, flat))
        return name

    def number_of(self, feature: int, code: int) -> float:
        """Return the number of a category in the matrix: its code if it is text, else itself."""
        if self.texts[feature]:
            return float(code)
        kind = np.float64 if self.dtype == "float64" else np.float32
        category = self._categories[feature][code]
        return number_of_category(self.features[feature], category, "ONNX", kind)

    def model(
        self,
        classes: Sequence[Hashable],
        place: str,
        probabilities: str,
        output: int = TensorProto.FLOAT,
    ) -> ModelProto:
        """Return the ONNX model.

        `place` is the name of the predicted class index, and `output` the type of probabilities.
        """
        labels, kind = _labels(classes)
        known = self.constant(labels, kind)
        (label,) = free_names(["label"], self._columns)
        (shares,) = free_names(["probabilities"], self._columns)
        self._nodes.append(helper.make_node("Gather", [known, place], [label]))
        self._nodes.append(helper.make_node("Cast", [probabilities], [shares], to=output))
        graph = helper.make_graph(
            self._nodes,
            "riparian",
            self._inputs,
            [
                helper.make_tensor_value_info(label, kind, ["rows"]),
                helper.make_tensor_value_info(shares, output, ["rows", len(classes)]),
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
        """Add one input per column, and return the name of their concatenation."""
        columns = []
        for feature, name, text in zip(self.features, self._columns, self.texts, strict=True):
            if not text:
                columns.append(self._input(name, 1))
                continue
            codes = {
                sound_text(exact_value(category), "ONNX"): float(code)
                for code, category in enumerate(feature.categories)
                if category is not OTHER
            }
            other = other_of(feature)
            codes.setdefault("", float("nan"))
            found = self.add(
                "LabelEncoder",
                self._input(name, 1, TensorProto.STRING),
                domain=ML,
                keys_strings=list(codes),
                values_floats=list(codes.values()),
                default_float=_UNSEEN if other is None else float(other),
            )
            columns.append(self.add("Cast", found, to=self.kind))
        return self.add("Concat", *columns, axis=1)


def _input_name(name: str) -> str:
    if not name:
        raise ValueError("ONNX does not allow an empty name; rename the column before learning")
    return sound_text(name, "ONNX")


def _free_prefix(taken: Sequence[str]) -> str:
    """Return a prefix for inner values that no column name has."""
    prefix = "riparian/"
    while any(name.startswith(prefix) for name in taken):
        prefix += "/"
    return prefix


def _labels(classes: Sequence[Hashable]) -> tuple[list[Any], int]:
    """Return the labels as ONNX values, and their type."""
    labels = [exact_value(label) for label in classes]
    if all(isinstance(label, str) for label in labels):
        return [sound_text(label, "ONNX").encode() for label in labels], TensorProto.STRING
    for label in labels:
        if not isinstance(label, int) or not -(2**63) <= label < 2**63:
            raise ValueError(
                "for ONNX the labels must be all text or all whole numbers below 2**63, "
                f"got {label_text(label)!r}"
            )
    return [int(label) for label in labels], TensorProto.INT64
