"""Messages of commands other than their report, and how commands end."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any, ParamSpec

import typer

from riparian.commands.stopping import end_work, status_of

__all__ = ["Json", "Quiet", "Splits", "plainly", "print_json", "print_message"]

P = ParamSpec("P")

# The status of a command whose reader went away.
_PIPE_CLOSED = 141

Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Splits = Annotated[
    int, typer.Option("--splits", min=0, help="How many of the last splits to show.")
]


def plainly(command: Callable[P, None]) -> Callable[P, None]:
    """Print what failed in one line, and end with the right status."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            try:
                command(*args, **kwargs)
                sys.stdout.flush()
            finally:
                end_work()
        except KeyboardInterrupt as error:
            print_message("interrupted")
            raise typer.Exit(status_of(error)) from None
        except BrokenPipeError:
            # Nobody reads on, as with ``| head``; nor may Python try to write the rest at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(_PIPE_CLOSED) from None
        except OSError as error:
            what = f"{error.strerror}: {error.filename}" if error.filename else str(error)
            print_message(what)
            raise typer.Exit(1) from None
        except (ValueError, TypeError, ImportError, MemoryError) as error:
            print_message(str(error) or type(error).__name__)
            raise typer.Exit(1) from None

    return run


def print_message(message: str) -> None:
    """Print a message to standard error, on one line."""
    print(f"riparian: {' '.join(message.split())}", file=sys.stderr)


def print_json(value: Any) -> None:
    """Print the report for programs."""
    import json

    print(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))
