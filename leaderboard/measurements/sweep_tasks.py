"""The tasks of sweeping: ids in, one call, nothing out. A sweep that was done, or is being done, is not done again."""

from __future__ import annotations

import datetime as dt

from celery import shared_task
from django.conf import settings
from django.db.models import QuerySet

from leaderboard.catalogue.engines.refreshing import read_counters
from leaderboard.catalogue.models import Deployment
from leaderboard.measurements.due import slot_at
from leaderboard.measurements.models import EngineReading, Sweep
from leaderboard.measurements.sweep_rules import (
    SECONDS_PER_HOUR,
    SweepRefused,
    allowed_plan,
    due_deployments,
    usual_plan,
)
from leaderboard.measurements.sweeping import sweep_deployment

LONGEST_SWEEP_S = 3600
ASKED_FOR_S = 600
KEPT_READINGS = dt.timedelta(days=35)
DEPLOYMENTS = Deployment.objects.select_related("offering__provider", "offering__model", "gpu")


def send_sweep(deployment: Deployment, planned_at: dt.datetime, *, expires_s: int = ASKED_FOR_S) -> None:
    """To the probes' own queue: a sweep needs a client with nothing else to do."""
    sweep.apply_async(
        (deployment.pk, planned_at.isoformat()), queue=f"probes.{settings.PROBE_LOCATION}", expires=expires_s
    )


@shared_task(
    name="measurements.plan_sweeps",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=20,
    time_limit=30,
    expires=300,
)
def plan_sweeps() -> None:
    now = dt.datetime.now(dt.UTC)
    scheduled = list(DEPLOYMENTS.filter(sweep_every_hours__isnull=False, retired_on=None))
    planned = list(Sweep.objects.filter(deployment__in=scheduled).values_list("deployment", "planned_at"))
    for deployment, slot in due_deployments(scheduled, planned, now):
        send_sweep(deployment, slot, expires_s=300)
    slot = slot_at(now, SECONDS_PER_HOUR)
    unswept = unswept_simulated().exclude(sweeps__planned_at=slot).first()
    if unswept is not None:  # one at a time: the demo's probes want the workers too
        send_sweep(unswept, slot, expires_s=300)


def unswept_simulated() -> QuerySet[Deployment]:
    """The demo's, until a sweep of each has a level that did not measure a busy machine of ours; hourly tries."""
    simulated = DEPLOYMENTS.filter(offering__provider__simulated=True, retired_on=None)
    return simulated.exclude(sweeps__levels__excluded=False).order_by("endpoint_id")


@shared_task(
    name="measurements.sweep",
    acks_late=True,
    ignore_result=True,
    reject_on_worker_lost=True,
    soft_time_limit=LONGEST_SWEEP_S - 60,
    time_limit=LONGEST_SWEEP_S,
)
def sweep(deployment_id: int, planned_at: str) -> None:
    deployment = DEPLOYMENTS.get(pk=deployment_id)
    try:
        plan = allowed_plan(deployment, usual_plan(deployment))
    except SweepRefused:
        return  # retired or forbidden since it was asked for
    sweep_deployment(deployment, plan, planned_at=dt.datetime.fromisoformat(planned_at))


@shared_task(
    name="measurements.read_engines",
    acks_late=True,
    ignore_result=True,
    soft_time_limit=120,
    time_limit=150,
    expires=900,
)
def read_engines() -> None:
    """How much our endpoints are used; one that does not answer leaves a gap and stops no other."""
    now = dt.datetime.now(dt.UTC)
    for deployment in DEPLOYMENTS.filter(retired_on=None):
        counters = read_counters(deployment) if deployment.is_ours else None
        if counters is not None and counters.output_tokens is not None:
            EngineReading.objects.create(
                deployment=deployment,
                read_at=now,
                output_tokens=counters.output_tokens,
                input_tokens=counters.input_tokens,
            )
    EngineReading.objects.filter(read_at__lt=now - KEPT_READINGS).delete()
