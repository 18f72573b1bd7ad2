"""``riparian export``: a model as SQL, Python, C, ONNX, text or a Graphviz drawing."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from riparian.cli.data_options import ModelFile
from riparian.cli.messages import print_message
from riparian.cli.signals import begin_work

__all__ = ["export"]

#: The formats and the options of each.
_EXPORTS = {
    "sql": ("leaf", "missing", "table", "proba"),
    "python": ("leaf", "missing"),
    "c": ("leaf", "missing", "name"),
    "onnx": ("leaf", "missing", "dtype"),
    "text": ("depth", "member"),
    "dot": ("depth", "member"),
}


def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(help="Format: sql, python, c, onnx, text or dot.")],
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Output file.  [default: standard output]"),
    ] = None,
    leaf: Annotated[
        str | None,
        typer.Option(
            help="majority: a smaller export with the class weights of each leaf, whatever the "
            "model predicts with."
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="fails: a missing value fails the test, for formats that cannot follow both "
            "branches as the model does."
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="For sql: name of the table.  [default: examples]")
    ] = None,
    proba: Annotated[
        bool | None, typer.Option(help="For sql: add the probability of each class.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="For c: prefix of all names.  [default: tree]")
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(help="For onnx: type of numbers, float64 or float32."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=0, help="For text and dot: print the tree down to this depth.")
    ] = None,
    member: Annotated[
        int | None,
        typer.Option(min=0, help="For text and dot: the member of a forest to export."),
    ] = None,
) -> None:
    """Export a model as SQL, Python, C, ONNX, text or a Graphviz drawing.

    SQL, Python, C and ONNX predict what the model predicts, and do not need riparian.
    """
    import riparian
    from riparian.errors import one_of
    from riparian.export import to_code
    from riparian.storage.outputs import check_output, open_output

    given: dict[str, Any] = {
        "leaf": leaf,
        "missing": missing,
        "table": table,
        "proba": proba,
        "name": name,
    }
    given |= {"dtype": dtype, "depth": depth, "member": member}
    options = {key: value for key, value in given.items() if value is not None}
    try:
        one_of("--to", to, _EXPORTS)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--to") from None
    for option in options:
        if option not in _EXPORTS[to]:
            users = [target for target in _EXPORTS if option in _EXPORTS[target]]
            raise typer.BadParameter(
                f"is only for --to {' or '.join(users)}", param_hint=f"--{option}"
            )
    if to == "onnx" and out is None:
        raise typer.BadParameter("is required: ONNX is a binary format", param_hint="--out")
    check_output("--out", out)
    learned = riparian.load(model)
    begin_work()
    if to == "onnx":
        assert out is not None
        with _errors_with_option_names():
            onnx_model = learned.to_onnx(**options)
        with open_output(out, "wb") as file:
            file.write(onnx_model.SerializeToString())
    else:
        if to in ("text", "dot"):
            text = _export_tree(learned, to, depth, member).rstrip("\n") + "\n"
        else:
            with _errors_with_option_names():
                text = to_code(learned, to, **options)
        if out is None:
            sys.stdout.write(text)
            return
        with open_output(out, "w") as lines:
            lines.write(text)
    print_message(f"wrote {out}")


@contextlib.contextmanager
def _errors_with_option_names() -> Iterator[None]:
    """Replace the parameters in the errors of an export by the options of the command line."""
    try:
        yield
    except ValueError as error:
        message = re.sub(r"\bto_\w+\((\w+)='(\w+)'\)", r"--\1 \2", str(error))
        message = re.sub(r"\bto_code\('(\w+)'\)", r"--to \1", message)
        message = message.replace("to_onnx()", "--to onnx")
        raise ValueError(re.sub(r"\bto_(?:code|onnx)\b", "export", message)) from None


def _export_tree(model: Any, to: str, depth: int | None, member: int | None) -> str:
    """Return a tree, or a member of a forest, as text or DOT; without a member all as text."""
    from riparian.models.forests.ensemble import Ensemble
    from riparian.models.tree_model import TreeModel

    options: dict[str, Any] = {} if depth is None else {"max_depth": depth}
    name = type(model).__name__
    if isinstance(model, Ensemble):
        if member is not None:
            options["member"] = member
        if to == "text":
            return str(model.export_text(**options))
        if member is None:
            raise typer.BadParameter(
                f"is required: {name} has {len(model.members())} trees, and 0 is the first",
                param_hint="--member",
            )
        return str(model.export_graphviz(**options))
    if member is not None:
        raise typer.BadParameter(
            f"is only for forests: {name} has no members", param_hint="--member"
        )
    if isinstance(model, TreeModel):
        return model.export_text(**options) if to == "text" else model.export_graphviz(**options)
    if to == "dot":
        raise typer.BadParameter(
            f"dot is not available for {name}, whose nodes are hyperplanes; use --to text",
            param_hint="--to",
        )
    if depth is not None:
        raise typer.BadParameter(f"is not available for {name}", param_hint="--depth")
    return str(model.export_text())
