from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.models import Offering
from leaderboard.ranking.models import DailySummary, Event, SeriesProfile
from leaderboard.ranking.queries import rows_of_snapshot
from tests.factories import make_model, make_offering, make_price, make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot

from .boards import make_row
from .html import Node, read

pytestmark = pytest.mark.django_db


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def make_shared_model(**summary: Any) -> Offering:
    """One model at three providers: 400, 200 and 100 tokens/s, for 2 USD, free, and of unknown price."""
    snapshot = make_saved_snapshot()
    model = make_model(slug="openai/gpt-oss-20b", name="gpt-oss-20b", creator="OpenAI")
    made = []
    for name, speed, price in (("Alpha", 400.0, "2"), ("Beta", 200.0, "0"), ("Gamma", 100.0, None)):
        made.append(
            make_row(
                snapshot,
                provider=make_provider(slug=name.lower(), name=name),
                model=model,
                **{
                    "output_speed_tps_p50": speed,
                    "output_speed_tps_p05": speed / 2,
                    "output_speed_tps_p95": speed * 1.2,
                    "output_speed_tps_p50_low": speed - 10,
                    "output_speed_tps_p50_high": speed + 10,
                    "ttft_ms_p50": speed,
                    "blended_usd_per_mtok": price,
                    "rank_speed": 1,
                    "rank_speed_best": 1,
                    "rank_speed_worst": 2,
                }
                | summary,
            ).offering
        )
    return made[0]


def make_days(offering: Offering, count: int = 5, **fields: Any) -> None:
    today = dt.datetime.now(dt.UTC).date()
    defaults: dict[str, Any] = {
        "probe_location": "local",
        "workload": "medium",
        "workload_version": 1,
        "methodology_version": "1.0.0",
        "samples_scheduled": 8,
        "samples_total": 8,
        "samples_ok": 8,
        "samples_excluded": 0,
        "success_rate": 1.0,
        "errors_timeout": 0,
        "errors_rate_limited": 0,
        "errors_server": 0,
        "errors_other": 0,
        "output_speed_tps_p50": 400.0,
        "ttft_ms_p50": 200.0,
    }
    for ago in range(count):
        DailySummary.objects.create(
            day=today - dt.timedelta(days=ago), offering=offering, **defaults | fields
        )


def make_profile(offering: Offering) -> None:
    bucket = {
        "samples": 3,
        "output_speed_tps_p25": 390.0,
        "output_speed_tps_p50": 400.0,
        "output_speed_tps_p75": 410.0,
        "ttft_ms_p25": 190.0,
        "ttft_ms_p50": 200.0,
        "ttft_ms_p75": 210.0,
    }
    sample = {
        "started_at": "2026-07-15T11:00:00.000Z",
        "outcome": "timeout",
        "http_status": None,
        "ttft_ms": None,
        "ttfat_ms": None,
        "end_to_end_ms": None,
        "output_speed_tps": None,
        "output_tokens": None,
        "token_source": "unknown",
        "exclusion_reason": "",
    }
    SeriesProfile.objects.create(
        offering=offering,
        probe_location="local",
        workload="medium",
        methodology_version="1.0.0",
        as_of=AS_OF,
        hours=[{"bucket": hour, **bucket} for hour in range(24)],
        speed_curve_tps=[300.0 + i for i in range(101)],
        ttft_curve_ms=[150.0 + i for i in range(101)],
        recent=[sample],
    )


def charts_of(page: Node) -> list[str]:
    return [f.attributes["data-chart"] for f in page.all("figure", data_chart=None)]


def test_model_page_ranks_its_providers(client: Client) -> None:
    make_shared_model()

    page = get(client, "/models/openai/gpt-oss-20b/")

    assert page.one("h1").text == "gpt-oss-20b"
    assert "Alpha is fastest at 400 tokens/s, 4 times the speed of Gamma (100)." in page.text
    tops = {
        s.one("h2").text.split()[0]: [li.text for li in s.all("li")]
        for s in page.all("section", class_="top")
    }
    assert tops == {
        "Fastest": ["Alpha400", "Beta200", "Gamma100"],
        "Soonest": ["Gamma100", "Beta200", "Alpha400"],
        "Cheapest": ["Betafree", "Alpha2.00"],
    }
    assert charts_of(page) == ["price", "spread-speed", "spread-ttft", "tradeoff"]


def test_model_page_prices_put_free_and_unknown_in_strips(client: Client) -> None:
    make_shared_model()

    wide = (
        get(client, "/models/openai/gpt-oss-20b/").one("figure", data_chart="price").one("div", class_="wide")
    )

    assert {p.attributes["aria-label"] for p in wide.all("path", aria_roledescription="point")} == {
        "Alpha, 400 tokens/s, 2 USD per 1M tokens, on the frontier",
        "Beta, 200 tokens/s, 0 USD per 1M tokens, on the frontier",
        "Gamma, 100 tokens/s, price unknown",
    }


def test_model_page_shows_history_once_there_are_two_days(client: Client) -> None:
    offering = make_shared_model()
    make_days(offering, 1)
    assert "history-speed" not in charts_of(get(client, "/models/openai/gpt-oss-20b/"))
    DailySummary.objects.all().delete()

    make_days(offering, 5)

    assert "history-speed" in charts_of(get(client, "/models/openai/gpt-oss-20b/"))


def test_model_page_gives_the_line_that_fetches_it(client: Client) -> None:
    make_shared_model()

    code = [pre.text for pre in get(client, "/models/openai/gpt-oss-20b/").all("pre")]

    assert code[2] == 'curl -o gpt-oss-20b.csv "http://testserver/models/openai/gpt-oss-20b.csv"'
    assert client.get("/models/openai/gpt-oss-20b.csv").status_code == 200


def test_model_without_measurement_is_no_dead_end(client: Client) -> None:
    make_saved_snapshot()
    model = make_model(slug="openai/new", name="New", creator="OpenAI")
    make_offering(model=make_model(slug="openai/served", name="Served", creator="OpenAI"))

    empty = get(client, "/models/openai/new/").one(data_empty=None)

    assert "No provider here serves this model." in empty.text
    assert "Served" in empty.text
    assert model.offerings.count() == 0


def test_provider_page_sets_each_model_against_its_median(client: Client) -> None:
    make_shared_model()

    page = get(client, "/providers/alpha/")

    assert charts_of(page)[0] == "ratios"
    (row,) = page.one("table", data_table="leaderboard").all("tr", data_id=None)
    assert row.cells[2:6] == ["400", "2.00", "400", "2.00"]


def test_provider_page_has_strips_of_90_cells(client: Client) -> None:
    offering = make_shared_model()
    make_days(offering, 3, success_rate=0.9)

    page = get(client, "/providers/alpha/")

    wide = page.one("figure", data_chart="reliability").one("div", class_="wide")
    cells = [p.attributes["aria-label"] for p in wide.all("path", aria_roledescription="rect mark")]
    assert len(cells) == 90
    assert cells[-1].endswith("90.0 % of 8 attempts")
    assert cells[0].endswith("no data")


def test_paused_provider_says_why(client: Client) -> None:
    make_provider(slug="acme", name="Acme", paused_reason="key refused since Monday")

    assert "Paused: key refused since Monday" in get(client, "/providers/acme/").text


def test_offering_page_shows_intervals_n_and_every_kind_of_evidence(client: Client) -> None:
    offering = make_shared_model()
    make_days(offering)
    make_profile(offering)
    make_price(offering)

    page = get(client, "/offerings/alpha~gpt-oss-20b/")

    tile = page.one("li", data_tile="speed")
    assert tile.attributes["data-value"] == "400"
    assert "95 % interval 390 to 410, n 24" in tile.text
    assert charts_of(page) == [
        "history-speed",
        "history-ttft",
        "distribution-ttft",
        "distribution-speed",
        "reliability",
        "hours",
        "price-history",
    ]
    assert len(page.one("table", data_table="hours").all("tr", data_id=None)) == 24
    (sample,) = page.one("table", data_table="samples").all("tr", data_id=None)
    assert sample.cells[:4] == ["2026-07-15 11:00:00", "local", "medium", "timeout"]
    assert sample.cells[4:] == ["–", "–", "–", "–", "–", "–", "unknown", ""]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"standing": "provisional", "samples_ok": 3}, "Provisional: 3 good samples so far."),
        ({"freshness": "stale"}, "Stale: the last good sample is from 15 Jul 2026, 12:00 UTC."),
    ],
)
def test_offering_page_says_its_state(client: Client, fields: dict[str, Any], words: str) -> None:
    make_shared_model(**fields)

    assert words in get(client, "/offerings/alpha~gpt-oss-20b/").text


def test_retired_offering_keeps_its_page(client: Client) -> None:
    make_offering(
        public_id="acme~old",
        probe_state="retired",
        retired_on=dt.date(2026, 7, 1),
        retired_reason="sold no more",
    )

    assert "Retired on 1 Jul 2026: sold no more." in get(client, "/offerings/acme~old/").text


def test_changes_are_told_in_words(client: Client) -> None:
    offering = make_shared_model()
    Event.objects.create(
        key="s", kind="speed", at=AS_OF, offering=offering, before="212.4", after="131.2", change=-0.38
    )
    Event.objects.create(
        key="p",
        kind="price",
        at=AS_OF,
        offering=offering,
        column="input_usd_per_mtok",
        before="",
        after="0.15",
    )

    page = get(client, "/offerings/alpha~gpt-oss-20b/")

    words = page.one("ol", class_="events").text
    assert "output speed fell 38 %, from 212 to 131 tokens/s" in words
    assert "input price from unknown to 0.15 USD per 1M tokens" in words


@pytest.mark.parametrize("address", ["/models/no/such/", "/providers/none/", "/offerings/none/"])
def test_unknown_subjects_are_404(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("address", "most"),
    [("/models/openai/gpt-oss-20b/", 9), ("/providers/alpha/", 9), ("/offerings/alpha~gpt-oss-20b/", 11)],
)
def test_queries_are_bounded(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, address: str, most: int
) -> None:
    offering = make_shared_model()
    make_days(offering)
    make_profile(offering)
    make_price(offering)
    client.get(address)

    rows_of_snapshot.cache_clear()
    with django_assert_max_num_queries(most):
        client.get(address)


@pytest.mark.parametrize("address", ["/models/openai/gpt-oss-20b.svg", "/providers/alpha.svg"])
def test_subjects_have_pictures(client: Client, address: str) -> None:
    make_shared_model()

    assert client.get(address).status_code == 200
