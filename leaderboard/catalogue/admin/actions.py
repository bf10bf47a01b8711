"""Actions on rows that ask first: a page with the count and a reason, then the change and its history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from leaderboard.catalogue.review import ReviewProblem

AdminAction = Callable[[admin.ModelAdmin, HttpRequest, QuerySet[Any]], HttpResponse | None]


class ConfirmForm(forms.Form):
    """Nothing to fill in: the click is the word."""


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=300, help_text="Kept in the history; shown where it is public.")


class PauseForm(ReasonForm):
    until = forms.DateTimeField(
        required=False,
        help_text="UTC; empty: until someone resumes it.",
        widget=forms.DateTimeInput(attrs={"placeholder": "2026-07-31 00:00"}),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RowAction:
    """One verb over chosen rows; `apply` may raise ReviewProblem for a row without stopping the others."""

    name: str
    label: str
    apply: Callable[[Any, User, dict[str, Any]], None]
    form: type[forms.Form] = ConfirmForm
    permission: str | None = None


def as_admin_action(action: RowAction) -> AdminAction:
    def run(model_admin: admin.ModelAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        if action.permission and not request.user.has_perm(action.permission):
            raise PermissionDenied
        form = action.form(request.POST if "confirmed" in request.POST else None)
        if form.is_bound and form.is_valid():
            apply_to_rows(action, model_admin, request, rows, form.cleaned_data)
            return None
        return confirmation_page(action, model_admin, request, rows, form)

    run.__name__ = action.name
    run.short_description = action.label  # type: ignore[attr-defined]
    run.allowed_permissions = ("change",)  # type: ignore[attr-defined]
    return run


def apply_to_rows(
    action: RowAction,
    model_admin: admin.ModelAdmin,
    request: HttpRequest,
    rows: QuerySet[Any],
    answers: dict[str, Any],
) -> None:
    done = 0
    for row in rows:
        try:
            action.apply(row, request.user, answers)  # type: ignore[arg-type]
        except ReviewProblem as problem:
            model_admin.message_user(request, f"{row}: {problem}", messages.ERROR)
        else:
            done += 1
            model_admin.log_change(request, row, action.label)
    if done:
        model_admin.message_user(request, f"{action.label}: {done} done.", messages.SUCCESS)


def confirmation_page(
    action: RowAction,
    model_admin: admin.ModelAdmin,
    request: HttpRequest,
    rows: QuerySet[Any],
    form: forms.Form,
) -> HttpResponse:
    context = {
        **model_admin.admin_site.each_context(request),
        "title": action.label,
        "action": action,
        "form": form,
        "rows": list(rows[:20]),
        "count": rows.count(),
        "chosen": request.POST.getlist(helpers.ACTION_CHECKBOX_NAME),
        "selects_across": request.POST.get("select_across", "0"),
        "checkbox_name": helpers.ACTION_CHECKBOX_NAME,
        "opts": model_admin.model._meta,
    }
    return TemplateResponse(request, "admin/confirm_action.html", context)
