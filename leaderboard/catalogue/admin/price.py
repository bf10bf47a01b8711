"""Prices: appended under their offering, guarded before belief, corrected only with a reason."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from leaderboard.catalogue.admin.recording import RecordingAdmin, acting_user
from leaderboard.catalogue.amounts import hold_reason
from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.models import Offering, Price
from leaderboard.catalogue.pricing import Rates
from leaderboard.catalogue.queries import model_median_rates

AMOUNTS = (
    "input_usd_per_mtok",
    "output_usd_per_mtok",
    "cache_read_usd_per_mtok",
    "cache_write_usd_per_mtok",
    "reasoning_usd_per_mtok",
    "request_usd",
)
TERMS = ("context_above_tokens", "hours_utc", "weekdays", "currency_original", "fx_rate_to_usd")
ORIGIN = ("source", "source_url")


class PriceForm(forms.ModelForm):
    """A price to append. Amounts are typed in the named currency and stored in USD at the rate beside it."""

    confirmed = forms.BooleanField(
        required=False, label="checked", help_text="I have looked: this unusual or free price is right."
    )

    class Meta:
        model = Price
        fields = (*AMOUNTS, *TERMS, *ORIGIN, "valid_from", "valid_to", "note")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() & set(AMOUNTS):
            field = self.fields[name]
            field.label = str(field.label).replace(" usd per mtok", " per 1M")
            field.widget.attrs["size"] = "8"
        if "valid_from" in self.fields:
            self.fields["valid_from"].required = False
            self.fields["valid_from"].help_text = "UTC; empty: from now on."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        offering = getattr(self.instance, "offering", None)
        self.convert(cleaned)
        if not cleaned.get("confirmed"):
            self.ask_about_free(cleaned)
            self.ask_about_doubtful(cleaned, offering)
        return cleaned

    def convert(self, cleaned: dict[str, Any]) -> None:
        currency = (cleaned.get("currency_original") or "USD").strip().upper()
        cleaned["currency_original"] = currency
        rate = cleaned.get("fx_rate_to_usd")
        if currency == "USD":
            cleaned["fx_rate_to_usd"] = None
            return
        if not rate:
            self.add_error(
                "fx_rate_to_usd", f"Prices in {currency} need the rate to USD; without one they stay unknown."
            )
            return
        said = [f"{cleaned[name].normalize():f}" for name in AMOUNTS if cleaned.get(name) is not None]
        for name in AMOUNTS:
            if cleaned.get(name) is not None:
                cleaned[name] = round(cleaned[name] * rate, 8)
        cleaned["note"] = cleaned.get("note") or f"Published as {', '.join(said)} {currency} per 1M."

    def ask_about_free(self, cleaned: dict[str, Any]) -> None:
        for name in ("input_usd_per_mtok", "output_usd_per_mtok"):
            if cleaned.get(name) == 0:
                self.add_error(
                    name, "Is it free? Tick “checked” if 0 is meant; leave it empty if the price is unknown."
                )

    def ask_about_doubtful(self, cleaned: dict[str, Any], offering: Offering | None) -> None:
        median = model_median_rates(offering.model_id, except_offering=offering.pk) if offering else None
        for name in ("input_usd_per_mtok", "output_usd_per_mtok"):
            reason = hold_reason(Rates(**{name: cleaned.get(name)}), model_median=median)
            if reason:
                self.add_error(name, reason)


class CorrectionForm(PriceForm):
    """A price that was wrong when it was written. A price that changed is appended instead."""

    reason = forms.CharField(
        max_length=300,
        help_text="Why it was wrong when it was written. If the provider changed its price, add a new one instead.",
    )


class PriceInline(admin.TabularInline):
    """The price grid: a row to append, and the history below it, not to be edited here."""

    model = Price
    form = PriceForm
    extra = 1
    can_delete = False
    show_change_link = True
    fields = (*AMOUNTS, *TERMS, *ORIGIN, "valid_from", "confirmed", "note")
    verbose_name_plural = "prices (USD per 1M tokens; empty is unknown, 0 is free)"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def save_appended(request: HttpRequest, prices: list[Price], *, now: dt.datetime) -> None:
    """Rows saved together are one price list: they hold from the same instant."""
    user = acting_user(request)
    for price in prices:
        price.valid_from = price.valid_from if isinstance(price.valid_from, dt.datetime) else now
        price.entered_by = "admin"
        price.verified_at = now
        price.save()
        record_revision(price, user, kind="added", new=describe(price), reason=price.note, is_public=True)


def describe(price: Price) -> str:
    return f"input {shown(price.input_usd_per_mtok)}, output {shown(price.output_usd_per_mtok)} USD per 1M"


def shown(amount: Decimal | None) -> str:
    return "unknown" if amount is None else f"{amount.normalize():f}"


@admin.register(Price)
class PriceAdmin(RecordingAdmin):
    form = PriceForm
    list_display = (
        "offering",
        "input_usd_per_mtok",
        "output_usd_per_mtok",
        "cache_read_usd_per_mtok",
        "context_above_tokens",
        "valid_from",
        "verified_at",
        "source",
        "catalogue",
    )
    list_filter = ("source", "catalogue", "entered_by", "currency_original", "offering__provider__kind")
    list_select_related = ("offering",)
    search_fields = ("offering__public_id", "note", "source_url")
    date_hierarchy = "valid_from"
    autocomplete_fields = ("offering",)
    ordering = ("-valid_from", "offering")

    def get_form(
        self, request: HttpRequest, obj: Price | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        kwargs["form"] = CorrectionForm if obj else AppendedPriceForm
        return super().get_form(request, obj, change, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Price | None = None) -> tuple[str, ...]:
        return ("offering", "valid_from", "entered_by", "catalogue", "verified_at") if obj else ()

    def save_model(self, request: HttpRequest, obj: Price, form: forms.ModelForm, change: bool) -> None:
        if not change:
            save_appended(request, [obj], now=dt.datetime.now(dt.UTC))
            return
        obj.save()
        user = acting_user(request)
        for field in set(form.changed_data) - {"reason", "confirmed"}:
            record_revision(
                obj,
                user,
                kind="corrected",
                field=field,
                old=form.initial.get(field),
                new=form.cleaned_data.get(field),
                reason=form.cleaned_data["reason"],
                is_public=True,
            )

    def has_delete_permission(self, request: HttpRequest, obj: Price | None = None) -> bool:
        return False


class AppendedPriceForm(PriceForm):
    class Meta:
        model = Price
        fields = ("offering", *PriceForm.Meta.fields)

    def clean(self) -> dict[str, Any]:
        if "offering" in self.cleaned_data:
            self.instance.offering = self.cleaned_data["offering"]
        return super().clean()
