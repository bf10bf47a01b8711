"""Providers: how they are reached, with a key that can be written and never read."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Count, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest

from leaderboard.catalogue.addresses import BadBaseUrl, tidy_base_url
from leaderboard.catalogue.admin.actions import AdminAction, PauseForm, ReasonForm, RowAction, as_admin_action
from leaderboard.catalogue.admin.recording import RecordingAdmin, acting_user
from leaderboard.catalogue.credentials import (
    CredentialsProblem,
    describe_key,
    forget_key,
    is_own_variable,
    is_same_host,
    store_key,
)
from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.models import Offering, Price, ProbeState, Provider, utc_today
from leaderboard.catalogue.names import LONGEST_PROVIDER_NAME, BadName, fold_name, tidy_name
from probes.protocols import PROTOCOLS

MOST_INLINE_OFFERINGS = 40
ACTIVE = Q(offerings__probe_state=ProbeState.ACTIVE)
MISSED_INTERVALS = 2


class ProviderForm(forms.ModelForm):
    """A provider as typed; the key goes in encrypted, never comes back, and stays with the host it was entered for."""

    may_direct_keys = False
    """Whether whoever fills it in is an operator; the admin says."""

    protocol = forms.ChoiceField(choices=[(slug, slug) for slug in PROTOCOLS], initial="openai-chat")
    api_key = forms.CharField(
        label="API key",
        required=False,
        strip=True,
        max_length=4000,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "new-password"}),
    )
    remove_key = forms.BooleanField(label="remove the stored key", required=False)
    reason = forms.CharField(label="reason for the change", required=False, max_length=300)

    class Meta:
        model = Provider
        fields = (
            "name",
            "slug",
            "kind",
            "protocol",
            "base_url",
            "region",
            "api_key_env",
            "homepage_url",
            "pricing_url",
            "status_url",
            "headquarters_country",
            "aliases",
            "first_seen_on",
            "account_kind",
            "benchmarks_forbidden",
            "opted_out_on",
            "terms_note",
            "daily_cap_usd",
            "paused_reason",
            "paused_until",
            "simulated",
            "retired_on",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        state = describe_key(self.instance) if self.instance.pk else "none"
        if "api_key" in self.fields:
            self.fields[
                "api_key"
            ].help_text = f"Now: {state}. Stored encrypted and never shown; empty leaves it as it is."

    def clean_name(self) -> str:
        try:
            name = tidy_name(self.cleaned_data["name"], longest=LONGEST_PROVIDER_NAME)
        except BadName as problem:
            raise forms.ValidationError(str(problem)) from None
        others = Provider.objects.exclude(pk=self.instance.pk).values_list("name", flat=True)
        if any(fold_name(other) == fold_name(name) for other in others):
            raise forms.ValidationError(
                f"There is a provider named {name} already. Open it, or choose another name."
            )
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("base_url"):
            may_be_private = cleaned.get("kind") == Provider.Kind.SELF_HOSTED or bool(
                cleaned.get("simulated")
            )
            try:
                cleaned["base_url"] = tidy_base_url(cleaned["base_url"], may_be_private=may_be_private)
            except BadBaseUrl as problem:
                self.add_error("base_url", str(problem))
        self.keep_keys_at_home(cleaned)
        self.keep_key(cleaned)
        return cleaned

    def clean_api_key_env(self) -> str:
        name = str(self.cleaned_data["api_key_env"])
        if name and is_own_variable(name):
            raise forms.ValidationError(f"{name} belongs to the board itself and is never sent to anybody.")
        if name and "api_key_env" in self.changed_data and not self.may_direct_keys:
            raise forms.ValidationError("Only an operator may name a variable. Ask one, or paste the key.")
        return name

    def keep_keys_at_home(self, cleaned: dict[str, Any]) -> None:
        """Whoever may change an address must not learn a key by it."""
        before, after = self.initial.get("base_url") or "", cleaned.get("base_url") or ""
        if not self.instance.pk or is_same_host(before, after):
            return
        if self.instance.encrypted_api_key and not (cleaned.get("api_key") or cleaned.get("remove_key")):
            self.add_error(
                "base_url",
                "A key is stored for the host as it was. Enter this one's, or remove it.",
            )
        if cleaned.get("api_key_env") and not self.may_direct_keys:
            self.add_error("base_url", "The variable's key goes to the host as it was. Ask an operator.")

    def keep_key(self, cleaned: dict[str, Any]) -> None:
        """Encrypt at once, so that the plain key leaves the form's data with this call."""
        key = cleaned.pop("api_key", "")
        if cleaned.get("remove_key"):
            forget_key(self.instance)
        if not key:
            return
        try:
            store_key(self.instance, key, now=dt.datetime.now(dt.UTC))
        except CredentialsProblem as problem:
            self.add_error("api_key", str(problem))


class OfferingInline(admin.TabularInline):
    model = Offering
    extra = 0
    can_delete = False
    show_change_link = True
    autocomplete_fields = ("model",)
    fields = ("model", "variant", "provider_model_name", "quantization", "probe_state", "last_ok_at")
    readonly_fields = ("probe_state", "last_ok_at")
    verbose_name_plural = "offerings (state is changed by actions in the list of offerings)"

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class KeyFilter(admin.SimpleListFilter):
    title = "key"
    parameter_name = "key"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("stored", "stored"), ("variable", "named by a variable"), ("none", "none")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Provider]) -> QuerySet[Provider]:
        conditions = {
            "stored": ~Q(encrypted_api_key=""),
            "variable": Q(encrypted_api_key="") & ~Q(api_key_env=""),
            "none": Q(encrypted_api_key="", api_key_env=""),
        }
        return queryset.filter(conditions.get(self.value() or "", Q()))


def retire_provider(provider: Provider, user: User, answers: dict[str, Any]) -> None:
    provider.retired_on = provider.retired_on or utc_today()
    provider.save(update_fields=["retired_on", "updated_at"])
    record_revision(provider, user, kind="retired", reason=answers["reason"], is_public=True)


def pause_provider(provider: Provider, user: User, answers: dict[str, Any]) -> None:
    provider.paused_reason, provider.paused_until = answers["reason"], answers["until"]
    provider.save(update_fields=["paused_reason", "paused_until", "updated_at"])
    record_revision(provider, user, kind="paused", reason=answers["reason"], is_public=True)


def resume_provider(provider: Provider, user: User, answers: dict[str, Any]) -> None:
    provider.paused_reason, provider.paused_until = "", None
    provider.save(update_fields=["paused_reason", "paused_until", "updated_at"])
    record_revision(provider, user, kind="resumed", is_public=True)


def mark_prices_checked(provider: Provider, user: User, answers: dict[str, Any]) -> None:
    Price.objects.filter(offering__provider=provider, valid_to=None).update(
        verified_at=dt.datetime.now(dt.UTC)
    )
    record_revision(provider, user, kind="edited", field="prices", new="checked")


def failing_since(
    last_good: dt.datetime | None, *, first_probed: dt.date | None, interval_s: int | None, now: dt.datetime
) -> dt.date | None:
    """When a probed provider last answered well, two intervals ago or longer; its first day where it never did.

    None where it is well, was never probed, or nothing of it is probed now (`interval_s` None).
    """
    if interval_s is None:
        return None
    if last_good is None:
        return first_probed
    return last_good if now - last_good > MISSED_INTERVALS * dt.timedelta(seconds=interval_s) else None


@admin.register(Provider)
class ProviderAdmin(RecordingAdmin):
    form = ProviderForm
    list_display = (
        "name",
        "kind",
        "state",
        "key",
        "last_tested_at",
        "last_good_sample",
        "failing_since",
        "prices_checked",
        "offered",
        "daily_cap_usd",
    )
    list_filter = (
        "kind",
        KeyFilter,
        "protocol",
        "account_kind",
        "benchmarks_forbidden",
        "simulated",
        ("retired_on", admin.EmptyFieldListFilter),
        ("paused_reason", admin.EmptyFieldListFilter),
    )
    search_fields = ("name", "slug", "aliases", "base_url")
    date_hierarchy = "first_seen_on"
    ordering = ("name",)
    prepopulated_fields = {"slug": ("name",)}
    fieldsets = (
        (None, {"fields": ("name", "slug", "kind", "protocol", "base_url", "region")}),
        ("Key", {"fields": ("api_key", "remove_key", "api_key_env")}),
        (
            "Public facts",
            {
                "fields": (
                    "homepage_url",
                    "pricing_url",
                    "status_url",
                    "headquarters_country",
                    "aliases",
                    "first_seen_on",
                )
            },
        ),
        ("Fair play", {"fields": ("account_kind", "benchmarks_forbidden", "opted_out_on", "terms_note")}),
        (
            "Probing",
            {"fields": ("daily_cap_usd", "paused_reason", "paused_until", "simulated", "retired_on")},
        ),
        ("History", {"fields": ("reason",)}),
    )
    actions: tuple[AdminAction, ...] = (
        as_admin_action(RowAction(name="pause", label="Pause", apply=pause_provider, form=PauseForm)),
        as_admin_action(RowAction(name="resume", label="Resume", apply=resume_provider)),
        as_admin_action(RowAction(name="retire", label="Retire", apply=retire_provider, form=ReasonForm)),
        as_admin_action(
            RowAction(name="mark_prices_checked", label="Mark prices checked", apply=mark_prices_checked)
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        prices = (
            Price.objects.filter(offering__provider=OuterRef("pk")).order_by().values("offering__provider")
        )
        providers: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .annotate(
                offered_count=Count("offerings", filter=Q(offerings__retired_on=None)),
                last_good=Max("offerings__last_ok_at"),
                first_probed=Min("offerings__first_probed_on", filter=ACTIVE),
                shortest_interval_s=Min("offerings__interval_s", filter=ACTIVE),
                checked=Subquery(prices.annotate(newest=Max("verified_at")).values("newest")),
            )
        )
        return providers

    @admin.display(description="models", ordering="offered_count")
    def offered(self, provider: Any) -> int:
        return int(provider.offered_count)

    @admin.display(description="last good sample", ordering="last_good")
    def last_good_sample(self, provider: Any) -> dt.datetime | None:
        found: dt.datetime | None = provider.last_good
        return found

    @admin.display(description="failing since")
    def failing_since(self, provider: Any) -> dt.date | None:
        return failing_since(
            provider.last_good,
            first_probed=provider.first_probed,
            interval_s=None if provider.paused_reason else provider.shortest_interval_s,
            now=dt.datetime.now(dt.UTC),
        )

    @admin.display(description="prices checked", ordering="checked")
    def prices_checked(self, provider: Any) -> dt.datetime | None:
        found: dt.datetime | None = provider.checked
        return found

    @admin.display(description="state")
    def state(self, provider: Provider) -> str:
        if provider.probing_forbidden:
            return provider.probing_forbidden
        return f"paused: {provider.paused_reason}" if provider.paused_reason else "open"

    @admin.display(description="key")
    def key(self, provider: Provider) -> str:
        return describe_key(provider)

    def save_model(self, request: HttpRequest, obj: Provider, form: forms.ModelForm, change: bool) -> None:
        key_was_touched = bool({"api_key", "remove_key"} & set(form.changed_data))
        form.changed_data[:] = [f for f in form.changed_data if f not in ("api_key", "remove_key")]
        super().save_model(request, obj, form, change)
        if key_was_touched:
            user = acting_user(request)
            record_revision(obj, user, kind="edited", field="api_key", new=bool(obj.encrypted_api_key))

    def is_public(self, obj: Provider) -> bool:
        return not obj.simulated

    def get_readonly_fields(self, request: HttpRequest, obj: Provider | None = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()

    def get_prepopulated_fields(self, request: HttpRequest, obj: Provider | None = None) -> dict[str, Any]:
        return {} if obj else {"slug": ("name",)}

    def get_inlines(self, request: HttpRequest, obj: Provider | None) -> list[Any]:
        """A form of hundreds of offerings could not be sent: the list of offerings shows those."""
        return [OfferingInline] if obj and obj.offerings.count() <= MOST_INLINE_OFFERINGS else []

    def has_delete_permission(self, request: HttpRequest, obj: Provider | None = None) -> bool:
        """Only what nothing was ever measured of; anything else is retired."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or not obj.offerings.filter(first_probed_on__isnull=False).exists())
