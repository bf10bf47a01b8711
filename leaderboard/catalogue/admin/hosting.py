"""Own hardware: kinds of GPUs, and deployments with what they cost. Addresses and secrets stay out of public fields."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import HttpRequest

from leaderboard.catalogue.admin.actions import RowAction, as_admin_action
from leaderboard.catalogue.engines.flags import cleaned_flags
from leaderboard.catalogue.engines.refreshing import refresh_deployment
from leaderboard.catalogue.engines.registering import suggested_deployment
from leaderboard.catalogue.hosting_history import keep_former_terms
from leaderboard.catalogue.models import Deployment, Gpu, Offering
from leaderboard.catalogue.review import ReviewProblem

DASHED_ADDRESS = re.compile(r"\d{1,3}(-\d{1,3}){3}")


@admin.register(Gpu)
class GpuAdmin(admin.ModelAdmin):
    list_display = ("name", "vendor", "memory_gib", "bandwidth_gb_per_s", "board_power_w")
    list_filter = ("vendor",)
    search_fields = ("name", "vendor")
    show_facets = admin.ShowFacets.ALWAYS


class DeploymentForm(forms.ModelForm):
    """What is typed of a deployment: its public fields may not tell where it is."""

    former_was_wrong = forms.BooleanField(
        required=False,
        label="what stood here before was wrong",
        help_text="Sweeps made until now are costed anew. Without it they keep the terms of their own time.",
    )

    class Meta:
        model = Deployment
        exclude = ("engine_read_at",)  # noqa: DJ006 (all but what the engine itself tells)

    def clean_engine_args(self) -> str:
        return cleaned_flags(self.cleaned_data["engine_args"])

    def clean_power_meter_url(self) -> str:
        url = str(self.cleaned_data["power_meter_url"]).strip()
        if url and urlsplit(url).scheme not in ("http", "https"):
            raise forms.ValidationError("The exporter's address must start with http:// or https://.")
        if "@" in urlsplit(url).netloc:
            raise forms.ValidationError("The exporter's address must not hold a user name or password.")
        return url

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        label, offering = cleaned.get("endpoint_id"), cleaned.get("offering")
        if label and offering and tells_address(label, offering.base_url or offering.provider.base_url):
            self.add_error("endpoint_id", "The label is public and this one tells the endpoint's address.")
        return cleaned


def tells_address(label: str, base_url: str) -> bool:
    """Whether a label is, or holds, the host's name or an address with hyphens for dots."""
    host = (urlsplit(base_url).hostname or "").lower()
    spelled = re.sub(r"[^a-z0-9]+", "-", host).strip("-")
    first = host.partition(".")[0]
    parts = {spelled, first if not first.isdigit() else spelled} - {"", "localhost"}
    return bool(DASHED_ADDRESS.search(label)) or any(f"-{part}-" in f"-{label}-" for part in parts)


def read_engine(deployment: Deployment, user: User, answers: dict[str, Any]) -> None:
    """Take over what engine and host say. Raises ReviewProblem where the engine does not answer."""
    if not deployment.is_ours:
        raise ReviewProblem("it is not self-hosted, so its engine is not asked.")
    if not refresh_deployment(deployment, now=dt.datetime.now(dt.UTC)):
        raise ReviewProblem(
            f"no {deployment.engine} answered where its offering is served; check the Base URL."
        )


@admin.register(Deployment)
class DeploymentAdmin(admin.ModelAdmin):
    form = DeploymentForm
    list_display = (
        "endpoint_id",
        "offering",
        "hardware",
        "engine",
        "engine_version",
        "hourly_cost",
        "cost_basis",
        "engine_read_at",
        "is_public",
    )
    list_filter = ("engine", "cost_basis", "hardware_source", "power_source", "is_public")
    search_fields = ("endpoint_id", "offering__public_id", "gpu__name")
    autocomplete_fields = ("offering", "gpu")
    list_select_related = ("offering__provider", "gpu")
    readonly_fields = ("engine_read_at",)
    show_facets = admin.ShowFacets.ALWAYS
    save_on_top = True
    fieldsets = (
        (None, {"fields": ("endpoint_id", "offering", "is_public", "region", "retired_on")}),
        ("Hardware", {"fields": ("gpu", "gpu_count", "hardware_source", "driver_version")}),
        (
            "Engine",
            {
                "fields": (
                    ("engine", "engine_version", "engine_read_at"),
                    "engine_args",
                    ("tensor_parallel", "pipeline_parallel", "expert_parallel"),
                    ("speculative_decoding", "max_model_len"),
                )
            },
        ),
        (
            "Cost",
            {
                "fields": (
                    ("cost_basis", "cost_source_url"),
                    "usd_per_gpu_hour",
                    ("purchase_usd", "lifetime_hours"),
                    "former_was_wrong",
                ),
                "description": "Without a basis the cost is unknown, and shown as unknown.",
            },
        ),
        (
            "Power",
            {"fields": (("watts_per_gpu", "power_source"), ("pue", "usd_per_kwh"), "power_meter_url")},
        ),
        ("Sweeps", {"fields": (("sweep_every_hours", "quiet_hours_utc"), "foreign_sweep_agreed")}),
    )
    actions: Any = (
        as_admin_action(RowAction(name="read_engine", label="Read facts from the engine", apply=read_engine)),
    )

    def save_model(self, request: HttpRequest, obj: Deployment, form: DeploymentForm, change: bool) -> None:
        """A new rate leaves sweeps of the past at the rate of their time."""
        if change and not form.cleaned_data.get("former_was_wrong"):
            before = Deployment.objects.get(pk=obj.pk)
            keep_former_terms(before, obj, now=dt.datetime.now(dt.UTC))
        super().save_model(request, obj, form, change)
        if not change and obj.is_ours:
            self.read_new(request, obj)

    def read_new(self, request: HttpRequest, obj: Deployment) -> None:
        """A new deployment is asked at once, so that nobody types what its engine can tell."""
        if refresh_deployment(obj, now=dt.datetime.now(dt.UTC)):
            known = f"{obj.engine} {obj.engine_version}".strip()
            self.message_user(request, f"Read from the engine: {known}, {obj.offering.quantization}.")
        else:
            words = f"No {obj.engine} answered where its offering is served, so what was typed stands."
            self.message_user(request, words, messages.WARNING)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """With `?offering=` the form comes filled in by engine and host."""
        initial = super().get_changeform_initial_data(request)
        asked = str(initial.pop("offering", ""))
        offering = None
        if asked.isdigit():
            offering = Offering.objects.select_related("provider").filter(pk=asked).first()
        return initial | (suggested_deployment(offering) if offering else {})

    @admin.display(description="hardware", ordering="gpu__name")
    def hardware(self, deployment: Deployment) -> str:
        return f"{deployment.gpu_count} × {deployment.gpu}"

    @admin.display(description="USD per hour")
    def hourly_cost(self, deployment: Deployment) -> str:
        cost = deployment.hourly_cost_usd()
        return "unknown" if cost is None else f"{cost:.4f}".rstrip("0").rstrip(".")

    def get_readonly_fields(self, request: HttpRequest, obj: Deployment | None = None) -> tuple[str, ...]:
        """A label that was published is never another's: it is set once."""
        return ("engine_read_at", "endpoint_id") if obj else ("engine_read_at",)

    def has_delete_permission(self, request: HttpRequest, obj: Deployment | None = None) -> bool:
        """Only what nothing was ever measured of; anything else is retired."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or not obj.sweeps.exists())

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions
