"""Export of a model to ONNX and to programs; :mod:`riparian.export` does the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from onnx import ModelProto

    from riparian.export.allowed import Allowed
    from riparian.export.plain import PlainTree
    from riparian.export.planes import PlainPlanes
    from riparian.models.base import StreamClassifier

__all__ = ["Exporting"]


class Exporting:
    """What every model can be exported to; a subclass defines what it predicts."""

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree | PlainPlanes:
        """Return what the model predicts as plain numbers.

        A ValueError if `asked`, the name of an export, cannot express it.
        """
        raise NotImplementedError(f"{type(self).__name__} must define _plain")

    def to_onnx(
        self,
        *,
        leaf: Literal["majority"] | None = None,
        missing: Literal["fails"] | None = None,
        dtype: Literal["float64", "float32"] = "float64",
    ) -> ModelProto:
        """Export the model to ONNX.

        Parameters
        ----------
        leaf : {"majority"} or None, default=None
            "majority" exports the leaves of any tree as majority leaves, whose predictions differ;
            None exports them as they predict.
        missing : {"fails"} or None, default=None
            For ITI, where a missing value takes both branches of a test: "fails" lets it fail the
            test, as it does while learning; None refuses such a model.
        dtype : {"float64", "float32"}, default="float64"
            Type of numeric input.

        Returns
        -------
        model : onnx.ModelProto
            ``model.SerializeToString()`` are the bytes of the file.

        See Also
        --------
        riparian.export.to_onnx : The inputs and outputs of the exported model.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> model = VFDT().fit(*sea(seed=1).take(2_000))
        >>> [output.name for output in model.to_onnx().graph.output]
        ['label', 'probabilities']
        """
        from riparian.export import to_onnx

        model = cast("StreamClassifier[Any]", self)
        return to_onnx(model, leaf=leaf, missing=missing, dtype=dtype)

    def to_code(
        self,
        language: Literal["sql", "python", "c"],
        *,
        leaf: Literal["majority"] | None = None,
        missing: Literal["fails"] | None = None,
        table: str | None = None,
        proba: bool | None = None,
        name: str | None = None,
    ) -> str:
        """Export the model as a program that runs without riparian.

        Parameters
        ----------
        language : {"sql", "python", "c"}
            SQL that SQLite and DuckDB accept, Python 3, or C99.
        leaf : {"majority"} or None, default=None
            "majority" exports the leaves of any tree as majority leaves, whose predictions differ;
            None exports them as they predict.
        missing : {"fails"} or None, default=None
            For ITI, where a missing value takes both branches of a test: "fails" lets it fail the
            test, as it does while learning; None refuses such a model.
        table : str, optional
            Only for "sql": the table to read. By default ``"examples"``.
        proba : bool, optional
            Only for "sql": whether the query returns probabilities. By default it does.
        name : str, optional
            Only for "c": what all names begin with. By default ``"tree"``.

        Returns
        -------
        code : str
            The program. A comment at its top explains how to call it.

        Examples
        --------
        >>> from riparian import ITI
        >>> tree = ITI().fit([[1.0], [2.0], [4.0]], ["low", "low", "high"])
        >>> program = {}
        >>> exec(tree.to_code("python", missing="fails"), program)
        >>> program["predict_one"]({0: 3.5})
        'high'
        """
        from riparian.export import to_code

        model = cast("StreamClassifier[Any]", self)
        return to_code(
            model, language, leaf=leaf, missing=missing, table=table, proba=proba, name=name
        )
