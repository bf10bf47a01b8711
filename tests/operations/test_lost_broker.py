from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from celery.worker import state
from kombu.message import Message

from leaderboard.operations.lost_broker import EndOnLostBroker, end_on_lost_broker

LOGGER = logging.getLogger("celery.worker.request")


@pytest.fixture(autouse=True)
def undisturbed_worker() -> Iterator[None]:
    filters, stop = LOGGER.filters[:], state.should_stop
    end_on_lost_broker()
    yield
    LOGGER.filters[:], state.should_stop = filters, stop


class DeadChannel:
    no_ack_consumers = None

    def basic_ack(self, *_: object, **__: object) -> None:
        raise ConnectionError("gone")


def test_message_that_cannot_be_acknowledged_ends_the_worker() -> None:
    """Through kombu's own code, so that other words of a later version are noticed."""
    message = Message(channel=DeadChannel(), delivery_tag="1")

    message.ack_log_error(LOGGER, (ConnectionError,))

    assert state.should_stop == 1


def test_other_lines_end_nothing() -> None:
    LOGGER.critical("Task %s raised", "x")

    assert not state.should_stop
    assert any(isinstance(f, EndOnLostBroker) for f in LOGGER.filters)
