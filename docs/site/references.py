"""The papers: a page made from ``docs/references.bib``, and links to it from ``[domingos2000]``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

__all__ = ["link_keys", "write_page"]

_KEY = re.compile(
    r"(?<![\w\])`])\[([a-z]+\d{4}[a-z]*)((?:, (?:sec|eq|fig|section|theorem)[^\]]*)?)\]"
)


def link_keys(text: str, page: str) -> str:
    """`text` in which every ``[key, section]`` leads to its entry on the page of the papers."""
    return _KEY.sub(rf"[[\1]({page}#\1)\2]", text)


def write_page(path: Path, target: Path) -> None:
    """Write the page of the papers, with an anchor for each key."""
    from pybtex.database import parse_file

    entries = sorted(parse_file(str(path)).entries.items())
    described = "".join(f"## {key}\n\n{_described(entry)}\n\n" for key, entry in entries)
    about = "The papers that the code and these pages cite, by key.\n"
    (target / "references.md").write_text(f"# References\n\n{about}\n{described}", "utf-8")


def _described(entry: Any) -> str:
    fields = {name: _plain(value) for name, value in entry.fields.items()}
    authors = ", ".join(
        " ".join(map(_plain, [*person.first_names, *person.middle_names, *person.prelast_names,
                              *person.last_names, *person.lineage_names]))
        for person in entry.persons.get("author", [])
    )  # fmt: skip
    where = fields.get("journal") or fields.get("booktitle") or fields.get("publisher", "")
    number = f"({fields['number']})" if "number" in fields else ""
    if "volume" in fields:
        where += f" {fields['volume']}{number}"
    pages = f"pp. {fields['pages']}" if "pages" in fields else ""
    place = ", ".join(part for part in (where, pages, fields.get("year", "")) if part)
    title = f"*{fields['title']}*" if "title" in fields else ""
    parts = [authors, title, place, fields.get("note", "")]
    if "doi" in fields:
        parts.append(f"doi:[{fields['doi']}](https://doi.org/{fields['doi']})")
    return ". ".join(part.rstrip(".") for part in parts if part) + "."


def _plain(latex: str) -> str:
    from pybtex.richtext import Text

    return str(Text.from_latex(latex))
