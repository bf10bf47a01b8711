from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from leaderboard.catalogue.models import Deployment
from leaderboard.measurements.sweep_rules import SweepPlan, SweepRefused, allowed_plan, due_deployments
from tests.factories import make_deployment, make_offering, make_provider

pytestmark = pytest.mark.django_db

NIGHT = dt.datetime(2026, 7, 15, 3, 30, tzinfo=dt.UTC)
MIDNIGHT = dt.datetime(2026, 7, 15, tzinfo=dt.UTC)


def foreign(**fields: Any) -> Deployment:
    return make_deployment(offering=make_offering(provider=make_provider(**fields)))


def test_our_own_gpus_are_swept_as_planned() -> None:
    plan = SweepPlan(levels=(1, 2, 512), phase_s=60)

    assert allowed_plan(make_deployment(), plan) == plan


def test_somebody_else_s_endpoint_is_refused_without_the_operator_s_word() -> None:
    with pytest.raises(SweepRefused, match="is not self-hosted, and a sweep is a load test"):
        allowed_plan(foreign(), SweepPlan())


@pytest.mark.parametrize("word", ["said now", "kept on the deployment"])
def test_with_that_word_it_is_capped(word: str) -> None:
    deployment = foreign()
    deployment.foreign_sweep_agreed = word == "kept on the deployment"

    plan = allowed_plan(
        deployment,
        SweepPlan(levels=(1, 4, 8, 16, 256), phase_s=120, stops_when_flat=False),
        operator_says_so=word == "said now",
    )

    assert (plan.levels, plan.phase_s, plan.stops_when_flat, plan.is_foreign) == ((1, 4, 8), 20, True, True)


def test_a_cap_below_every_level_leaves_one_request_at_a_time() -> None:
    assert allowed_plan(foreign(), SweepPlan(levels=(64,)), operator_says_so=True).levels == (1,)


@pytest.mark.parametrize("fields", [{"benchmarks_forbidden": True}, {"opted_out_on": dt.date(2026, 7, 1)}])
def test_no_word_helps_where_probing_is_forbidden(fields: dict[str, Any]) -> None:
    with pytest.raises(SweepRefused):
        allowed_plan(foreign(**fields), SweepPlan(), operator_says_so=True)


@pytest.mark.parametrize(
    "plan",
    [
        SweepPlan(levels=()),
        SweepPlan(levels=(2, 1)),
        SweepPlan(levels=(1, 1)),
        SweepPlan(levels=(0, 1)),
        SweepPlan(levels=(1, 5000)),
        SweepPlan(phase_s=0),
        SweepPlan(phase_s=601),
        SweepPlan(phase_s=float("nan")),
    ],
)
def test_a_plan_that_cannot_be_is_refused(plan: SweepPlan) -> None:
    with pytest.raises(SweepRefused):
        allowed_plan(make_deployment(), plan)


def test_a_retired_deployment_is_not_swept() -> None:
    with pytest.raises(SweepRefused, match="is retired"):
        allowed_plan(make_deployment(retired_on=dt.date(2026, 7, 1)), SweepPlan())


def test_a_scheduled_sweep_is_due_once_in_its_slot_and_only_in_quiet_hours() -> None:
    deployment = make_deployment(sweep_every_hours=24, quiet_hours_utc="02:00-05:00")

    assert due_deployments([deployment], [], NIGHT) == [(deployment, MIDNIGHT)]
    assert due_deployments([deployment], [(deployment.pk, MIDNIGHT)], NIGHT) == []
    assert due_deployments([deployment], [], NIGHT.replace(hour=12)) == []
    assert due_deployments([deployment], [(deployment.pk, MIDNIGHT)], NIGHT + dt.timedelta(days=1)) == [
        (deployment, MIDNIGHT + dt.timedelta(days=1))
    ]


def test_quiet_hours_may_pass_midnight() -> None:
    deployment = make_deployment(sweep_every_hours=24, quiet_hours_utc="22:00-04:00")

    assert due_deployments([deployment], [], NIGHT) == [(deployment, MIDNIGHT)]


@pytest.mark.parametrize("fields", [{"sweep_every_hours": None}, {"retired_on": dt.date(2026, 7, 1)}])
def test_what_has_no_schedule_or_is_retired_is_never_due(fields: dict[str, Any]) -> None:
    deployment = make_deployment(**{"sweep_every_hours": 24} | fields)

    assert due_deployments([deployment], [], NIGHT) == []


def test_somebody_else_s_endpoint_is_never_swept_on_a_schedule() -> None:
    offering = make_offering()
    deployment = make_deployment(offering=offering, sweep_every_hours=24, foreign_sweep_agreed=True)

    assert due_deployments([deployment], [], NIGHT) == []
