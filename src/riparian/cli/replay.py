"""``riparian replay``: the model of a server as it was after some rows."""

from __future__ import annotations

from typing import Annotated

import typer

from riparian.cli.messages import print_message

__all__ = ["replay"]


def replay(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder of riparian serve.")],
    rows: Annotated[int, typer.Option(min=1, help="How many rows were learned then.")],
    out: Annotated[str, typer.Option(metavar="FILE", help="Where to write the model.")],
) -> None:
    """Make the model again that a server had after some rows, from a generation and the journal.

    The journal goes back to the last generation but one. A server may be running.
    """
    from riparian.serve.replay import replay as replayed
    from riparian.storage.outputs import check_output

    check_output("--out", out)
    model = replayed(folder, rows)
    model.save(out)
    print_message(f"{out}: {type(model).__name__} after {rows:,} rows")
