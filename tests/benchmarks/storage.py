"""What storing and summarising samples costs, beside bare Postgres doing the same in the same run.

    python tests/benchmarks/storage.py            20,000 samples of history, some seconds
    python tests/benchmarks/storage.py --whole    100 thousand, 1 million and 10 million, a quarter of an hour and 6 GB
    python tests/benchmarks/storage.py --sizes 100000,1000000
    python tests/benchmarks/storage.py --json     one JSON object a line

In stages, each some minutes long, where the machine is lent by the hour: the folder is kept, and the last size of
`--sizes` is filled up from what it holds already.

    python tests/benchmarks/storage.py --folder DIR --sizes 10000000 --parts fill
    python tests/benchmarks/storage.py --folder DIR --sizes 10000000 --parts record,snapshots,home,disk

How the samples are made is said in `generated_samples.py`. Every time is the best of three.

- record: `record_samples` (model instances, COPY, insert or ignore) and a bare COPY of the same rows into the table
- snapshots: `make_snapshot` whole (read, judge, rank, frontiers, resamples, write), the bare percentile_cont query, and
  of ours only what the bare query does too: the reading of the window and its percentiles
- home: what a page reads for all rows, with nothing kept in memory
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.generated_samples import AS_OF, fill, prepare, stored  # noqa: E402

SMOKE, WHOLE = (20_000,), (100_000, 1_000_000, 10_000_000)
RECORDED, RECORDED_SMOKE = 20_000, 2_000
ROUNDS = 3
WINDOWS = (24, 72, 336)
PARTS = ("fill", "record", "snapshots", "home", "disk")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--sizes", metavar="N,N", help="samples of history, rising")
    parser.add_argument("--folder", type=Path, help="keep the database here; a short path")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes: tuple[int, ...] = WHOLE if options.whole else SMOKE
    if options.sizes:
        sizes = tuple(int(size) for size in options.sizes.split(","))
    for line in measure(sizes, options.folder, options.parts.split(",")):
        sys.stdout.write((json.dumps(line) if options.json else told(line)) + "\n")
        sys.stdout.flush()


def told(line: dict[str, float]) -> str:
    return "  ".join(
        f"{name} {value:,.3g}" if value < 1000 else f"{name} {value:,.0f}" for name, value in line.items()
    )


def measure(sizes: tuple[int, ...], kept: Path | None, parts: list[str]) -> Iterator[dict[str, float]]:
    """One line for each size of history, in one Postgres that grows backwards in time."""
    recorded = RECORDED_SMOKE if sizes == SMOKE else RECORDED
    with nullcontext(kept) if kept else tempfile.TemporaryDirectory(prefix="storage-") as folder:
        os.environ["LEADERBOARD_DATA_DIR"] = str(folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        from leaderboard.operations.embedded.postgres import EmbeddedPostgres

        Path(folder).mkdir(parents=True, exist_ok=True)
        server = EmbeddedPostgres(Path(folder), durable=False)
        server.start()
        try:
            prepare()
            from django.db import connection

            with closing(connection):
                for size in sizes:
                    yield measured(size, recorded, parts)
        finally:
            server.stop()


def measured(size: int, recorded: int, parts: list[str]) -> dict[str, float]:
    line = {"samples": float(size)}
    if "fill" in parts:
        began = time.perf_counter()
        fill(stored(), size)
        line["fill_s"] = time.perf_counter() - began
    if "record" in parts:
        line |= recording(recorded)
    if "snapshots" in parts:
        line |= snapshots()
    if "home" in parts:
        line |= home()
    if "disk" in parts:
        line |= disk(size)
    return line


def best_s(work: Callable[[], object], *, after: Callable[[], object] = lambda: None) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
        after()
    return min(times)


def recording(rows: int) -> dict[str, float]:
    """Rows a second for fresh samples of the newest month, each time into the same partition."""
    from django.db import connection
    from psycopg import sql

    from leaderboard.measurements.models import Sample
    from leaderboard.measurements.recording import COLUMN_LIST, record_samples, values_of

    templates = list(Sample.objects.filter(scheduled_at=AS_OF)[:rows])
    samples = []
    for n in range(rows):
        sample = Sample(
            **{
                f.attname: getattr(templates[n % len(templates)], f.attname)
                for f in Sample._meta.local_fields
            }
        )
        sample.scheduled_at = AS_OF + dt.timedelta(milliseconds=1 + n)
        sample.sequence = n // len(templates)
        samples.append(sample)
    values = [values_of(sample) for sample in samples]

    def copy() -> None:
        with (
            connection.cursor() as cursor,
            cursor.copy(sql.SQL("copy measurements_sample ({}) from stdin").format(COLUMN_LIST)) as writer,
        ):
            for row in values:
                writer.write_row(row)

    def forget() -> None:
        with connection.cursor() as cursor:
            cursor.execute("delete from measurements_sample where scheduled_at > %s", [AS_OF])
            cursor.execute("vacuum measurements_sample_2026_07")

    bare, ours = best_s(copy, after=forget), best_s(lambda: record_samples(samples), after=forget)
    return {"record_rows_per_s": rows / ours, "copy_rows_per_s": rows / bare, "record_ratio": bare / ours}


BARE = """
select offering_id, workload, probe_location, workload_version, methodology_version, count(*),
    percentile_cont(array[0.05, 0.25, 0.5, 0.75, 0.95]) within group (order by output_speed_tps)
        filter (where outcome = 'ok' and not excluded),
    percentile_cont(array[0.05, 0.25, 0.5, 0.75, 0.95]) within group (order by ttft_ms) filter (where outcome = 'ok'),
    percentile_cont(array[0.5, 0.95]) within group (order by ttfat_ms) filter (where outcome = 'ok'),
    percentile_cont(0.5) within group (order by end_to_end_ms) filter (where outcome = 'ok'),
    percentile_cont(0.5) within group (order by response_time_500_ms) filter (where outcome = 'ok')
from measurements_sample
where scheduled_at > %s and scheduled_at <= %s and connection_kind = 'warm'
group by 1, 2, 3, 4, 5
"""


def snapshots() -> dict[str, float]:
    from django.db import connection

    from leaderboard.ranking.summarise import make_snapshot

    found: dict[str, float] = {}
    for hours in WINDOWS:

        def bare(hours: int = hours) -> object:
            with connection.cursor() as cursor:
                cursor.execute(BARE, [AS_OF - dt.timedelta(hours=hours), AS_OF])
                return cursor.fetchall()

        def ours(hours: int = hours) -> None:
            make_snapshot(as_of=AS_OF, window_hours=hours, remake=True)

        bare_s, ours_s = best_s(bare), best_s(ours)
        found |= {
            f"bare_{hours}h_s": bare_s,
            f"snapshot_{hours}h_s": ours_s,
            f"snapshot_{hours}h_ratio": ours_s / bare_s,
        }
    return found


def home() -> dict[str, float]:
    from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows, rows_of_snapshot

    def read() -> None:
        rows_of_snapshot.cache_clear()
        leaderboard_rows(latest_snapshot())

    return {"home_ms": 1000 * best_s(read)}


def disk(samples: int) -> dict[str, float]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "select sum(pg_total_relation_size(inhrelid)) from pg_inherits "
            "where inhparent = 'measurements_sample'::regclass"
        )
        (size,) = cursor.fetchall()[0]
    return {"bytes_per_sample": float(size) / samples}


if __name__ == "__main__":
    main()
