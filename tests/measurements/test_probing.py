from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from leaderboard.catalogue.models import Offering
from leaderboard.measurements import probing
from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.planning import plan_now
from leaderboard.measurements.probing import endpoint_of, measure, take_up
from probes.endpoint import Capabilities, Endpoint
from probes.result import ProbeResult
from probes.workloads import Workload
from tests.factories import make_model, make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 7, 15, 12, 0, 0, 123_456, tzinfo=dt.UTC)


def result(**fields: Any) -> ProbeResult:
    defaults: dict[str, Any] = {
        "request_id": "r1",
        "started_at": NOW,
        "workload": "medium",
        "workload_version": 1,
        "outcome": "ok",
        "ttft_ms": 205.123_456_7,
        "ttfat_ms": 205.123_456_7,
        "output_speed_tps": 99.123_450_01,
        "largest_chunk_share": 1 / 3,
        "input_tokens": 1000,
        "output_tokens": 2000,
        "reasoning_tokens": 500,
    }
    return ProbeResult(**defaults | fields)


def answer_with(monkeypatch: pytest.MonkeyPatch, *results: ProbeResult) -> list[Endpoint]:
    """Put these results in the place of the network; the list fills with the endpoints asked."""
    asked: list[Endpoint] = []

    async def run(endpoint: Endpoint, workload: Workload) -> list[ProbeResult]:
        asked.append(endpoint)
        return list(results)

    monkeypatch.setattr(probing, "run_workload", run)
    return asked


def claimed(offering: Offering) -> Slot:
    (slot,) = plan_now([offering], now=NOW)
    taken = take_up(slot.pk, NOW)
    assert taken is not None
    return taken


@pytest.mark.parametrize(
    ("flags", "cost"),
    [
        ((), "0.00017"),  # 500 × 0.10 + 500 × 0.04 + 250 × 0.40 USD per million
        (("input_excludes_cache",), "0.00022"),  # 1,000 × 0.10 + 500 × 0.04 + 250 × 0.40
    ],
)
def test_cached_input_is_billed_once_whether_the_count_includes_it_or_not(
    monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], cost: str
) -> None:
    offering = make_offering()
    make_price(
        offering,
        input_usd_per_mtok="0.10",
        cache_read_usd_per_mtok="0.04",
        output_usd_per_mtok="0.40",
        valid_from=NOW - dt.timedelta(days=1),
    )
    counts = {"input_tokens": 1000, "cached_input_tokens": 500, "output_tokens": 250, "reasoning_tokens": 0}
    answer_with(monkeypatch, result(flags=flags, **counts))

    measure(claimed(offering))

    assert Sample.objects.get().cost_usd == Decimal(cost)


def test_a_result_is_stored_with_published_decimals_and_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    offering = make_offering(provider=make_provider(simulated=True))
    make_price(offering, valid_from=NOW - dt.timedelta(days=1))
    answer_with(monkeypatch, result())

    assert measure(claimed(offering)) == 1

    sample = Sample.objects.get()
    assert (sample.ttft_ms, sample.output_speed_tps, sample.largest_chunk_share) == (
        205.123,
        99.1235,
        0.333333,
    )
    assert sample.cost_usd == Decimal("0.0009")  # 1,000 × 0.10 + 2,000 × 0.40 USD per million
    assert sample.started_at == NOW.replace(microsecond=123_000)
    assert sample.scheduled_at == NOW.replace(second=0, microsecond=1000)
    assert (sample.simulated, sample.offering_id, sample.sequence) == (True, offering.pk, 0)
    assert Slot.objects.get().finished_at is not None


def test_a_failure_is_a_sample_with_null_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = ProbeResult(
        request_id="r",
        started_at=NOW,
        workload="medium",
        workload_version=1,
        outcome="server_error",
        detail="overloaded",
        fault="provider",
        message="x" * 999,
        http_status=503,
        retry_after_s=60.0,
    )
    answer_with(monkeypatch, failed)
    offering = make_offering()

    measure(claimed(offering))

    sample = Sample.objects.get()
    assert (sample.outcome, sample.detail, sample.http_status) == ("server_error", "overloaded", 503)
    assert (sample.ttft_ms, sample.output_tokens, sample.cost_usd) == (None, None, None)
    assert len(sample.message) == 300
    assert Offering.objects.get().not_before == NOW.replace(microsecond=123_000) + dt.timedelta(minutes=1)


def test_ten_at_once_are_ten_samples_of_one_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, *[result(concurrency=10) for _ in range(10)])

    assert measure(claimed(make_offering())) == 10
    assert sorted(Sample.objects.values_list("sequence", flat=True)) == list(range(10))
    assert len(set(Sample.objects.values_list("sample_id", flat=True))) == 10


def test_a_message_delivered_twice_asks_the_provider_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (slot,) = plan_now([make_offering()], now=NOW)

    first = take_up(slot.pk, NOW)
    second = take_up(slot.pk, NOW + dt.timedelta(seconds=1))

    assert first is not None
    assert second is None


def test_a_worker_killed_in_mid_probe_leaves_exactly_one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, result())
    (slot,) = plan_now([make_offering()], now=NOW)
    assert take_up(slot.pk, NOW) is not None  # killed here, before anything was stored

    taken_over = take_up(slot.pk, NOW + dt.timedelta(seconds=30), is_redelivered=True)
    assert taken_over is not None
    measure(taken_over)

    assert take_up(slot.pk, NOW + dt.timedelta(seconds=60), is_redelivered=True) is None
    assert Sample.objects.count() == 1


def test_a_worker_killed_after_storing_leaves_exactly_one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, result())
    slot = claimed(make_offering())
    measure(slot)
    Slot.objects.update(finished_at=None)  # as if killed between storing and marking

    assert take_up(slot.pk, NOW + dt.timedelta(seconds=30), is_redelivered=True) is None
    assert Sample.objects.count() == 1
    assert Slot.objects.get().finished_at is not None


def test_a_slot_that_is_too_old_is_a_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    (slot,) = plan_now([make_offering()], now=NOW)

    assert take_up(slot.pk, slot.expires_at + dt.timedelta(seconds=1)) is None
    assert take_up(slot.pk, slot.expires_at + dt.timedelta(seconds=1), is_redelivered=True) is None


def test_an_offerings_own_address_goes_before_its_providers() -> None:
    provider = make_provider(protocol="openai-chat", base_url="https://a.example/v1", region="eu")

    own = endpoint_of(
        make_offering(provider=provider, protocol="anthropic-messages", base_url="https://b.example")
    )
    inherited = endpoint_of(make_offering(provider=provider, provider_model_name="m1"))

    assert (own.protocol, own.base_url) == ("anthropic-messages", "https://b.example")
    assert (inherited.protocol, inherited.base_url, inherited.model) == (
        "openai-chat",
        "https://a.example/v1",
        "m1",
    )
    assert (inherited.region, inherited.public_only, inherited.api_key) == ("eu", True, None)


@pytest.mark.parametrize(
    ("effort", "name", "asked"),
    [
        ("high", "gpt-5", "high"),
        ("high", "o3-mini-high", None),
        ("", "gpt-5", None),
        ("none", "grok-4", "none"),
    ],
)
def test_the_models_effort_is_asked_for_unless_the_name_says_it(
    effort: str, name: str, asked: str | None
) -> None:
    offering = make_offering(model=make_model(reasoning_effort=effort), provider_model_name=name)

    assert endpoint_of(offering).reasoning_effort == asked


def test_the_key_is_read_by_name_and_in_no_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "canary-5f1d")
    offering = make_offering(provider=make_provider(api_key_env="ACME_KEY"))

    endpoint = endpoint_of(offering)

    assert endpoint.api_key == "canary-5f1d"
    assert "canary" not in repr(endpoint)


def test_a_missing_key_is_ours_and_asks_nobody() -> None:
    offering = make_offering(provider=make_provider(api_key_env="NO_SUCH_KEY_HERE"))

    measure(claimed(offering))

    sample = Sample.objects.get()
    assert (sample.outcome, sample.detail, sample.fault) == ("ours", "missing_key", "ours")


def test_a_refused_option_is_left_out_from_the_next_probe_on(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = result(
        outcome="capability",
        detail="option_refused",
        http_status=400,
        flags=("refuses_stream_options",),
        ttft_ms=None,
        ttfat_ms=None,
    )
    answer_with(monkeypatch, refused)
    offering = make_offering(capabilities={"temperature": False, "of_an_older_version": 1})

    measure(claimed(offering))
    offering.refresh_from_db()

    learnt = endpoint_of(offering).capabilities
    assert (learnt.stream_options, learnt.temperature) == (False, False)
    assert Capabilities().stream_options is True
