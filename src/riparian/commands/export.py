"""``riparian export``: a model as a program, an ONNX model, text or a drawing."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from riparian.commands.messages import print_message
from riparian.commands.reading import ModelFile
from riparian.commands.stopping import begin_work

__all__ = ["export"]

#: What it writes, and the options of each.
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
    to: Annotated[str, typer.Option(help="sql, python, c, onnx, text or dot.")],
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write here.  [default: standard output]")
    ] = None,
    leaf: Annotated[
        str | None,
        typer.Option(
            help="majority: read the leaves of any model so, where only such leaves can be written."
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="fails: a missing value fails a test of which the model follows both branches."
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="For sql: the table to read.  [default: examples]")
    ] = None,
    proba: Annotated[
        bool | None, typer.Option(help="For sql: whether to give probabilities.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="For c: what all names begin with.  [default: tree]")
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(help="For onnx: float64 or float32, the type of numbers."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=0, help="For text and dot: deepest level to write.")
    ] = None,
    member: Annotated[
        int | None,
        typer.Option(min=0, help="For text and dot of a forest: the tree of this member."),
    ] = None,
) -> None:
    """Write a model as a program, an ONNX model, text or a drawing.

    Programs and ONNX models predict as the model does, without riparian.
    """
    import riparian
    from riparian.errors import one_of
    from riparian.outputs import check_output, open_output

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
            raise typer.BadParameter(f"is for --to {' or '.join(users)}", param_hint=f"--{option}")
    if to == "onnx" and out is None:
        raise typer.BadParameter("an ONNX model is no text: name a file", param_hint="--out")
    check_output("--out", out)
    learned = riparian.load(model)
    begin_work()
    if to == "onnx":
        assert out is not None
        with _in_words_of_the_shell():
            made = learned.to_onnx(**options)
        with open_output(out, "wb") as file:
            file.write(made.SerializeToString())
    else:
        if to in ("text", "dot"):
            text = _drawn(learned, to, depth, member).rstrip("\n") + "\n"
        else:
            with _in_words_of_the_shell():
                text = learned.to_code(to, **options)
        if out is None:
            sys.stdout.write(text)
            return
        with open_output(out, "w") as lines:
            lines.write(text)
    print_message(f"wrote {out}")


@contextlib.contextmanager
def _in_words_of_the_shell() -> Iterator[None]:
    """Words the errors of an export with the options of the command line."""
    try:
        yield
    except ValueError as error:
        message = re.sub(r"\bto_\w+\((\w+)='(\w+)'\)", r"--\1 \2", str(error))
        raise ValueError(re.sub(r"\bto_(?:code|onnx)\b", "export", message)) from None


def _drawn(model: Any, to: str, depth: int | None, member: int | None) -> str:
    """A tree as text or in the DOT language; of a forest the tree of a member, or all as text."""
    from riparian.members import has_members
    from riparian.tree_model import TreeModel

    options = {} if depth is None else {"max_depth": depth}
    name = type(model).__name__
    if has_members(model):
        if member is not None:
            options["member"] = member
        if to == "text":
            return str(model.export_text(**options))
        if member is None:
            raise typer.BadParameter(
                f"a drawing is of one tree, and {name} has {len(model.members())}: 0 is the first",
                param_hint="--member",
            )
        return str(model.export_graphviz(**options))
    if member is not None:
        raise typer.BadParameter(f"is for forests: {name} has no members", param_hint="--member")
    if isinstance(model, TreeModel):
        return model.export_text(**options) if to == "text" else model.export_graphviz(**options)
    if to == "dot":
        raise typer.BadParameter(f"{name} has planes, not tests; use --to text", param_hint="--to")
    if depth is not None:
        raise typer.BadParameter(f"is for trees that grow, not for {name}", param_hint="--depth")
    return str(model.export_text())
