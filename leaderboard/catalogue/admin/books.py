"""The books in the admin: read, except for the board's settings and the prices that wait for a word."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest

from leaderboard.catalogue.admin.actions import RowAction, as_admin_action
from leaderboard.catalogue.admin.recording import RecordingAdmin
from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.models import (
    Board,
    CatalogueImport,
    HeldPrice,
    Price,
    Revision,
    SourceQuote,
)


class ReadOnlyAdmin(admin.ModelAdmin):
    """For what the board writes itself."""

    show_facets = admin.ShowFacets.ALWAYS

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Board)
class BoardAdmin(RecordingAdmin):
    list_display = ("__str__", "daily_cap_usd", "two_person_review", "reply_address")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not Board.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Board | None = None) -> bool:
        return False


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    list_display = (
        "at",
        "who",
        "kind",
        "subject",
        "subject_id",
        "field",
        "old",
        "new",
        "reason",
        "is_public",
    )
    list_filter = ("kind", "subject", "is_public")
    search_fields = ("subject_id", "reason", "field")
    date_hierarchy = "at"
    list_select_related = ("who",)


@admin.register(CatalogueImport)
class CatalogueImportAdmin(ReadOnlyAdmin):
    list_display = ("source", "imported_at", "sha256", "unmapped_names")
    list_filter = ("source",)
    date_hierarchy = "imported_at"

    @admin.display(description="not mapped")
    def unmapped_names(self, done: CatalogueImport) -> int:
        return len(done.unmapped)


@admin.register(SourceQuote)
class SourceQuoteAdmin(ReadOnlyAdmin):
    list_display = ("offering", "source", "input_usd_per_mtok", "output_usd_per_mtok", "read_at")
    list_filter = ("source",)
    search_fields = ("offering__public_id",)
    list_select_related = ("offering",)


def believe(held: HeldPrice, user: User, _: dict[str, Any]) -> None:
    """Append it as a price from now on; the history says who believed it."""
    price = Price.objects.create(
        offering=held.offering,
        valid_from=dt.datetime.now(dt.UTC),
        input_usd_per_mtok=held.input_usd_per_mtok,
        output_usd_per_mtok=held.output_usd_per_mtok,
        source="third_party",
        source_url=held.source_url,
        catalogue=held.source,
        note=f"Confirmed: {held.reason}"[:300],
    )
    held.resolution = "believed"
    held.save(update_fields=["resolution"])
    record_revision(price, user, kind="added", new=str(price), reason=price.note, is_public=True)


def dismiss(held: HeldPrice, user: User, answers: dict[str, Any]) -> None:
    held.resolution = "dismissed"
    held.save(update_fields=["resolution"])


@admin.register(HeldPrice)
class HeldPriceAdmin(RecordingAdmin):
    list_display = (
        "offering",
        "input_usd_per_mtok",
        "output_usd_per_mtok",
        "reason",
        "source",
        "seen_at",
        "resolution",
    )
    list_filter = ("resolution", "source")
    search_fields = ("offering__public_id",)
    list_select_related = ("offering",)
    readonly_fields = (
        "offering",
        "source",
        "source_url",
        "input_usd_per_mtok",
        "output_usd_per_mtok",
        "reason",
        "seen_at",
        "resolution",
    )
    actions = (
        as_admin_action(
            RowAction(
                name="believe", label="Believe these prices", apply=believe, permission="catalogue.add_price"
            )
        ),
        as_admin_action(
            RowAction(
                name="dismiss", label="Dismiss these prices", apply=dismiss, permission="catalogue.add_price"
            )
        ),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: HeldPrice | None = None) -> bool:
        return False
