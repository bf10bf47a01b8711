from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from kombu import Exchange, Queue

from leaderboard.operations.embedded.paths import broker_url
from leaderboard.operations.embedded.valkey import EmbeddedValkey
from leaderboard.operations.unfinished import return_unfinished

QUEUES = {name: Queue(name, Exchange(name), routing_key=name) for name in ("board", "probes.local")}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Celery]:
    broker = EmbeddedValkey(tmp_path)
    broker.start()
    app = Celery("test", broker=broker_url(tmp_path), fixups=[], set_as_current=False)
    yield app
    app.close()
    broker.stop()


def take_and_die(app: Celery, name: str, body: str) -> None:
    """Send a message and take it as a worker does that never answers for it."""
    with app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        queue = QUEUES[name](channel)
        queue.declare()
        connection.Producer().publish(body, exchange=name, routing_key=name)
        assert queue.get() is not None
        channel.do_restore = False  # an orderly end would give it back


def read(app: Celery, name: str) -> list[str]:
    with app.connection_for_read() as connection:
        queue = QUEUES[name](connection.default_channel)
        queue.declare()
        found = []
        while (message := queue.get(no_ack=True)) is not None:
            found.append(message.payload)
        return found


def test_messages_of_a_killed_worker_come_back_for_its_own_queues_only(app: Celery) -> None:
    take_and_die(app, "probes.local", "slot 1")
    take_and_die(app, "board", "snapshot")

    count = return_unfinished(app, {"probes.local"})

    assert count == 1
    assert read(app, "probes.local") == ["slot 1"]
    assert read(app, "board") == []
    assert return_unfinished(app, {"board"}) == 1
