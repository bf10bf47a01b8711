"""Pages of a board with 875 offerings and a million samples: time, pages a second, weight, and what a phone sees.

    python tests/benchmarks/site.py            60 offerings, 2,000 samples, the home page: some ten seconds
    python tests/benchmarks/site.py --whole    875 offerings, a million samples, every kind of page: under five minutes
    python tests/benchmarks/site.py --json

The board is generated (site_board.py): 25 providers × 35 models × 4 workloads, 3,500 rows a snapshot; the pictures of
the pages asked for are drawn ahead as the worker does. The server is granian, as `up` starts it but with two processes.
Four connections kept open ask it, each one address after another, from threads of this one process; server, database
and readers share the machine's cores.

- first: the first answer of a server just started, nothing kept in memory
- alone: the median of answers made anew, one reader asking (a number that no page knows makes each address new)
- uncached/s, cached/s, 304/s: four readers at once, on new addresses, on one address, and with its ETag
- peer: the same four readers on `/static/…/site.css`, which no view makes: what server and readers do at most
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.site_board import draw, filled_database  # noqa: E402
from tests.benchmarks.site_browser import Paint, paints  # noqa: E402
from tests.benchmarks.site_readers import Reader, rate  # noqa: E402

ALONE = 7
PAIR = "/offerings/provider-0~model-0/"
TWO = "?o=provider-0~model-0&o=provider-1~model-0"
PAGES = (
    *(
        "/",
        "/offerings/",
        "/models/",
        "/models/maker/model-0/",
        "/providers/",
        "/providers/provider-0/",
        PAIR,
    ),
    *(
        "/frontier/",
        f"/compare/{TWO}",
        "/choose/",
        "/self-hosted/",
        "/status/",
        "/changes/",
        "/search?q=model",
    ),
    *("/data/", "/methodology/", "/leaderboard.csv"),
)
PAINTED = ("/", "/offerings/", "/models/maker/model-0/", PAIR)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `kb` is the body gzipped, as it is sent to nearly everybody."""

    path: str
    first_ms: float
    alone_ms: float
    uncached_per_s: float
    cached_per_s: float
    not_modified_per_s: float
    kb: float


@dataclass(frozen=True, slots=True)
class Measured:
    rows: list[Row]
    paints: list[Paint]
    peer_per_s: float
    drawn: dict[str, float]


def new(path: str, number: int) -> str:
    return f"{path}{'&' if '?' in path else '?'}n={number}"


def first_answer(address: str, path: str) -> tuple[float, float]:
    """Milliseconds, and kB gzipped."""
    reader = Reader(address)
    began = time.perf_counter()
    body = reader.get(path).body
    took_ms = (time.perf_counter() - began) * 1000
    reader.close()
    return took_ms, len(body if body[:2] == b"\x1f\x8b" else gzip.compress(body)) / 1000


def measure_page(address: str, path: str, *, seconds: float) -> Row:
    first_ms, kb = first_answer(address, path)
    reader = Reader(address)
    alone = []
    for number in range(ALONE):
        began = time.perf_counter()
        reader.get(new(path, number))
        alone.append((time.perf_counter() - began) * 1000)
    uncached, _ = rate(address, lambda n: new(path, ALONE + n), seconds=seconds)
    cached, _ = rate(address, lambda _: path, seconds=seconds)
    etag = reader.get(path).etag
    not_modified = rate(address, lambda _: path, seconds=seconds, etag=etag)[0] if etag else 0.0
    reader.close()
    return Row(path, first_ms, statistics.median(alone), uncached, cached, not_modified, kb)


def serve(processes: int) -> tuple[subprocess.Popen[bytes], str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)),
        *(
            "--workers",
            str(processes),
            "--blocking-threads",
            "8",
            "--no-ws",
            "--http",
            "1",
            "--log-level",
            "error",
        ),
        "leaderboard.wsgi:application",
    ]
    server = subprocess.Popen(command, cwd=ROOT)
    address = f"127.0.0.1:{port}"
    for _ in range(300):
        try:
            Reader(address).get("/healthz")
        except OSError:
            time.sleep(0.05)
        else:
            return server, address
    raise RuntimeError("the server did not start")


def measure(
    *,
    offerings: int,
    samples: int,
    seconds: float,
    pages: tuple[str, ...],
    painted: tuple[str, ...],
    processes: int = 2,
) -> Measured:
    with tempfile.TemporaryDirectory(prefix="site-") as folder:
        os.environ["LEADERBOARD_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
            os.environ.pop(name, None)
        with filled_database(Path(folder), offerings=offerings, samples=samples):
            drawn = draw(pages)
            server, address = serve(processes)
            try:
                rows = [measure_page(address, path, seconds=seconds) for path in pages]
                peer, _ = rate(address, lambda _: static_file(), seconds=seconds)
                return Measured(rows, paints(address, painted), peer, drawn)
            finally:
                server.send_signal(signal.SIGTERM)
                server.wait(30)


def static_file() -> str:
    from django.contrib.staticfiles.storage import staticfiles_storage

    return staticfiles_storage.url("site.css")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    found = (
        measure(offerings=875, samples=1_000_000, seconds=1.0, pages=PAGES, painted=PAINTED)
        if asked.whole
        else measure(offerings=60, samples=2_000, seconds=0.2, pages=("/",), painted=(), processes=1)
    )
    if asked.json:
        sys.stdout.write(json.dumps({"load": load, **asdict(found)}) + "\n")
    else:
        sys.stdout.write(f"load {load:.1f} before the start\n{told(found)}")


def told(found: Measured) -> str:
    drawn = found.drawn
    return (
        f"{table(found.rows)}\npeer: {found.peer_per_s:.0f} answers/s on a static file\n"
        f"drawn ahead: {drawn['pictures']:.0f} pictures of {drawn['pages']:.0f} pages in {drawn['seconds']:.1f} s\n"
        f"{paint_table(found.paints)}"
    )


def table(rows: list[Row]) -> str:
    heads = ("page", "first, ms", "alone, ms", "uncached/s", "cached/s", "304/s", "kB gzipped")
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in rows:
        not_modified = f"{row.not_modified_per_s:.0f}" if row.not_modified_per_s else ""
        rates = f"{row.uncached_per_s:.0f} | {row.cached_per_s:.0f} | {not_modified}"
        lines.append(f"| {row.path} | {row.first_ms:.0f} | {row.alone_ms:.0f} | {rates} | {row.kb:.1f} |")
    return "\n".join(lines) + "\n"


def paint_table(found: list[Paint]) -> str:
    if not found:
        return ""
    lines = [
        "| page | largest paint, ms | layout shift | kB in all | kB of scripts |",
        "|" + "---|" * 5,
    ]
    lines += [
        f"| {p.path} | {p.largest_paint_ms:.0f} | {p.layout_shift:.3f} | {p.kb:.1f} | {p.script_kb:.1f} |"
        for p in found
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
