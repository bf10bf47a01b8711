"""What 100 probe locations × 2,000 offerings would ask of one board: measured on this machine, then calculated.

    python tests/benchmarks/scale_model.py            measures small, calculates for 100 × 2,000
    python tests/benchmarks/scale_model.py --whole    measures with 10 locations × 2,000 offerings and 300,000 samples
    python tests/benchmarks/scale_model.py --locations 20 --offerings 875 --interval-s 3600
    python tests/benchmarks/scale_model.py --json

Measured in the run: bytes a sample takes with its indexes, storing one probe, one planner's tick, sending one message,
and a snapshot of 72 hours. Calculated from them: rates, disk, and how busy each single part is; above 1.0 it cannot
keep up. Postgres runs without fsync here, so that a disk shared with others does not decide; a commit to a real disk
adds its own time to each stored probe and costs no CPU.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime as dt
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

TICK_S = 5
SNAPSHOT_EVERY_S = 60
DAY_S, YEAR_D = 86_400, 365
PROBE_S = 20.0
"""How long one probe keeps its worker busy: 1,000 tokens at 50 tokens/s."""
PROBES_AT_ONCE = 2
WINDOW_D = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """Costs of one of each on this machine; `claim_s` is a tick's for one location and one thousand offerings."""

    bytes_per_sample: float
    store_s: float
    claim_s: float
    send_s: float
    message_bytes: float
    snapshot_s_per_million: float


@dataclass(frozen=True, slots=True)
class Load:
    locations: int
    offerings: int
    interval_s: int

    @property
    def probes_per_s(self) -> float:
        return self.locations * self.offerings / self.interval_s


def calculate(load: Load, cost: Measured) -> dict[str, float]:
    """Rates a second, disk a year, and the share of its time that each single part is busy."""
    probes = load.probes_per_s
    window_millions = probes * WINDOW_D * DAY_S / 1e6
    return {
        "probes_per_s": probes,
        "messages_per_s": probes,
        "rows_per_s": probes,
        "rows_per_year_million": probes * DAY_S * YEAR_D / 1e6,
        "disk_gb_per_year": probes * DAY_S * YEAR_D * cost.bytes_per_sample / 1e9,
        "broker_kb_per_s": probes * cost.message_bytes / 1e3,
        "workers_per_location": probes / load.locations * PROBE_S / PROBES_AT_ONCE,
        "window_million_samples": window_millions,
        "snapshot_s": window_millions * cost.snapshot_s_per_million,
        "busy_database_writes": probes * cost.store_s,
        "busy_sending": probes * cost.send_s,
        "busy_planner": load.locations * load.offerings / 1000 * cost.claim_s / TICK_S,
        "busy_snapshots": window_millions * cost.snapshot_s_per_million / SNAPSHOT_EVERY_S,
    }


def measure(*, locations: int, offerings: int, samples: int) -> Measured:
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        os.environ["LEADERBOARD_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
            os.environ.pop(name, None)
        from leaderboard.operations.embedded.postgres import EmbeddedPostgres
        from leaderboard.operations.embedded.valkey import EmbeddedValkey

        database, broker = EmbeddedPostgres(Path(folder), durable=False), EmbeddedValkey(Path(folder))
        database.start()
        broker.start()
        try:
            from tests.benchmarks.generated_samples import fill, prepare
            from tests.benchmarks.storage import disk

            prepare()
            fill(0, samples)
            send_s, message_bytes = sending()
            return Measured(
                bytes_per_sample=disk(samples)["bytes_per_sample"],
                store_s=storing(),
                claim_s=claiming(locations, offerings) / locations / (offerings / 1000),
                send_s=send_s,
                message_bytes=message_bytes,
                snapshot_s_per_million=snapshot(samples),
            )
        finally:
            from django.db import connection

            connection.close()
            broker.stop()
            database.stop()


def storing(rows: int = 100) -> float:
    """One probe's way into the database: its transaction, its offering told, its slot marked."""
    from leaderboard.measurements.models import Sample
    from leaderboard.measurements.recording import record_few
    from tests.benchmarks.generated_samples import AS_OF

    samples = list(Sample.objects.filter(scheduled_at__lte=AS_OF).order_by("-scheduled_at")[:rows])
    began = time.perf_counter()
    for number, sample in enumerate(samples):
        sample.scheduled_at = AS_OF + dt.timedelta(milliseconds=number + 1)
        record_few([sample])
    return (time.perf_counter() - began) / len(samples)


def claiming(locations: int, offerings: int) -> float:
    """Mean of a whole tick over several: most find nothing new, as most do in a day."""
    from leaderboard.catalogue.models import Offering
    from leaderboard.measurements.locations import announce
    from leaderboard.measurements.planning import claim_due
    from tests.benchmarks.generated_samples import AS_OF
    from tests.factories import make_model, make_offering, make_provider

    for number in range(locations):
        announce(f"place-{number}")
    missing = offerings - Offering.objects.count()
    if missing > 0:
        model = make_model(slug="maker/scale", name="Scale")
        for number in range(missing):
            if number % 40 == 0:
                provider = make_provider(slug=f"scale-{number}", name=f"Scale {number}")
            make_offering(provider=provider, model=model, variant=f"v{number}")
    claim_due(AS_OF)
    ticks = 5
    began = time.perf_counter()
    for number in range(ticks):
        claim_due(AS_OF + dt.timedelta(seconds=TICK_S * (number + 1)))
    return (time.perf_counter() - began) / ticks


def sending(messages: int = 500) -> tuple[float, float]:
    """Seconds and bytes in the broker's memory for one probe's message."""
    from leaderboard.celery import app
    from leaderboard.measurements.locations import probes_queue
    from leaderboard.measurements.tasks import probe

    queue = probes_queue("place-0")
    expires = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
    with app.connection_for_write() as connection:
        client = connection.default_channel.client
        before = int(client.info("memory")["used_memory"])
        began = time.perf_counter()
        for number in range(messages):
            probe.apply_async((number,), queue=queue, expires=expires)
        took = time.perf_counter() - began
        return took / messages, (int(client.info("memory")["used_memory"]) - before) / messages


def snapshot(samples: int) -> float:
    """Seconds for a million samples in the window, from the samples that there are."""
    from leaderboard.ranking.summarise import make_snapshot
    from tests.benchmarks.generated_samples import AS_OF

    began = time.perf_counter()
    made = make_snapshot(as_of=AS_OF, window_hours=72)
    return (time.perf_counter() - began) / max(made.samples_read, 1) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--locations", type=int, default=100)
    parser.add_argument("--offerings", type=int, default=2000)
    parser.add_argument("--interval-s", type=int, default=10_800)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    load = Load(options.locations, options.offerings, options.interval_s)
    if options.whole:
        cost = measure(locations=10, offerings=2000, samples=300_000)
    else:
        cost = measure(locations=2, offerings=875, samples=20_000)
    found = {"measured": dataclasses.asdict(cost), "calculated": calculate(load, cost)}
    sys.stdout.write(json.dumps(found) + "\n" if options.json else told(load, found))


def told(load: Load, found: dict[str, dict[str, float]]) -> str:
    lines = [f"{load.locations} locations × {load.offerings} offerings, every {load.interval_s} s"]
    for part, figures in found.items():
        lines.append(part)
        lines += [f"  {name:<26}{value:>14,.4f}" for name, value in figures.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
