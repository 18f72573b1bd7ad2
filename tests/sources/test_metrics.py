"""The metrics of a learner: what Prometheus reads, while it learns."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request

import pytest
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as openmetrics_families,
)
from prometheus_client.parser import text_string_to_metric_families

import riparian as rp
from riparian.sources import Chunk, EndOfSource, GapError, Lag
from riparian.sources.metrics_server import listening_address

ROWS = [{"x": i % 7, "z": i % 5, "y": int(i % 7 > 3)} for i in range(4000)]


class Steps:
    """A source that gives a block whenever it is allowed to."""

    replayable = True

    def __init__(self, rows, *, name="steps:rows", gap_at=None):
        self.name, self.identity = name, {}
        self._rows, self._at, self._gap_at = rows, 0, gap_at
        self.allowed = threading.Semaphore(0)
        self.end = threading.Event()

    def open(self, positions, start):
        self._at = int(positions.get('a "b"\\c', {"row": 0})["row"])

    def poll(self, most, timeout):
        if self.end.is_set():
            raise EndOfSource
        if not self.allowed.acquire(timeout=timeout):
            return None
        if self._gap_at is not None and self._at >= self._gap_at:
            self._gap_at = None
            self.allowed.release()
            resume = {"row": self._at + 10}
            raise GapError("ten rows", partition='a "b"\\c', resume=resume, lost=10)
        rows = self._rows[self._at : self._at + most]
        first, self._at = self._at, self._at + len(rows)
        values = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
        times = [1000 * i for i in range(first, self._at)]
        return Chunk('a "b"\\c', {"row": first}, {"row": self._at}, values, times=times)

    def seek(self, partition, position):
        self._at = int(position["row"])

    def behind(self):
        return {'a "b"\\c': Lag(len(self._rows) - self._at, 1.5)}

    def committed(self, positions):
        pass

    def close(self):
        pass


def ask(url, path="/metrics", accept="text/plain"):
    request = urllib.request.Request(url.replace("/metrics", path), headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=30) as reply:
        return reply.read().decode(), reply.headers["Content-Type"]


def figures(url):
    text, _ = ask(url)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def wait_for(url, name, value):
    """The figures, as soon as one has the value and all is in a checkpoint."""
    for _ in range(600):
        found = figures(url)
        saved = not found["riparian_checkpoint_age_seconds",]
        if saved and found.get(name) == value:
            return found
        threading.Event().wait(0.05)
    raise AssertionError(f"{name} did not come to {value}: {found.get(name)}")


def start(source, folder, **options):
    said = []
    options = {"target": "y", "block": 500, "every": 1, "sample": 500, **options}
    learning = rp.learn(
        rp.VFDT(grace_period=50, delta=0.01),
        source,
        checkpoint=folder,
        metrics="127.0.0.1:0",
        report=said.append,
        **options,
    )
    [url] = [text.split()[-1] for text in said if "/metrics" in text]
    return learning, url


LEARNED = ("riparian_rows_learned_total", ("source", "steps:rows"))
PLACE = (("partition", 'a "b"\\c'), ("source", "steps:rows"))


def test_the_metrics_are_those_of_the_learner(tmp_path):
    rows = [*ROWS[:700], b"{", b'{"x": "no", "z": 1, "y": 1}', *ROWS[702:]]
    source = Steps(rows, gap_at=1500)
    learning, url = start(source, tmp_path, on_gap="skip")
    try:
        source.allowed.release(3)
        found = wait_for(url, LEARNED, 1498)
        assert found[LEARNED] == 1498
        assert found["riparian_messages_read_total",] == 1500
        assert found["riparian_rows_rejected_total", ("reason", "message")] == 2
        assert found["riparian_rows_rejected_total", ("reason", "model")] == 0
        assert found["riparian_source_up", ("source", "steps:rows")] == 1
        assert found["riparian_block_seconds_count",] == 3
        assert found["riparian_block_seconds_sum",] > 0
        assert found["riparian_model_examples",] == 1498
        assert found["riparian_leaves",] == learning.model.n_leaves_ > 1
        assert found["riparian_model_bytes",] == learning.model.memory_bytes_
        assert found["riparian_accuracy_ratio", ("window", "all")] == learning.result.accuracy
        assert found["riparian_accuracy_ratio", ("window", "1000")] == learning.result.sliding
        splits = learning.model.splits()
        by_reason = {
            dict(key[1:])["reason"]: n
            for key, n in found.items()
            if key[0].endswith("splits_total")
        }
        assert sum(by_reason.values()) == len(splits)
        assert by_reason == {
            reason: sum(s.reason == reason for s in splits) for reason in by_reason
        }
        assert found["riparian_epoch",] == 1
        assert found["process_resident_memory_bytes",] > 1e6
        source.allowed.release(2)
        found = wait_for(url, LEARNED, 2498)
        assert found["riparian_gaps_total",] == 1
        assert found["riparian_messages_lost_total",] == 10
        written = found["riparian_checkpoints_total", ("result", "written")]
        assert found["riparian_generation",] == written >= 2
        assert found["riparian_checkpoints_total", ("result", "failed")] == 0
        assert found["riparian_checkpoint_bytes",] > 1000
        for part in ("pause", "write", "commit"):
            assert 0 < found["riparian_checkpoint_seconds", ("part", part)] < 600
        found = wait_for(url, ("riparian_source_lag_messages", *PLACE), len(rows) - 2510)
        assert found["riparian_source_lag_seconds", *PLACE] == 1.5
    finally:
        source.end.set()
        learning.join(60)
    with pytest.raises(urllib.error.URLError):
        ask(url)


def test_counters_begin_with_the_process(tmp_path):
    for epoch, n in enumerate((1000, 500), 1):
        source = Steps(ROWS)
        learning, url = start(source, tmp_path)
        try:
            assert figures(url)[LEARNED] == 0
            assert figures(url)["riparian_checkpoint_age_seconds",] == 0
            source.allowed.release(n // 500)
            found = wait_for(url, LEARNED, n)
            assert found["riparian_epoch",] == epoch
        finally:
            source.end.set()
            learning.join(60)
    assert found["riparian_model_examples",] == 1500


def test_labels_that_come_late_are_counted(tmp_path):
    rows = [{"x": i % 7, "id": f"k{i}"} for i in range(600)]
    outcomes = [{"id": f"k{i}", "y": int(i % 7 > 3)} for i in (*range(300), *range(600, 800))]
    source, labels = Steps(rows), Steps(outcomes, name="steps:labels")
    learning, url = start(
        source, tmp_path, target=None, labels=labels, key="id", label="y", wait="1h", sample=100
    )
    try:
        source.allowed.release(2)
        wait_for(url, ("riparian_pending_rows",), 600)
        labels.allowed.release(1)
        found = wait_for(url, LEARNED, 300)
        assert found["riparian_pending_rows",] == 300
        assert found["riparian_early_labels",] == 200
        assert found["riparian_label_delay_seconds_count",] == 300
        assert found["riparian_label_delay_seconds_sum",] == 0
        assert found["riparian_rows_expired_total",] == 0
        assert found["riparian_labels_orphaned_total",] == 0
        assert found["riparian_duplicates_total",] == 0
    finally:
        source.end.set()
        labels.end.set()
        learning.join(60)


def test_the_names_follow_the_rules_of_prometheus(tmp_path):
    source = Steps(ROWS)
    learning, url = start(source, tmp_path)
    try:
        source.allowed.release(1)
        wait_for(url, LEARNED, 500)
        text, kind = ask(url, accept="application/openmetrics-text; version=1.0.0")
        assert kind.startswith("application/openmetrics-text")
        families = list(openmetrics_families(text))
        own = [family for family in families if family.name.startswith("riparian")]
        assert len(own) >= 18
        for family in own:
            assert re.fullmatch(r"riparian_[a-z_]+", family.name)
            assert family.documentation.endswith(".")
        assert ask(url, "/health/live") == ("live\n", "text/plain")
        assert ask(url, "/health/ready") == ("ready\n", "text/plain")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            ask(url, "/other")
    finally:
        source.end.set()
        learning.join(60)


def test_a_source_that_is_away_is_not_ready(tmp_path):
    class Away(Steps):
        back = threading.Event()

        def open(self, positions, start):
            if not self.back.is_set():
                raise ConnectionError("nobody there")
            super().open(positions, start)

    source = Away(ROWS)
    learning, url = start(source, tmp_path)
    try:
        assert figures(url)["riparian_source_up", ("source", "steps:rows")] == 0
        with pytest.raises(urllib.error.HTTPError, match="503") as caught:
            ask(url, "/health/ready")
        assert caught.value.read() == b"steps:rows is not open\n"
        source.back.set()
        found = wait_for(url, ("riparian_source_up", ("source", "steps:rows")), 1)
        assert ("riparian_leaves",) not in found
    finally:
        source.back.set()
        source.end.set()
        learning.join(60)


@pytest.mark.parametrize("text", ["", "host", "host:", "host:x", "1:2:3", "h:70000", "::1:9464"])
def test_an_address_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match=r"must be HOST:PORT such as 127\.0\.0\.1:9464"):
        listening_address(text)


def test_an_address_in_use_ends_the_learner_before_its_first_row(tmp_path):
    source = Steps(ROWS)
    learning, url = start(source, tmp_path / "a")
    try:
        taken = url.removeprefix("http://").removesuffix("/metrics")
        with pytest.raises(OSError, match=f"cannot serve metrics at {taken}: Address already"):
            rp.learn(rp.VFDT(), Steps(ROWS), target="y", checkpoint=tmp_path / "b", metrics=taken)
        # The folder is free again.
        other = Steps(ROWS)
        other.end.set()
        rp.learn(rp.VFDT(), other, target="y", checkpoint=tmp_path / "b").join(60)
    finally:
        source.end.set()
        learning.join(60)
