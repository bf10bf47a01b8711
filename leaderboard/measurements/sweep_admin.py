"""The "Sweep now" action on deployments; sweeps themselves can be read and edited by nobody."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest

from leaderboard.catalogue.admin.actions import RowAction, as_admin_action
from leaderboard.catalogue.admin.books import ReadOnlyAdmin
from leaderboard.catalogue.admin.hosting import DeploymentAdmin
from leaderboard.catalogue.models import Deployment
from leaderboard.catalogue.review import ReviewProblem
from leaderboard.measurements.models import Sweep, SweepLevel
from leaderboard.measurements.sweep_rules import SweepRefused, allowed_plan, usual_plan
from leaderboard.measurements.sweep_tasks import send_sweep


def sweep_now(deployment: Deployment, user: User, answers: dict[str, Any]) -> None:
    """Queue one sweep; asking again within the minute changes nothing. Raises ReviewProblem."""
    try:
        allowed_plan(deployment, usual_plan(deployment))
    except SweepRefused as refusal:
        raise ReviewProblem(str(refusal)) from None
    send_sweep(deployment, dt.datetime.now(dt.UTC).replace(second=0, microsecond=0))


DeploymentAdmin.actions = (
    *DeploymentAdmin.actions,
    as_admin_action(RowAction(name="sweep_now", label="Sweep now", apply=sweep_now)),
)


def by_nobody(self: Any, request: HttpRequest, obj: Any = None) -> bool:
    """Whose level it was is history."""
    return False


class SweepLevelInline(admin.TabularInline):  # type: ignore[type-arg]
    model = SweepLevel
    fields = (
        "concurrency",
        "samples_ok",
        "samples_failed",
        "throughput_tps",
        "output_speed_tps_user_p50",
        "ttft_ms_p50",
        "ttft_ms_p95",
        "client_lag_ms",
        "is_saturated",
        "excluded",
        "exclusion_reason",
    )
    extra = 0
    has_add_permission = has_change_permission = has_delete_permission = by_nobody


@admin.register(Sweep)
class SweepAdmin(ReadOnlyAdmin):
    list_display = (
        "deployment",
        "measured_at",
        "workload",
        "engine",
        "engine_version",
        "gpu_model",
        "gpu_count",
    )
    list_filter = ("deployment", "workload", "engine")
    list_select_related = ("deployment",)
    date_hierarchy = "measured_at"
    inlines = (SweepLevelInline,)
