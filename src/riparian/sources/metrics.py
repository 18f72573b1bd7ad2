"""The metrics of a learner, for Prometheus.

The figures are read when they are asked for, in another thread; the learner does nothing for them.
Counters begin at 0 with the process, as Prometheus expects: a learner that goes back to its last
checkpoint does not make its counters go back.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)

import riparian
from riparian.sources.new_splits import NewSplits

if TYPE_CHECKING:
    from riparian.sources.learner import Learner

__all__ = ["Metrics"]


class Metrics:
    """The families of metrics of a learner, a collector for Prometheus' client.

    Parameters
    ----------
    learner : Learner
        The figures are read from it whenever they are collected.
    """

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._splits = NewSplits(learner.model)
        self._before = dict(learner.status.counters)
        self._build = {"version": riparian.__version__, "python": platform.python_version()}

    def describe(self) -> list[Any]:
        """Return nothing: the families are known when they are collected."""
        return []

    def collect(self) -> Iterator[Metric]:
        yield from self._rows()
        yield from self._source()
        yield from self._checkpoint()
        yield from self._model()
        yield from self._labels()

    def _since_start(self, name: str) -> int:
        return self._learner.status.counters[name] - self._before.get(name, 0)

    def _rows(self) -> Iterator[Metric]:
        learner, status = self._learner, self._learner.status
        learned = {learner.feeds[0].source.name: self._since_start("learned")}
        text = "Rows that were learned."
        yield _by_label(CounterMetricFamily, "rows_learned", text, ("source",), learned)
        yield _counter("messages_read", "Messages.", self._since_start("messages"))
        refused = {kind: status.refused.get(kind, 0) for kind in ("message", "model", "key")}
        text = "Messages that became dead letters, by what refused them."
        yield _by_label(CounterMetricFamily, "rows_rejected", text, ("reason",), refused)
        text = "Time to predict and learn a chunk."
        yield _summary("block_seconds", text, status.blocks, status.block_seconds)

    def _source(self) -> Iterator[Metric]:
        feeds = self._learner.feeds
        up = {feed.source.name: float(feed.ready) for feed in feeds}
        yield _by_label(
            GaugeMetricFamily, "source_up", "Whether the source can be reached.", ("source",), up
        )
        messages: dict[Any, float] = {}
        seconds: dict[Any, float] = {}
        for feed in feeds:
            for partition, lag in list(feed.lag.items()):
                key = (feed.source.name, partition)
                if lag.messages is not None:
                    messages[key] = lag.messages
                if lag.seconds is not None:
                    seconds[key] = lag.seconds
        names = ("source", "partition")
        text = "Messages of a partition that were not read yet."
        yield _by_label(GaugeMetricFamily, "source_lag_messages", text, names, messages)
        text = "Age of the next message of a partition."
        yield _by_label(GaugeMetricFamily, "source_lag_seconds", text, names, seconds)
        yield _counter("gaps", "Gaps that were skipped.", self._since_start("gaps"))
        text = "Messages that were lost in gaps, as far as it is known."
        yield _counter("messages_lost", text, self._since_start("lost"))

    def _checkpoint(self) -> Iterator[Metric]:
        status = self._learner.status
        parts = {"pause": status.pause, "write": status.write, "commit": status.commit}
        text = "Time of the last checkpoint, by its parts. Only the pause stops the learner."
        yield _by_label(GaugeMetricFamily, "checkpoint_seconds", text, ("part",), parts)
        yield _gauge("checkpoint_bytes", "Size of the last model file.", status.size)
        since = status.unsaved_since
        age = 0.0 if since is None else max(0.0, time.time() - since)
        text = "Age of the oldest change that no checkpoint has; 0 if there is none."
        yield _gauge("checkpoint_age_seconds", text, age)
        results = {"written": status.checkpoints, "failed": status.failed_checkpoints}
        yield _by_label(CounterMetricFamily, "checkpoints", "Checkpoints.", ("result",), results)
        yield _gauge("generation", "Number of the last checkpoint.", status.generation)
        text = "How often a learner was started on the checkpoint, this one included."
        yield _gauge("epoch", text, self._learner.epoch)

    def _model(self) -> Iterator[Metric]:
        learner = self._learner
        model, result = learner.model, learner.result
        if result.n:
            accuracy = {"all": result.accuracy, f"{result.sliding_rows}": result.sliding}
            text = "Share of correct predictions: of all rows, and of the last ones."
            yield _by_label(GaugeMetricFamily, "accuracy_ratio", text, ("window",), accuracy)
        if hasattr(model, "classes_"):
            yield _gauge("model_examples", "Examples that the model has.", model.n_seen_)
            yield _gauge("leaves", "Leaves of the model.", model.n_leaves_)
            yield _gauge("model_bytes", "Memory of the model.", model.memory_bytes_)
        text = "Splits of a tree, by their reason."
        yield _by_label(CounterMetricFamily, "splits", text, ("reason",), dict(self._splits.counts))
        if hasattr(model, "classes_") and hasattr(model, "change_counts"):
            text = "Changes of a tree that follows its stream, by kind."
            yield _by_label(
                CounterMetricFamily, "changes", text, ("kind",), dict(model.change_counts())
            )
        yield InfoMetricFamily("riparian_build", "The version of riparian.", value=self._build)

    def _labels(self) -> Iterator[Metric]:
        join = self._learner.join
        if join is None:
            return
        yield _gauge("pending_rows", "Rows that wait for their labels.", join.n_pending)
        yield _gauge("early_labels", "Labels that wait for their rows.", join.n_early)
        for name, counter, text in (
            ("rows_expired", "expired", "Rows whose labels did not come in time."),
            ("duplicates", "duplicate", "Second rows or labels with a key, which were left out."),
            ("labels_orphaned", "orphan", "Labels without a row."),
        ):
            yield _counter(name, text, self._since_start(counter))
        text = "Event time between a row and its label."
        yield _summary("label_delay_seconds", text, *join.delay)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"riparian_{name}", text, value=value)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"riparian_{name}", text, value=value)


def _summary(name: str, text: str, n: int, total: float) -> Metric:
    return SummaryMetricFamily(f"riparian_{name}", text, count_value=n, sum_value=total)


def _by_label(
    make: type[CounterMetricFamily] | type[GaugeMetricFamily],
    name: str,
    text: str,
    labels: tuple[str, ...],
    values: Mapping[Any, float],
) -> Metric:
    """Return a family with a value for each label, or for each tuple of labels."""
    family = make(f"riparian_{name}", text, labels=labels)
    for key, value in values.items():
        family.add_metric([key] if len(labels) == 1 else list(key), value)
    return family
