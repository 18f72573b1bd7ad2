"""The options of ``riparian serve``: where it listens and who may use it."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "Address",
    "FollowFolder",
    "Insecure",
    "ModelName",
    "Remember",
    "TlsCert",
    "TlsKey",
    "Tokens",
]

Address = Annotated[
    str,
    typer.Option(
        metavar="HOST:PORT", help="Where to listen. A port alone is open to this machine only."
    ),
]
ModelName = Annotated[str, typer.Option("--name", metavar="NAME", help="The name of the model.")]
FollowFolder = Annotated[
    bool,
    typer.Option(
        "--follow",
        help="Only predict, always with the newest generation that another process has written.",
    ),
]
Tokens = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The tokens that clients must send; 'riparian token new' makes them. Read again "
        "after SIGHUP.",
    ),
]
Insecure = Annotated[
    bool,
    typer.Option(
        "--insecure",
        help="Listen at an address that other machines can reach although there are no tokens.",
    ),
]
TlsCert = Annotated[
    str | None, typer.Option(metavar="FILE", help="Certificate for HTTPS, with --tls-key.")
]
TlsKey = Annotated[str | None, typer.Option(metavar="FILE", help="Key of the certificate.")]
Remember = Annotated[
    str,
    typer.Option(
        metavar="durable|fast",
        help="Whether a row with an id is on the disk before its prediction is sent.",
    ),
]
