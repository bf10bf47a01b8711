"""Samples for benchmarks, generated in SQL: 875 offerings (25 providers × 35 models) × 4 workloads, every 3 hours.

Back from a fixed instant, in monthly partitions; times and speeds log-normal around each offering's own level with a
daily rhythm of 10 %, 4 % failures of the provider, 10 % of the speeds excluded. The newest million is inserted row by
row into tables with their indexes, as it is while measuring. Beyond it the newest 35 days are said again, further and
further back, each month filled first and indexed then.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

AS_OF = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)
SLOT = dt.timedelta(hours=3)
SERIES = 3500
PERIOD = 280
"""Slots in 35 days: samples older than those generated repeat them, that far apart."""
GENERATED = 286
"""Slots generated one by one, a million samples and the rest of a slot."""


def prepare() -> None:
    """Django, the tables, the catalogue; where they are there already nothing changes."""
    import django

    django.setup()
    from django.core.management import call_command

    from leaderboard.catalogue.models import Offering

    call_command("migrate", verbosity=0)
    if not Offering.objects.exists():
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
    from generate_series(%(last)s - 1, %(first)s, -1) n
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
    """Add the samples from number `first`, counted back in time, up to `last`."""
    from django.db import connection

    generated = max(first, min(last, GENERATED * SERIES))
    generate(first, generated)
    if last > generated:
        repeat(generated // SERIES, last // SERIES)
        generate(last // SERIES * SERIES, last)
    with connection.cursor() as cursor:
        cursor.execute("vacuum (analyze) measurements_sample")
        cursor.execute("checkpoint")


def stored() -> int:
    """How many samples there are."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("select count(*) from measurements_sample")
        (count,) = cursor.fetchall()[0]
    return int(count)


def generate(first: int, last: int) -> None:
    from django.db import connection

    from leaderboard.measurements.partitions import make_partitions_for

    slots = range(first // SERIES, last // SERIES + 2, 8)
    make_partitions_for([AS_OF - SLOT * n for n in (*slots, last // SERIES + 1)])
    with connection.cursor() as cursor:
        cursor.execute("set session_replication_role = replica")  # no look at the offering for each row
        cursor.execute(GENERATE, {"as_of": AS_OF, "first": first, "last": last})
        cursor.execute("set session_replication_role = origin")


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
        cursor.execute("set session_replication_role = replica")
        cursor.execute("set maintenance_work_mem = '512MB'")
        for month in months:
            part = sql.Identifier(partition_name(month))
            start, end = (dt.datetime(m.year, m.month, 1, tzinfo=dt.UTC) for m in (month, next_month(month)))
            if month in new:
                cursor.execute(
                    sql.SQL(
                        "create table {} (like measurements_sample including defaults including constraints)"
                    ).format(part)
                )
            for period in range(last_slot // PERIOD + 1, 0, -1):
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
