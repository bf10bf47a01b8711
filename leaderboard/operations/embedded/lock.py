"""Who may use a data dir: one `up` at a time, and one Postgres shared by everybody who needs it.

POSIX record locks: the kernel drops them when the holder dies, kill -9 included, and turning an exclusive one
into a shared one is atomic. They belong to the process: no second opening of the same file in one process.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import IO


class FileLock:
    """A lock on one file; `note` is what the holder wrote there for others to read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: IO[str] | None = None

    def try_exclusive(self) -> bool:
        return self._try(fcntl.LOCK_EX)

    def try_shared(self) -> bool:
        return self._try(fcntl.LOCK_SH)

    def write_note(self, text: str) -> None:
        file = self._open()
        file.seek(0)
        file.truncate()
        file.write(text)
        file.flush()

    def read_note(self) -> str:
        return self.path.read_text().strip() if self.path.exists() else ""

    def release(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None

    def _open(self) -> IO[str]:
        if self.file is None:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            self.file = os.fdopen(descriptor, "r+")
        return self.file

    def _try(self, kind: int) -> bool:
        try:
            fcntl.lockf(self._open(), kind | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True


def wait_exclusive(lock: FileLock, timeout_s: float) -> bool:
    """Wait until nobody else holds the lock; False where somebody still does after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not lock.try_exclusive():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
