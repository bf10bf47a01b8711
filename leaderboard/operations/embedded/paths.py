"""Where the embedded services keep their files; no Django here, the settings read it."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

# A unix socket's address holds 108 bytes; the longest name put in the folder is 24.
LONGEST_SOCKET_DIR = 80


def socket_dir(data_dir: Path) -> Path:
    """Folder of the unix sockets: inside the data dir, or a short one named by its hash where that is too deep."""
    inside = data_dir / "run"
    if len(str(inside)) <= LONGEST_SOCKET_DIR:
        return inside
    digest = hashlib.sha256(str(data_dir).encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"leaderboard-{digest}"


def database_url(data_dir: Path, name: str = "leaderboard") -> str:
    return f"postgresql://leaderboard@/{name}?host={socket_dir(data_dir)}"


def broker_socket(data_dir: Path) -> Path:
    return socket_dir(data_dir) / "valkey.sock"


def broker_url(data_dir: Path) -> str:
    return f"redis+socket://{broker_socket(data_dir)}"


def log_file(data_dir: Path, name: str) -> Path:
    return data_dir / "logs" / f"{name}.log"
