"""A page for each script of ``examples``."""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["write_pages"]


def write_pages(scripts: Path, target: Path) -> None:
    """Write a page for each script, and one that lists them."""
    target.mkdir()
    listed = []
    for path in sorted(scripts.glob("*.py")):
        code = path.read_text("utf-8")
        about = (ast.get_docstring(ast.parse(code)) or path.stem).partition("\n")[0].rstrip(".")
        (target / f"{path.stem}.md").write_text(f"# {about}\n\n```python\n{code}```\n", "utf-8")
        listed.append(path.stem)
    names = "\n".join(listed)
    text = f"# Example scripts\n\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"
    (target / "index.md").write_text(text, "utf-8")
