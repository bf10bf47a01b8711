"""Offerings: what is sold, its price grid, and the way from draft to the board."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from leaderboard.catalogue import review
from leaderboard.catalogue.addresses import BadBaseUrl, tidy_base_url
from leaderboard.catalogue.admin.actions import AdminAction, PauseForm, ReasonForm, RowAction, as_admin_action
from leaderboard.catalogue.admin.price import PriceInline, save_appended
from leaderboard.catalogue.admin.recording import RecordingAdmin, acting_user
from leaderboard.catalogue.credentials import has_key, is_same_host
from leaderboard.catalogue.identity import free_public_id
from leaderboard.catalogue.models import Offering, Price, Provider, utc_today


class OfferingForm(forms.ModelForm):
    reason = forms.CharField(label="reason for the change", required=False, max_length=300)
    may_direct_keys = False
    """Whether whoever fills it in is an operator; the admin says."""

    class Meta:
        model = Offering
        fields = (
            "provider",
            "model",
            "variant",
            "provider_model_name",
            "protocol",
            "base_url",
            "serving_region",
            "hosting",
            "quantization",
            "quantization_source",
            "context_tokens",
            "max_output_tokens",
            "interval_s",
            "workloads",
            "paused_reason",
            "paused_until",
            "not_before",
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        self.refuse_duplicate(cleaned)
        provider = cleaned.get("provider") or (self.instance.provider if self.instance.pk else None)
        if cleaned.get("base_url") and provider:
            try:
                cleaned["base_url"] = tidy_base_url(
                    cleaned["base_url"], may_be_private=provider.may_be_private
                )
            except BadBaseUrl as problem:
                self.add_error("base_url", str(problem))
            self.keep_keys_at_home(cleaned["base_url"], provider)
        return cleaned

    def keep_keys_at_home(self, base_url: str, provider: Provider) -> None:
        """The provider's key goes to the provider's host; an operator may send it to another."""
        moved = {"base_url", "provider"} & set(self.changed_data)
        if not moved or self.may_direct_keys or not has_key(provider):
            return
        if not is_same_host(base_url, provider.base_url):
            self.add_error("base_url", f"The key of {provider} goes to its own host only. Ask an operator.")

    def refuse_duplicate(self, cleaned: dict[str, Any]) -> None:
        provider, model = cleaned.get("provider"), cleaned.get("model")
        if provider is None or model is None:
            return
        same = Offering.objects.filter(provider=provider, model=model, variant=cleaned.get("variant", ""))
        known = same.exclude(pk=self.instance.pk).first()
        if known:
            since = known.first_probed_on
            state = f"{known.probe_state}" + (f" since {since.day} {since:%B}" if since else "")
            self.add_error(
                "variant", f"{provider} already serves this model ({state}). Open it, or add a variant."
            )


def publish(offering: Offering, user: User, answers: dict[str, Any]) -> None:
    review.publish(offering, user, now=dt.datetime.now(dt.UTC), note=answers.get("reason", ""))


def ask_for_review(offering: Offering, user: User, answers: dict[str, Any]) -> None:
    review.ask_for_review(offering, user)


def pause(offering: Offering, user: User, answers: dict[str, Any]) -> None:
    review.pause(offering, user, reason=answers["reason"], until=answers["until"])


def resume(offering: Offering, user: User, answers: dict[str, Any]) -> None:
    review.resume(offering, user)


def retire(offering: Offering, user: User, answers: dict[str, Any]) -> None:
    review.retire(offering, user, reason=answers["reason"], today=utc_today())


def mark_prices_checked(offering: Offering, user: User, answers: dict[str, Any]) -> None:
    offering.prices.filter(valid_to=None).update(verified_at=dt.datetime.now(dt.UTC))


class NoteForm(forms.Form):
    reason = forms.CharField(label="note", max_length=300, required=False)


@admin.register(Offering)
class OfferingAdmin(RecordingAdmin):
    form = OfferingForm
    inlines = (PriceInline,)
    list_display: tuple[str, ...] = (
        "public_id",
        "provider",
        "model",
        "probe_state",
        "quantization",
        "input_price",
        "output_price",
        "prices_checked",
        "last_ok_at",
        "interval_s",
    )
    list_filter = (
        "probe_state",
        "hosting",
        "quantization",
        "provider__kind",
        "provider__simulated",
        "model__weights",
        ("last_ok_at", admin.EmptyFieldListFilter),
    )
    list_select_related = ("provider", "model")
    search_fields = ("public_id", "provider__name", "model__name", "model__slug", "provider_model_name")
    date_hierarchy = "updated_at"
    autocomplete_fields = ("provider", "model")
    ordering = ("public_id",)
    fieldsets = (
        (None, {"fields": ("provider", "model", "variant", "provider_model_name")}),
        ("Endpoint", {"fields": ("protocol", "base_url", "serving_region", "hosting")}),
        (
            "Limits",
            {"fields": ("quantization", "quantization_source", "context_tokens", "max_output_tokens")},
        ),
        ("Probing", {"fields": ("interval_s", "workloads", "paused_reason", "paused_until", "not_before")}),
        ("History", {"fields": ("retired_reason", "reason")}),
    )
    actions: tuple[AdminAction, ...] = (
        as_admin_action(
            RowAction(
                name="publish",
                label="Publish",
                apply=publish,
                form=NoteForm,
                permission="catalogue.publish_offering",
            )
        ),
        as_admin_action(RowAction(name="ask_for_review", label="Ask for review", apply=ask_for_review)),
        as_admin_action(RowAction(name="pause", label="Pause", apply=pause, form=PauseForm)),
        as_admin_action(RowAction(name="resume", label="Resume", apply=resume)),
        as_admin_action(RowAction(name="retire", label="Retire", apply=retire, form=ReasonForm)),
        as_admin_action(
            RowAction(name="mark_prices_checked", label="Mark prices checked", apply=mark_prices_checked)
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        newest = Price.objects.filter(offering=OuterRef("pk"), context_above_tokens=None).order_by(
            "-valid_from"
        )
        offerings: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(
                input_now=Subquery(newest.values("input_usd_per_mtok")[:1]),
                output_now=Subquery(newest.values("output_usd_per_mtok")[:1]),
                checked=Max("prices__verified_at"),
            )
        )
        return offerings

    @admin.display(description="input USD per 1M", ordering="input_now", empty_value="unknown")
    def input_price(self, offering: Any) -> Any:
        return offering.input_now

    @admin.display(description="output USD per 1M", ordering="output_now", empty_value="unknown")
    def output_price(self, offering: Any) -> Any:
        return offering.output_now

    @admin.display(description="prices checked", ordering="checked")
    def prices_checked(self, offering: Any) -> Any:
        return offering.checked

    def get_readonly_fields(self, request: HttpRequest, obj: Offering | None = None) -> tuple[str, ...]:
        return ("provider", "model", "variant", "retired_reason") if obj else ("retired_reason",)

    def save_model(self, request: HttpRequest, obj: Offering, form: forms.ModelForm, change: bool) -> None:
        if not change:
            obj.public_id = free_public_id(obj.provider, obj.model, obj.variant)
        if form.changed_data:
            review.note_edit(obj, acting_user(request))
        super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        if formset.model is not Price:
            super().save_formset(request, form, formset, change)
            return
        prices = formset.save(commit=False)
        if prices:
            save_appended(request, prices, now=dt.datetime.now(dt.UTC))
            review.note_edit(form.instance, acting_user(request))
            form.instance.save()

    def is_public(self, obj: Offering) -> bool:
        return True

    def has_delete_permission(self, request: HttpRequest, obj: Offering | None = None) -> bool:
        """Only what was never measured; anything else is retired."""
        return super().has_delete_permission(request, obj) and (obj is None or obj.first_probed_on is None)
