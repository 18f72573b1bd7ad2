"""The public names of the package: those of ``riparian`` and those of its public modules.

``python -m tests.public_names`` writes the list in public_names.txt after a name was added. A name
that goes from the list breaks the code of users: CHANGELOG.md must say so.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import riparian as rp

__all__ = ["PATH", "found", "listed"]

PATH = Path(__file__).with_name("public_names.txt")


def modules() -> dict[str, ModuleType]:
    """The package and its public modules."""
    public = {name: getattr(rp, name) for name in rp.__all__}
    own = {f"riparian.{n}": value for n, value in public.items() if isinstance(value, ModuleType)}
    return {"riparian": rp, **own}


def found() -> list[str]:
    return sorted(f"{name}.{own}" for name, module in modules().items() for own in module.__all__)


def listed() -> list[str]:
    return PATH.read_text("utf-8").splitlines()


if __name__ == "__main__":
    PATH.write_text("\n".join(found()) + "\n", "utf-8")
