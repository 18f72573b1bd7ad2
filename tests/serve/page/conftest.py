"""A browser for the whole run; for each test a player, and pages that must have no errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.serve.page.browser import FLAGS, chromium
from tests.serve.page.player import Player

# Reports of the content security policy, as the page itself gets them.
WATCH = """window.refused = [];
document.addEventListener('securitypolicyviolation', (event) =>
    refused.push(event.violatedDirective + ' ' + event.blockedURI));"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def player() -> Iterator[Player]:
    player = Player()
    yield player
    player.stop()


@pytest.fixture
def open_page(browser, player) -> Iterator[Any]:
    """Open the page of the player; its console, requests and policy are checked at the end."""
    problems: list[str] = []
    pages = []

    def open_page(width: int = 1280, height: int = 800, **options: Any) -> Any:
        viewport = {"width": width, "height": height}
        page = browser.new_page(viewport=viewport, **options)
        pages.append(page)
        page.set_default_timeout(120_000)  # a limit only ends a test that hangs
        page.add_init_script(WATCH)

        def check_console(message: Any) -> None:
            # A server that is down is no error of the page.
            if message.type in ("error", "warning") and "net::ERR_" not in message.text:
                problems.append(message.text)

        page.on("console", check_console)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: outside(request.url))
        page.goto(player.address)
        return page

    def outside(url: str) -> None:
        if not url.startswith((player.address, "data:")):
            problems.append(f"loaded from elsewhere: {url}")

    yield open_page
    for page in pages:
        problems += page.evaluate("refused")
        page.close()
    assert problems == []
