"""The stub of the package, which lists its public names for editors and type checkers.

``python -m tests.stub`` writes it after a model was added.
"""

from pathlib import Path

import riparian as rp
from riparian.models.registry import names_by_module

PATH = Path(__file__).parent.parent / "src/riparian/__init__.pyi"


def text():
    """What the stub should be."""
    homes = dict(names_by_module())
    for name, module in vars(rp)["_NAMES"].items():
        homes.setdefault(module, []).append(name)
    lines = ["# Written by python -m tests.stub: the public names of the package."]
    lines += ["# ruff: noqa", ""]
    lines += [f"from riparian import {name} as {name}" for name in vars(rp)["_MODULES"]]
    for module, names in sorted(homes.items()):
        lines += [f"from {module} import {name} as {name}" for name in sorted(names)]
    listed = ", ".join(f'"{name}"' for name in rp.__all__)
    return "\n".join([*lines, "", "__version__: str", f"__all__ = [{listed}]", ""])


if __name__ == "__main__":
    PATH.write_text(text())
