"""One Postgres for everybody who needs the data dir: `up` keeps it running, a lone command starts it for itself.

A user of the server holds `postgres.lock` shared; who starts or stops it holds it exclusively for that moment. So
a server that runs while nobody holds the lock is an orphan, and is ended before a new one starts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leaderboard.operations.embedded.child import ServiceError
from leaderboard.operations.embedded.lock import FileLock, wait_exclusive
from leaderboard.operations.embedded.postgres import EmbeddedPostgres

ATTACH_TIMEOUT_S = 60


class SharedPostgres:
    """The data dir's server: started by this process, or by another one that is still using it."""

    def __init__(self, data_dir: Path) -> None:
        self.server = EmbeddedPostgres(data_dir)
        self.lock = FileLock(data_dir / "postgres.lock")
        self.is_starter = False

    def attach(self, timeout_s: float = ATTACH_TIMEOUT_S) -> None:
        """Start the server, or join the one that others use; a server that is restarting is waited for."""
        deadline = time.monotonic() + timeout_s
        while True:
            if self.lock.try_exclusive():
                self.server.start()
                self.is_starter = True
                self.lock.try_shared()
                return
            if self.lock.try_shared() and self.server.is_running():
                return
            if time.monotonic() > deadline:
                raise ServiceError(
                    f"Another process uses {self.server.cluster} but its PostgreSQL does not answer; "
                    "stop it and try again."
                )
            time.sleep(0.05)

    def take_over(self, timeout_s: float = ATTACH_TIMEOUT_S) -> None:
        """Start the server as its keeper, after commands that run one for themselves have ended."""
        if not wait_exclusive(self.lock, timeout_s):
            raise ServiceError(
                f"A management command still uses the database in {self.server.data_dir}; try again when it is done."
            )
        self.server.start()
        self.is_starter = True
        self.lock.try_shared()

    def detach(self, timeout_s: float = ATTACH_TIMEOUT_S) -> None:
        """Stop a server that we started, after those who joined it are done; leave one of another process."""
        if self.is_starter:
            wait_exclusive(self.lock, timeout_s)
            self.server.stop()
        self.lock.release()


@contextmanager
def attached_postgres(data_dir: Path) -> Iterator[SharedPostgres]:
    shared = SharedPostgres(data_dir)
    try:
        shared.attach()
        yield shared
    finally:
        shared.detach()
