"""When a sweep may run and how hard: ours freely, somebody else's only with the operator's word, and then capped."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboard.catalogue.models import Deployment
from leaderboard.catalogue.pricing import in_hours
from leaderboard.measurements.due import slot_at
from probes.sweep import DEFAULT_LEVELS, DEFAULT_PHASE_S, FOREIGN_PHASE_S, within_foreign_cap

SECONDS_PER_HOUR = 3600
LONGEST_PHASE_S = 600.0
MOST_AT_ONCE = 4096


class SweepRefused(Exception):
    """It must not be swept; the text says why and what to do, without any address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPlan:
    """How one sweep goes; `ttft_max_ms` ends it at the first level whose P95 wait is over it."""

    levels: tuple[int, ...] = DEFAULT_LEVELS
    phase_s: float = DEFAULT_PHASE_S
    ttft_max_ms: float | None = None
    stops_when_flat: bool = True
    is_foreign: bool = False


LIGHT_LEVELS = (1, 2, 4, 8)
LIGHT_PHASE_S = 6.0


def usual_plan(deployment: Deployment) -> SweepPlan:
    """How a deployment is swept when nobody says otherwise; the demo's lab lightly, since it shares our machine."""
    if deployment.offering.provider.simulated:
        return SweepPlan(levels=LIGHT_LEVELS, phase_s=LIGHT_PHASE_S)
    return SweepPlan()


def allowed_plan(deployment: Deployment, plan: SweepPlan, *, operator_says_so: bool = False) -> SweepPlan:
    """The plan as it may run, capped where the endpoint is not ours. Raises SweepRefused."""
    forbidden = deployment.offering.provider.probing_forbidden
    if forbidden:
        raise SweepRefused(forbidden)
    if deployment.retired_on is not None:
        raise SweepRefused(f"{deployment} is retired.")
    check_levels(plan)
    if deployment.is_ours:
        return plan
    if not (operator_says_so or deployment.foreign_sweep_agreed):
        raise SweepRefused(
            f"{deployment} is not self-hosted, and a sweep is a load test: tick “its owner agreed to a sweep” on it, "
            "or say --not-ours, if you have its owner's word."
        )
    return SweepPlan(
        levels=within_foreign_cap(plan.levels),
        phase_s=min(plan.phase_s, FOREIGN_PHASE_S),
        ttft_max_ms=plan.ttft_max_ms,
        stops_when_flat=True,
        is_foreign=True,
    )


def check_levels(plan: SweepPlan) -> None:
    levels = plan.levels
    if not levels or sorted(set(levels)) != list(levels) or levels[0] < 1 or levels[-1] > MOST_AT_ONCE:
        raise SweepRefused(f"Levels are rising whole numbers from 1 to {MOST_AT_ONCE}, as in 1,2,4,8.")
    if not 0 < plan.phase_s <= LONGEST_PHASE_S:
        raise SweepRefused(f"A phase lasts from 0 to {LONGEST_PHASE_S:g} seconds.")


def due_deployments(
    deployments: Iterable[Deployment], planned: Sequence[tuple[int, dt.datetime]], now: dt.datetime
) -> list[tuple[Deployment, dt.datetime]]:
    """Those to sweep now, with the slot that asks for it: ours, on a schedule, in quiet hours, not done in this slot.

    `planned`: deployment and slot of every sweep there is.
    """
    done = set(planned)
    found = []
    for deployment in deployments:
        if not (deployment.sweep_every_hours and deployment.is_ours and deployment.retired_on is None):
            continue
        slot = slot_at(now, deployment.sweep_every_hours * SECONDS_PER_HOUR)
        if in_hours(deployment.quiet_hours_utc, "", now) and (deployment.pk, slot) not in done:
            found.append((deployment, slot))
    return found
