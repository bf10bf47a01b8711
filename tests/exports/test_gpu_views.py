from __future__ import annotations

import csv
import dataclasses
import datetime as dt
import io
from typing import Any

import pytest
from django.test import Client

from leaderboard.catalogue.models import Deployment
from leaderboard.exports.columns import GPU_ENDPOINTS
from leaderboard.ranking.endpoints import GpuEndpointRow
from tests.factories import make_deployment, make_sweep
from tests.measurements.sweeps import SWEPT_AT, make_level, make_measured_sweep, make_request

pytestmark = pytest.mark.django_db

DAY = dt.timedelta(days=1)
LEVELS = [
    {
        "concurrency": 1,
        "throughput_tps": 100.0,
        "output_speed_tps_user_p50": 99.98765,
        "ttft_ms_p50": 12.3456,
    },
    {"concurrency": 8, "throughput_tps": 7236.0, "output_speed_tps_user_p50": 904.5},
]


@pytest.fixture
def endpoint() -> None:
    deployment = make_deployment(
        endpoint_id="h200-x1",
        cost_basis="rental_on_demand",
        usd_per_gpu_hour="4",
        watts_per_gpu="700",
        power_source="declared",
        pue="1.2",
    )
    make_sweep(deployment, LEVELS, engine_args="--max-num-seqs 64")


def rows_at(client: Client, address: str) -> list[dict[str, str]]:
    response = client.get(address)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_row_begins_with_the_published_columns_in_their_order() -> None:
    names = [f.name for f in dataclasses.fields(GpuEndpointRow)]

    assert tuple(names[: len(GPU_ENDPOINTS.columns)]) == GPU_ENDPOINTS.column_names


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize(
    "address", ["/data/v1/gpu_endpoints.csv", "/self-hosted.csv", "/self-hosted/h200-x1.csv"]
)
def test_each_file_has_the_levels_with_every_column(client: Client, address: str) -> None:
    rows = rows_at(client, address)

    assert tuple(rows[0]) == GPU_ENDPOINTS.column_names
    assert [row["concurrency"] for row in rows] == ["1", "8"]
    assert rows[1] | {"measured_at": "", "gpu_model": "", "offering_id": ""} == {
        "endpoint_id": "h200-x1", "offering_id": "", "measured_at": "", "engine": "vllm", "engine_version": "1.0",
        "engine_args": "'--max-num-seqs 64", "gpu_model": "", "gpu_count": "1", "gpu_memory_gib": "80",
        "driver_version": "", "hardware_source": "declared", "quantization": "fp8", "tensor_parallel": "",
        "speculative_decoding": "", "max_model_len": "", "workload": "medium", "concurrency": "8",
        "samples_ok": "10", "output_speed_tps_user_p50": "904.5", "throughput_tps": "7236",
        "throughput_tps_gpu": "7236", "throughput_in_tps": "", "ttft_ms_p50": "", "ttft_ms_p95": "",
        "hourly_cost_usd": "4", "cost_basis": "rental_on_demand", "cost_source_url": "", "power_w": "700",
        "power_source": "declared", "energy_usd_per_kwh": "", "pue": "1.2", "utilisation": "1",
        "usd_per_mtok_output": "0.1535532215", "joules_per_token": "0.116086", "simulated": "false",
    }  # fmt: skip


@pytest.mark.usefixtures("endpoint")
def test_published_figures_can_be_worked_out_again_from_their_own_row(client: Client) -> None:
    for row in rows_at(client, "/data/v1/gpu_endpoints.csv"):
        cost = float(row["hourly_cost_usd"]) * 1e6 / (float(row["throughput_tps"]) * 3600)
        energy = float(row["power_w"]) * float(row["pue"]) / float(row["throughput_tps"])

        assert float(row["usd_per_mtok_output"]) == pytest.approx(cost / float(row["utilisation"]), abs=1e-9)
        assert float(row["joules_per_token"]) == pytest.approx(energy, abs=1e-6)


@pytest.mark.usefixtures("endpoint")
def test_the_view_s_file_is_at_the_visitor_s_rate_and_use(client: Client) -> None:
    row = rows_at(client, "/self-hosted.csv?usd_per_gpu_hour=8&utilisation_percent=50")[1]

    assert (row["hourly_cost_usd"], row["utilisation"], row["usd_per_mtok_output"]) == (
        "8",
        "0.5",
        "0.6142128862",
    )


@pytest.mark.usefixtures("endpoint")
def test_json_has_the_same_rows(client: Client) -> None:
    told: dict[str, Any] = client.get("/self-hosted.json").json()

    rows = next(value for value in told.values() if isinstance(value, list))
    assert [row["concurrency"] for row in rows] == [1, 8]


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/self-hosted.csv?utilisation_percent=0", 400),
        ("/self-hosted/nobody.csv", 404),
        ("/self-hosted.csv", 200),
        ("/self-hosted.csv?model=nobody/none", 200),
    ],
)
def test_what_cannot_be_answered_says_so(client: Client, address: str, status: int) -> None:
    assert client.get(address).status_code == status


@pytest.mark.usefixtures("endpoint")
def test_one_endpoint_s_file_is_its_newest_sweep_and_all_of_them_when_asked(client: Client) -> None:
    make_sweep(Deployment.objects.get(), LEVELS[:1], measured_at=dt.datetime(2026, 7, 15, 3, tzinfo=dt.UTC))

    assert len(rows_at(client, "/self-hosted/h200-x1.csv")) == 1
    assert len(rows_at(client, "/self-hosted/h200-x1.csv?full=1")) == 3
    assert len(rows_at(client, "/data/v1/gpu_endpoints.csv")) == 3


def test_a_new_sweep_is_a_new_file(client: Client) -> None:
    deployment = make_deployment()
    make_sweep(deployment, LEVELS)
    first = client.get("/data/v1/gpu_endpoints.csv").headers["ETag"]
    assert client.get("/data/v1/gpu_endpoints.csv", headers={"If-None-Match": first}).status_code == 304

    make_sweep(deployment, LEVELS, measured_at=dt.datetime(2026, 7, 15, 3, tzinfo=dt.UTC))

    assert client.get("/data/v1/gpu_endpoints.csv", headers={"If-None-Match": first}).status_code == 200


def test_every_level_and_request_of_a_sweep_is_published(client: Client) -> None:
    deployment = make_deployment(endpoint_id="own")
    make_measured_sweep(deployment)

    levels = rows_at(client, "/data/v1/gpu_levels.csv")
    requests = rows_at(client, "/data/v1/gpu_samples.csv")

    one, two = levels
    assert (one["samples_total"], one["ttft_ms_samples"], two["samples_failed"]) == ("25", "24", "2")
    # Requests 1 to 24 were sent after the ramp: 100.333 ms and n each; the 7th and the 18th bound the median.
    assert (one["ttft_ms_p50"], one["ttft_ms_p95"]) == ("112.833", "123.183")
    assert (one["ttft_ms_p50_low"], one["ttft_ms_p50_high"]) == ("107.333", "118.333")
    assert (two["outcomes"], two["exclusions"]) == (
        "ok:10; rate_limited:1; timeout:1",
        "probe_fault:1; too_few_tokens:1",
    )
    assert (two["success_rate"], two["uptime"], two["ttft_ms_p95"]) == ("0.833333", "0.909091", "")
    assert len(requests) == 37
    assert (requests[0]["ttft_ms"], requests[0]["window_tokens"]) == ("100.333", "90.123457")


def test_an_excluded_level_is_kept_among_the_levels_with_its_reason(client: Client) -> None:
    late = [make_request(n, client_lag_ms=90.0) for n in range(6)]
    make_measured_sweep(make_deployment(endpoint_id="own"), levels=[make_level(1, late)])

    (row,) = rows_at(client, "/data/v1/gpu_levels.csv")

    assert (row["excluded"], row["exclusion_reason"], row["client_lag_ms"]) == ("true", "client_lag", "90")
    assert rows_at(client, "/data/v1/gpu_endpoints.csv") == []


def test_the_requests_of_an_older_sweep_are_asked_for_by_its_time(client: Client) -> None:
    deployment = make_deployment(endpoint_id="own")
    older, newer = make_measured_sweep(deployment), make_measured_sweep(deployment, at=SWEPT_AT + DAY)

    address = "/self-hosted/own/samples.csv"

    assert {r["measured_at"] for r in rows_at(client, address)} == {"2026-07-15T03:00:00Z"}
    asked = rows_at(client, f"{address}?measured_at=2026-07-14T03:00:00Z")
    assert {r["measured_at"] for r in asked} == {"2026-07-14T03:00:00Z"}
    assert client.get(f"{address}?measured_at=2026-07-13T03:00:00Z").status_code == 404
    assert client.get(f"{address}?measured_at=yesterday").status_code == 400
    assert client.get("/self-hosted/nobody/samples.json").status_code == 404
    assert (older.levels.count(), newer.levels.count()) == (2, 2)


def test_a_hidden_endpoint_shows_no_level_and_no_request(client: Client) -> None:
    make_measured_sweep(make_deployment(endpoint_id="own", is_public=False))

    for address in ("/data/v1/gpu_levels.csv", "/data/v1/gpu_samples.csv"):
        assert rows_at(client, address) == []
    assert client.get("/self-hosted/own/samples.csv").status_code == 404
