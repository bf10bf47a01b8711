"""Keeps a set of programs running: starts them, starts again what ends, stops all without leaving one behind.

Knows nothing of what they do. Not thread-safe; every call comes from the main thread, because the kernel's
parent-death signal counts the death of the thread that started the child.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from leaderboard.operations.embedded.child import (
    ServiceError,
    die_with_parent,
    end_group,
    start_child,
    stop_child,
)

LONGEST_PAUSE_S = 30.0
SETTLED_AFTER_S = 60.0
TOO_MANY_EARLY_ENDS = 4


class Service(Protocol):
    """What can be kept running: a program of ours, or an embedded server."""

    process: subprocess.Popen[bytes] | None

    def start(self) -> None: ...
    def stop(self) -> None: ...


class Program:
    """A command of ours, restarted as it was started; its output goes to its log."""

    def __init__(
        self, command: Sequence[str], log: Path, environment: dict[str, str], folder: Path, grace_s: float
    ) -> None:
        self.command = [*die_with_parent("KILL"), *command]
        self.log = log
        self.environment = environment
        self.folder = folder
        self.grace_s = grace_s
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = start_child(self.command, self.log, environment=self.environment, folder=self.folder)

    def stop(self) -> None:
        if self.process is not None:
            stop_child(self.process, signal.SIGTERM, grace_s=self.grace_s)


@dataclass(slots=True)
class Watched:
    """A service, and what its restarts have shown so far."""

    name: str
    service: Service
    started_at: float = 0.0
    early_ends: int = 0
    start_again_at: float | None = None

    @property
    def has_ended(self) -> bool:
        return self.service.process is not None and self.service.process.poll() is not None


class Supervisor:
    def __init__(
        self, say: Callable[[str], None], *, now_s: Callable[[], float] = time.monotonic, pause_s: float = 0.2
    ) -> None:
        self.say = say
        self.now_s = now_s
        self.pause_s = pause_s
        self.watched: list[Watched] = []
        self.is_stopping = False

    def ask_to_stop(self, *_: object) -> None:
        """Signal handler: only sets a flag, so it may come at any moment."""
        self.is_stopping = True

    def start(self, name: str, service: Service) -> None:
        """Start and keep running until `stop`; ServiceError where the first start fails."""
        service.start()
        self.adopt(name, service)

    def adopt(self, name: str, service: Service) -> None:
        """Keep a service running that was started elsewhere."""
        self.watched.append(Watched(name, service, started_at=self.now_s()))

    def run(self, every_round: Callable[[], None] = lambda: None) -> None:
        """Restart what ends, until asked to stop."""
        while not self.is_stopping:
            self.tend()
            every_round()
            time.sleep(self.pause_s)

    def tend(self) -> None:
        """One look at every service: restart the ended ones whose pause is over."""
        for watched in self.watched:
            if watched.start_again_at is None and watched.has_ended:
                self._note_end(watched)
            if watched.start_again_at is not None and self.now_s() >= watched.start_again_at:
                self._start_again(watched)

    def restart(self, name: str) -> None:
        """End a service that lives but does not work; the next look starts it again."""
        for watched in self.watched:
            if watched.name == name and watched.service.process is not None:
                end_group(watched.service.process)

    def never_settles(self) -> str | None:
        """Name of a service that ended again and again since its first start, None if there is none."""
        return next((w.name for w in self.watched if w.early_ends >= TOO_MANY_EARLY_ENDS), None)

    def stop(self) -> None:
        """Stop in reverse order of start, those without dependants on each other at the same time."""
        self.is_stopping = True
        for watched in self.watched:
            process = watched.service.process
            if isinstance(watched.service, Program) and process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for watched in reversed(self.watched):
            watched.service.stop()

    def _note_end(self, watched: Watched) -> None:
        process = watched.service.process
        assert process is not None  # noqa: S101 has_ended holds
        end_group(process)
        if self.now_s() - watched.started_at > SETTLED_AFTER_S:
            watched.early_ends = 0
        pause = min(0.25 * 4**watched.early_ends, LONGEST_PAUSE_S) if watched.early_ends else 0.0
        watched.early_ends += 1
        watched.start_again_at = self.now_s() + pause
        self.say(f"{watched.name} ended ({describe_end(process.returncode)}); starting it again")

    def _start_again(self, watched: Watched) -> None:
        watched.started_at = self.now_s()
        watched.start_again_at = None
        try:
            watched.service.start()
        except ServiceError as problem:
            watched.early_ends += 1
            watched.start_again_at = self.now_s() + min(0.25 * 4**watched.early_ends, LONGEST_PAUSE_S)
            self.say(f"{watched.name} does not start: {problem}")


def describe_end(returncode: int) -> str:
    if returncode >= 0:
        return f"exit code {returncode}"
    try:
        return f"killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"killed by signal {-returncode}"
