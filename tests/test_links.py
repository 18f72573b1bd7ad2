"""The links among the documents lead somewhere."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    path
    for pattern in ("*.md", "docs/**/*.md", "experiments/*.md")
    for path in sorted(ROOT.glob(pattern))
    if "formulas" not in path.parts
]
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")


@cache
def text_of(path):
    """The document without its code."""
    text = path.read_text("utf-8")
    text = re.sub(r"^ *(```+|~~~+).*?^ *\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: re.sub(r"[\[\]()]", " ", code[0]), text)


@cache
def anchors_of(path):
    """The anchors of the headings, as hosts of Markdown and the site make them."""
    headings = re.findall(r"^#+ (.+)$", text_of(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_of(path):
    return [link or source for link, source in LINK.findall(text_of(path))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_links_of_a_document_lead_somewhere(path):
    for link in links_of(path):
        if re.match(r"\w+:", link):  # of the web
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        if anchor:
            assert anchor in anchors_of(target), link


def test_there_are_documents_and_links_to_check():
    assert len(DOCUMENTS) > 25
    assert sum(len(links_of(path)) for path in DOCUMENTS) > 150
