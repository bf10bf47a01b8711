"""A worker that cannot acknowledge a message has lost its broker for good, and is better started anew.

Seen with Redis transports, whose broker died while a task ran: the acknowledgement fails, the worker lives on, and it
takes fewer messages from then on, or none. What it measures is finished and stored before it ends.
"""

from __future__ import annotations

import logging

from celery.worker import state

CANNOT_ACKNOWLEDGE = "Couldn't ack"
EXIT_CODE = 1


class EndOnLostBroker(logging.Filter):
    """Lets every line through; the one that says so also asks the worker to stop."""

    def filter(self, record: logging.LogRecord) -> bool:
        if str(record.msg).startswith(CANNOT_ACKNOWLEDGE):
            state.should_stop = EXIT_CODE  # type: ignore[assignment] # the stubs know its first value only
        return True


def end_on_lost_broker() -> None:
    logging.getLogger("celery.worker.request").addFilter(EndOnLostBroker())
