"""Readers on all pages and downloads while probes are measured: the readers' rates, and what it does to the meter.

    python tests/benchmarks/readers.py            4 readers for 6 s, a minute in all
    python tests/benchmarks/readers.py --whole    16 readers for 60 s
    python tests/benchmarks/readers.py --json     one JSON object

A board of its own is started with `manage.py up`: web, workers, beat and the demo, which keeps being measured. Readers
keep a connection each and ask one address after the other. Beside them `exactness.py` holds the probe against the lab's
own log, in processes of their own, first with the board idle of readers and then under them. Web and probes share no
process; they share the machine's cores, and the kernel's receive stamps keep a busy core out of the figures.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.exactness import Row, compare  # noqa: E402

PATHS = (
    *("/", "/models/", "/providers/", "/offerings/", "/frontier/", "/methodology/", "/status/", "/?q=fast"),
    *("/leaderboard.csv", "/leaderboard.json", "/offerings.csv", "/models.json", "/data/v1/leaderboard.csv"),
    *("/data/v1/samples/today.csv", "/data/v1/prices.csv", "/metrics", "/healthz"),
)
METERED = Row(streams=10, tokens_per_s=200, tokens=200, repeats=1)
FIRST_ROWS_S = 20


@dataclass(slots=True)
class Reading:
    """What one reader met: seconds by path, and answers that were no 200."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    bytes: int = 0


@contextlib.contextmanager
def running_board(folder: Path) -> Iterator[str]:
    """Its host and port."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LEADERBOARD_", "DJANGO_"))}
    for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
        kept.pop(name, None)
    command = [sys.executable, str(ROOT / "manage.py"), "up", "--port", "0", "--data-dir", str(folder)]
    board = subprocess.Popen(command, env=kept, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert board.stdout is not None
    try:
        for line in board.stdout:
            if line.startswith("ready "):
                yield urlsplit(line.split()[1]).netloc
                break
        else:
            raise RuntimeError("the board did not start")
    finally:
        board.send_signal(signal.SIGTERM)
        board.stdout.read()
        board.wait(60)


def read(address: str, number: int, until: float, into: Reading) -> None:
    connection = http.client.HTTPConnection(address, timeout=30)
    step = number
    while time.monotonic() < until:
        path = PATHS[step % len(PATHS)]
        step += 1
        began = time.perf_counter()
        try:
            connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            into.bytes += len(answer.read())
        except (OSError, http.client.HTTPException):
            into.refused[f"{path} broken"] += 1
            connection.close()
            continue
        if answer.status == 200:
            into.seconds[path].append(time.perf_counter() - began)
        else:
            into.refused[f"{path} {answer.status}"] += 1
    connection.close()


def read_together(address: str, readers: int, seconds: float) -> list[Reading]:
    until = time.monotonic() + seconds
    readings = [Reading() for _ in range(readers)]
    threads = [
        threading.Thread(target=read, args=(address, n * 3, until, reading))
        for n, reading in enumerate(readings)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return readings


def metered(rounds: int) -> dict[str, float]:
    (line,) = compare([METERED], ["probe"], rounds)
    names = ("ttft_error_median_ms", "ttft_error_p95_ms", "speed_error_p95_percent")
    return {name: float(str(line[name])) for name in names}


def measure(*, readers: int, seconds: float, rounds: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="rd-") as folder, running_board(Path(folder) / "d") as address:
        time.sleep(FIRST_ROWS_S)  # until the demo has rows to show
        quiet = metered(rounds)
        found: list[Reading] = []
        crowd = threading.Thread(target=lambda: found.extend(read_together(address, readers, seconds)))
        crowd.start()
        busy = metered(rounds)
        crowd.join()
    return {"readers": readers, "seconds": seconds} | summed(found, seconds) | {"quiet": quiet, "busy": busy}


def summed(found: list[Reading], seconds: float) -> dict[str, object]:
    paths: dict[str, list[float]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    for reading in found:
        for path, times in reading.seconds.items():
            paths[path] += times
        for what, number in reading.refused.items():
            refused[what] += number
    every = sorted(s for times in paths.values() for s in times)
    return {
        "requests_per_s": len(every) / seconds,
        "mb_per_s": sum(reading.bytes for reading in found) / 1e6 / seconds,
        "p50_ms": 1000 * statistics.median(every),
        "p95_ms": 1000 * every[int(0.95 * (len(every) - 1))],
        "refused": dict(refused),
        "paths": {
            path: {"requests": len(times), "p50_ms": round(1000 * statistics.median(times), 1)}
            for path, times in sorted(paths.items())
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    size = (
        {"readers": 16, "seconds": 60.0, "rounds": 3}
        if options.whole
        else {"readers": 4, "seconds": 6.0, "rounds": 1}
    )
    found = measure(**size)  # type: ignore[arg-type]
    sys.stdout.write(json.dumps(found, indent=None if options.json else 1) + "\n")


if __name__ == "__main__":
    main()
