"""The pages of the site: those of the repository with their links, and those made from the package.

The files of the repository link to each other as they lie there, so that they can also be read
without the site. Here each gets its place in the site, and its links follow.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

from docs.site import api, command_line, examples, models, policies, references
from docs.site.text import toctree

__all__ = ["collect"]

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")
_PICTURE = re.compile(r"<picture>(.*?)</picture>", re.DOTALL)

_HOME = PurePosixPath("index.md")
_HOME_FILE = PurePosixPath("docs/site/home.md")
_SECTIONS = {
    "notebooks": (
        "Notebooks",
        "Each notebook runs from top to bottom whenever this site is built.",
    ),
    "porting": (
        "Porting",
        "The names of another library next to those of riparian, and what differs.",
    ),
}


def collect(root: Path, target: Path) -> None:
    """Write all pages of the site of the repository `root` to the folder `target`."""
    docs = root / "docs"
    target.mkdir(parents=True)
    shutil.copytree(docs / "images", target / "images")
    places = _places(root)
    titles = {
        page: _title(root / path) if path.suffix == ".md" else page.stem.capitalize()
        for path, page in places.items()
    }
    for path, page in places.items():
        if path.suffix == ".md":
            path = _HOME_FILE if page == _HOME else path
            text = (root / path).read_text("utf-8")
            _write(target / page, _adapted(text, path, page, places, titles))
    for folder, (title, about) in _SECTIONS.items():
        pages = [page for page in sorted(titles) if page.parent.name == folder]
        listed = "".join(f"- [{titles[page]}]({page.name})\n" for page in pages)
        text = f"# {title}\n\n{about}\n\n{listed}\n{toctree(page.stem for page in pages)}"
        _write(target / folder / "index.md", text)
    _write_guides(target, places)
    policies.write_pages(docs, target)
    models.write_pages(target)
    api.write_pages(target)
    examples.write_pages(root / "examples", target / "examples")
    command_line.write_page(target / "command-line.md")
    references.write_page(docs / "references.bib", target)


def _places(root: Path) -> dict[PurePosixPath, PurePosixPath]:
    """The page of each file of the repository that has one."""
    found = {
        PurePosixPath("README.md"): _HOME,
        PurePosixPath("docs/index.md"): PurePosixPath("guides.md"),
        PurePosixPath("docs/references.bib"): PurePosixPath("references.md"),
    }
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        found[PurePosixPath(name)] = PurePosixPath(name.lower())
    for path in sorted((root / "docs").glob("*.md")):
        found.setdefault(PurePosixPath("docs", path.name), PurePosixPath(path.name))
    for folder in _SECTIONS:
        for path in sorted((root / "docs" / folder).glob("*.md")):
            found[PurePosixPath("docs", folder, path.name)] = PurePosixPath(folder, path.name)
    for path in sorted((root / "examples").glob("*.py")):
        found[PurePosixPath("examples", path.name)] = PurePosixPath("examples", f"{path.stem}.md")
    return found


def _adapted(
    text: str,
    path: PurePosixPath,
    page: PurePosixPath,
    places: dict[PurePosixPath, PurePosixPath],
    titles: dict[PurePosixPath, str],
) -> str:
    """The text of a file as that of its page: links to other pages, pictures in two colours."""

    def link(match: re.Match[str]) -> str:
        label, file, anchor = match[1], match[2], match[3] or ""
        place = places.get(PurePosixPath(os.path.normpath(path.parent / file)))
        if place is None:
            return label  # a file of the repository that is no page
        if label == PurePosixPath(file).name and not file.endswith(".py"):
            label = titles[place].partition(":")[0]
        return f"[{label}]({os.path.relpath(place, page.parent)}{anchor})"

    def picture(match: re.Match[str]) -> str:
        found = dict(re.findall(r'(\w+)="([^"]*)"', match[1]))
        shades = {"light": found["src"], "dark": found["srcset"]}
        return "\n\n".join(
            f":::{{image}} {os.path.relpath(_in_docs(path.parent / file), page.parent)}\n"
            f":alt: {' '.join(found['alt'].split())}\n:class: only-{shade}\n:::"
            for shade, file in shades.items()
        )

    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.MULTILINE | re.DOTALL)
    for i in range(0, len(parts), 2):  # the others are code
        parts[i] = _PICTURE.sub(picture, _LINK.sub(link, parts[i]))
        parts[i] = models.link_names(parts[i])
        parts[i] = references.link_keys(parts[i], os.path.relpath("references.md", page.parent))
    text = re.sub(r"\n+(?=\n```$)", "", "".join(parts), flags=re.MULTILINE)
    return policies.link_names(text) if page.stem == "policies" else text


def _in_docs(path: PurePosixPath) -> str:
    return os.path.relpath(os.path.normpath(path), "docs")


def _title(path: Path) -> str:
    found = re.search(r"^# (.+)$", path.read_text("utf-8"), re.MULTILINE)
    assert found, f"{path} has no title"
    return found[1]


def _write_guides(target: Path, places: dict[PurePosixPath, PurePosixPath]) -> None:
    """Put the guides into the menu, in the order of their list."""
    path = target / "guides.md"
    text = path.read_text("utf-8")
    listed = re.findall(r"\]\((\w[\w-]*)\.md\)", text)
    of_their_own = {"benchmarks", "policies", "recipes", "quickstart", "index", "guides"}
    guides = {page.stem for file, page in places.items() if file.parent.name == "docs"}
    guides -= of_their_own | {"references"}
    order = [name for name in dict.fromkeys(listed) if name in guides]
    rest = ["command-line", "examples/index", "references", "contributing", "security", "changelog"]
    path.write_text(text + "\n" + toctree([*order, *sorted(guides - set(order)), *rest]), "utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
