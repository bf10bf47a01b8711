from __future__ import annotations

import csv
import datetime as dt
import io
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.models import Deployment, FormerTerms, LanguageModel
from tests.factories import (
    make_deployment,
    make_gpu,
    make_model,
    make_offering,
    make_price,
    make_provider,
    make_sweep,
)
from tests.measurements.sweeps import make_measured_sweep
from tests.ranking.factories import make_saved_snapshot

from .boards import make_row
from .html import Node, read

pytestmark = pytest.mark.django_db

LEVELS = [
    {"concurrency": 1, "throughput_tps": 100.0, "throughput_in_tps": 66.0, "output_speed_tps_user_p50": 102.0,
     "ttft_ms_p50": 40.0, "ttft_ms_p95": 60.0},
    {"concurrency": 64, "throughput_tps": 7236.0, "throughput_in_tps": 4800.0, "output_speed_tps_user_p50": 113.0,
     "ttft_ms_p50": 300.0, "ttft_ms_p95": 1500.0},
]  # fmt: skip
AFTER_THE_SWEEP = dt.datetime(2026, 7, 15, tzinfo=dt.UTC)
RENTED = {"cost_basis": "rental_on_demand", "usd_per_gpu_hour": "4"}
SUM = (
    "4.00 USD per hour × 1,000,000 ÷ (7,236.0 output tokens/s × 3,600 s × 1) = 0.154 USD per 1M output tokens"
)


@pytest.fixture
def model() -> LanguageModel:
    return make_model(slug="openai/gpt-oss-120b", name="gpt-oss-120b")


def serve(model: LanguageModel, endpoint_id: str, **fields: Any) -> Deployment:
    provider = make_provider(kind="self_hosted", base_url="http://gpu01.canary.internal:8000/v1")
    offering = make_offering(provider=provider, model=model, hosting="self_hosted", quantization="fp8")
    deployment = make_deployment(offering=offering, endpoint_id=endpoint_id, **RENTED | fields)
    make_sweep(deployment, LEVELS)
    return deployment


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def ids(page: Node, table: str = "gpu_endpoints") -> list[str]:
    return [row.attributes["data-id"] for row in page.one("table", data_table=table).all("tr", data_id=None)]


def file_rows(client: Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).content.decode())))


def points(page: Node, chart: str) -> list[str]:
    wide = page.one("figure", data_chart=chart).one("div", class_="wide")
    return [mark.attributes["aria-label"] for mark in wide.all(aria_roledescription="point")]


def test_an_empty_board_says_what_to_do(client: Client) -> None:
    page = get(client, "/self-hosted/")

    assert "No GPUs have been swept yet" in page.one("section", data_empty=None).text
    assert "Add yours" in page.text


def test_charts_table_and_file_hold_the_same_levels(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1")

    page = get(client, "/self-hosted/")

    table = ids(page)
    file = [f"{row['endpoint_id']}@{row['concurrency']}" for row in file_rows(client, "/self-hosted.csv")]
    assert table == file == ["h200-x1@1", "h200-x1@64"]
    assert len(points(page, "gpu-throughput")) == len(points(page, "gpu-cost")) == 2
    figure = page.one("figure", data_chart="gpu-throughput")
    assert figure.one("a", data_csv=None).attributes["href"] == "/self-hosted.csv"


def test_the_sum_stands_there_with_its_numbers(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1")

    assert get(client, "/self-hosted/").one("p", class_="sum").text == SUM


def test_half_use_costs_twice_and_the_form_keeps_what_was_typed(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1")

    page = get(client, "/self-hosted/?utilisation_percent=50")

    assert "× 0.5) = 0.307 USD" in page.one("p", class_="sum").text
    assert page.one("input", name="utilisation_percent").attributes["value"] == "50"
    assert page.one("figure", data_chart="gpu-cost").one("a", data_csv=None).attributes["href"] == (
        "/self-hosted.csv?utilisation_percent=50"
    )


def test_tokens_per_usd_is_the_reciprocal(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1")

    page = get(client, "/self-hosted/?display=tokens_per_usd")

    assert page.one("p", class_="sum").text.endswith("= 6.51 million output tokens per USD")
    assert "6.51 million output tokens per USD" in points(page, "gpu-cost")[1]


def test_a_limit_on_the_wait_takes_the_level_within_it(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1")

    assert get(client, "/self-hosted/?ttft_max_ms=1000").one(data_worked="h200-x1@1")
    assert "No level is within these limits" in get(client, "/self-hosted/?ttft_max_ms=1").text


def test_an_unknown_cost_is_blank_and_never_zero(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1", cost_basis="unknown", usd_per_gpu_hour=None)

    page = get(client, "/self-hosted/")

    row = page.one("tr", data_id="h200-x1@64")
    cost = [cell for cell in row.all("td") if cell.text == "–" and cell.attributes.get("data-v") == ""]
    assert len(cost) >= 2
    assert points(page, "gpu-cost") == []
    assert "The cost of h200-x1 is unknown" in page.text


def test_break_even_against_each_list_price(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1")
    for name, price, quantization in (("Alike", "0.30", "fp8"), ("Other", "0.10", "undisclosed")):
        offering = make_offering(
            public_id=name.lower(), provider=make_provider(name=name), model=model, quantization=quantization
        )
        make_price(offering, output_usd_per_mtok=price)

    page = get(client, "/self-hosted/")

    rows = {row.attributes["data-id"]: row.cells for row in page.all("tr", data_id=None)}
    assert rows["alike"] == ["Alike", "0.30", "above 51.2 %", "alike"]
    assert rows["other"] == ["Other", "0.10", "never", "not comparable: fp8 and undisclosed"]
    assert "h200-x1 ×64: cheaper than Alike above 51 %" in points(page, "gpu-break-even")


def test_owned_against_as_it_is(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1")

    page = get(
        client,
        "/self-hosted/?purchase_usd=26280&lifetime_years=3&watts_per_gpu=700&pue=1.25&usd_per_kwh=0.10",
    )

    # 26,280 USD over 26,280 h + 0.7 kW × 1.25 × 0.10
    words = page.one("p", data_owned=None).text
    assert "(rental on demand), an hour costs 4.00 USD" in words
    assert "bought, 1.09 USD and 0.0417 USD. Bought at these figures it costs less." in words


def test_sorting_is_a_link_and_the_file_follows(client: Client, model: LanguageModel) -> None:
    serve(model, "a-one")
    serve(model, "b-two")

    page = get(client, "/self-hosted/?sort=-throughput_tps")

    assert ids(page) == ["a-one@64", "b-two@64", "a-one@1", "b-two@1"]
    assert page.one("th", aria_sort="descending").one("a").text.startswith("Output")
    assert [row["concurrency"] for row in file_rows(client, "/self-hosted.csv?sort=-throughput_tps")] == [
        "64",
        "64",
        "1",
        "1",
    ]


def test_one_model_at_a_time(client: Client, model: LanguageModel) -> None:
    serve(model, "a-one")
    serve(make_model(slug="b/other", name="Other"), "b-two")

    page = get(client, "/self-hosted/?model=b/other")

    assert ids(page) == ["b-two@1", "b-two@64"]
    assert "No endpoint serves c/none" in get(client, "/self-hosted/?model=c/none").text


def test_simulated_endpoints_say_so(client: Client, model: LanguageModel) -> None:
    offering = make_offering(provider=make_provider(simulated=True), model=model)
    make_sweep(make_deployment(offering=offering), LEVELS)

    page = get(client, "/self-hosted/")

    assert page.one("strong").text == "Simulated."
    assert "(simulated)" in page.one("figure", data_chart="gpu-cost").one("svg").attributes["aria-label"]


def test_which_gpu_shows_its_arithmetic_and_what_was_measured(client: Client, model: LanguageModel) -> None:
    gpu = make_gpu(
        name="Maker X",
        memory_gib="80",
        bandwidth_gb_per_s="3350",
        board_power_w="700",
        source_url="https://m.example/x",
    )
    serve(model, "own", gpu=gpu)

    page = get(
        client,
        "/self-hosted/?params_total_b=70&bits_per_weight=8&layers=80&kv_heads=8&head_size=128&requests=1",
    )

    (row,) = page.one("table", data_table="which_gpu").all("tr", data_id=None)
    assert row.cells == [
        "Maker X",
        "1",
        "65.2 weights + 2.5 cache = 67.7 of 72.0 GiB (1 × 80 × 0.9)",
        "46 1 × 3,350 GB/s ÷ 72.7 GB a token",
        "700",
        "4.00",
        "own 1 GPU, 7,236 tokens/s at 64 at once",
    ]
    assert "No kind in the catalogue fits" in get(client, "/self-hosted/?params_total_b=90000").text


def test_an_endpoint_s_page_has_its_set_up_its_levels_and_its_past(
    client: Client, model: LanguageModel
) -> None:
    deployment = serve(model, "h200-x1", engine_version="0.11", max_model_len=131072)
    late = {"concurrency": 128, "excluded": True, "exclusion_reason": "client_lag", "client_lag_ms": 80.0}
    make_sweep(deployment, [*LEVELS[:1], late], measured_at=dt.datetime(2026, 7, 15, 3, tzinfo=dt.UTC))

    page = get(client, "/self-hosted/h200-x1/")

    assert ids(page) == ["h200-x1@1"]
    assert ids(page, "sweeps") == ["2026-07-15T03:00:00Z", "2026-07-14T03:00:00Z"]
    assert "Left out because our own client was late: 128 at once (80 ms)." in page.text
    facts = {
        line.one("dt").text: line.one("dd").text for line in page.one("dl", class_="own-facts").all("div")
    }
    assert facts["Engine"] == "vllm 0.11"
    assert facts["Longest context"] == "131,072 tokens"
    assert facts["Power"] == "unknown"
    assert facts["Cost basis"] == "rental on demand: 1 × 4.00 = 4.00 USD per hour"


def test_an_endpoint_whose_every_probe_failed_has_a_page(client: Client) -> None:
    make_sweep(make_deployment(endpoint_id="box"), [{"concurrency": 1, "samples_ok": 0}])

    assert 'data-v=""' in client.get("/self-hosted/box/").content.decode()


def test_an_endpoint_without_a_sweep_says_so(client: Client) -> None:
    make_deployment(endpoint_id="new")

    assert "Not swept yet" in get(client, "/self-hosted/new/").one("section", data_empty=None).text


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/self-hosted/?utilisation_percent=0", 400),
        ("/self-hosted/?display=euros", 400),
        ("/self-hosted/?params_total_b=x", 400),
        ("/self-hosted/?sort=engine_args", 400),
        ("/self-hosted/?anything=1&utm_source=x", 200),
        ("/self-hosted/nobody/", 404),
        ("/self-hosted/hidden/", 404),
        ("/self-hosted/hidden.csv", 404),
        ("/self-hosted/hidden.svg", 404),
        ("/self-hosted/ours/?ttft_max_ms=nan", 400),
        ("/self-hosted/ours.svg", 200),
        ("/self-hosted/ours/break-even.svg", 200),
        ("/self-hosted.svg", 200),
        ("/charts/gpu-cost.png", 200),
    ],
)
def test_addresses(client: Client, model: LanguageModel, address: str, status: int) -> None:
    serve(model, "ours")
    serve(model, "hidden", is_public=False)

    assert client.get(address).status_code == status


def test_a_rate_that_changed_since_the_sweep_is_told_beside_the_one_of_its_time(
    client: Client, model: LanguageModel
) -> None:
    deployment = serve(model, "h200-x1")
    former = {"cost_basis": "rental_on_demand", "usd_per_gpu_hour": "2"}
    FormerTerms.objects.create(deployment=deployment, held_until=AFTER_THE_SWEEP, **former)

    page = get(client, "/self-hosted/h200-x1/")

    assert "2.00 USD per hour × 1,000,000" in page.one("p", class_="sum").text
    assert "Today an hour costs 4.00 USD" in page.one("p", data_rate_now=None).text
    own = get(client, "/self-hosted/h200-x1/?usd_per_gpu_hour=3")
    assert own.all("p", data_rate_now=None) == []


def test_an_endpoint_s_page_has_every_metric_of_every_level_with_its_n(client: Client) -> None:
    make_measured_sweep(make_deployment(endpoint_id="own"))

    page = get(client, "/self-hosted/own/")

    one, two = page.all("details", data_level=None)
    assert (one.attributes["data-level"], two.attributes["data-level"]) == ("own@1", "own@2")
    line = one.one("tr", data_id="ttft_ms")
    assert [cell.text for cell in line.all("td")] == [
        "24", "102", "107", "113", "107 to 118", "119", "123*",
    ]  # fmt: skip
    assert [cell.text for cell in two.one("tr", data_id="ttft_ms").all("td")][-1] == "–"
    assert "10 ok, 1 rate limited, 1 timeout" in two.text
    assert "83.3 %, 90.9 %" in two.text
    assert "1 probe fault, 1 too few tokens" in two.text
    assert len(one.all("tr", data_id=None)) == 10


def test_a_sweep_s_requests_are_one_click_from_its_line(client: Client) -> None:
    make_measured_sweep(make_deployment(endpoint_id="own"))
    page = get(client, "/self-hosted/own/")

    (link,) = page.one("table", data_table="sweeps").one("tbody").all("a")

    assert len(file_rows(client, link.attributes["href"])) == 37


def test_the_page_costs_the_same_whatever_its_endpoints(
    client: Client, model: LanguageModel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for name in ("one", "two", "three"):
        serve(model, name)
    make_price(make_offering(model=model))
    client.get("/self-hosted/")  # draws

    with django_assert_num_queries(9):
        client.get("/self-hosted/")


def test_the_model_page_has_own_gpus_and_apis_on_one_frontier(client: Client, model: LanguageModel) -> None:
    serve(model, "h200-x1")
    snapshot = make_saved_snapshot()
    for name, speed, price in (("quick", 300.0, "0.60"), ("cheap", 90.0, "0.05"), ("beaten", 100.0, "0.40")):
        make_row(
            snapshot,
            provider=make_provider(slug=name, name=name.capitalize()),
            model=model,
            output_speed_tps_p50=speed,
            ttft_ms_p50=100.0,
            blended_usd_per_mtok=price,
        )

    page = get(client, "/models/openai/gpt-oss-120b/")

    marks = points(page, "price")
    # 4 USD an hour over 12,036 tokens/s of both kinds: 0.0923 USD per 1M, 113 tokens/s for each user
    assert "h200-x1 ×64, 113 tokens/s, 0.09 USD per 1M tokens, on the frontier" in marks
    assert not any(mark.startswith("Beaten") and "frontier" in mark for mark in marks)
    assert any(mark.startswith("Quick") and "frontier" in mark for mark in marks)
    assert ids(page, "own_gpus") == ["h200-x1@1", "h200-x1@64"]
    hollow = page.one("figure", data_chart="price").one("a", href="http://testserver/self-hosted/h200-x1/")
    assert hollow.one(aria_roledescription="point").attributes["fill"] in ("none", "#fcfbf8")


def test_an_own_gpu_of_unknown_cost_is_in_the_table_and_has_no_mark(
    client: Client, model: LanguageModel
) -> None:
    serve(model, "h200-x1", cost_basis="unknown", usd_per_gpu_hour=None)
    make_row(make_saved_snapshot(), model=model, output_speed_tps_p50=300.0, ttft_ms_p50=100.0)

    page = get(client, "/models/openai/gpt-oss-120b/")

    assert not any("h200-x1" in mark for mark in points(page, "price"))
    assert ids(page, "own_gpus") == ["h200-x1@1", "h200-x1@64"]
