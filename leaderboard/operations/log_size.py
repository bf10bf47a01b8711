"""Logs that do not fill the disk: each keeps its newest part and one older one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

LARGEST_LOG_BYTES = 20_000_000


def keep_logs_small(folder: Path, largest_bytes: int = LARGEST_LOG_BYTES) -> None:
    """Copy a large log aside and empty it in place: its writer keeps the file open for appending."""
    for log in folder.glob("*.log"):
        if log.stat().st_size > largest_bytes:
            shutil.copyfile(log, log.with_suffix(".log.1"))
            os.truncate(log, 0)
