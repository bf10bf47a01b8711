"""The weights as named by their maker, one identity however many sell them."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from leaderboard.catalogue.models.link import LinkField

MODEL_SLUG = r"^[a-z0-9][a-z0-9.-]{0,62}/[a-z0-9][a-z0-9._-]{0,94}$"


class Weights(models.TextChoices):
    OPEN = "open"
    PROPRIETARY = "proprietary"


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
    weights_url = LinkField(max_length=500, blank=True)
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
