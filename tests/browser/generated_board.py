"""A board to look at: invented providers and models by the hundred, with samples that the real pipeline has ranked.

Everything a page can meet is there: long names, prices that are free or unknown, failing, stale and provisional
offerings, reasoning models, two places, two workloads, 90 days of history, changed prices, an outage, own GPUs and the
simulated demo. The numbers follow fixed rules with a fixed seed; none of them was measured.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import connection
from django.db.models import F
from django.utils.text import slugify

from leaderboard.catalogue.models import LanguageModel, Offering, Price, Provider
from leaderboard.charts.tasks import draw_ahead
from leaderboard.measurements.partitions import make_partitions_for
from leaderboard.operations.demo import load_demo
from leaderboard.ranking.history import catch_up_history
from leaderboard.ranking.models import Snapshot, Summary
from leaderboard.ranking.summarise import make_snapshot
from tests.factories import make_deployment, make_gpu, make_sweep

DAY = dt.timedelta(days=1)
MAKERS = (
    "Aldane",
    "Brightwater Labs",
    "Corvid",
    "Dunlin Research",
    "Eastmere",
    "Fathom Institute for Machine Reasoning",
)
FAMILIES = ("Heron", "Kestrel", "Lapwing", "Merlin", "Nightjar", "Osprey", "Pipit")
SIZES = ("Mini 8B", "32B", "Large 120B (Extended Context Preview)")
HOSTS = (
    "Anvil", "Basalt Cloud", "Cinder Inference", "Drift", "Ember AI", "Flint", "Granite Edge Inference Platform (EU)",
    "Harbor", "Inlet", "Jetty Compute", "Keel", "Lagoon", "Mooring", "Narrows",
)  # fmt: skip
SAMPLE_COLUMNS = (
    "offering_id", "probe_location", "workload", "interval_h", "days", "speed", "ttft", "thinking", "good",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One series to generate: a probe every `interval_h` hours for `days`, `good` of them answered."""

    offering_id: int
    probe_location: str = "eu-west"
    workload: str = "medium"
    interval_h: float = 3
    days: float = 3
    speed: float
    ttft: float
    thinking: float = 0.0
    good: float = 1.0


GENERATE = """
insert into measurements_sample (
    sample_id, offering_id, scheduled_at, started_at, probe_location, workload, workload_version, connection_kind,
    sequence, concurrency, methodology_version, simulated, outcome, detail, fault, message, http_status,
    finish_reason, flags, excluded, exclusion_reason, excluded_from, input_tokens, cached_input_tokens, output_tokens,
    reasoning_tokens, token_source, answer_sha256_16, connection_reused, ttft_ms, ttfat_ms, last_token_ms,
    end_to_end_ms, response_time_500_ms, output_speed_tps, inter_token_ms, client_lag_ms, served_model,
    served_provider)
select
    gen_random_uuid(), g.offering_id, at, at + interval '135 ms', g.probe_location, g.workload, 1, 'warm', 0, 1,
    '1.0.0', p.simulated, case when ok then 'ok' when q < 0.5 then 'timeout' else 'server_error' end, '',
    case when ok then '' else 'provider' end, '', case when ok then 200 when q >= 0.5 then 503 end,
    case when ok then 'stop' else '' end, '{}', false, '', '', 1012, case when ok then 0 end,
    case when ok then 1000 end, case when ok then 0 end, 'usage', '', true, first_ms, first_ms + thinking,
    first_ms + thinking + 1e6 / tps, first_ms + thinking + 1e6 / tps + 1.5, first_ms + thinking + 5e5 / tps, tps,
    1000 / tps, 0.7, '', ''
from (
    select s.*, at, random() < s.good as ok, random() as q,
        s.speed * exp(0.25 * (random() + random() - 1)) * (1 + 0.12 * sin(extract(hour from at) * pi() / 12)) as v,
        s.ttft * exp(0.7 * (random() + random() - 1)) as t
    from series s
    cross join lateral generate_series(0, (s.days * 24 / s.interval_h)::int - 1) n
    cross join lateral (
        select %(now)s::timestamptz - interval '7 minutes' - n * s.interval_h * interval '1 hour' as at
    ) a
) g
join catalogue_offering o on o.id = g.offering_id
join catalogue_provider p on p.id = o.provider_id
cross join lateral (
    select case when ok then round(v::numeric, 4)::float8 end, case when ok then round(t::numeric, 3)::float8 end
) f (tps, first_ms)
"""


def fill(now: dt.datetime, *, offerings: int = 875) -> None:
    """Catalogue, samples, history and a snapshot as of `now`, with its pictures."""
    chance = random.Random(11)  # a fixed seed: the same board every time
    sold = make_catalogue(chance, now, offerings)
    load_demo(8089)
    generate(list(lines(chance, sold)), now)
    retire_and_reprice(sold, now)
    make_own_gpus(now)
    draw_ahead(make_snapshot(as_of=now))
    catch_up_history(now)


def make_catalogue(chance: random.Random, now: dt.datetime, count: int) -> list[Offering]:
    providers = [
        Provider.objects.create(
            slug=slugify(name),
            name=name,
            kind="hyperscaler" if number % 5 == 0 else "host",
            base_url="https://api.example.com/v1",
            region="eu-central",
            paused_reason="Its status page reports a migration." if number == 12 else "",
        )
        for number, name in enumerate(HOSTS)
    ]
    models = [make_model(chance, number, now) for number in range(len(MAKERS) * len(FAMILIES) * len(SIZES))]
    pairs = [(p, m) for p in providers for m in models]
    chance.shuffle(pairs)
    sold = [
        Offering.objects.create(
            public_id=f"{provider.slug}~{model.slug.partition('/')[2]}",
            provider=provider,
            model=model,
            provider_model_name=model.name,
            probe_state="active",
            workloads=["medium", "short"],
            quantization=chance.choice(["fp8", "bf16", "undisclosed"]),
        )
        for provider, model in pairs[:count]
    ]
    Price.objects.bulk_create(price for o in sold for price in first_price(chance, o, now))
    return sold


def make_model(chance: random.Random, number: int, now: dt.datetime) -> LanguageModel:
    maker = MAKERS[number % len(MAKERS)]
    family, size = (
        FAMILIES[number // len(MAKERS) % len(FAMILIES)],
        SIZES[number // len(MAKERS) // len(FAMILIES)],
    )
    name = f"{family}-{maker[0]} {size}"
    return LanguageModel.objects.create(
        slug=f"{slugify(maker)}/{slugify(name)}",
        name=name,
        creator=maker,
        weights=chance.choice(["open", "open", "proprietary"]),
        license="Apache-2.0",
        context_tokens=chance.choice([8_192, 131_072, 1_048_576]),
        reasoning=number % 6 == 0,
        released_on=now.date() - chance.randrange(700) * DAY,
        modality_in=["text"],
        modality_out=["text"],
    )


def first_price(chance: random.Random, offering: Offering, now: dt.datetime) -> Iterator[Price]:
    draw = chance.random()
    if draw < 0.05:
        return
    amount = Decimal(0) if draw < 0.1 else Decimal(str(round(10 ** chance.uniform(-1.3, 0.7), 3)))
    yield Price(
        offering=offering,
        input_usd_per_mtok=amount,
        output_usd_per_mtok=4 * amount,
        source="provider_page",
        valid_from=now - 80 * DAY,
        verified_at=now - chance.randrange(50) * DAY,
    )


def lines(chance: random.Random, sold: list[Offering]) -> Iterator[Line]:
    """Speeds over three decades; the first model has 90 days everywhere, every fourth offering a second workload."""
    favourite = sold[0].model_id
    for number, offering in enumerate(sold):
        speed = 10 ** (1.2 + 1.6 * chance.betavariate(2, 2)) * (4 if number % 97 == 0 else 1)
        ttft = 10 ** (2 + 1.7 * chance.betavariate(1.6, 3))
        line = Line(
            offering_id=offering.pk,
            speed=speed,
            ttft=ttft,
            thinking=ttft * 6 if offering.model.reasoning else 0.0,
            good=chance.choice([1.0, 1.0, 1.0, 0.97, 0.85]),
            days=90 if offering.model_id == favourite else 3,
            interval_h=60 if number % 29 == 28 else 3,
        )
        yield line
        if number % 8 == 0:
            yield Line(offering_id=offering.pk, speed=speed * 0.9, ttft=ttft * 1.6, probe_location="us-east")
        if number % 4 == 0:
            yield Line(offering_id=offering.pk, speed=speed * 1.05, ttft=ttft * 0.9, workload="short")
    for number, demo in enumerate(Offering.objects.filter(provider__simulated=True)):
        yield Line(offering_id=demo.pk, speed=60.0 + 90 * number, ttft=900.0 - 70 * (number % 12))


def generate(found: Sequence[Line], now: dt.datetime) -> None:
    make_partitions_for([now - day * DAY for day in range(92)])
    with connection.cursor() as cursor:
        cursor.execute("select setseed(0.11)")
        cursor.execute(
            "create temporary table series (offering_id bigint, probe_location text, workload text, interval_h float8,"
            " days float8, speed float8, ttft float8, thinking float8, good float8)"
        )
        with cursor.copy(f"copy series ({', '.join(SAMPLE_COLUMNS)}) from stdin") as copy:
            for line in found:
                copy.write_row([getattr(line, column) for column in SAMPLE_COLUMNS])
        cursor.execute(GENERATE, {"now": now})
        cursor.execute("drop table series")
        cursor.execute(
            "update catalogue_offering o set last_ok_at = m.at from (select offering_id, max(started_at) as at"
            " from measurements_sample where outcome = 'ok' group by 1) m where m.offering_id = o.id"
        )


def retire_and_reprice(sold: list[Offering], now: dt.datetime) -> None:
    """What a week brings: a price cut, a model that leaves, one provider whose samples stopped two days ago."""
    Price.objects.create(
        offering=sold[0],
        input_usd_per_mtok="0.12",
        output_usd_per_mtok="0.55",
        source="provider_page",
        valid_from=now - 3 * DAY,
        verified_at=now - DAY,
    )
    Offering.objects.filter(pk=sold[1].pk).update(
        probe_state="retired",
        retired_on=now.date() - DAY,
        retired_reason="The provider took it off its list.",
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "delete from measurements_sample where scheduled_at > %s and offering_id in"
            " (select id from catalogue_offering where provider_id = %s)",
            [now - 2 * DAY, sold[2].provider_id],
        )


def make_own_gpus(now: dt.datetime) -> None:
    """Two endpoints that serve a model others sell: one rented, one whose cost is not known."""
    model = Offering.objects.filter(provider__slug=slugify(HOSTS[0])).order_by("pk")[0].model
    for number, (name, count, rent) in enumerate((("Maker X90", 1, "2.50"), ("Maker X200", 4, None))):
        provider = Provider.objects.create(
            slug=f"own-rack-{number}",
            name=f"Own rack {number + 1}",
            kind="self_hosted",
            base_url="http://10.0.0.2/v1",
        )
        offering = Offering.objects.create(
            public_id=f"own-rack-{number}~{model.slug.partition('/')[2]}",
            provider=provider,
            model=model,
            provider_model_name=model.name,
            probe_state="active",
            hosting="self_hosted",
            quantization="fp8",
            workloads=["medium"],
        )
        gpu = make_gpu(name=name, memory_gib="80", board_power_w=700)
        cost = {"cost_basis": "rental_on_demand", "usd_per_gpu_hour": rent} if rent else {}
        deployment = make_deployment(
            offering=offering, gpu=gpu, gpu_count=count, endpoint_id=f"rack-{number}", **cost
        )
        levels = [
            {
                "concurrency": level,
                "throughput_tps": 60.0 * level * count / (1 + level / 48),
                "throughput_in_tps": 90.0 * level * count / (1 + level / 48),
                "output_speed_tps_user_p50": 60.0 * count / (1 + level / 48),
                "ttft_ms_p50": 40.0 + 6 * level,
                "ttft_ms_p95": 60.0 + 20 * level,
            }
            for level in (1, 4, 16, 64, 128)
        ]
        make_sweep(deployment, levels, measured_at=now - DAY)


def age(now: dt.datetime, by: dt.timedelta) -> None:
    """The board after our probes stopped: as it would be `by` later, moved back to `now`."""
    later = make_snapshot(as_of=now + by)
    Snapshot.objects.exclude(pk=later.pk).delete()
    Snapshot.objects.filter(pk=later.pk).update(as_of=now, made_at=now)
    Summary.objects.filter(snapshot=later).update(
        last_ok_at=F("last_ok_at") - by, last_sample_at=F("last_sample_at") - by
    )
