"""The whole board as a user starts it, seen from outside: its output, its processes, its database."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError

import psycopg

from leaderboard.operations.embedded.paths import database_url
from leaderboard.operations.environment import ROOT

READY_WITHIN_S = 60
Found = TypeVar("Found")

# What the command line of each part holds; the broker and Postgres are found by the folder they work in.
ROLES = {
    "web": ("granian",),
    "probe-worker": ("celery", " worker ", "probes."),
    "board-worker": ("celery", " worker ", "--queues board"),
    "beat": ("celery", " beat "),
    "lab": ("probes lab",),
    "broker": ("valkey",),
    "postgres": ("bin/postgres",),
}


def eventually(look: Callable[[], Found | None], *, within_s: float, what: str) -> Found:
    """What `look` returns once it is something."""
    deadline = time.monotonic() + within_s
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"not within {within_s} s: {what}"
        time.sleep(0.1)


def clean_environment(**given: str) -> dict[str, str]:
    dropped = ("LEADERBOARD_", "DJANGO_", "PYTEST_", "COV_")
    names = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped) and k not in names}
    return kept | given


class RunningBoard:
    def __init__(
        self, data_dir: Path, *arguments: str, prefix: Sequence[str] = (sys.executable,), **environment: str
    ) -> None:
        self.data_dir = data_dir
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [*prefix, str(ROOT / "manage.py"), "up", "--port", "0", "--data-dir", str(data_dir), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=clean_environment(**environment),
            cwd=ROOT,
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self.lines.append(line.rstrip("\n"))

    def __enter__(self) -> RunningBoard:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill_everything()

    def wait_until_ready(self) -> str:
        """The address that the ready line gives."""

        def ready() -> str | None:
            assert self.process.poll() is None or self.reader.is_alive(), self.lines
            return next((line.split()[1] for line in self.lines if line.startswith("ready ")), None)

        return eventually(ready, within_s=READY_WITHIN_S, what=f"ready line in {self.lines}")

    @property
    def url(self) -> str:
        return self.wait_until_ready()

    def get(self, path: str) -> tuple[int, bytes]:
        """Status and body; 0 where nobody answers."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as answer:
                return answer.status, answer.read()
        except HTTPError as error:
            return error.code, error.read()
        except (URLError, OSError):
            return 0, b""

    def query(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(database_url(self.data_dir), connect_timeout=5) as connection:
            return connection.execute(sql, parameters).fetchall()

    def count(self, sql: str, *parameters: object) -> int:
        return int(self.query(sql, *parameters)[0][0])

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        code = self.process.wait(30)
        self.reader.join(5)
        return code

    def kill_everything(self) -> None:
        for pid in [self.process.pid, *processes_of(self.data_dir)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(10)
        self.reader.join(5)

    def pids(self, role: str) -> list[int]:
        """Processes of one part, its head first."""
        return [p for p in processes_of(self.data_dir) if all(word in command_of(p) for word in ROLES[role])]


def processes_of(data_dir: Path) -> list[int]:
    """Every living process that was started for the data dir: by its environment, or by where it works."""
    marker = f"LEADERBOARD_DATA_DIR={data_dir}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            works_inside = (entry / "cwd").readlink().is_relative_to(data_dir)
            if works_inside or marker in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return sorted(found)


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def run_manage(data_dir: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *words],
        env=clean_environment(LEADERBOARD_DATA_DIR=str(data_dir), **environment),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=90,
    )
