"""What storing and summarising samples costs, beside bare Postgres doing the same in the same run.

    python tests/benchmarks/storage.py            20,000 samples of history, some seconds
    python tests/benchmarks/storage.py --whole    100 thousand, 1 million and 10 million, a quarter of an hour and 6 GB
    python tests/benchmarks/storage.py --sizes 100000,1000000
    python tests/benchmarks/storage.py --json     one JSON object a line

Generated in SQL: 875 offerings (25 providers × 35 models) × 4 workloads, a slot every 3 hours back from a fixed
instant, in monthly partitions; times and speeds log-normal around each offering's own level with a daily rhythm of
10 %, 4 % failures of the provider, 10 % of the speeds excluded. Beyond a million samples the newest 35 days are said
again, further and further back. Every time is the best of three.

- record: `record_samples` (model instances, COPY, insert or ignore) and a bare COPY of the same rows into the table
- snapshot: `make_snapshot` whole (read, judge, rank, frontiers, resamples, write) and the bare percentile_cont query
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
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

SMOKE, WHOLE = (20_000,), (100_000, 1_000_000, 10_000_000)
RECORDED, RECORDED_SMOKE = 20_000, 2_000
ROUNDS = 3
AS_OF = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)
SLOT = dt.timedelta(hours=3)
SERIES = 3500
PERIOD = 280
"""Slots in 35 days: samples older than those generated repeat them, that far apart."""
GENERATED = 286
"""Slots generated one by one, a million samples and the rest of a slot."""
WINDOWS = (24, 72, 336)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--sizes", metavar="N,N", help="samples of history, rising")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes: tuple[int, ...] = WHOLE if options.whole else SMOKE
    if options.sizes:
        sizes = tuple(int(size) for size in options.sizes.split(","))
    recorded = RECORDED_SMOKE if sizes == SMOKE else RECORDED
    for line in measure(sizes, recorded=recorded):
        sys.stdout.write((json.dumps(line) if options.json else told(line)) + "\n")
        sys.stdout.flush()


def told(line: dict[str, float]) -> str:
    windows = "  ".join(
        f"{hours} h {line[f'snapshot_{hours}h_s']:.2f} s, bare {line[f'bare_{hours}h_s']:.2f} s, "
        f"ratio {line[f'snapshot_{hours}h_ratio']:.2f}"
        for hours in WINDOWS
    )
    return (
        f"{line['samples']:>10,.0f} samples: record {line['record_rows_per_s']:,.0f} rows/s "
        f"(bare COPY {line['copy_rows_per_s']:,.0f}, {line['record_ratio']:.2f} of it)  snapshot {windows}  "
        f"home {line['home_ms']:.0f} ms  {line['bytes_per_sample']:.0f} bytes a sample"
    )


def measure(sizes: tuple[int, ...], *, recorded: int) -> Iterator[dict[str, float]]:
    """One line for each size of history, in one throw-away Postgres that grows backwards in time."""
    with tempfile.TemporaryDirectory(prefix="storage-") as folder:
        os.environ["LEADERBOARD_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        from leaderboard.operations.embedded.postgres import EmbeddedPostgres

        server = EmbeddedPostgres(Path(folder), durable=False)
        server.start()
        try:
            prepare()
            stored = 0
            for size in sizes:
                fill(stored, size)
                stored = size
                yield {"samples": float(size)} | recording(recorded) | snapshots() | home() | disk(size)
        finally:
            from django.db import connection

            connection.close()
            server.stop()


def prepare() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    make_offerings()


def make_offerings() -> None:
    from leaderboard.catalogue.models import LanguageModel, Offering, Price, Provider

    providers = [
        Provider.objects.create(slug=f"provider-{n}", name=f"Provider {n}", kind="host") for n in range(25)
    ]
    models = [
        LanguageModel.objects.create(
            slug=f"maker/model-{n}", name=f"Model {n}", creator="Maker", weights="open"
        )
        for n in range(35)
    ]
    offerings = Offering.objects.bulk_create(
        Offering(
            public_id=f"{provider.slug}~{model.slug.split('/')[1]}",
            provider=provider,
            model=model,
            provider_model_name=model.name,
            probe_state="active",
        )
        for provider in providers
        for model in models
    )
    Price.objects.bulk_create(
        Price(
            offering=offering,
            valid_from=dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
            input_usd_per_mtok=f"0.{n % 90 + 10}",
            output_usd_per_mtok=f"1.{n % 90 + 10}",
        )
        for n, offering in enumerate(offerings)
    )


GENERATE = """
insert into measurements_sample (
    sample_id, offering_id, scheduled_at, started_at, probe_location, workload, workload_version, connection_kind,
    sequence, concurrency, methodology_version, simulated, outcome, detail, fault, message, http_status,
    finish_reason, flags, excluded, exclusion_reason, excluded_from, input_tokens, cached_input_tokens, output_tokens,
    reasoning_tokens, reference_tokens, token_source, first_chunk_tokens, chunks, largest_chunk_share, answer_chars,
    answer_sha256_16, connect_ms, dns_ms, tcp_ms, tls_ms, connection_reused, headers_ms, ttft_ms, ttfat_ms,
    last_token_ms, end_to_end_ms, response_time_500_ms, output_speed_tps, answer_speed_tps, inter_token_ms,
    event_gap_p50_ms, event_gap_p95_ms, client_lag_ms, served_model, served_provider, cost_usd)
select
    gen_random_uuid(), o.id, at, at + interval '135 ms', 'local', w.workload, 1, 'warm', 0, 1, '1.0.0', false,
    case when ok then 'ok' else 'timeout' end, '', case when ok then '' else 'provider' end, '',
    case when ok then 200 end, case when ok then 'stop' else '' end, '{}', ok and reason <> '',
    case when ok then reason else '' end, case when ok and reason <> '' then 'speed' else '' end, 1012,
    case when ok then 0 end, case when ok then 1000 end, case when ok then 0 end, case when ok then 1003 end,
    'usage', case when ok then 1 end, case when ok then 998 end, case when ok then 0.0123 end,
    case when ok then 4321 end, case when ok then '0123456789abcdef' else '' end, 12.5, 1.5, 4.25, 6.75, true,
    ttft / 2, ttft, ttft, round((ttft + 1e6 / speed)::numeric, 3), round((ttft + 1e6 / speed + 1.5)::numeric, 3),
    round((ttft + 5e5 / speed)::numeric, 3), speed, speed, round((1000 / speed)::numeric, 3), 8.123, 21.456, 0.7,
    case when ok then o.name else '' end, '', case when ok then 0.000412 end
from (
    select n, n / 875 / 4 as slot, %(as_of)s::timestamptz - (n / 3500) * interval '3 hours' as at,
        random() < 0.96 as ok, case when random() < 0.1 then 'buffered_stream' else '' end as reason,
        random() as r, random() as q
    from generate_series(%(first)s, %(last)s - 1) n
) g
join (select id, provider_model_name as name, row_number() over (order by id) - 1 as place
      from catalogue_offering) o on o.place = g.n %% 875
join (values (0, 'short'), (1, 'medium'), (2, 'long'), (3, 'warm-cache')) w (place, workload)
    on w.place = (g.n / 875) %% 4
cross join lateral (
    select case when g.ok then round((exp(5 + o.place %% 97 / 40.0 + 0.5 * (g.r - 0.5)))::numeric, 3)::float8 end,
        case when g.ok then round((
            exp(3 + o.place %% 89 / 30.0 + 0.4 * (g.q - 0.5)) * (1 + 0.1 * sin(g.slot * pi() / 4))
        )::numeric, 4)::float8 end
) f (ttft, speed)
"""


def fill(first: int, last: int) -> None:
    from django.db import connection

    generated = max(first, min(last, GENERATED * SERIES))
    generate(first, generated)
    if last > generated:
        repeat(generated // SERIES, last // SERIES)
        generate(last // SERIES * SERIES, last)
    with connection.cursor() as cursor:
        cursor.execute("vacuum (analyze) measurements_sample")
        cursor.execute("checkpoint")


def generate(first: int, last: int) -> None:
    from django.db import connection

    from leaderboard.measurements.partitions import make_partitions_for

    slots = range(first // SERIES, last // SERIES + 2, 8)
    make_partitions_for([AS_OF - SLOT * n for n in (*slots, last // SERIES + 1)])
    with connection.cursor() as cursor:
        for start in range(first, last, 1_000_000):
            cursor.execute(GENERATE, {"as_of": AS_OF, "first": start, "last": min(start + 1_000_000, last)})


def repeat(first_slot: int, last_slot: int) -> None:
    """Slots further back say what the newest 280 said; a month is filled first and indexed then, which is quicker."""
    from django.db import connection
    from psycopg import sql

    from leaderboard.measurements.partitions import missing_partitions, month_of, next_month, partition_name

    newest, oldest = AS_OF - SLOT * first_slot, AS_OF - SLOT * (last_slot - 1)
    months = [month_of(oldest)]
    while months[-1] < month_of(newest):
        months.append(next_month(months[-1]))
    new = set(missing_partitions(months))
    with connection.cursor() as cursor:
        cursor.execute("set session_replication_role = replica")  # no look at the offering for each row
        for month in months:
            part = sql.Identifier(partition_name(month))
            start, end = (dt.datetime(m.year, m.month, 1, tzinfo=dt.UTC) for m in (month, next_month(month)))
            if month in new:
                cursor.execute(
                    sql.SQL(
                        "create table {} (like measurements_sample including defaults including constraints)"
                    ).format(part)
                )
            for period in range(1, last_slot // PERIOD + 1):
                shift: dict[str, Any] = {
                    "back": SLOT * PERIOD * period,
                    "after": AS_OF - SLOT * PERIOD,
                    "from": max(start, oldest),
                    "to": min(end - SLOT, newest),
                }
                cursor.execute(sql.SQL(REPEAT).format(part=part, columns=columns_moved()), shift)
            if month in new:
                cursor.execute(
                    sql.SQL(
                        "alter table measurements_sample attach partition {} for values from ({}) to ({})"
                    ).format(part, sql.Literal(start), sql.Literal(end))
                )
        cursor.execute("set session_replication_role = origin")


REPEAT = """
insert into {part} select {columns} from measurements_sample
where scheduled_at > %(after)s and scheduled_at between %(from)s + %(back)s and %(to)s + %(back)s
"""


def columns_moved() -> Any:
    from django.db import connection
    from psycopg import sql

    moved = {"scheduled_at": "scheduled_at - %(back)s", "started_at": "started_at - %(back)s"}
    with connection.cursor() as cursor:
        cursor.execute("select * from measurements_sample limit 0")
        names = [column.name for column in cursor.description]
    return sql.SQL(", ").join(
        sql.SQL(moved[n])
        if n in moved
        else sql.SQL("gen_random_uuid()")
        if n == "sample_id"
        else sql.Identifier(n)
        for n in names
    )


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
