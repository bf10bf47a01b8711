"""Who serves models, how we reach them, and what we may spend and ask there."""

from __future__ import annotations

import datetime as dt

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from leaderboard.catalogue.models.link import LinkField

PROVIDER_SLUG = r"^[a-z0-9][a-z0-9-]{1,62}$"


def utc_today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()


class Provider(models.Model):
    """Who serves models, and how we reach them."""

    class Kind(models.TextChoices):
        FIRST_PARTY = "first_party"
        HOST = "host"
        ROUTER = "router"
        HYPERSCALER = "hyperscaler"
        SELF_HOSTED = "self_hosted"

    slug = models.CharField(
        max_length=63,
        unique=True,
        validators=[RegexValidator(PROVIDER_SLUG, "Use lower-case letters, digits and hyphens.")],
        help_text="Stable public id; never renamed.",
    )
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=16, choices=Kind)
    protocol = models.CharField(max_length=32, default="openai-chat")
    base_url = models.CharField("Base URL", max_length=500, blank=True)
    region = models.CharField(max_length=64, blank=True)
    api_key_env = models.CharField(
        "key variable",
        max_length=100,
        blank=True,
        validators=[RegexValidator(r"^[A-Za-z_][A-Za-z0-9_]*$", "This is no name of a variable.")],
        help_text="Name of the environment variable that holds the key; it wins over a stored key.",
    )
    encrypted_api_key = models.TextField(blank=True, editable=False)
    api_key_set_at = models.DateTimeField(null=True, blank=True, editable=False)
    homepage_url = LinkField(max_length=500, blank=True)
    pricing_url = LinkField(max_length=500, blank=True)
    status_url = LinkField(max_length=500, blank=True)
    headquarters_country = models.CharField(max_length=2, blank=True)
    account_kind = models.CharField(
        max_length=20,
        default="standard_paid",
        choices=[(k, k) for k in ("standard_paid", "free_tier", "provider_granted", "operator_owned")],
    )
    daily_cap_usd = models.DecimalField(
        max_digits=12, decimal_places=4, default=1, validators=[MinValueValidator(0)]
    )
    benchmarks_forbidden = models.BooleanField(
        default=False, help_text="The terms forbid benchmarks: listed, never probed."
    )
    terms_note = models.TextField(blank=True, help_text="What the terms say about benchmarks, and where.")
    opted_out_on = models.DateField(
        null=True, blank=True, help_text="The provider asked not to be probed: listed, never probed."
    )
    paused_reason = models.CharField(max_length=300, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True)
    capped_until = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="A daily cap is reached: no probe is planned until then.",
    )
    capped_reason = models.CharField(max_length=300, blank=True, editable=False)
    aliases = ArrayField(models.CharField(max_length=120), default=list, blank=True)
    simulated = models.BooleanField(default=False, help_text="Demo lab: shown as simulated everywhere.")
    last_test = models.JSONField(
        default=list, blank=True, editable=False, help_text="Lines of the last connection test."
    )
    last_tested_at = models.DateTimeField(null=True, blank=True, editable=False)
    from_directory = models.JSONField(
        default=dict, blank=True, editable=False, help_text="What the provider directory last wrote here."
    )
    first_seen_on = models.DateField(default=utc_today)
    retired_on = models.DateField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(name="provider_slug_form", condition=Q(slug__regex=PROVIDER_SLUG)),
            models.CheckConstraint(name="provider_name_filled", condition=~Q(name="")),
            models.CheckConstraint(name="provider_daily_cap_not_negative", condition=Q(daily_cap_usd__gte=0)),
            models.CheckConstraint(
                name="provider_stored_key_has_date",
                condition=Q(encrypted_api_key="") | Q(api_key_set_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def may_be_private(self) -> bool:
        """Whether its address may lie in private, loopback or link-local space."""
        return self.kind == self.Kind.SELF_HOSTED or self.simulated

    def is_capped(self, now: dt.datetime) -> bool:
        """Whether a daily cap keeps it from being probed just now; `capped_reason` says which."""
        return self.capped_until is not None and now < self.capped_until

    def is_paused(self, now: dt.datetime) -> bool:
        """Whether an operator's pause holds just now."""
        return bool(self.paused_reason) and (self.paused_until is None or now < self.paused_until)

    @property
    def probing_forbidden(self) -> str:
        """Why it must never be probed, as a sentence; empty when it may be."""
        if self.retired_on:
            return "This provider is retired."
        if self.benchmarks_forbidden:
            return "Its terms forbid benchmarks, so it is listed and never probed."
        if self.opted_out_on:
            return f"It asked on {self.opted_out_on:%d %B %Y} not to be probed."
        return ""
