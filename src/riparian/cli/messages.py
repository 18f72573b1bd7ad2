"""Messages on standard error, JSON reports, and the exit status of a failed command."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Annotated, Any, ParamSpec

import typer

from riparian.cli.signals import end_work, status_of

__all__ = [
    "Json",
    "Quiet",
    "Splits",
    "errors_as",
    "print_json",
    "print_message",
    "report_errors",
    "skipped_text",
]

P = ParamSpec("P")

# Exit status after the reader of standard output has closed the pipe.
_PIPE_CLOSED = 141

Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")]
Splits = Annotated[int, typer.Option("--splits", min=0, help="Number of latest splits to show.")]


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command so that errors and warnings are printed as one line each.

    An error also sets the exit status.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with errors_as(print_message):
                try:
                    with warnings.catch_warnings():
                        # Without the line of the package that warns, which says nothing to a user.
                        warnings.showwarning = lambda message, *_: print_message(str(message))
                        command(*args, **kwargs)
                    sys.stdout.flush()
                finally:
                    end_work()
        except KeyboardInterrupt as error:
            print_message("interrupted")
            raise typer.Exit(status_of(error)) from None
        except BrokenPipeError:
            # The reader has gone, as with ``| head``. Python must not flush the rest at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(_PIPE_CLOSED) from None

    return run


@contextlib.contextmanager
def errors_as(show: Callable[[str], None]) -> Iterator[None]:
    """Show an error in one line and end the command with status 1."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        show(f"{error.strerror}: {error.filename}" if error.filename else str(error))
        raise typer.Exit(1) from None
    except (ValueError, TypeError, ImportError, MemoryError) as error:
        show(str(error) or type(error).__name__)
        raise typer.Exit(1) from None


def print_message(message: str) -> None:
    """Print a message to standard error, on one line."""
    print(f"riparian: {' '.join(message.split())}", file=sys.stderr)


def skipped_text(n: int, first: str | None) -> str:
    """Return a message with the number of skipped rows and the reason for the first."""
    rows = "row" if n == 1 else "rows"
    return f"skipped {n:,} {rows} that cannot be read; the first: {first}"


def print_json(value: Any) -> None:
    """Print a report as JSON."""
    import json

    print(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))
