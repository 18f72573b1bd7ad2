"""What is wrong with the HTML of a site: dead links, and what a page would load from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["problems"]

#: Where a page loads something from, for each element that does; links are only followed.
_LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href"}


class _Page(HTMLParser):
    """The anchors of a page, the places that it links to, and those that it loads from."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        place = found.get(_LOADS.get(tag, ""))
        if place and found.get("rel") not in ("search", "next", "prev", "index", "canonical"):
            self.loads.append(place)


def problems(folder: Path) -> list[str]:
    """One line for each dead link, and for each thing that a page loads from another host."""
    paths = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    pages = {path: _Page(path.read_text("utf-8")) for path in sorted(paths)}
    return [
        f"{path.relative_to(folder)}: {found}"
        for path, page in pages.items()
        for found in _problems_of(path, page, pages)
    ]


def _problems_of(path: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    for place in page.loads:
        parts = urlsplit(place)
        if parts.netloc:
            yield f"loads {place} from another host"
        elif not parts.scheme and not (path.parent / unquote(parts.path)).exists():
            yield f"loads {place}, which is not there"
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists():
            yield f"links to {link}, which is not there"
        elif parts.fragment and target in pages and _lacks(pages[target], parts.fragment):
            yield f"links to {link}, but the page has no such anchor"


def _lacks(page: _Page, fragment: str) -> bool:
    return unquote(fragment) not in page.anchors
