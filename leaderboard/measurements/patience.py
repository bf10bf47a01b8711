"""What was measured cannot be measured again, so a database that is away for a moment is waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import structlog
from django.db import InterfaceError, InternalError, OperationalError, connection

logger = structlog.get_logger(__name__)

Done = TypeVar("Done")

PATIENCE_S = 60.0
LONGEST_PAUSE_S = 5.0
AWAY = (OperationalError, InterfaceError, InternalError)
"""No connection, a restart, a full disk; and (InternalError) a database that was made read-only."""


def patiently(
    act: Callable[[], Done],
    *,
    patience_s: float = PATIENCE_S,
    now_s: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Done:
    """What `act` returns, tried again on a new connection while the database is away; its last error after that.

    `act` must change nothing when it is done twice. Inside a transaction there is one try: what came before is lost.
    """
    began, pause_s = now_s(), 0.5
    while True:
        try:
            return act()
        except AWAY as error:
            if connection.in_atomic_block or now_s() - began + pause_s > patience_s:
                raise
            logger.warning("database away", kind=type(error).__name__, pause_s=pause_s)
        connection.close()
        sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
