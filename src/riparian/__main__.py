"""The program: ``riparian``, or ``python -m riparian``."""

from __future__ import annotations

from riparian.commands.stopping import catch_signals

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    # First of all: a signal that comes while the rest is imported must not end in a traceback.
    catch_signals()
    from riparian.cli import app

    app()


if __name__ == "__main__":
    main()
