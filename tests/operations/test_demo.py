from __future__ import annotations

from decimal import Decimal

import pytest

from leaderboard.catalogue.models import Deployment, Gpu, LanguageModel, Offering, Price, Provider
from leaderboard.measurements.sweep_rules import usual_plan
from leaderboard.operations.demo import (
    ENDED_AT_START,
    ENDED_BY_OPERATOR,
    end_demo,
    load_demo,
    read_demo,
)
from probes.lab.grammar import parse_model
from tests.factories import make_deployment, make_offering

pytestmark = pytest.mark.django_db


def test_demo_is_large_enough_and_says_that_it_is_simulated() -> None:
    count = load_demo(8089)

    assert count == Offering.objects.count() == 19
    assert Provider.objects.filter(simulated=True).count() == Provider.objects.count() == 6
    assert all(name.startswith("Simulated ") for name in Provider.objects.values_list("name", flat=True))
    assert all(name.startswith("Demo ") for name in LanguageModel.objects.values_list("name", flat=True))
    assert LanguageModel.objects.values("creator").distinct().count() == 4
    assert set(Offering.objects.values_list("interval_s", flat=True)) == {60, 1800}


def test_demo_has_a_free_offering_and_one_without_a_price() -> None:
    load_demo(8089)

    assert Price.objects.count() == 16
    assert Price.objects.get(input_usd_per_mtok=0).offering.public_id == "simulated-budget~demo-tiny-1b"
    unpriced = Offering.objects.filter(prices=None).exclude(hosting="self_hosted")
    assert unpriced.get().public_id == "simulated-bursty~demo-chat-pro"
    variant = Offering.objects.get(variant="turbo")
    assert variant.public_id == "simulated-bursty~demo-coder-32b~turbo"


def test_every_demo_model_is_one_that_the_lab_understands() -> None:
    load_demo(8089)

    speeds = [parse_model(o.provider_model_name).tokens_per_s for o in Offering.objects.all()]

    assert min(speeds) == 70
    assert max(speeds) == 1900


def test_demo_keeps_the_workers_less_than_three_quarters_busy() -> None:
    """Seconds of probing a minute, as the lab plays them, for the two that run at a time."""
    offered = [o for p in read_demo()["providers"] for o in p["offerings"]]
    behaviours = [(parse_model(o["lab"]), 60 / o.get("interval_s", 60)) for o in offered]

    seconds = sum(
        (b.ttft_ms / 1000 + (b.output_tokens or 0) / b.tokens_per_s) * often for b, often in behaviours
    )

    assert seconds == pytest.approx(45, abs=10)


def test_loading_again_changes_only_the_labs_address() -> None:
    load_demo(8089)
    before = set(Offering.objects.values_list("pk", "public_id"))

    load_demo(9001)

    assert set(Offering.objects.values_list("pk", "public_id")) == before
    assert Price.objects.count() == 16
    assert set(Provider.objects.values_list("base_url", flat=True)) == {"http://127.0.0.1:9001/v1"}


def test_start_without_demo_retires_it_and_a_start_with_it_brings_it_back() -> None:
    load_demo(8089)
    real = make_offering()

    ended = end_demo(ENDED_AT_START)
    retired = set(Offering.objects.filter(probe_state="retired").values_list("retired_reason", flat=True))
    load_demo(8089)

    assert ended == 19
    assert retired == {"The board was started without the demo."}
    assert set(Offering.objects.values_list("probe_state", flat=True)) == {"active"}
    assert set(Provider.objects.values_list("retired_on", flat=True)) == {None}
    real.refresh_from_db()
    assert real.probe_state == "active"


def test_demo_that_an_administrator_ended_stays_ended() -> None:
    load_demo(8089)
    end_demo(ENDED_BY_OPERATOR)

    assert load_demo(8089) == 0
    assert not Offering.objects.filter(probe_state="active").exists()
    assert load_demo(8089, revive=True) == 19


def test_simulated_prices_do_not_meet_the_default_daily_cap() -> None:
    load_demo(8089)

    assert Provider.objects.filter(daily_cap_usd__lt=Decimal(1000)).count() == 0


def test_demo_has_own_gpus_that_say_they_are_simulated_and_of_which_nothing_is_estimated() -> None:
    load_demo(8089)

    assert set(Deployment.objects.values_list("endpoint_id", flat=True)) == {
        "simulated-one-gpu",
        "simulated-two-gpus",
    }
    assert all(d.is_ours and d.offering.provider.simulated for d in Deployment.objects.all())
    gpu = Gpu.objects.get()
    assert (gpu.name, gpu.memory_gib, gpu.board_power_w) == ("Simulated GPU", None, None)


def test_simulated_gpus_leave_with_the_demo_and_come_back_with_it() -> None:
    load_demo(8089)
    real = make_deployment()

    end_demo(ENDED_AT_START)
    left = list(Deployment.objects.filter(is_public=True, retired_on=None))
    load_demo(8089)

    assert left == [real]
    assert Deployment.objects.filter(is_public=True, retired_on=None).count() == 3


def test_a_whole_sweep_of_the_demo_takes_its_worker_less_than_45_seconds() -> None:
    load_demo(8089)

    for deployment in Deployment.objects.all():
        plan, lab = usual_plan(deployment), parse_model(deployment.offering.provider_model_name)
        runs_out_s = [
            lab.ttft_ms / 1000
            + (lab.output_tokens or 0) / min(lab.tokens_per_s, lab.shared_tokens_per_s / level)
            for level in plan.levels
        ]
        assert sum(plan.phase_s + seconds for seconds in runs_out_s) < 45
