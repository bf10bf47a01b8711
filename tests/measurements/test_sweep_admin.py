"""Deployments and sweeps in the admin, driven through its own pages."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.catalogue.models import Deployment, Offering, Revision
from leaderboard.measurements import sweep_admin
from tests.catalogue.engines.replies import SGLANG, VLLM
from tests.catalogue.engines.scripted import scripted_engine
from tests.factories import make_deployment, make_gpu, make_offering, make_provider, make_sweep

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def plain_static_files(settings: Settings) -> None:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Deployment, dt.datetime]]:
    found: list[tuple[Deployment, dt.datetime]] = []
    monkeypatch.setattr(sweep_admin, "send_sweep", lambda *asked: found.append(asked))
    return found


def typed(base_url: str = "http://gpu01.inside.example:8000/v1", **fields: Any) -> dict[str, Any]:
    provider = make_provider(kind="self_hosted", base_url=base_url)
    offering = make_offering(provider=provider, hosting="self_hosted")
    return {
        "endpoint_id": "h200-x8",
        "offering": offering.pk,
        "gpu": make_gpu().pk,
        "gpu_count": "8",
        "hardware_source": "declared",
        "engine": "vllm",
        "cost_basis": "unknown",
        "power_source": "none",
        "quiet_hours_utc": "02:00-05:00",
        "is_public": "on",
    } | fields


def added(client: Client, **fields: Any) -> str:
    return client.post(
        reverse("admin:catalogue_deployment_add"), typed(**fields), follow=True
    ).content.decode()


def act(client: Client, action: str, deployment: Deployment) -> str:
    address = reverse("admin:catalogue_deployment_changelist")
    chosen = {"action": action, "_selected_action": [deployment.pk], "confirmed": "1"}
    return client.post(address, chosen, follow=True).content.decode()


def test_a_deployment_is_added_with_its_flags_cleaned(client: Client) -> None:
    added(client, engine_args="--api-key canary --max-num-seqs 64 --host 10.0.0.1")

    assert Deployment.objects.get().engine_args == "--max-num-seqs 64"


@pytest.mark.parametrize("label", ["gpu01", "vllm-gpu01-inside-example", "x-10-0-0-7", "gpu01-h200"])
def test_a_label_that_tells_the_address_is_refused(client: Client, label: str) -> None:
    page = added(client, endpoint_id=label)

    assert "this one tells the endpoint&#x27;s address" in page
    assert not Deployment.objects.exists()


@pytest.mark.parametrize(("said", "kept"), [({}, ["4.000000"]), ({"former_was_wrong": "on"}, [])])
def test_a_new_rate_keeps_the_former_unless_that_was_wrong(
    client: Client, said: dict[str, str], kept: list[str]
) -> None:
    fields = typed(cost_basis="rental_on_demand", usd_per_gpu_hour="4")
    client.post(reverse("admin:catalogue_deployment_add"), fields)
    deployment = Deployment.objects.get()
    address = reverse("admin:catalogue_deployment_change", args=[deployment.pk])

    client.post(address, fields | said | {"usd_per_gpu_hour": "3"})

    deployment.refresh_from_db()
    assert deployment.usd_per_gpu_hour == 3
    assert [str(former.usd_per_gpu_hour) for former in deployment.former_terms.all()] == kept


def test_a_label_that_says_what_it_is_passes(client: Client) -> None:
    added(client, endpoint_id="h200-x8-vllm")

    assert Deployment.objects.get().endpoint_id == "h200-x8-vllm"


@pytest.mark.parametrize("url", ["ftp://meter/metrics", "http://me:secret@meter/metrics", "meter:9400"])
def test_an_exporter_s_address_is_a_plain_link(client: Client, url: str) -> None:
    added(client, power_meter_url=url)

    assert not Deployment.objects.exists()


def test_a_cost_without_its_basis_is_said_in_the_form(client: Client) -> None:
    page = added(client, usd_per_gpu_hour="2.50")

    assert "deployment_cost_fits_its_basis" in page
    assert not Deployment.objects.exists()


def test_facts_are_read_from_the_engine(client: Client) -> None:
    with scripted_engine(VLLM) as engine:
        added(client, base_url=engine.url)
        page = act(client, "read_engine", Deployment.objects.get())

    deployment = Deployment.objects.get()
    assert "Read facts from the engine: 1 done." in page
    assert (deployment.engine_version, deployment.max_model_len, deployment.tensor_parallel) == (
        "0.11.0",
        131072,
        8,
    )
    assert deployment.engine_read_at is not None


def test_a_new_deployment_is_asked_at_once_and_its_offering_gains_what_was_unknown(client: Client) -> None:
    with scripted_engine(SGLANG) as engine:
        page = added(client, base_url=engine.url, engine="sglang")

    deployment = Deployment.objects.get()
    offering = deployment.offering
    assert "Read from the engine: sglang 0.5.3, fp8." in page
    assert (deployment.engine_version, deployment.max_model_len, deployment.tensor_parallel) == (
        "0.5.3",
        65536,
        8,
    )
    assert (offering.quantization, offering.quantization_source) == ("fp8", "provider_api")
    assert (offering.provider_model_name, offering.context_tokens) == ("deepseek-ai/DeepSeek-V3.1", 65536)
    told = Revision.objects.filter(subject_id=offering.public_id, reason="told by its engine")
    assert set(told.values_list("field", flat=True)) >= {"quantization", "provider_model_name"}


def test_what_a_person_or_a_probe_has_settled_is_not_filled_again(client: Client) -> None:
    with scripted_engine(SGLANG) as engine:
        fields = typed(base_url=engine.url, engine="sglang")
        settled = {"quantization": "bf16", "quantization_source": "operator", "context_tokens": 4096,
                   "first_probed_on": dt.date(2026, 7, 1), "provider_model_name": "mine"}  # fmt: skip
        Offering.objects.update(**settled)
        client.post(reverse("admin:catalogue_deployment_add"), fields)

    offering = Deployment.objects.get().offering
    assert {name: getattr(offering, name) for name in settled} == settled


@pytest.mark.parametrize("name", ["/models/private/llama", "./llama.gguf", "C:\\models\\llama"])
def test_a_path_of_the_host_becomes_no_published_name(client: Client, name: str) -> None:
    told = SGLANG["/get_server_info"] | {"served_model_name": name}
    with scripted_engine({"/get_server_info": told}) as engine:
        added(client, base_url=engine.url, engine="sglang")

    assert name not in Deployment.objects.get().offering.provider_model_name


def test_the_form_comes_filled_in_by_the_engine(client: Client) -> None:
    with scripted_engine(VLLM) as engine:
        offering = typed(base_url=engine.url)["offering"]
        address = reverse("admin:catalogue_deployment_add")
        form = client.get(f"{address}?offering={offering}").content.decode()

    assert 'name="engine_version" value="0.11.0"' in form
    assert 'name="max_model_len" value="131072"' in form
    assert '<option value="vllm" selected>' in form


def test_a_form_for_an_engine_that_is_away_comes_empty(client: Client) -> None:
    with scripted_engine({}) as engine:
        offering = typed(base_url=engine.url)["offering"]
        address = reverse("admin:catalogue_deployment_add")

        assert client.get(f"{address}?offering={offering}").status_code == 200
        assert client.get(f"{address}?offering=nobody").status_code == 200


def test_an_engine_that_does_not_answer_is_said_without_its_address(client: Client) -> None:
    with scripted_engine({}) as engine:
        added(client, base_url=engine.url)
    page = act(client, "read_engine", Deployment.objects.get())

    assert "no vllm answered where its offering is served" in page
    assert f":{engine.port}" not in page


def test_sweep_now_asks_for_one_sweep_a_minute(
    client: Client, sent: list[tuple[Deployment, dt.datetime]]
) -> None:
    deployment = make_deployment()

    page = act(client, "sweep_now", deployment)

    assert "Sweep now: 1 done." in page
    ((asked, planned_at),) = sent
    assert asked == deployment
    assert (planned_at.second, planned_at.microsecond, planned_at.tzinfo) == (0, 0, dt.UTC)


def test_sweep_now_of_somebody_else_s_endpoint_is_refused(
    client: Client, sent: list[tuple[Deployment, dt.datetime]]
) -> None:
    deployment = make_deployment(offering=make_offering())

    assert "is not self-hosted" in act(client, "sweep_now", deployment)
    assert sent == []


def test_a_published_label_cannot_be_changed_nor_a_swept_deployment_deleted(client: Client) -> None:
    deployment = make_deployment(endpoint_id="first")
    make_sweep(deployment, [{"concurrency": 1}])
    address = reverse("admin:catalogue_deployment_change", args=[deployment.pk])

    client.post(address, typed(endpoint_id="second"))

    assert Deployment.objects.get(pk=deployment.pk).endpoint_id == "first"
    assert client.get(reverse("admin:catalogue_deployment_delete", args=[deployment.pk])).status_code == 403


def test_sweeps_are_read_and_never_changed(client: Client) -> None:
    sweep = make_sweep(make_deployment(), [{"concurrency": 1}])

    assert client.get(reverse("admin:measurements_sweep_change", args=[sweep.pk])).status_code == 200
    assert client.post(reverse("admin:measurements_sweep_change", args=[sweep.pk]), {}).status_code == 403
    assert client.get(reverse("admin:measurements_sweep_delete", args=[sweep.pk])).status_code == 403
    assert client.get(reverse("admin:measurements_sweep_add")).status_code == 403
