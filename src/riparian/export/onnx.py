"""Export of models to ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riparian.errors import one_of
from riparian.export.allowed import Allowed
from riparian.export.plain import PlainTree

if TYPE_CHECKING:
    from onnx import ModelProto

    from riparian.models.base import StreamClassifier

__all__ = ["to_onnx"]


def to_onnx(
    model: StreamClassifier[Any],
    *,
    leaf: str | None = None,
    missing: str | None = None,
    dtype: str = "float64",
) -> ModelProto:
    """Return the model as an ONNX model.

    Trees and forests with majority leaves become a TreeEnsembleClassifier. With other leaves a
    TreeEnsembleRegressor finds the leaf, and the graph computes its prediction. OADT becomes matrix
    products and sigmoids. Needs ``pip install riparian[onnx]``.

    Parameters
    ----------
    model : StreamClassifier
        A fitted model.
    leaf : {"majority"} or None, default=None
        "majority" exports every leaf as a majority leaf, whose predictions differ. By default
        leaves are exported as they predict.
    missing : {"fails"} or None, default=None
        For models that send a missing value down both branches of a test (ITI): with "fails" a
        missing value fails the test, as it does during learning. By default such a model is
        refused.
    dtype : {"float64", "float32"}, default="float64"
        Type of numeric input. With "float32" thresholds are rounded down to float32, so that every
        float32 value takes the same branch as in the model.

    Returns
    -------
    model : onnx.ModelProto
        The ONNX model; ``model.SerializeToString()`` returns the bytes of a file. The outputs are
        ``label`` (int64 or string) and ``probabilities`` (float32, in the order of ``classes_``).
        If leaves compute their prediction, the probabilities have the type of the input.
        If an input has one of these names, the output gets a suffix: ``label_2``.

    Raises
    ------
    ValueError
        If ONNX cannot express the model.

    Notes
    -----
    If all columns are numeric, there is one input ``X`` of shape (rows, features). Numeric
    categories are passed unchanged. If a feature has text categories, there is one input per
    column, of shape (rows, 1), with the name of the feature (``x0`` and so on for positions, or
    ``x0_2`` if a feature has the name ``x0``). NaN is a missing value, and so is the empty string
    unless it is a category.

    The runtime adds the votes of a forest in the type of the input and in an order of its own. If
    the votes of two classes differ in the last bits only, the other class may be predicted. With
    `costs` the sums are compared as float32, so of two predictions with the same cost either may
    be returned.
    """
    one_of("dtype", dtype, ["float64", "float32"])
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise ImportError(
            "to_onnx needs onnx; install it with: pip install 'riparian[onnx]'"
        ) from None
    from riparian.export.onnx_formulas import add_formulas
    from riparian.export.onnx_graph import Graph
    from riparian.export.onnx_planes import add_planes
    from riparian.export.onnx_trees import add_trees

    plain = model._plain(Allowed(leaf, missing), "to_onnx")
    graph = Graph(plain.features, dtype)
    if isinstance(plain, PlainTree) and plain.formulas:
        return graph.model(plain.classes, *add_formulas(graph, plain), output=graph.kind)
    if isinstance(plain, PlainTree):
        return graph.model(plain.classes, *add_trees(graph, plain))
    return graph.model(plain.classes, *add_planes(graph, plain))
