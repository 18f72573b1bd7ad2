"""``riparian show``: a saved model, its tree, its last splits and its changes."""

from __future__ import annotations

from typing import Annotated

import typer

from riparian.cli.data_options import ModelFile
from riparian.cli.messages import Json, Splits, print_json

__all__ = ["show"]


def show(
    model: ModelFile,
    splits: Splits = 5,
    depth: Annotated[int, typer.Option(min=0, help="Print the tree down to this depth.")] = 5,
    changes: Annotated[
        bool, typer.Option("--changes", help="Print every recorded change of the model.")
    ] = False,
    json: Json = False,
) -> None:
    """Show a saved model: its tree, the evidence of its last splits and its changes."""
    import riparian
    from riparian.show.as_json import model_dict
    from riparian.show.summary import console, print_model

    loaded = riparian.load(model)
    if json:
        print_json(model_dict(loaded, n_splits=splits, changes=changes))
    else:
        print_model(console(), model, loaded, n_splits=splits, max_depth=depth, changes=changes)
