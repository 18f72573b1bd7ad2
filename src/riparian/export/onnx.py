"""Models for ONNX, for runtimes without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riparian.errors import one_of
from riparian.export.plain import Allowed, PlainTree

if TYPE_CHECKING:
    from onnx import ModelProto

    from riparian.model import StreamClassifier

__all__ = ["to_onnx"]


def to_onnx(
    model: StreamClassifier[Any],
    *,
    leaf: str | None = None,
    missing: str | None = None,
    dtype: str = "float64",
) -> ModelProto:
    """The model as one of ONNX.

    Trees and forests are a TreeEnsembleClassifier, OADT is matrix products and sigmoids.

    Parameters
    ----------
    model : StreamClassifier
        A model that has learned.
    leaf : {"majority"} or None, default=None
        "majority" reads the leaves of any tree as majority leaves; None refuses a model
        with others.
    missing : {"fails"} or None, default=None
        Where a missing value takes both branches of a test (ITI): "fails" lets it fail the
        test, as it does while learning; None refuses such a model.
    dtype : {"float64", "float32"}, default="float64"
        Type of numeric input. With "float32" a threshold is the largest float32 that is not
        above it, so that every float32 value goes the way it goes in the model.

    Returns
    -------
    onnx.ModelProto
        ``model.SerializeToString()`` is the file. Outputs are ``label`` (int64 or string)
        and ``probabilities`` (float32, in the order of ``classes_``), in this order. Where an
        input has one of these names, the output has another: ``label_2``.

    Notes
    -----
    If all columns hold numbers there is one input, ``X``, of shape (rows, features);
    categories that are numbers are given as they are. If a feature has categories of text,
    there is one input a column, of shape (rows, 1), under the feature's name (``x0`` and so on
    for positions, ``x0_2`` where a feature has the name ``x0``); text is looked up in the graph.
    NaN is a missing value, and so is the empty string unless it is a category. Needs
    ``pip install riparian[onnx]``.

    A forest's sums are added by the runtime, in the type of the input and in an order of its
    own: where two classes are equal but for the last bits, the other one may be predicted.
    With `costs` sums are compared as float32: of two predictions that cost the same either may be
    given.
    """
    one_of("dtype", dtype, ["float64", "float32"])
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise ImportError("to_onnx needs onnx: pip install 'riparian[onnx]'") from None
    from riparian.export.onnx_graph import Graph
    from riparian.export.onnx_planes import answer_of_planes
    from riparian.export.onnx_trees import answer_of_trees

    plain = model._plain(Allowed(leaf, missing), "to_onnx")
    graph = Graph(plain.features, dtype)
    if isinstance(plain, PlainTree):
        return graph.model(plain.classes, *answer_of_trees(graph, plain))
    return graph.model(plain.classes, *answer_of_planes(graph, plain))
