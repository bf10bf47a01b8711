"""The kinds of hardware that models run on, with where their figures were read."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from leaderboard.catalogue.models.link import LinkField


class Gpu(models.Model):
    """One kind of accelerator. Figures are for one board, as its source says; None is not confirmed, never 0."""

    name = models.CharField(max_length=80, unique=True, help_text="As published: NVIDIA H200 SXM.")
    vendor = models.CharField(max_length=40)
    memory_gib = models.DecimalField(
        "memory in GiB",
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="GPU makers count memory in binary: their “141 GB” is about 141 GiB.",
    )
    bandwidth_gb_per_s = models.DecimalField(
        "memory bandwidth in GB/s", max_digits=9, decimal_places=2, null=True, blank=True
    )
    board_power_w = models.DecimalField(
        "board power in W", max_digits=8, decimal_places=2, null=True, blank=True
    )
    source_url = LinkField(max_length=500, blank=True)
    note = models.CharField(max_length=300, blank=True)
    from_seed = models.JSONField(
        default=dict, blank=True, editable=False, help_text="What the seed file last wrote here."
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["vendor", "name"]
        verbose_name = "GPU"
        constraints = [
            models.CheckConstraint(name="gpu_name_filled", condition=~Q(name="")),
            models.CheckConstraint(
                name="gpu_figures_positive",
                condition=(
                    (Q(memory_gib__isnull=True) | Q(memory_gib__gt=0))
                    & (Q(bandwidth_gb_per_s__isnull=True) | Q(bandwidth_gb_per_s__gt=0))
                    & (Q(board_power_w__isnull=True) | Q(board_power_w__gt=0))
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name
