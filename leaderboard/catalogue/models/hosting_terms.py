"""What own GPUs cost and draw: the terms in force on a deployment, and those that held before, with until when."""

from __future__ import annotations

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from leaderboard.catalogue.hosting import Ownership, Rental
from leaderboard.catalogue.models.link import LinkField


class CostBasis(models.TextChoices):
    RENTAL_ON_DEMAND = "rental_on_demand"
    RENTAL_RESERVED = "rental_reserved"
    OWNED_AMORTISED = "owned_amortised"
    UNKNOWN = "unknown"


class HostingTerms(models.Model):
    """Cost and power of an endpoint. None is unknown: then the cost is unknown, never 0."""

    cost_basis = models.CharField(max_length=16, choices=CostBasis, default=CostBasis.UNKNOWN)
    cost_source_url = LinkField(max_length=500, blank=True)
    usd_per_gpu_hour = models.DecimalField(
        "rental in USD per GPU-hour", max_digits=12, decimal_places=6, null=True, blank=True
    )
    purchase_usd = models.DecimalField(
        "purchase in USD",
        max_digits=14,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="Whole endpoint, host included.",
    )
    lifetime_hours = models.DecimalField(
        max_digits=10,
        decimal_places=1,
        null=True,
        blank=True,
        help_text="Hours over which it is written off: 3 years are 26280.",
    )
    watts_per_gpu = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="Mean draw under load, host's share included.",
    )
    power_source = models.CharField(
        max_length=8, default="none", choices=[(k, k) for k in ("measured", "declared", "none")]
    )
    pue = models.DecimalField(
        "PUE",
        max_digits=5,
        decimal_places=3,
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(5)],
        help_text="All power over that of the machines; 1 counts the machines alone.",
    )
    usd_per_kwh = models.DecimalField("USD per kWh", max_digits=9, decimal_places=6, null=True, blank=True)

    class Meta:
        abstract = True

    def hourly_cost_of(self, gpu_count: int) -> Decimal | None:
        """USD an hour for an endpoint of so many GPUs; None while any part of it is unknown."""
        if self.cost_basis == CostBasis.OWNED_AMORTISED:
            return Ownership(
                gpu_count=gpu_count,
                purchase_usd=self.purchase_usd,
                lifetime_hours=self.lifetime_hours,
                watts_per_gpu=self.watts_per_gpu,
                pue=self.pue,
                usd_per_kwh=self.usd_per_kwh,
            ).hourly_cost_usd()
        return Rental(gpu_count=gpu_count, usd_per_gpu_hour=self.usd_per_gpu_hour).hourly_cost_usd()


TERMS = tuple(field.name for field in HostingTerms._meta.local_fields)


class FormerTerms(HostingTerms):
    """Terms that held for a deployment until an instant. Appended when they change; what they replaced stays known."""

    deployment = models.ForeignKey(
        "catalogue.Deployment", on_delete=models.CASCADE, related_name="former_terms"
    )
    held_until = models.DateTimeField()

    class Meta:
        verbose_name_plural = "former terms"
        ordering = ["deployment", "held_until"]
        constraints = [
            models.UniqueConstraint(name="one_former_terms_per_instant", fields=["deployment", "held_until"]),
            models.CheckConstraint(
                name="former_terms_not_negative",
                condition=(
                    (Q(usd_per_gpu_hour__isnull=True) | Q(usd_per_gpu_hour__gte=0))
                    & (Q(purchase_usd__isnull=True) | Q(purchase_usd__gte=0))
                    & (Q(watts_per_gpu__isnull=True) | Q(watts_per_gpu__gt=0))
                    & (Q(usd_per_kwh__isnull=True) | Q(usd_per_kwh__gte=0))
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.deployment_id} until {self.held_until:%Y-%m-%d %H:%M}"
