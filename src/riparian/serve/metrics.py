"""``GET /metrics``: the learner's metrics and those of the server, for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder

from riparian.serve.http import Reply, Request
from riparian.serve.serving import Serving
from riparian.sources.metrics import Metrics

__all__ = ["metrics", "registry_of"]


async def metrics(serving: Serving, request: Request) -> Reply:
    """Answer with the metrics as text."""
    if serving.registry is None:
        serving.registry = registry_of(serving)
    encode, kind = choose_encoder(request.header(b"accept") or "")
    return Reply(body=encode(serving.registry), content_type=kind.encode())


def registry_of(serving: Serving) -> CollectorRegistry:
    """Return all metrics of a server."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    GCCollector(registry)
    if serving.learner is not None:
        registry.register(Metrics(serving.learner))
    registry.register(ServerMetrics(serving))
    return registry


class ServerMetrics:
    """The families of metrics of a server, a collector for Prometheus' client.

    Parameters
    ----------
    serving : Serving
        The figures are read from it whenever they are collected.
    """

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    def describe(self) -> list[Any]:
        """Return nothing: the families are known when they are collected."""
        return []

    def collect(self) -> Iterator[Metric]:
        yield from self._requests()
        yield from self._predictions()
        yield from self._journal()
        yield from self._features()
        serving = self._serving
        if serving.written_at is not None:
            text = "Age of the generation that a follower serves."
            age = max(0.0, time.time() - serving.written_at)
            yield GaugeMetricFamily("riparian_model_stale_seconds", text, value=age)

    def _requests(self) -> Iterator[Metric]:
        traffic = self._serving.traffic
        name = "riparian_http_request_duration_seconds"
        labels = ("route", "method", "code")
        family = HistogramMetricFamily(name, "Time to answer a request.", labels=labels)
        for (route, method, status), found in list(traffic.requests.items()):
            key = [route, method, str(status)]
            family.add_metric(key, found.cumulated(), found.total)
        yield family
        name = "riparian_http_requests_in_flight"
        yield GaugeMetricFamily(name, "Requests that are answered now.", value=traffic.in_flight)
        text = "Pages that listen to events."
        yield GaugeMetricFamily("riparian_event_clients", text, value=traffic.event_clients)
        text = "Requests that came again with the same key and were not learned again."
        yield CounterMetricFamily("riparian_replayed_requests", text, value=traffic.replayed)
        text = "Rows with an id that could not be remembered after their prediction was answered."
        yield CounterMetricFamily("riparian_forgotten_rows", text, value=traffic.forgotten)

    def _predictions(self) -> Iterator[Metric]:
        traffic = self._serving.traffic
        text = "Predictions by class; classes after the first 50 are other."
        family = CounterMetricFamily("riparian_predictions", text, labels=("class",))
        for name, n in list(traffic.predicted.items()):
            family.add_metric([name], n)
        yield family
        found = traffic.confidence
        text = "The largest probability of a prediction for which probabilities were asked."
        yield HistogramMetricFamily(
            "riparian_prediction_confidence", text, buckets=found.cumulated(), sum_value=found.total
        )

    def _journal(self) -> Iterator[Metric]:
        journal = self._serving.journal
        if journal is None:
            return
        text = "Entries of the journal that the learner has not read."
        yield GaugeMetricFamily("riparian_journal_rows", text, value=journal.rows)
        text = "Their bytes."
        yield GaugeMetricFamily("riparian_journal_bytes", text, value=journal.bytes)
        commits, seconds = journal.commits, journal.commit_seconds
        text = "Transactions of the journal."
        yield CounterMetricFamily("riparian_journal_commits", text, value=commits)
        text = "Time of the transactions of the journal."
        yield CounterMetricFamily("riparian_journal_commit_seconds", text, value=seconds)

    def _features(self) -> Iterator[Metric]:
        features = self._serving.frames.last.get("features", ())
        for key, name, text in (
            ("psi", "psi", "Population stability index of a feature against its first rows."),
            ("missing", "missing_ratio", "Share of recent rows without the feature."),
            ("new_values", "new_values_ratio", "Share of recent rows with a new category."),
        ):
            family = GaugeMetricFamily(f"riparian_feature_{name}", text, labels=("feature",))
            for feature in features:
                if feature[key] is not None:
                    family.add_metric([feature["name"]], feature[key])
            yield family
