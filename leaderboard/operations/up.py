"""`manage.py up`: the whole board from one command, under one supervisor.

Loads no Django itself: the supervisor stays small, and settings are read by children that see the final environment.
Every refusal is one sentence on standard error and exit code 1 (2 for a usage error).
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from leaderboard.operations import programs
from leaderboard.operations.addresses import (
    bindable_port,
    in_url,
    names_served,
    preferred_port,
    reachable_host,
)
from leaderboard.operations.data_dir import hold_data_dir, make_data_dir
from leaderboard.operations.embedded.child import ServiceError, die_with_parent, end_group, stop_child
from leaderboard.operations.embedded.paths import log_file
from leaderboard.operations.embedded.sharing import SharedPostgres
from leaderboard.operations.embedded.valkey import EmbeddedValkey
from leaderboard.operations.environment import ROOT, Environment, EnvironmentProblem, read_environment
from leaderboard.operations.log_size import keep_logs_small
from leaderboard.operations.readiness import Check, answers
from leaderboard.operations.supervisor import Program, Supervisor

READY_TIMEOUT_S = 120
WEB_CHECK_EVERY_S = 10
WEB_FAILURES_BORNE = 3
LOG_LOOK_EVERY_S = 60


class Stopped(Exception):
    """Asked to stop before the board was ready."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=port_number, default=8000, help="0 takes a free one (default 8000)")
    parser.add_argument(
        "--data-dir", type=Path, help="where everything is kept (default .data in the checkout)"
    )
    parser.add_argument(
        "--demo",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="measure the lab's simulated endpoints (default, until an administrator ends the demo)",
    )
    parser.add_argument(
        "--measure", nargs="+", default=[], metavar="SLUG", help="begin to probe these providers"
    )
    parser.add_argument("--no-probes", action="store_true", help="show the board, measure nothing")


def port_number(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; use a number from 0 to 65535.")
    return int(text)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="manage.py up",
        description="Start the board: database, broker, web server, worker and beat.",
        allow_abbrev=False,
    )
    add_arguments(parser)
    options = parser.parse_args(list(arguments))
    if options.data_dir is not None:
        os.environ["LEADERBOARD_DATA_DIR"] = str(options.data_dir.expanduser().absolute())
    try:
        return Board(options, read_environment()).run()
    except (EnvironmentProblem, ServiceError) as problem:
        print(f"Cannot start: {problem}", file=sys.stderr)  # noqa: T201 a command speaks on its streams
        return 1


def say(line: str) -> None:
    """One line on standard output, at once; a reader that went away stops nothing."""
    try:
        print(line, flush=True)  # noqa: T201 a command speaks on its streams
    except OSError:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 for the rest of the process


NO_DATABASE = "django.db.utils.OperationalError: "


def last_line(log: Path) -> str:
    """What a failed command said last, without the class that Django puts before it."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    refused = next((line for line in reversed(lines) if NO_DATABASE in line), None)
    if refused is not None:
        return f"The database does not answer; check DATABASE_URL ({refused.partition(NO_DATABASE)[2]})."
    return lines[-1].removeprefix("CommandError: ") if lines else "The board could not be prepared."


class Board:
    """One run of `up`: what it started, and the order in which it did."""

    def __init__(self, options: argparse.Namespace, environment: Environment) -> None:
        self.options = options
        self.environment = environment
        self.data_dir = environment.data_dir
        self.supervisor = Supervisor(say)
        self.web_check: Check | None = None
        self.next_log_look_s = 0.0

    def run(self) -> int:
        make_data_dir(self.data_dir)
        lock = hold_data_dir(self.data_dir)
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, self.supervisor.ask_to_stop)
        postgres: SharedPostgres | None = None
        try:
            port = bindable_port(self.options.host, self.options.port)
            if self.environment.database_url is None:
                postgres = self._start_postgres()
            self._start_board(port)
            self._wait_until_ready(port)
            say(f"ready http://{in_url(self.options.host)}:{port}/")
            self.supervisor.run(self._every_round)
        except Stopped:
            pass
        finally:
            say("stopping")
            self.supervisor.stop()
            if postgres is not None:
                postgres.lock.release()
            lock.release()
        say("stopped")
        return 0

    def _start_postgres(self) -> SharedPostgres:
        shared = SharedPostgres(self.data_dir)
        shared.take_over()
        self.supervisor.adopt("postgres", shared.server)
        return shared

    def _start_board(self, port: int) -> None:
        if self.environment.broker_url is None:
            self.supervisor.start("broker", EmbeddedValkey(self.data_dir))
        lab_port = preferred_port("127.0.0.1", programs.LAB_PORT) if self._has_lab else None
        self._prepare(lab_port)
        self._program("web", programs.web_command(self.options.host, port), grace_s=4)
        self._program("board-worker", programs.board_worker_command(), grace_s=4)
        if lab_port is not None:
            self._program("lab", programs.lab_command(lab_port), grace_s=2)
        if not self.options.no_probes:
            command = programs.probe_worker_command(self.environment.probe_location)
            self._program("probe-worker", command, grace_s=4)
        self._program("beat", programs.beat_command(str(self.data_dir / "beat-schedule")), grace_s=3)

    @property
    def _has_lab(self) -> bool:
        return self._has_demo and not self.options.no_probes

    @property
    def _has_demo(self) -> bool:
        return self.options.demo is not False

    def _program(self, name: str, command: Sequence[str], *, grace_s: float) -> None:
        self._raise_if_stopping()
        program = Program(command, log_file(self.data_dir, name), self._child_environment(), ROOT, grace_s)
        self.supervisor.start(name, program)

    def _child_environment(self) -> dict[str, str]:
        given = dict(os.environ)
        given |= {"LEADERBOARD_DATA_DIR": str(self.data_dir), programs.SUPERVISED: "1"}
        given.setdefault("MALLOC_ARENA_MAX", "2")  # an arena for each thread would hold on to freed memory
        if not self.environment.allowed_hosts:
            given["ALLOWED_HOSTS"] = ",".join(names_served(self.options.host))
        if self.options.no_probes:
            given[programs.NO_PROBES] = "1"
        return given

    def _prepare(self, lab_port: int | None) -> None:
        """Migrations, catalogue, demo, static files and the first admin, in a child that needs Django."""
        self._raise_if_stopping()
        command = [sys.executable, str(ROOT / "manage.py"), "prepare_board"]
        if self.options.demo:
            command.append("--revive-demo")
        if self._has_demo:
            command += ["--lab-port", str(lab_port or programs.LAB_PORT)]
        if self.options.measure:
            command += ["--measure", *self.options.measure]
        log = log_file(self.data_dir, "prepare")
        with log.open("wb") as problems:
            child = subprocess.Popen(  # noqa: S603 our own command
                [*die_with_parent("KILL"), *command],
                env=self._child_environment(),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stderr=problems,
                start_new_session=True,
            )
        while child.poll() is None:
            if self.supervisor.is_stopping:
                stop_child(child, signal.SIGTERM, grace_s=2)
                raise Stopped
            time.sleep(0.02)
        end_group(child)
        if child.returncode != 0:
            raise ServiceError(f"{last_line(log)} (The whole story is in {log}.)")

    def _wait_until_ready(self, port: int) -> None:
        base = f"http://{in_url(reachable_host(self.options.host))}:{port}"
        self.web_check = Check(
            f"{base}/healthz", every_s=WEB_CHECK_EVERY_S, failures_borne=WEB_FAILURES_BORNE
        )
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not answers(f"{base}/readyz", timeout_s=5):
            self._raise_if_stopping()
            self.supervisor.tend()
            unsettled = self.supervisor.never_settles()
            if unsettled:
                raise ServiceError(f"{unsettled} does not stay up; see {log_file(self.data_dir, unsettled)}.")
            if time.monotonic() > deadline:
                raise ServiceError(
                    f"The board was not ready after {READY_TIMEOUT_S} s; see {self.data_dir / 'logs'}."
                )
            time.sleep(0.05)

    def _every_round(self) -> None:
        if self.web_check is not None and self.web_check.has_failed():
            say("web does not answer; starting it again")
            self.supervisor.restart("web")
        if time.monotonic() > self.next_log_look_s:
            self.next_log_look_s = time.monotonic() + LOG_LOOK_EVERY_S
            keep_logs_small(self.data_dir / "logs")

    def _raise_if_stopping(self) -> None:
        if self.supervisor.is_stopping:
            raise Stopped
