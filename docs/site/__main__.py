"""Collect the pages, build the site without a warning, and check its links."""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import files
from pathlib import Path

from docs.site.check import problems
from docs.site.collect import collect

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "docs"


def main() -> int:
    """Build the site; the status is 0 if nothing is wrong with it."""
    from sphinx.cmd.build import build_main

    source, html = BUILD / "source", BUILD / "html"
    for folder in (source, html):
        shutil.rmtree(folder, ignore_errors=True)
    collect(ROOT, source)
    options = ["--fail-on-warning", "--keep-going", "--quiet", "--fresh-env"]
    options += ["--conf-dir", str(Path(__file__).parent), "--doctree-dir", str(BUILD / "doctrees")]
    status = build_main([*options, str(source), str(html)])
    if status:
        return status
    bring_mathjax(html / "_static" / "mathjax")
    found = problems(html)
    print("\n".join(found), file=sys.stderr, end="\n" * bool(found))
    print(f"{len(list(html.rglob('*.html')))} pages in {html.relative_to(ROOT)}")
    return 1 if found else 0


def bring_mathjax(folder: Path) -> None:
    """Copy the program that draws formulas from its package."""
    packed = files("sphinx-mathjax-offline") or []
    program = next(file for file in packed if file.name == "tex-svg.js")
    folder.mkdir(parents=True)
    shutil.copy(program.locate(), folder)


if __name__ == "__main__":
    sys.exit(main())
