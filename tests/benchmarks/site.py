"""Pages of a board with 875 offerings: time, pages a second with the production server on two cores, and weight.

    python tests/benchmarks/site.py            60 offerings, two pages: about ten seconds
    python tests/benchmarks/site.py --whole    875 offerings, four pages, 1.5 seconds a figure
    python tests/benchmarks/site.py --json

The board is generated: one complete snapshot of that many official rows, 125 models at 7 providers, speeds, times and
prices spread by a fixed rule. Pages never read samples, so there are none. The server is granian with two workers, on
this machine together with the readers that ask it: four connections kept open, each asking one address after another.
`cached` asks one address; `uncached` adds a number that no page knows, so that each page is made anew.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gzip
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

READERS = 4
PROVIDERS = 7
PAGES = ("/", "/offerings/", "/choose/", "/models/maker/m0/")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `kb` is the body gzipped as it is sent."""

    path: str
    first_ms: float
    uncached_ms: float
    uncached_per_s: float
    cached_per_s: float
    not_modified_per_s: float
    kb: float


def fill(offerings: int) -> None:
    """One snapshot of that many rows."""
    from leaderboard.catalogue.models import Offering
    from leaderboard.ranking.models import Snapshot, Summary
    from tests.factories import make_model, make_offering, make_provider

    now = dt.datetime.now(dt.UTC)
    snapshot = Snapshot.objects.create(
        as_of=now, window_hours=72, methodology_version="1.0.0", is_complete=True, samples_read=offerings * 24
    )
    providers = [make_provider(slug=f"provider-{n}", name=f"Provider {n}") for n in range(PROVIDERS)]
    models = [make_model(slug=f"maker/m{n}", name=f"Model {n}") for n in range(-(-offerings // PROVIDERS))]
    sold: list[Offering] = [
        make_offering(
            provider=providers[n % PROVIDERS],
            model=models[n // PROVIDERS],
            public_id=f"p{n % PROVIDERS}~m{n // PROVIDERS}",
        )
        for n in range(offerings)
    ]
    Summary.objects.bulk_create(
        summary(Summary, snapshot, offering, n, now) for n, offering in enumerate(sold)
    )


def summary(kind: Any, snapshot: object, offering: object, n: int, now: dt.datetime) -> Any:
    speed, ttft = 20.0 + n * 37 % 900, 90.0 + n * 53 % 4000
    read, write = Decimal(n * 7 % 40) / 10, Decimal(n * 11 % 90) / 10
    return kind(
        snapshot=snapshot, offering=offering, probe_location="local", workload="medium", workload_version=1,
        methodology_version="1.0.0", samples_total=24, samples_ok=24, speed_samples=24, ttft_samples=24,
        success_rate=1.0, uptime=1.0, freshness="fresh", standing="official", last_ok_at=now, last_sample_at=now,
        output_speed_tps_p05=speed * 0.6, output_speed_tps_p25=speed * 0.8, output_speed_tps_p50=speed,
        output_speed_tps_p75=speed * 1.1, output_speed_tps_p95=speed * 1.2, output_speed_tps_p50_low=speed * 0.9,
        output_speed_tps_p50_high=speed * 1.1, ttft_ms_p05=ttft * 0.8, ttft_ms_p25=ttft * 0.9, ttft_ms_p50=ttft,
        ttft_ms_p75=ttft * 1.2, ttft_ms_p95=ttft * 2, ttfat_ms_p50=ttft, end_to_end_ms_p50=ttft + 500_000 / speed,
        response_time_500_ms_p50=ttft + 500_000 / speed, input_usd_per_mtok=read, output_usd_per_mtok=write,
        blended_usd_per_mtok=(3 * read + write) / 4,
    )  # fmt: skip


def ask(connection: http.client.HTTPConnection, path: str, etag: str = "") -> http.client.HTTPResponse:
    headers = {"Accept-Encoding": "gzip"} | ({"If-None-Match": etag} if etag else {})
    connection.request("GET", path, headers=headers)
    return connection.getresponse()


def rate(
    address: str, path_of: Callable[[int], str], *, seconds: float, etag: str = ""
) -> tuple[float, float]:
    """Answers a second of all readers together, and the median milliseconds of one."""
    wanted = 304 if etag else 200
    took: list[float] = []
    until = time.perf_counter() + seconds

    def reader(number: int) -> None:
        connection = http.client.HTTPConnection(address, timeout=60)
        step = number
        while time.perf_counter() < until:
            began = time.perf_counter()
            answer = ask(connection, path_of(step), etag)
            answer.read()
            if answer.status != wanted:
                raise RuntimeError(f"{path_of(step)}: {answer.status}")
            took.append(time.perf_counter() - began)
            step += READERS
        connection.close()

    began = time.perf_counter()
    threads = [threading.Thread(target=reader, args=(n,)) for n in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(took) / (time.perf_counter() - began), statistics.median(took) * 1000 if took else 0.0


def measure_page(address: str, path: str, *, seconds: float) -> Row:
    connection = http.client.HTTPConnection(address, timeout=60)
    began = time.perf_counter()
    answer = ask(connection, path)
    body = answer.read()
    first_ms = (time.perf_counter() - began) * 1000
    kb = len(body if answer.headers["Content-Encoding"] == "gzip" else gzip.compress(body)) / 1000
    uncached_per_s, uncached_ms = rate(address, lambda n: f"{path}?n={n}", seconds=seconds)
    cached_per_s, _ = rate(address, lambda _: path, seconds=seconds)
    answer = ask(connection, path)
    answer.read()
    not_modified_per_s, _ = rate(address, lambda _: path, seconds=seconds, etag=answer.headers["ETag"])
    connection.close()
    return Row(path, first_ms, uncached_ms, uncached_per_s, cached_per_s, not_modified_per_s, kb)


def serve() -> tuple[subprocess.Popen[bytes], str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)),
        *("--workers", "2", "--blocking-threads", "4", "--no-ws", "--http", "1", "--log-level", "warning"),
        "leaderboard.wsgi:application",
    ]
    server = subprocess.Popen(command, cwd=ROOT)
    address = f"127.0.0.1:{port}"
    for _ in range(150):
        try:
            connection = http.client.HTTPConnection(address, timeout=60)
            ask(connection, "/healthz").read()
        except OSError:
            time.sleep(0.1)
        else:
            return server, address
    raise RuntimeError("the server did not start")


def measure(*, offerings: int, seconds: float, pages: tuple[str, ...]) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="site-") as folder:
        os.environ["LEADERBOARD_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
            os.environ.pop(name, None)
        from leaderboard.operations.embedded.postgres import EmbeddedPostgres

        database = EmbeddedPostgres(Path(folder), durable=False)
        database.start()
        try:
            import django

            django.setup()
            from django.core.management import call_command
            from django.db import connection

            call_command("migrate", verbosity=0)
            call_command("collectstatic", interactive=False, verbosity=0)
            fill(offerings)
            connection.close()
            server, address = serve()
            try:
                return [measure_page(address, path, seconds=seconds) for path in pages]
            finally:
                server.send_signal(signal.SIGTERM)
                server.wait(30)
        finally:
            database.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    rows = (
        measure(offerings=875, seconds=1.5, pages=PAGES)
        if asked.whole
        else measure(offerings=60, seconds=0.4, pages=("/", "/offerings/"))
    )
    if asked.json:
        sys.stdout.write(json.dumps({"load": load, "rows": [asdict(row) for row in rows]}) + "\n")
    else:
        sys.stdout.write(f"load {load:.1f} before the start\n{table(rows)}")


def table(rows: list[Row]) -> str:
    heads = ("page", "first, ms", "uncached, ms", "uncached/s", "cached/s", "304/s", "kB gzipped")
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in rows:
        rates = f"{row.uncached_per_s:.0f} | {row.cached_per_s:.0f} | {row.not_modified_per_s:.0f}"
        lines.append(f"| {row.path} | {row.first_ms:.0f} | {row.uncached_ms:.0f} | {rates} | {row.kb:.1f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
