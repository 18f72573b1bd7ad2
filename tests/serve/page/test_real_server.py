"""The page of a real server: splits as they are made, a kill, tokens."""

from __future__ import annotations

import signal
import subprocess
import sys

import httpx
import pytest

from riparian.serve.tokens import new_token, write_tokens
from tests.serve.serving import rows_of, serving, tree
from tests.servers.process import free_port, wait_until

pytestmark = pytest.mark.browser

# When each split came, and when the page showed it in the race, in the list and in the tree.
WATCH = """() => {
    window.waits = [];
    const source = new EventSource("v1/events");
    const text = (id) => document.getElementById(id).textContent;
    const nodes = () => document.querySelectorAll("#tree-picture .node").length;
    // The page may get the event first, and draw the split before this does.
    let drawn = nodes();
    source.addEventListener("split", (event) => {
        const { text: told } = JSON.parse(event.data);
        const start = performance.now();
        const before = drawn;
        const held = document.getElementById("race").classList.contains("ended");
        const look = () => {
            const race = held || text("race-sentence") === told;
            const list = text("race-splits").includes(told.slice(0, 100));
            const grown = nodes() > before;
            if (!(race && list && grown)) return requestAnimationFrame(look);
            drawn = nodes();
            waits.push(performance.now() - start);
        };
        look();
    });
    return new Promise((ready) => source.addEventListener("frame", () => ready()));
}"""


class Command:
    """`riparian serve` in a process of its own."""

    def __init__(self, folder, *options: str) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}/"
        address = ["--address", f"127.0.0.1:{self.port}", "--every", "200"]
        self.command = [sys.executable, "-m", "riparian", "serve", str(folder), *address, *options]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stderr=subprocess.DEVNULL)
        wait_until(self.is_ready, "the start of the server")

    def is_ready(self) -> bool:
        assert self.process.poll() is None
        try:
            return httpx.get(f"{self.address}health/ready").status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def command(tmp_path):
    options = ["--recipe", "VFDT", "--grace-period", "50", "--leaf", "majority"]
    running = Command(tmp_path / "state", *options)
    yield running
    running.kill()


def learn(address: str, rows) -> None:
    body = {"rows": [{"features": x, "label": y} for x, y in rows]}
    assert httpx.post(f"{address}v1/learn", json=body, timeout=60).status_code == 200


def rows_shown(page) -> int:
    text = page.locator("#model-facts").inner_text()
    return int(text.split(", ", 1)[1].split(" row")[0].replace(",", "")) if text else 0


def test_a_split_is_shown_and_a_killed_server_is_followed(open_page, player, command):
    player.address = command.address
    page = open_page()
    assert "No example has arrived yet" in page.locator("#race-sentence").inner_text()
    rows = rows_of(6_000)
    learn(command.address, rows[:200])
    wait_until(lambda: rows_shown(page) == 200, "the first rows on the page")
    page.evaluate(WATCH)
    for start in range(200, 3_000, 200):
        learn(command.address, rows[start : start + 200])
        page.wait_for_timeout(100)
    wait_until(lambda: page.evaluate("waits.length > 0"), "a split on the page")
    assert min(page.evaluate("waits")) < 2000  # milliseconds
    wait_until(lambda: rows_shown(page) == 3_000, "3,000 rows on the page")
    command.kill()
    wait_until(lambda: "lost" in page.locator("#connection").inner_text(), "the lost connection")
    command.start()
    learn(command.address, rows[3_000:4_000])
    wait_until(lambda: rows_shown(page) == 4_000, "the rows after the kill on the page")
    assert page.locator("#connection").inner_text() == "live"
    assert page.locator("#tree-picture .node").count() >= 3


def test_a_browser_signs_in_with_a_token(browser, tmp_path):
    path = tmp_path / "tokens.json"
    token, stored = new_token("reader", ["read"])
    write_tokens(path, [stored])
    with serving(tmp_path / "state", tree(), tokens=str(path)) as running:
        page = browser.new_page()
        page.goto(running.served.url + "/")
        page.locator("#sign-in").wait_for(state="visible", timeout=120_000)
        assert page.locator("#model-facts").inner_text() == ""
        page.locator("#sign-in-token").fill("rip_wrong")
        page.keyboard.press("Enter")
        page.locator("#sign-in-error").filter(has_text="refused").wait_for(timeout=120_000)
        page.locator("#sign-in-token").fill(token)
        page.keyboard.press("Enter")
        page.locator("#model-facts").filter(has_text="0 rows learned").wait_for(timeout=120_000)
        assert page.locator("#connection").inner_text() == "live"
        assert token not in page.content()
        page.close()
