"""Who sells what: providers, language models, offerings of one by the other, and what they cost over time."""

from __future__ import annotations

import datetime as dt

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

PROVIDER_SLUG = r"^[a-z0-9][a-z0-9-]{1,62}$"
MODEL_SLUG = r"^[a-z0-9][a-z0-9.-]{0,62}/[a-z0-9][a-z0-9._-]{0,94}$"


class Weights(models.TextChoices):
    OPEN = "open"
    PROPRIETARY = "proprietary"


class Quantization(models.TextChoices):
    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"
    FP4 = "fp4"
    MXFP4 = "mxfp4"
    INT8 = "int8"
    INT4 = "int4"
    OTHER = "other"
    UNDISCLOSED = "undisclosed"


class ProbeState(models.TextChoices):
    DRAFT = "draft"
    PENDING_REVIEW = "pending_review"
    ACTIVE = "active"
    PAUSED = "paused"
    RETIRED = "retired"


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
        "API key variable",
        max_length=100,
        blank=True,
        help_text="Name of the environment variable that holds the key. The key itself is never stored here.",
    )
    homepage_url = models.URLField(max_length=500, blank=True)
    pricing_url = models.URLField(max_length=500, blank=True)
    status_url = models.URLField(max_length=500, blank=True)
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
    terms_note = models.TextField(blank=True)
    paused_reason = models.CharField(max_length=300, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True)
    aliases = ArrayField(models.CharField(max_length=120), default=list, blank=True)
    simulated = models.BooleanField(default=False, help_text="Demo lab: shown as simulated everywhere.")
    first_seen_on = models.DateField(default=utc_today)
    retired_on = models.DateField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(name="provider_slug_form", condition=Q(slug__regex=PROVIDER_SLUG)),
            models.CheckConstraint(name="provider_name_filled", condition=~Q(name="")),
            models.CheckConstraint(name="provider_daily_cap_not_negative", condition=Q(daily_cap_usd__gte=0)),
        ]

    def __str__(self) -> str:
        return self.name


class LanguageModel(models.Model):
    """The weights as named by their maker: `creator/model`, one identity however many sell it."""

    slug = models.CharField(
        max_length=160,
        unique=True,
        validators=[RegexValidator(MODEL_SLUG, "Use creator/model in lower case.")],
        help_text="creator/model, lower case; never renamed.",
    )
    name = models.CharField(max_length=200)
    creator = models.CharField(max_length=120)
    weights = models.CharField(max_length=12, choices=Weights)
    license = models.CharField(max_length=120, blank=True)
    params_total = models.FloatField(null=True, blank=True, help_text="Billions of parameters.")
    params_active = models.FloatField(null=True, blank=True)
    context_tokens = models.PositiveIntegerField(null=True, blank=True)
    reasoning = models.BooleanField(default=False)
    reasoning_effort = models.CharField(max_length=8, blank=True)
    modality_in = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    modality_out = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    released_on = models.DateField(null=True, blank=True)
    weights_url = models.URLField(max_length=500, blank=True)
    superseded_by = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL)
    aliases = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    retired_on = models.DateField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        verbose_name = "model"
        constraints = [
            models.CheckConstraint(name="model_slug_form", condition=Q(slug__regex=MODEL_SLUG)),
            models.CheckConstraint(name="model_name_filled", condition=~Q(name="")),
        ]

    def __str__(self) -> str:
        return self.name


class Offering(models.Model):
    """One provider serving one model in one variant, as sold; what is probed, priced and ranked."""

    public_id = models.CharField(
        "offering id",
        max_length=260,
        unique=True,
        help_text="provider~model[~variant]; used in addresses and files, never reused.",
    )
    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="offerings")
    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="offerings")
    variant = models.CharField(max_length=60, blank=True, help_text="turbo, fast, batch, eu … or empty.")
    provider_model_name = models.CharField(max_length=200, help_text="The exact model name sent to the API.")
    protocol = models.CharField(max_length=32, blank=True, help_text="Empty: the provider's.")
    base_url = models.CharField("Base URL", max_length=500, blank=True, help_text="Empty: the provider's.")
    serving_region = models.CharField(max_length=64, blank=True)
    quantization = models.CharField(max_length=12, choices=Quantization, default=Quantization.UNDISCLOSED)
    quantization_source = models.CharField(
        max_length=14,
        default="undisclosed",
        choices=[(k, k) for k in ("provider_docs", "provider_api", "operator", "undisclosed")],
    )
    context_tokens = models.PositiveIntegerField(null=True, blank=True)
    max_output_tokens = models.PositiveIntegerField(null=True, blank=True)
    hosting = models.CharField(
        max_length=12,
        default="serverless",
        choices=[(k, k) for k in ("serverless", "dedicated", "self_hosted")],
    )
    probe_state = models.CharField(max_length=14, choices=ProbeState, default=ProbeState.DRAFT)
    paused_reason = models.CharField(max_length=300, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True)
    interval_s = models.PositiveIntegerField(
        "interval in seconds", default=10_800, help_text="Probes are due at UTC multiples of this."
    )
    workloads = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="The provider asked us to wait until then (Retry-After)."
    )
    capabilities = models.JSONField(
        default=dict, blank=True, help_text="What this offering was found to accept; learned outside probes."
    )
    first_probed_on = models.DateField(null=True, blank=True)
    last_ok_at = models.DateTimeField(null=True, blank=True)
    retired_on = models.DateField(null=True, blank=True)
    retired_reason = models.CharField(max_length=300, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["public_id"]
        constraints = [
            models.UniqueConstraint(
                name="one_offering_per_provider_model_variant", fields=["provider", "model", "variant"]
            ),
            models.CheckConstraint(name="offering_interval_positive", condition=Q(interval_s__gt=0)),
            models.CheckConstraint(
                name="offering_retired_has_date",
                condition=~Q(probe_state="retired") | Q(retired_on__isnull=False),
            ),
            models.CheckConstraint(
                name="offering_public_id_lower", condition=Q(public_id__regex=r"^[a-z0-9._~-]+$")
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def simulated(self) -> bool:
        """Whether the demo lab serves it; costs a query unless the provider is loaded."""
        return self.provider.simulated


class Price(models.Model):
    """What an offering cost from an instant on. Appended, never overwritten; None is unknown, 0 is free."""

    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="prices")
    valid_from = models.DateTimeField(db_default=Now())
    valid_to = models.DateTimeField(
        null=True, blank=True, help_text="Only for an announced end; otherwise the next price ends this one."
    )
    input_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    output_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    cache_read_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    cache_write_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    reasoning_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    request_usd = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    context_above_tokens = models.PositiveIntegerField(
        null=True, blank=True, help_text="This price holds above that prompt length; empty: flat."
    )
    hours_utc = models.CharField(max_length=11, blank=True, help_text="HH:MM-HH:MM; empty: all day.")
    weekdays = models.CharField(max_length=27, blank=True, help_text="Mon;Tue …; empty: every day.")
    currency_original = models.CharField(max_length=3, default="USD")
    fx_rate_to_usd = models.DecimalField(max_digits=18, decimal_places=8, null=True, blank=True)
    source = models.CharField(
        max_length=14,
        default="operator",
        choices=[(k, k) for k in ("provider_page", "provider_api", "operator", "third_party")],
    )
    source_url = models.URLField(max_length=500, blank=True)
    verified_at = models.DateTimeField(db_default=Now())
    entered_by = models.CharField(max_length=5, default="admin", choices=[("job", "job"), ("admin", "admin")])
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["offering", "-valid_from", F("context_above_tokens").asc(nulls_first=True)]
        constraints = [
            models.UniqueConstraint(
                name="one_price_per_instant_and_tier",
                fields=["offering", "valid_from", "context_above_tokens", "hours_utc", "weekdays"],
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="price_not_negative",
                condition=(
                    (Q(input_usd_per_mtok__isnull=True) | Q(input_usd_per_mtok__gte=0))
                    & (Q(output_usd_per_mtok__isnull=True) | Q(output_usd_per_mtok__gte=0))
                    & (Q(cache_read_usd_per_mtok__isnull=True) | Q(cache_read_usd_per_mtok__gte=0))
                    & (Q(cache_write_usd_per_mtok__isnull=True) | Q(cache_write_usd_per_mtok__gte=0))
                    & (Q(reasoning_usd_per_mtok__isnull=True) | Q(reasoning_usd_per_mtok__gte=0))
                    & (Q(request_usd__isnull=True) | Q(request_usd__gte=0))
                ),
            ),
            models.CheckConstraint(
                name="price_ends_after_it_starts",
                condition=Q(valid_to__isnull=True) | Q(valid_to__gt=F("valid_from")),
            ),
            models.CheckConstraint(
                name="price_currency_has_rate",
                condition=Q(currency_original="USD") | Q(fx_rate_to_usd__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.offering_id} from {self.valid_from:%Y-%m-%d}"
