"""``riparian show``: a saved model, its tree, its last splits and its changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from riparian.cli.messages import Json, Splits, print_json

__all__ = ["show"]


def show(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A model file, as written by run --model-out, or a checkpoint folder of learn.",
        ),
    ],
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

    if os.path.isdir(model):
        from riparian.cli.checkpoints import open_folder
        from riparian.sources.checkpoint import load, read_generations

        with open_folder(model) as db:
            newest = next(iter(read_generations(db)), None)
        if newest is None:
            raise ValueError(f"{model}: no checkpoint was written yet")
        loaded = load(Path(model), newest)
    else:
        loaded = riparian.load(model)
    if json:
        print_json(model_dict(loaded, n_splits=splits, changes=changes))
    else:
        print_model(console(), model, loaded, n_splits=splits, max_depth=depth, changes=changes)
