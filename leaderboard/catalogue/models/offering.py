"""What is sold: one provider serving one model in one variant."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from leaderboard.catalogue.models.language_model import LanguageModel
from leaderboard.catalogue.models.provider import Provider


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
    edited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    approved_at = models.DateTimeField(null=True, blank=True, editable=False)
    self_approved = models.BooleanField(
        default=False, editable=False, help_text="Published by its last editor, while review was off."
    )
    first_probed_on = models.DateField(null=True, blank=True)
    last_ok_at = models.DateTimeField(null=True, blank=True)
    retired_on = models.DateField(null=True, blank=True)
    retired_reason = models.CharField(max_length=300, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["public_id"]
        permissions = [
            ("publish_offering", "Can publish an offering"),
            ("probe_offering", "Can probe an offering now"),
        ]
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
                name="offering_approved_by_another",
                condition=Q(self_approved=True)
                | Q(approved_by__isnull=True)
                | Q(edited_by__isnull=True)
                | ~Q(approved_by=F("edited_by")),
            ),
            models.CheckConstraint(
                name="offering_public_id_lower", condition=Q(public_id__regex=r"^[a-z0-9._~-]+$")
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_self_hosted(self) -> bool:
        """Whether the operator runs it; costs a query unless the provider is loaded."""
        return self.hosting == "self_hosted" or self.provider.kind == "self_hosted"

    @property
    def asked_effort(self) -> str | None:
        """The reasoning effort to ask for; None where the model has none, or where the name at the API says it."""
        effort = (
            self.model.reasoning_effort if self.model_id else ""
        )  # one that only lists models has none yet
        return None if not effort or self.provider_model_name.endswith(f"-{effort}") else effort

    @property
    def simulated(self) -> bool:
        """Whether the demo lab serves it; costs a query unless the provider is loaded."""
        return self.provider.simulated
