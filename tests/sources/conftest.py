"""The servers that tests read from. Each process of the tests starts its own, once."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from tests.servers import kafka, nats, redis
from tests.servers.kafka import KafkaServer
from tests.servers.kafka_mock import KafkaMock
from tests.servers.nats import NatsServer
from tests.servers.process import Server, missing
from tests.servers.redis import RedisServer


def client(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        missing(f"the Python package {module} is not installed")


def started(server: Server) -> Iterator[Server]:
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory) -> Iterator[RedisServer]:
    client("redis")
    if redis.program() is None:
        missing("redis-server is not installed")
    yield from started(RedisServer(tmp_path_factory.mktemp("redis")))


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory) -> Iterator[NatsServer]:
    client("nats")
    if nats.program() is None:
        missing("nats-server is not installed")
    yield from started(NatsServer(tmp_path_factory.mktemp("nats")))


@pytest.fixture(scope="session")
def kafka_mock(tmp_path_factory) -> Iterator[KafkaMock]:
    client("confluent_kafka")
    yield from started(KafkaMock(tmp_path_factory.mktemp("mock")))


@pytest.fixture(scope="session")
def kafka_server(tmp_path_factory) -> Iterator[KafkaServer]:
    client("confluent_kafka")
    if (reason := kafka.absent()) is not None:
        missing(reason)
    yield from started(KafkaServer(tmp_path_factory.mktemp("kafka")))
