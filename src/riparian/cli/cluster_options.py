"""The options of commands whose model several workers learn."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from riparian.cluster.team import Team

__all__ = ["RayAddress", "Shards", "Workers", "team_of"]

Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Learn one tree or a forest with this many processes, which also decode the messages. "
        "The model does not depend on their number. docs/cluster.md says when this pays.",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Learn one tree or a forest with workers on a Ray cluster: its address, auto or "
        "local. --workers is their number then.",
    ),
]
Shards = Annotated[
    int | None,
    typer.Option(
        help="With --workers or --ray: a power of two up to 1,024. The model depends on it.  "
        "[default: 16]",
    ),
]


@contextlib.contextmanager
def team_of(workers: int | None, address: str | None, shards: int | None) -> Iterator[Team | None]:
    """Give the workers that the options ask for; they end with the block."""
    if workers is None and address is None:
        if shards is not None:
            raise typer.BadParameter("needs --workers or --ray", param_hint="--shards")
        yield None
        return
    from riparian.cluster.process_pool import processes
    from riparian.cluster.ray_pool import ray
    from riparian.cluster.team import Team

    if address is not None:
        pool = ray(workers, address=None if address == "local" else address)
    else:
        assert workers is not None
        pool = processes(workers)
    with pool:
        yield Team(pool, shards)
