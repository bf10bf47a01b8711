"""Folders outside the data dir that only we may fill: a neighbour on a shared /tmp must not plant files there."""

from __future__ import annotations

import os
from pathlib import Path

from leaderboard.operations.embedded.child import ServiceError


def make_own_folder(folder: Path, mode: int = 0o700) -> None:
    """Make it, or accept the one there if it is ours and nobody else may write to it."""
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    found = folder.stat(follow_symlinks=False)
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise ServiceError(
            f"{folder} belongs to somebody else; remove it, or set TMPDIR to a folder of your own."
        )
    folder.chmod(mode)  # whatever the umask made of it
