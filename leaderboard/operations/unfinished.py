"""Messages that a killed worker had taken and not finished, put back for its successor at once.

Redis transports give them back only after the visibility timeout, which must outlast the longest task; by then a
probe's slot is over. The embedded broker has one worker per queue, so when that worker starts, whatever is marked as
taken from its queues was left behind.
"""

from __future__ import annotations

import json
from collections.abc import Set as AbstractSet
from typing import Any

from celery import Celery


def return_unfinished(app: Celery, routing_keys: AbstractSet[str]) -> int:
    """Put back every unacknowledged message of these queues; how many there were. Redis-like brokers only."""
    with app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        taken = channel.client.hgetall(channel.unacked_key)
        mine = [tag for tag, stored in taken.items() if json.loads(stored)[2] in routing_keys]
        for tag in mine:
            channel.qos.restore_by_tag(tag.decode() if isinstance(tag, bytes) else tag, channel.client)
        return len(mine)
