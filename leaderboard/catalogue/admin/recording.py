"""What every catalogue admin shares: each saved change becomes a revision, and nothing measured is deleted."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.forms import ModelForm
from django.http import HttpRequest

from leaderboard.catalogue.credentials import MAY_DIRECT_KEYS
from leaderboard.catalogue.history import record_revision


def acting_user(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


class RecordingAdmin(admin.ModelAdmin):
    """Writes a revision per changed field and offers no bulk deletion; subclasses say what may be deleted."""

    show_facets = admin.ShowFacets.ALWAYS
    save_on_top = True
    list_per_page = 50

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """The form knows whether an operator fills it in."""
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.may_direct_keys = request.user.has_perm(MAY_DIRECT_KEYS)
        return form

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        user = acting_user(request)
        reason = form.cleaned_data.get("reason", "")
        if not change:
            record_revision(obj, user, kind="added", reason=reason, is_public=self.is_public(obj))
            return
        for field in form.changed_data:
            if field == "reason":
                continue
            old, new = form.initial.get(field), form.cleaned_data.get(field)
            record_revision(obj, user, kind="edited", field=field, old=old, new=new, reason=reason)

    def is_public(self, obj: Any) -> bool:
        """Whether its addition belongs among the board's public changes."""
        return False

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions
