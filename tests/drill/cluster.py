"""A board of separate programs, as several machines would run it: one Postgres, one broker, workers in two places."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from leaderboard.operations import programs
from leaderboard.operations.embedded.paths import database_url
from leaderboard.operations.embedded.postgres import EmbeddedPostgres
from leaderboard.operations.environment import ROOT
from tests.drill.brokers import Broker

Found = TypeVar("Found")

COUNTS = """
    select slot.probe_location,
           count(*) filter (where slot.expires_at < now() or slot.finished_at is not null) as over,
           count(*) filter (where slot.started_at is not null) as started,
           count(*) filter (where slot.finished_at is not null) as finished,
           coalesce(sum(stored.number), 0) as stored,
           coalesce(max(stored.number), 0) as most
    from measurements_slot slot
    left join lateral (
        select count(*) as number from measurements_sample sample
        where (sample.offering_id, sample.workload, sample.probe_location) =
              (slot.offering_id, slot.workload, slot.probe_location)
          and sample.scheduled_at = date_trunc('milliseconds', slot.scheduled_at)
    ) stored on true
    group by slot.probe_location
"""


def eventually(look: Callable[[], Found | None], *, within_s: float, what: str) -> Found:
    """What `look` returns once it is something."""
    deadline = time.monotonic() + within_s
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"not within {within_s} s: {what}"
        time.sleep(0.2)


class Cluster:
    def __init__(self, folder: Path, broker: Broker) -> None:
        self.folder = folder
        self.broker = broker
        self.postgres = EmbeddedPostgres(folder / "pg", durable=True)
        self.database_url = self.program_url = database_url(folder / "pg")
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        self.commands: dict[str, tuple[Sequence[str], str]] = {}

    def start(self) -> None:
        (self.folder / "pg" / "logs").mkdir(parents=True, exist_ok=True)
        self.postgres.start()
        self.broker.start()

    def stop(self) -> None:
        for name in list(self.programs):
            self.end(name, signal.SIGKILL)
        self.broker.stop()
        self.postgres.stop()

    def environment(self, location: str) -> dict[str, str]:
        dropped = ("LEADERBOARD_", "DJANGO_", "PYTEST_", "COV_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        return kept | {
            "DATABASE_URL": self.program_url,
            "CELERY_BROKER_URL": self.broker.url,
            "SECRET_KEY": "drill" * 10,
            "LEADERBOARD_DATA_DIR": str(self.folder / "data"),
            "LEADERBOARD_PROBE_LOCATION": location,
        }

    def seed(self, base_url: str, *, offerings: int, interval_s: int, model: str = "plain") -> None:
        words = ["-m", "tests.drill.seed", base_url, str(offerings), str(interval_s), model]
        subprocess.run(
            [sys.executable, *words], env=self.environment("east"), cwd=ROOT, check=True, timeout=120
        )

    def run(self, name: str, command: Sequence[str], *, location: str = "east") -> None:
        self.commands[name] = (command, location)
        (self.folder / "data").mkdir(exist_ok=True)
        with (self.folder / f"{name}.log").open("ab") as log:
            self.programs[name] = subprocess.Popen(
                command,
                env=self.environment(location),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def run_worker(self, location: str) -> None:
        self.run(f"worker-{location}", programs.probe_worker_command(location), location=location)

    def run_board(self) -> None:
        self.run("board", programs.board_worker_command())

    def run_beat(self, name: str = "beat") -> None:
        self.run(name, programs.beat_command(str(self.folder / f"{name}-schedule")))

    def end(self, name: str, how: signal.Signals = signal.SIGKILL) -> None:
        """The whole group, so that no child lives on."""
        process = self.programs.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        process.wait(30)

    def tend(self) -> None:
        """Start again what ended by itself, as systemd, Compose and `up` do."""
        for name, process in list(self.programs.items()):
            if process.poll() is not None:
                command, location = self.commands[name]
                self.run(name, command, location=location)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database_url, connect_timeout=5, autocommit=True) as connection:
            return connection.execute(sql).fetchall()  # type: ignore[call-overload,no-any-return]

    def execute(self, sql: str) -> None:
        with psycopg.connect(self.database_url, connect_timeout=5, autocommit=True) as connection:
            connection.execute(sql)  # type: ignore[call-overload]

    def counts(self) -> dict[str, Counter[str]]:
        """Slots of each location that are over, started and finished, the samples they left, and the most of one."""
        self.tend()
        names = ("over", "started", "finished", "stored", "most")
        try:
            rows = self.query(COUNTS)
        except psycopg.Error:
            return {}
        return {location: Counter(dict(zip(names, map(int, row), strict=True))) for location, *row in rows}

    def finished(self) -> int:
        """-1 while the database is away."""
        counts = self.counts()
        return sum(count["finished"] for count in counts.values()) if counts else -1

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")
