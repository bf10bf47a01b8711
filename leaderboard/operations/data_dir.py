"""The data dir: made, checked for writing, and held by one `up` at a time."""

from __future__ import annotations

import os
from pathlib import Path

from leaderboard.operations.embedded.child import ServiceError
from leaderboard.operations.embedded.lock import FileLock


def make_data_dir(data_dir: Path) -> None:
    """Make it with its folders; ServiceError where it cannot be written."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        # Logs hold providers' replies and the admin's errors: for the board's own user alone.
        (data_dir / "logs").mkdir(mode=0o700, exist_ok=True)
        probe = data_dir / f".write-check-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ServiceError(
            f"The data directory {data_dir} cannot be written ({error.strerror}); "
            "name another with --data-dir or LEADERBOARD_DATA_DIR."
        ) from None


def hold_data_dir(data_dir: Path) -> FileLock:
    """The lock that makes a second `up` refuse; the kernel drops it with the process."""
    lock = FileLock(data_dir / "up.lock")
    if not lock.try_exclusive():
        holder = lock.read_note() or "still starting"
        lock.release()
        raise ServiceError(
            f"Another `up` ({holder}) runs on {data_dir}; "
            "stop it first, or name another directory with --data-dir."
        )
    lock.write_note(f"process {os.getpid()}")
    return lock
