"""The live page in a browser, with frames that were made by hand."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest

from riparian.export.palette import DARK, LIGHT
from tests.serve.page import frames
from tests.serve.page.browser import MODULES
from tests.servers.process import wait_until

pytestmark = pytest.mark.browser


def shown(page, selector: str) -> str:
    return page.locator(selector).inner_text()


def wait_for(page, selector: str, text: str, seconds: float = 120.0) -> None:
    found = page.locator(selector).filter(has_text=text).first
    found.wait_for(state="attached", timeout=1000 * seconds)


def test_a_tree_fills_every_part_of_the_page(open_page, player):
    frame = frames.tree()
    player.send(frame)
    page = open_page()
    more = f"{round(frame['race'][0]['rows_to_decide']):,} more examples at this gap"
    wait_for(page, "#race-sentence", more)
    assert shown(page, "#race-place") == "At the leaf where amount > 12.5 and country = DE"
    assert page.locator("#race-leaves label.leaf").count() == 8
    wait_for(page, "#accuracy-legend", "93.")
    assert "the class" not in shown(page, "#accuracy-note")
    assert page.locator("#tree-picture .node").count() == 13
    wait_for(page, "#features-scroll", "0.31 changed")
    wait_for(page, "#stream-tiles", "41 % of 200 KB")
    assert "Labels arrive 61 s after the prediction" in shown(page, "#accuracy-note")
    assert shown(page, "#connection") == "live"


def test_a_forest_shows_its_members(open_page, player):
    for step in range(3):
        player.send(frames.forest(step))
    page = open_page()
    wait_for(page, ".member", "member 9")
    assert page.locator(".member").count() == 10
    assert "of member 0 where" in shown(page, "#race-place")


def test_an_empty_model_says_what_it_waits_for(open_page, player):
    player.send(frames.empty())
    page = open_page()
    wait_for(page, "#race-sentence", "No example has arrived yet")
    wait_for(page, "#tree-note", "No example has arrived yet")
    assert shown(page, "#accuracy-note") == "No labelled row has arrived yet."


# When the event arrived, by a connection of its own, and when everything showed the split.
SPLIT_SEEN = """() => {
    window.seen = {};
    const source = new EventSource("v1/events");
    source.addEventListener("split", () => (seen.event = performance.now()));
    const text = (id) => document.getElementById(id).textContent;
    const look = () => {
        const all = text("race-sentence").includes("after 3,200 examples")
            && text("race-splits").includes("split on amount <= 77.1")
            && text("race-leaves").includes("distance <= 12.0")
            && document.querySelector('#tree-picture [data-key="31"]');
        if (!all || seen.event === undefined) return requestAnimationFrame(look);
        seen.all = performance.now();
        source.close();
    };
    look();
    return new Promise((ready) => source.addEventListener("frame", () => ready()));
}"""


def test_a_split_appears_in_the_race_the_list_and_the_tree_within_two_seconds(open_page, player):
    player.send(frames.tree(33))
    page = open_page()
    wait_for(page, "#race-leaves", "amount <= 77.1")
    assert "distance <= 12.0" not in shown(page, "#race-leaves")
    event, frame = frames.after_split(34)
    page.evaluate(SPLIT_SEEN)
    player.send(event, "split")
    player.send(frame)
    # Not wait_for_function: it evaluates text in the page, which the policy of the page forbids.
    wait_until(lambda: page.evaluate("seen.all !== undefined"), "the split on the page")
    assert page.evaluate("seen.all - seen.event") < 2000  # milliseconds
    wait_for(page, "#race-sentence", frames.SPLIT_TEXT)
    wait_for(page, "#race-splits", "split on amount <= 77.1")
    wait_for(page, "#race-leaves", "distance <= 12.0")
    # The race stays for a while, then the next one is shown.
    wait_for(page, "#race-title", "The race is over")
    player.send(frame)
    page.wait_for_timeout(8100)
    player.send(frame)
    wait_for(page, "#race-sentence", "distance <= 12.0 separates the classes")


def test_the_page_goes_on_when_the_server_was_killed_and_started_again(open_page, player):
    player.send(frames.tree(1))
    page = open_page()
    wait_for(page, "#model-facts", "41,000 rows")
    player.stop()
    wait_for(page, "#connection", "connection lost")
    player.send(frames.tree(2))
    page.wait_for_timeout(1500)
    player.start()
    wait_for(page, "#model-facts", "42,000 rows")
    assert shown(page, "#connection") == "live"
    assert player.last_ids == [None, "0"]


OPEN_ALL = """(number) => {
    const closed = () => document.getElementById("detail").close();
    document.querySelector("#tree-picture .node").dispatchEvent(new Event("click"));
    const node = document.getElementById("detail-body").textContent;
    closed();
    document.querySelector("#features button").click();
    const feature = document.getElementById("detail-body").textContent;
    closed();
    const all = [...document.querySelectorAll("*")];
    return {
        node, feature,
        kinds: [...new Set(all.map((each) => each.localName))],
        attributes: [...new Set(all.flatMap((each) => each.getAttributeNames()))],
        width: document.documentElement.scrollWidth,
    };
}"""


def test_names_from_data_are_text_and_nothing_else(open_page, player):
    assert len(frames.HOSTILE) == 24
    player.send(frames.forest())
    page = open_page()
    wait_for(page, ".member", "member 9")
    plain = page.evaluate(OPEN_ALL)
    for number, text in enumerate(frames.HOSTILE):
        frame = frames.hostile(text)
        frame["model"]["rows"] = number
        player.send(frame)
        wait_for(page, "#model-facts", f"{number} row")
        # Each part draws in a task of its own; the dialog is the last.
        page.wait_for_timeout(50)
        found = page.evaluate(OPEN_ALL)
        # Dialogs show a path only below the root, and otherwise the same elements.
        assert set(found["kinds"]) == set(plain["kinds"]), text[:80]
        assert set(found["attributes"]) == set(plain["attributes"]), text[:80]
        assert found["width"] == 1280, text[:80]
        assert "Why it was split" in found["node"]
        assert "the recent rows" in found["feature"]
        seen = text[:30].strip()
        if seen.isprintable():
            assert seen in found["node"]
            assert seen in found["feature"]
        assert page.title().endswith(f": {number} rows · riparian")
    assert page.locator("#race-sentence").inner_text().startswith("url(https://example.invalid/x)")


def test_large_models_keep_the_page_smooth(open_page, player, browser):
    player.send(frames.large(0))
    page = open_page()
    wait_for(page, "#features-scroll", "feature 0")
    page.wait_for_timeout(300)
    browser.start_tracing(page=page, categories=["toplevel"])
    for step in range(1, 6):
        player.send(frames.large(step))
        wait_for(page, "#model-facts", f"{40 + step},000 rows")
        page.wait_for_timeout(200)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    # CPU time: another process on the machine does not count.
    tasks = [
        event.get("tdur", 0) / 1000
        for event in events
        if event["ph"] == "X" and (event["pid"], event["tid"]) in main
    ]
    assert len(tasks) > 50
    assert max(tasks) < 100, f"a task of {max(tasks):.0f} ms"
    assert page.locator("#tree-picture .node").count() <= 400
    assert page.locator("#features tbody tr").count() == 100


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("make", [frames.tree, frames.forest, lambda step: frames.empty()])
def test_axe_finds_nothing_serious(open_page, player, scheme, make):
    rules = MODULES / "axe-core" / "axe.min.js"
    player.send(make(30))
    page = open_page(color_scheme=scheme)
    wait_for(page, "#connection", "live")
    page.wait_for_timeout(300)
    page.evaluate(rules.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    if make is frames.tree:
        page.locator("#tree-picture .node").first.click()
        page.wait_for_timeout(100)
        found += page.evaluate("axe.run('#detail')")["violations"]
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == []


def test_the_keyboard_reaches_leaves_nodes_and_features(open_page, player):
    player.send(frames.tree())
    page = open_page()
    wait_for(page, "#race-sentence", "at this gap")
    page.locator("#race-leaves .follow input").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    wait_for(page, "#race-leaves .shown", "amount <= 77.1")
    assert page.locator("#race-leaves .leaf input").nth(1).is_checked()
    # The choice stays when the next frame comes.
    player.send(frames.tree(31))
    wait_for(page, "#model-facts", "71,000 rows")
    assert page.locator("#race-leaves .leaf input").nth(1).is_checked()
    page.locator('#tree-picture [tabindex="0"]').focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    wait_for(page, "#detail-title", "Test: distance <= 310")
    assert "country = DE" in shown(page, "#detail-body")
    assert "split on distance <= 310 after 3,400 examples" in shown(page, "#detail-body")
    page.keyboard.press("Escape")
    page.locator("#detail").wait_for(state="hidden")
    page.locator("#features button").nth(1).focus()
    page.keyboard.press("Enter")
    wait_for(page, "#detail-body", "Population stability index 0.310: changed")


def test_the_numbers_of_the_charts_are_tables(open_page, player):
    frame = frames.tree()
    player.send(frame)
    page = open_page()
    wait_for(page, "#race-sentence", "at this gap")
    page.locator("#race-numbers summary").click()
    page.locator("#race-numbers table").wait_for()
    rows = page.locator("#race-numbers tbody tr")
    history = frame["race"][0]["history"]
    assert rows.count() == len(history)
    n, best, second, epsilon = history[-1]
    expected = [f"{n:,}", *(f"{x:.3f}" for x in (best, second, best - second, epsilon))]
    assert rows.last.inner_text().split() == expected
    page.locator("#accuracy-numbers summary").click()
    page.locator("#accuracy-numbers table").wait_for()
    last = page.locator("#accuracy-numbers tbody tr").last.inner_text()
    rows_now, sliding, overall = frame["accuracy"]["points"][-1]
    assert last.split("\t") == [f"{rows_now:,}", f"{100 * sliding:.1f} %", f"{100 * overall:.1f} %"]


def test_nothing_moves_for_readers_who_want_no_motion(open_page, player):
    running = "document.getAnimations().filter((each) => each.playState === 'running').length"
    for motion, moves in (("no-preference", True), ("reduce", False)):
        player.send(frames.tree(33))
        page = open_page(reduced_motion=motion)
        wait_for(page, "#race-sentence", "at this gap")
        event, frame = frames.after_split(34)
        player.send(event, "split")
        player.send(frame)
        page.locator('#tree-picture [data-key="31"]').wait_for(state="attached")
        assert (page.evaluate(running) > 0) == moves


@pytest.mark.parametrize(("scheme", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_the_colours_are_those_of_the_palette(open_page, player, scheme, palette):
    player.send(frames.tree())
    page = open_page(color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    channels = [int(part) for part in re.findall(r"\d+", ground)]
    assert "#" + "".join(f"{channel:02x}" for channel in channels) == palette["ground"]


# Sections whose content ends below them.
OVERLAPS = """[...document.querySelectorAll("section")].filter((section) => {
    const end = Math.max(...[...section.querySelectorAll("*")]
        .filter((each) => !each.closest(".scroll, .members, svg"))
        .map((each) => each.getBoundingClientRect().bottom));
    return end > section.getBoundingClientRect().bottom + 1;
}).map((section) => section.id)"""


@pytest.mark.parametrize("make", [frames.tree, frames.forest])
def test_everything_is_on_one_screen(open_page, player, make):
    player.send(make(30))
    page = open_page()
    wait_for(page, "#stream-tiles", "memory")
    wait_for(page, "#race-sentence", "at this gap")
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    assert page.evaluate(OVERLAPS) == []
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    assert page.evaluate(OVERLAPS) == []


# 3,600 frames are those of an hour.
@pytest.mark.parametrize(
    ("n", "most"), [(150, 1.0), pytest.param(3600, 10.0, marks=pytest.mark.slow)]
)
def test_memory_does_not_grow_with_the_frames(open_page, player, n, most):
    page = open_page()
    session = page.context.new_cdp_session(page)

    def heap_after(first: int, last: int) -> float:
        for step in range(first + 1, last + 1):
            frame = frames.forest(step % 40)
            frame["model"]["rows"] = step
            player.send(frame)
            if step % 25 == 0:
                wait_for(page, "#model-facts", f"{step:,} rows")
        session.send("HeapProfiler.collectGarbage")
        return session.send("Runtime.getHeapUsage")["usedSize"] / 1e6

    start = heap_after(0, 50)
    assert heap_after(50, 50 + n) - start < most  # MB


def test_own_code_is_small_and_the_licences_are_there():
    from tests.serve.page.player import DIST

    bundle = MODULES.parent / "bundle.json"
    if not bundle.exists():
        pytest.skip("the page is not built; `make page` builds it")
    (output,) = json.loads(bundle.read_text())["outputs"].values()
    parts = output["inputs"].items()
    own = sum(part["bytesInOutput"] for path, part in parts if "node_modules" not in path)
    assert own < 40_000
    licences = (DIST / "licences.txt").read_text()
    assert "uplot 1.6" in licences
    assert "d3-hierarchy 3" in licences
    assert sorted(path.name for path in DIST.iterdir()) == [
        "index.html", "licences.txt", "page.css", "page.js",
    ]  # fmt: skip


def state_of(entry: dict[str, Any]) -> dict[str, Any]:
    """The state of a race as contest.js computes it."""
    import shutil
    from pathlib import Path

    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    module = Path(__file__).parents[3] / "src" / "riparian" / "serve" / "page" / "contest.js"
    script = (
        f"const {{contest, progress}} = await import('{module.as_uri()}');"
        f"const entry = {json.dumps(entry)};"
        "console.log(JSON.stringify({...contest(entry), share: progress(entry)}))"
    )
    command = [node, "--input-type=module", "-e", script]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, capture_output=True, check=True).stdout
    )
    return found


def test_the_curve_ahead_is_the_bound_and_ends_where_the_leaf_splits():
    """Hoeffding's epsilon falls as the square root of n, so the curve is known exactly."""
    entry = frames.race(12, 800.0)
    state = state_of(entry)
    assert state["finish"] == pytest.approx(800 + entry["rows_to_decide"])
    assert state["share"] == pytest.approx(800 / (800 + entry["rows_to_decide"]))
    goal = max(state["gap"], entry["tau"])
    for point in state["ahead"]:
        assert point["epsilon"] == pytest.approx(frames.epsilon(point["n"]))
    assert frames.epsilon(state["finish"]) == pytest.approx(goal)


def test_the_margin_is_as_many_epsilons_as_the_gap_must_exceed():
    entry = frames.race(12, 800.0)
    once, twice = state_of(entry), state_of({**entry, "epsilons": 2})
    assert twice["last"]["epsilon"] == pytest.approx(2 * once["last"]["epsilon"])
    assert twice["tau"] == pytest.approx(2 * once["tau"])
    assert twice["gap"] == once["gap"]
