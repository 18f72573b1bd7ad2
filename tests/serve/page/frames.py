"""Frames as the server sends them, made by hand: trees, forests, empty and very large models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Frame = dict[str, Any]

CLASSES = ["ok", "fraud"]
FEATURES = ["amount", "hour", "country", "card_age", "merchant", "distance"]


def empty() -> Frame:
    """The frame of a model that has seen nothing."""
    return {
        "time": 1763470000.0,
        "model": {
            "name": "fraud", "recipe": "StreamTree", "kind": "tree", "generation": 0, "rows": 0,
            "classes": [], "n_nodes": 1, "n_leaves": 1, "depth": 0, "bytes": 2_000,
            "max_bytes": None, "learning": True,
        },
        "race": [],
        "accuracy": {
            "overall": None, "sliding": None, "window": 1000, "majority": None, "no_change": None,
            "rows": 0, "points": [],
        },
        "marks": [],
        "labels": None,
        "tree": {"members": None, "nodes": []},
        "features": [],
        "stream": {
            "rows_per_second": 0.0, "lag": None, "journal_rows": 0, "dead_letters": 0,
            "last_dead": [], "checkpoint_age": None, "checkpoint_pause": None, "checkpoints": 0,
        },
    }  # fmt: skip


def race(leaf: int, rows: float, best: str = "amount <= 77.1", second: str = "hour <= 6.5",
         lead: float = 0.05, member: int | None = None) -> Frame:  # fmt: skip
    """A leaf that is checked every 200 examples, with Hoeffding's bound for two classes."""
    history = []
    for n in range(200, int(rows) + 1, 200):
        wave = 0.03 * math.sin(n / 500.0 + leaf) / math.sqrt(n / 200.0)
        gain = 0.21 + lead / 2 + wave
        history.append([n, gain, gain - lead - wave / 2, epsilon(n)])
    checked, gain, runner_up, width = history[-1]
    needed = epsilon(1.0) ** 2 / max(gain - runner_up, 0.05) ** 2
    return {
        "leaf": leaf, "member": member, "path": ["amount > 12.5", "country = DE"], "rows": rows,
        "until_check": 200.0 - rows % 200, "tau": 0.05, "delta": 1e-7, "epsilon": width,
        "best": {"cut": best, "feature": best.split()[0], "gain": gain},
        "runner_up": {"cut": second, "feature": second.split()[0], "gain": runner_up},
        "rows_to_decide": max(needed - checked, 1.0), "history": history[-100:],
    }  # fmt: skip


def epsilon(n: float) -> float:
    return math.sqrt(math.log(1e7) / (2.0 * n))


def node(number: int, parent: int | None, branch: str, test: str | None, rows: float,
         fraud: float, classes: Sequence[str] = CLASSES) -> Frame:  # fmt: skip
    weights = {classes[0]: rows * (1 - fraud), classes[1]: rows * fraud}
    return {
        "id": number, "parent": parent, "branch": branch, "test": test, "weight": rows,
        "class": classes[int(fraud > 0.5)], "classes": weights, "rows": rows, "cut_off": False,
        "certificate": test and f"split on {test} after 3,400 examples: gain 0.2 against 0.19",
    }  # fmt: skip


def tree(step: int = 30) -> Frame:
    """A tree of seven leaves after `step` seconds of a stream of 1,000 rows per second."""
    rows = 40_000 + 1000 * step
    frame = empty()
    frame["time"] += step
    frame["model"] |= {
        "rows": rows, "classes": CLASSES, "n_nodes": 13, "n_leaves": 7, "depth": 4,
        "generation": 40 + step // 5, "bytes": 81_234, "max_bytes": 200_000,
    }  # fmt: skip
    leaf = 640 + 60 * step
    cuts = ["amount <= 77.1", "hour <= 6.5", "country = FR", "card_age <= 210", "distance <= 40.2"]
    frame["race"] = [race(12, leaf, lead=0.055)] + [
        race(20 + i, max(leaf - 90 * i, 200), cuts[i % 5], cuts[(i + 2) % 5], 0.05 - 0.006 * i)
        for i in range(7)
    ]
    points = []
    for row in range(500, rows + 1, max(500, rows // 250)):
        dip = 0.14 * math.exp(-max(row - 35_000, 0) / 5_000) if row >= 35_000 else 0.0
        sliding = 0.94 - 0.2 * math.exp(-row / 6_000) - dip + 0.006 * math.sin(row / 900)
        points.append([row, sliding, 0.93 - 0.14 * math.exp(-row / 9_000) - dip / 3])
    frame["accuracy"] |= {
        "overall": points[-1][2], "sliding": points[-1][1], "majority": 0.71, "no_change": 0.74,
        "rows": rows, "points": points,
    }  # fmt: skip
    splits = [3_400, 9_000, 15_000, 22_400, 41_000, 47_000]
    frame["marks"] = [{"rows": n, "kind": "split", "text": "split"} for n in splits]
    frame["marks"] += [
        {"rows": 35_200, "kind": "drift", "text": "the error of node 3 rose from 0.06 to 0.21"},
        {"rows": 38_000, "kind": "replacement", "text": "an alternate of node 3 took its place"},
    ]
    frame["labels"] = {"pending": 12, "delay_seconds": 61.0}
    grown = float(rows)
    frame["tree"]["nodes"] = [
        node(0, None, "", "amount <= 12.5", grown, 0.29),
        node(1, 0, "amount <= 12.5", "hour <= 4.5", 0.42 * grown, 0.08),
        node(2, 0, "amount > 12.5", "country = DE", 0.58 * grown, 0.44),
        node(3, 1, "hour <= 4.5", "card_age <= 30", 0.1 * grown, 0.3),
        node(4, 1, "hour > 4.5", None, 0.32 * grown, 0.02),
        node(5, 2, "country = DE", "distance <= 310", 0.36 * grown, 0.22),
        node(6, 2, "country != DE", "merchant = m17", 0.22 * grown, 0.8),
        node(7, 3, "card_age <= 30", None, 0.03 * grown, 0.86),
        node(8, 3, "card_age > 30", None, 0.07 * grown, 0.06),
        node(9, 5, "distance <= 310", None, 0.29 * grown, 0.12),
        node(10, 5, "distance > 310", None, 0.07 * grown, 0.63),
        node(11, 6, "merchant = m17", None, 0.17 * grown, 0.95),
        node(12, 6, "merchant != m17", None, 0.05 * grown, 0.29),
    ]
    frame["features"] = [feature(name, i) for i, name in enumerate(FEATURES)]
    frame["stream"] |= {
        "rows_per_second": 1003.4, "lag": 12, "journal_rows": 240, "dead_letters": 2,
        "last_dead": [{"reason": "column 'amount', row 3: inf cannot be learned", "at": "line 99"}],
        "checkpoint_age": 3.2, "checkpoint_pause": 0.004, "checkpoints": 40,
    }  # fmt: skip
    return frame


def feature(name: str, i: int) -> Frame:
    first = [math.exp(-((k - 9.5) ** 2) / 30.0) for k in range(20)]
    lately = [math.exp(-((k - 9.5 - i % 6) ** 2) / 30.0) for k in range(20)]
    return {
        "name": name, "importance": 0.42 / (i + 1), "psi": [0.03, 0.31, 0.12][i % 3],
        "missing": 0.01 * i, "new_values": 0.0,
        "reference": [x / sum(first) for x in first], "recent": [x / sum(lately) for x in lately],
        "bins": [f"<= {3 * k + 0.5}" for k in range(20)],
    }  # fmt: skip


def forest(step: int = 30, members: int = 10) -> Frame:
    """A forest: its members, the tree of one of them and races of several."""
    frame = tree(step)
    frame["model"] |= {"recipe": "StreamForest", "kind": "forest", "n_leaves": 120}
    frame["tree"]["members"] = [
        {
            "member": i, "weight": 1.0 + 0.1 * (i % 4), "leaves": 12 + i, "warnings": i % 3,
            "replacements": i % 2, "accuracy": 0.9 + 0.004 * math.sin(i + step / 3),
        }
        for i in range(members)
    ]  # fmt: skip
    frame["race"] = [{**entry, "member": i % members} for i, entry in enumerate(frame["race"])]
    return frame


def after_split(step: int) -> tuple[Frame, Frame]:
    """The event of the split of leaf 12, and the frame that follows it."""
    frame = tree(step)
    frame["race"] = [race(31, 400.0, "distance <= 12.0", "hour <= 9.5"), *frame["race"][1:]]
    frame["tree"]["nodes"][9] |= {"test": "amount <= 77.1", "certificate": SPLIT_TEXT}
    weight = frame["tree"]["nodes"][9]["rows"]
    frame["tree"]["nodes"] += [
        node(31, 9, "amount <= 77.1", None, 0.6 * weight, 0.02),
        node(32, 9, "amount > 77.1", None, 0.4 * weight, 0.34),
    ]
    frame["model"] |= {"n_nodes": 15, "n_leaves": 8, "depth": 5}
    frame["marks"].append({"rows": frame["model"]["rows"], "kind": "split", "text": SPLIT_TEXT})
    certificate = {
        "node": 12, "n": 3200.0, "cut": "amount <= 77.1", "feature": "amount", "gain": 0.2500,
        "runner_up": "hour <= 6.5", "runner_up_gain": 0.1930, "gap": 0.057, "epsilon": 0.0502,
        "tau": 0.05, "delta": 1e-7, "reason": "bound",
    }  # fmt: skip
    event = {
        "rows": frame["model"]["rows"], "leaf": 12, "member": None, "text": SPLIT_TEXT,
        "certificate": certificate,
    }  # fmt: skip
    return event, frame


SPLIT_TEXT = (
    "split on amount <= 77.1 after 3,200 examples: gain 0.25 against 0.193 for hour <= 6.5, "
    "epsilon 0.0502, delta 1e-07"
)


def large(step: int = 30) -> Frame:
    """200 classes, 500 features, 5,000 leaves: a root of 1,000 branches with four children each."""
    frame = tree(step)
    classes = [f"class {k}" for k in range(200)]
    frame["model"] |= {"classes": classes, "n_leaves": 5_000, "n_nodes": 6_001, "depth": 12}
    weights = {label: 1.0 + (7 * k + step) % 50 for k, label in enumerate(classes)}
    nodes = [node(0, None, "", "country (each value)", 1e6, 0.4) | {"classes": weights}]
    for i in range(1_000):
        share = 1e6 / (i + 2) / 7
        inner = node(1 + i, 0, f"c{i}", "amount <= 12.5", share, 0.3)
        nodes.append(inner | {"class": classes[i % 200], "classes": weights, "cut_off": i > 100})
    for i in range(4_000):
        parent = nodes[1 + i % 1_000]
        leaf = node(2_000 + i, parent["id"], "amount <= 12.5", None, parent["rows"] / 4, 0.1)
        nodes.append(leaf | {"class": classes[i % 200], "rows": leaf["rows"] + step})
    frame["tree"]["nodes"] = nodes
    frame["features"] = [feature(f"feature {k}", k) for k in range(500)]
    return frame


#: Texts that a page may take for something else than text.
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</textarea></title></style><b>bold</b>",
    "\"'><h1>big</h1>",
    "javascript:alert(1)",
    "' onmouseover='alert(1)",
    "&lt;b&gt; &amp; &#60;i&#62;",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "<!-- a comment",
    "]]><x>",
    "\u202etxet desrever",
    "\u2067isolated\u2069 \u200f right to left",
    "a\u0000b\u0007c\u001b[31m",
    "line\nbreak\r\n\ttab",
    "long " + "x" * 10_000,
    "<b>" * 3_000,
    "__proto__",
    "constructor",
    "\ud83d\ude00\u200d\ud83d\udc69 \u0301\u0301\u0301" * 20,
    "' OR 1=1; DROP TABLE leaves; --",
    "",
    " ",
    "url(https://example.invalid/x) ; background:red",
]


def hostile(text: str) -> Frame:
    """A frame in which every name is `text`: feature, category, class, model, reasons, marks."""
    frame = forest()
    frame["model"] |= {"name": text, "recipe": text, "classes": [text, text + "2"]}
    for entry in frame["race"]:
        entry["path"] = [f"{text} = {text}", text]
        entry["best"] |= {"cut": f"{text} <= 3", "feature": text}
        entry["runner_up"] |= {"cut": f"{text} = {text}", "feature": text}
    for each in frame["tree"]["nodes"]:
        fraud = each["class"] == "fraud"
        each |= {
            "class": text + "2" if fraud else text, "branch": text,
            "classes": {text: each["rows"] / 2, text + "2": each["rows"] / 3},
        }  # fmt: skip
        if each["test"] is not None:
            each |= {"test": f"{text} = {text}", "certificate": f"split on {text}"}
    for i, each in enumerate(frame["features"]):
        each |= {"name": text + str(i), "bins": [text] * 20}
    frame["marks"] = [{"rows": 35_000, "kind": "drift", "text": text}]
    frame["stream"]["last_dead"] = [{"reason": text, "at": text}]
    return frame
