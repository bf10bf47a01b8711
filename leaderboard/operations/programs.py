"""The programs of one board: what each is started as. The only place that names their command lines."""

from __future__ import annotations

import sys

CELERY = (sys.executable, "-m", "celery", "-A", "leaderboard.celery")
QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING")
# Requests measured at the same time by one machine; more would make each other's clocks late.
PROBES_AT_ONCE = 2
LAB_PORT = 8089
# Set by `up` for the programs it starts; nobody else sets them.
SUPERVISED = "UP_SUPERVISES"
NO_PROBES = "UP_WITHOUT_PROBES"


def web_command(host: str, port: int) -> tuple[str, ...]:
    """One process with threads: downloads stream from a thread each, and a second process would cost 100 MB."""
    return (
        *(sys.executable, "-m", "granian", "--interface", "wsgi"),
        *("--host", host, "--port", str(port), "--workers", "1", "--blocking-threads", "8"),
        *("--workers-kill-timeout", "3", "--no-ws", "--http", "1"),
        *("--log-level", "warning", "leaderboard.wsgi:application"),
    )


def probe_worker_command(probe_location: str) -> tuple[str, ...]:
    return (
        *(*CELERY, "worker", *QUIET),
        *("--queues", f"probes.{probe_location}", "--hostname", f"probes.{probe_location}@%h"),
        *("--pool", "prefork", "--concurrency", str(PROBES_AT_ONCE)),
    )


def board_worker_command() -> tuple[str, ...]:
    """Plans, ranks and draws. Its one child is replaced when charts have made it large."""
    return (
        *(*CELERY, "worker", *QUIET),
        *("--queues", "board", "--hostname", "board@%h"),
        *("--pool", "prefork", "--concurrency", "1", "--max-memory-per-child", "400000"),
    )


def beat_command(schedule: str) -> tuple[str, ...]:
    return (*CELERY, "beat", "--loglevel", "WARNING", "--schedule", schedule, "--pidfile=")


def lab_command(port: int) -> tuple[str, ...]:
    return (sys.executable, "-m", "probes", "lab", "--port", str(port))
