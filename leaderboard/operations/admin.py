"""Alarms in the admin, to be read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.operations.models import Alarm


@admin.register(Alarm)
class AlarmAdmin(admin.ModelAdmin):
    list_display = ("name", "since", "told_at", "ended_at", "text")
    list_filter = (("ended_at", admin.EmptyFieldListFilter),)
    search_fields = ("name",)
    date_hierarchy = "since"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
