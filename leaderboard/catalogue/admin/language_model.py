"""Models: one identity, many sellers."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest

from leaderboard.catalogue.admin.recording import RecordingAdmin
from leaderboard.catalogue.models import LanguageModel


@admin.register(LanguageModel)
class LanguageModelAdmin(RecordingAdmin):
    list_display = (
        "name",
        "slug",
        "creator",
        "weights",
        "reasoning",
        "context_tokens",
        "offered",
        "released_on",
    )
    list_filter = ("weights", "reasoning", "reasoning_effort", ("retired_on", admin.EmptyFieldListFilter))
    search_fields = ("name", "slug", "creator", "aliases")
    date_hierarchy = "released_on"
    autocomplete_fields = ("superseded_by",)
    ordering = ("name",)

    @admin.display(description="offerings", ordering="offered_count")
    def offered(self, model: Any) -> int:
        return int(model.offered_count)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        sold = Count("offerings", filter=Q(offerings__retired_on=None))
        models: QuerySet[Any] = super().get_queryset(request).annotate(offered_count=sold)
        return models

    def get_readonly_fields(self, request: HttpRequest, obj: LanguageModel | None = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: LanguageModel | None = None) -> bool:
        """Only what nobody sells; anything else is retired."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or not obj.offerings.exists())
