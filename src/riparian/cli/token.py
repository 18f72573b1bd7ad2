"""``riparian token``: the tokens that clients of a server send."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from riparian.cli.messages import Json, print_json, report_errors

__all__ = ["token"]

token = typer.Typer(
    help="Make, list and remove the tokens of riparian serve.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

TokenFile = Annotated[
    str, typer.Option("--file", metavar="FILE", help="The file of the tokens.", show_default=True)
]
_FILE = "tokens.json"


@token.command("new")
@report_errors
def new(
    scope: Annotated[
        list[str],
        typer.Option(metavar="read|write|admin|metrics", help="What it is for; can be repeated."),
    ],
    name: Annotated[str, typer.Option(help="Who has it.")] = "",
    file: TokenFile = _FILE,
) -> None:
    """Make a token. It is printed once; the file has only its digest."""
    from riparian.errors import one_of
    from riparian.serve.tokens import SCOPES, new_token, read_tokens, write_tokens

    scopes = [one_of("--scope", one, SCOPES) for one in scope]
    text, stored = new_token(name or f"token of {' and '.join(scopes)}", scopes)
    tokens = read_tokens(file) if os.path.exists(file) else []
    write_tokens(file, [*tokens, stored])
    print(text)


@token.command("list")
@report_errors
def list_tokens(file: TokenFile = _FILE, json: Json = False) -> None:
    """List the tokens: names, scopes, and the beginning of each digest."""
    from datetime import UTC, datetime

    from riparian.serve.tokens import listed, read_tokens

    found = listed(read_tokens(file))
    if json:
        print_json(found)
        return
    for one in found:
        made = datetime.fromtimestamp(one["made"], UTC).strftime("%Y-%m-%d")
        print(f"{one['sha256']}  {made}  {','.join(one['scopes'])}  {one['name']}")


@token.command("remove")
@report_errors
def remove(
    digest: Annotated[str, typer.Argument(help="The beginning of its digest, at least 8 signs.")],
    file: TokenFile = _FILE,
) -> None:
    """Remove a token; a running server forgets it after SIGHUP."""
    from riparian.serve.tokens import read_tokens, write_tokens

    tokens = read_tokens(file)
    gone = [one for one in tokens if len(digest) >= 8 and one.sha256.startswith(digest)]
    if len(gone) != 1:
        raise ValueError(f"{len(gone)} tokens of {file} begin with {digest!r}")
    write_tokens(file, [one for one in tokens if one is not gone[0]])
