"""The entry point of ``riparian`` and of ``python -m riparian``."""

from __future__ import annotations

from riparian.cli.signals import catch_signals

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    # Before the imports: a signal that arrives during them must not print a traceback.
    catch_signals()
    from riparian.cli.app import app

    app()


if __name__ == "__main__":
    main()
