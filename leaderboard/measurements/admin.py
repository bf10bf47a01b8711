"""The "Probe now" action on offerings; samples themselves can be edited or deleted by nobody."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest

from leaderboard.catalogue.admin.actions import RowAction, as_admin_action
from leaderboard.catalogue.admin.offering import OfferingAdmin
from leaderboard.catalogue.models import Offering
from leaderboard.catalogue.review import ReviewProblem
from leaderboard.measurements import sweep_admin
from leaderboard.measurements.models import ProbeLocation
from leaderboard.measurements.planning import plan_now
from leaderboard.measurements.tasks import send

__all__ = ["sweep_admin"]


def probe_now(offering: Offering, user: User, answers: dict[str, Any]) -> None:
    """Queue one probe; asking again within the minute changes nothing."""
    if offering.provider.probing_forbidden:
        raise ReviewProblem(offering.provider.probing_forbidden)
    send(plan_now([offering]))


OfferingAdmin.actions = (
    *OfferingAdmin.actions,
    as_admin_action(
        RowAction(name="probe_now", label="Probe now", apply=probe_now, permission="catalogue.probe_offering")
    ),
)


@admin.register(ProbeLocation)
class ProbeLocationAdmin(admin.ModelAdmin):
    """Added by its first worker; a person only ends it."""

    list_display = ("name", "is_used", "first_seen_at")
    readonly_fields = ("name", "first_seen_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
