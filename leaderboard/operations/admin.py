"""Alarms in the admin, to be read; and the actions on rows that reach from the catalogue to samples and files."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from leaderboard.catalogue.admin.actions import RowAction, as_admin_action
from leaderboard.catalogue.admin.offering import OfferingAdmin
from leaderboard.catalogue.admin.provider import ProviderAdmin
from leaderboard.catalogue.models import Offering, Provider
from leaderboard.catalogue.review import ReviewProblem
from leaderboard.measurements.excluding import REASONS
from leaderboard.operations import correcting, webhooks
from leaderboard.operations.models import Alarm, Webhook
from leaderboard.operations.onboarding.retesting import TESTS_AT_A_TIME, test_again
from leaderboard.ranking.models import DailySummary, SeriesProfile

MAY_CORRECT = "catalogue.change_board"
"""The operator's right: editors and approvers cannot take samples out of figures."""


class ExcludeForm(forms.Form):
    since = forms.DateTimeField(label="from", help_text="UTC, of the schedule; that instant is in.")
    until = forms.DateTimeField(label="up to", help_text="UTC; that instant is out. At most 31 days later.")
    kind = forms.ChoiceField(
        label="kind", choices=[(reason, reason) for reason in REASONS], help_text="Published in samples.csv."
    )
    reason = forms.CharField(max_length=300, help_text="In words; shown on the page of corrections.")


class WordsForm(forms.Form):
    reason = forms.CharField(max_length=300, help_text="Kept in the history and in the data's change log.")


def exclude_samples(offering: Offering, user: User, answers: dict[str, Any]) -> None:
    correcting.exclude(
        offering,
        user,
        since=answers["since"],
        until=answers["until"],
        reason=answers["kind"],
        words=answers["reason"],
        now=dt.datetime.now(dt.UTC),
    )


def recompute(row: DailySummary, user: User, answers: dict[str, Any]) -> None:
    """Once for each day among the chosen rows: the day's other rows are made with it."""
    days: set[dt.date] = answers.setdefault("days", set())
    if row.day not in days:
        days.add(row.day)
        correcting.recompute_day(row.day, user, words=answers["reason"], now=dt.datetime.now(dt.UTC))


def test_connection(provider: Provider, user: User, answers: dict[str, Any]) -> None:
    """The message of a provider that fails says its first bad line."""
    tested: list[str] = answers.setdefault("tested", [])
    if len(tested) == TESTS_AT_A_TIME:
        raise ReviewProblem(f"Not tested: {TESTS_AT_A_TIME} tests at a time are enough.")
    tested.append(provider.slug)
    lines = test_again(provider, now=dt.datetime.now(dt.UTC))
    bad = next((line.text for line in lines if line.ok is False), "")
    if bad:
        raise ReviewProblem(bad)


OfferingAdmin.actions = (
    *OfferingAdmin.actions,
    as_admin_action(
        RowAction(
            name="exclude_samples",
            label="Exclude samples",
            apply=exclude_samples,
            form=ExcludeForm,
            permission=MAY_CORRECT,
        )
    ),
)
ProviderAdmin.actions = (
    *ProviderAdmin.actions,
    as_admin_action(RowAction(name="test_connection", label="Test connection", apply=test_connection)),
)


class OnlyRead(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Alarm)
class AlarmAdmin(OnlyRead):
    list_display = ("name", "since", "told_at", "ended_at", "text")
    list_filter = (("ended_at", admin.EmptyFieldListFilter),)
    search_fields = ("name",)
    date_hierarchy = "since"


# Secrets of sign-in belong to one person each: set up on their own page, ended there or by a command.
admin.site.unregister(TOTPDevice)
admin.site.unregister(StaticDevice)
admin.site.unregister(Offering)


@admin.register(Offering)
class MeasuredOfferingAdmin(OfferingAdmin):
    """The catalogue's list with what was measured beside it."""

    list_display = (*OfferingAdmin.list_display, "token_inflation")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The ratio of the offering's series with the most samples."""
        most = SeriesProfile.objects.filter(offering=OuterRef("pk"), output_token_samples__gt=0).order_by(
            "-output_token_samples", "workload", "probe_location"
        )
        offerings: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(output_token_ratio=Subquery(most.values("output_token_ratio")[:1]))
        )
        return offerings

    @admin.display(
        description="output tokens billed per reference token",
        ordering="output_token_ratio",
        empty_value="unknown",
    )
    def token_inflation(self, offering: Any) -> str | None:
        ratio = offering.output_token_ratio
        return None if ratio is None else f"{ratio:.2f}"


@admin.register(DailySummary)
class DailySummaryAdmin(OnlyRead):
    """The rows of daily.csv, to be read, and their day to be counted anew."""

    show_facets = admin.ShowFacets.ALWAYS
    list_display = (
        "day",
        "offering",
        "workload",
        "probe_location",
        "samples_scheduled",
        "samples_ok",
        "samples_excluded",
        "final",
    )
    list_filter = ("final", "workload", "probe_location", "simulated")
    list_select_related = ("offering",)
    search_fields = ("offering__public_id",)
    date_hierarchy = "day"
    ordering = ("-day", "offering")
    actions = (
        as_admin_action(
            RowAction(
                name="recompute",
                label="Recompute the day",
                apply=recompute,
                form=WordsForm,
                permission=MAY_CORRECT,
            )
        ),
    )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The list's actions ask for it; a single row stays as it is."""
        return obj is None and request.user.has_perm(MAY_CORRECT)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions


class WebhookForm(forms.ModelForm):
    """The secret goes in and never comes out."""

    url = forms.URLField(
        max_length=500,
        assume_scheme="https",
        help_text="Gets a signed POST of JSON; redirects are not followed.",
    )
    secret = forms.CharField(
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        min_length=16,
        help_text="Shared with the receiver, who checks the signature with it. Left empty, the stored one stays.",
    )

    class Meta:
        model = Webhook
        fields = ("name", "url", "with_simulated", "is_active")

    def clean_secret(self) -> str:
        secret = str(self.cleaned_data["secret"])
        if not secret and not self.instance.encrypted_secret:
            raise forms.ValidationError("A new webhook needs a secret of at least 16 letters.")
        return secret


@admin.register(Webhook)
class WebhookAdmin(admin.ModelAdmin):
    form = WebhookForm
    list_display = ("name", "url", "is_active", "failures", "last_ok_at", "next_try_at", "last_error")
    readonly_fields = ("failures", "last_ok_at", "next_try_at", "last_error")

    def save_model(self, request: HttpRequest, obj: Webhook, form: Any, change: bool) -> None:
        """A new one hears of what happens from now on."""
        if form.cleaned_data["secret"]:
            webhooks.keep_secret(obj, form.cleaned_data["secret"])
        if not change:
            obj.last_event = webhooks.newest_event()
        super().save_model(request, obj, form, change)
