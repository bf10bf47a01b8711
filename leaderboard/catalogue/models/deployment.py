"""Our own GPUs behind an offering: what runs there, what it costs, and when it may be swept."""

from __future__ import annotations

from decimal import Decimal

from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from leaderboard.catalogue.models.gpu import Gpu
from leaderboard.catalogue.models.hosting_terms import HostingTerms
from leaderboard.catalogue.models.offering import Offering
from leaderboard.catalogue.models.price import HOURS_FORM

ENDPOINT_LABEL = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
ENGINES = ("vllm", "sglang", "llama.cpp", "tgi", "tensorrt-llm", "ollama", "other")


class Deployment(HostingTerms):
    """GPUs of one kind behind one offering. Its label is public; the address it answers at never is.

    Facts a token's cost hangs on may be unknown: then the cost is unknown, never 0.
    """

    endpoint_id = models.CharField(
        "public label",
        max_length=60,
        unique=True,
        validators=[
            RegexValidator(ENDPOINT_LABEL, "Use lower-case letters, digits and hyphens, a letter first.")
        ],
        help_text="Published in place of the address: say what it is, never where, as in h200-x8-vllm.",
    )
    offering = models.ForeignKey(Offering, on_delete=models.PROTECT, related_name="deployments")
    gpu = models.ForeignKey(Gpu, verbose_name="GPU", on_delete=models.PROTECT, related_name="deployments")
    gpu_count = models.PositiveIntegerField("GPUs", default=1, validators=[MinValueValidator(1)])
    hardware_source = models.CharField(
        max_length=8,
        default="declared",
        choices=[("measured", "read from the host"), ("declared", "typed by the operator")],
    )
    driver_version = models.CharField(max_length=60, blank=True)
    region = models.CharField(max_length=64, blank=True)

    engine = models.CharField(max_length=12, choices=[(e, e) for e in ENGINES])
    engine_version = models.CharField(max_length=80, blank=True)
    engine_args = models.CharField(
        "engine flags",
        max_length=1000,
        blank=True,
        help_text="Flags that change speed. Addresses, paths and secrets are taken out before they are kept.",
    )
    engine_read_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When the engine last told its facts itself."
    )
    tensor_parallel = models.PositiveIntegerField(null=True, blank=True)
    pipeline_parallel = models.PositiveIntegerField(null=True, blank=True)
    expert_parallel = models.PositiveIntegerField(null=True, blank=True)
    speculative_decoding = models.CharField(
        max_length=60, blank=True, help_text="eagle3, mtp, ngram … or none; empty: unknown."
    )
    max_model_len = models.PositiveIntegerField("longest context in tokens", null=True, blank=True)

    power_meter_url = models.CharField(
        "power exporter",
        max_length=500,
        blank=True,
        help_text="Prometheus page with the GPUs' draw (DCGM or nvidia-smi exporter); read during sweeps, never shown.",
    )

    sweep_every_hours = models.PositiveIntegerField(
        null=True, blank=True, help_text="Empty: swept only when asked."
    )
    quiet_hours_utc = models.CharField(
        "quiet hours (UTC)",
        max_length=11,
        default="02:00-05:00",
        validators=[RegexValidator(HOURS_FORM, "Write hours as 22:00-05:00, in UTC.")],
        help_text="Scheduled sweeps start only within these.",
    )
    foreign_sweep_agreed = models.BooleanField(
        "its owner agreed to a sweep",
        default=False,
        help_text="Only where the endpoint is not ours: it is then swept with at most 8 requests at once.",
    )
    is_public = models.BooleanField("shown to the public", default=True)
    retired_on = models.DateField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["endpoint_id"]
        # A comparison with null is null, and a check lets null pass: so each branch says what must be filled.
        constraints = [
            models.CheckConstraint(
                name="deployment_label_form", condition=Q(endpoint_id__regex=ENDPOINT_LABEL)
            ),
            models.CheckConstraint(name="deployment_has_a_gpu", condition=Q(gpu_count__gte=1)),
            models.CheckConstraint(
                name="deployment_purchase_has_lifetime",
                condition=Q(purchase_usd__isnull=True, lifetime_hours__isnull=True)
                | Q(
                    purchase_usd__isnull=False,
                    purchase_usd__gte=0,
                    lifetime_hours__isnull=False,
                    lifetime_hours__gt=0,
                ),
            ),
            models.CheckConstraint(
                name="deployment_cost_fits_its_basis",
                condition=(
                    Q(cost_basis="unknown", usd_per_gpu_hour__isnull=True, purchase_usd__isnull=True)
                    | Q(
                        cost_basis__in=("rental_on_demand", "rental_reserved"),
                        usd_per_gpu_hour__isnull=False,
                        usd_per_gpu_hour__gte=0,
                        purchase_usd__isnull=True,
                    )
                    | Q(
                        cost_basis="owned_amortised",
                        usd_per_gpu_hour__isnull=True,
                        purchase_usd__isnull=False,
                    )
                ),
            ),
            models.CheckConstraint(
                name="deployment_power_has_source",
                condition=Q(watts_per_gpu__isnull=True, power_source="none")
                | Q(
                    watts_per_gpu__isnull=False,
                    watts_per_gpu__gt=0,
                    power_source__in=("measured", "declared"),
                ),
            ),
            models.CheckConstraint(
                name="deployment_power_has_pue",
                condition=Q(watts_per_gpu__isnull=True) | Q(pue__isnull=False),
            ),
            models.CheckConstraint(
                name="deployment_pue_from_one", condition=Q(pue__isnull=True) | Q(pue__gte=1)
            ),
            models.CheckConstraint(
                name="deployment_energy_price_not_negative",
                condition=Q(usd_per_kwh__isnull=True) | Q(usd_per_kwh__gte=0),
            ),
            models.CheckConstraint(
                name="deployment_parallel_from_one",
                condition=(
                    (Q(tensor_parallel__isnull=True) | Q(tensor_parallel__gte=1))
                    & (Q(pipeline_parallel__isnull=True) | Q(pipeline_parallel__gte=1))
                    & (Q(expert_parallel__isnull=True) | Q(expert_parallel__gte=1))
                    & (Q(max_model_len__isnull=True) | Q(max_model_len__gte=1))
                    & (Q(sweep_every_hours__isnull=True) | Q(sweep_every_hours__gte=1))
                ),
            ),
            models.CheckConstraint(
                name="deployment_quiet_hours_form", condition=Q(quiet_hours_utc__regex=HOURS_FORM)
            ),
        ]

    def __str__(self) -> str:
        return self.endpoint_id

    @property
    def is_ours(self) -> bool:
        """Whether the GPUs are the operator's own; costs queries unless offering and provider are loaded."""
        return self.offering.is_self_hosted

    def hourly_cost_usd(self) -> Decimal | None:
        """USD an hour for the whole endpoint now; None while any part of it is unknown."""
        return self.hourly_cost_of(self.gpu_count)
