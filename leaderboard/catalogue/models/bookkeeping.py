"""The catalogue's own books: the board's settings, what changed and why, what each source said, what waits."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from leaderboard.catalogue.models.link import LinkField
from leaderboard.catalogue.models.offering import Offering


class Board(models.Model):
    """The operator's settings: one row, made on first use."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    daily_cap_usd = models.DecimalField(
        "daily cap in USD",
        max_digits=12,
        decimal_places=4,
        default=5,
        validators=[MinValueValidator(0)],
        help_text="All providers together; reached, probing pauses until the next UTC day.",
    )
    two_person_review = models.BooleanField(
        default=False, help_text="Someone other than the last editor must approve what goes public."
    )
    reply_address = models.EmailField(
        blank=True, help_text="Where providers ask to be listed, to opt out, or to correct a number."
    )

    class Meta:
        verbose_name = verbose_name_plural = "board settings"
        constraints = [
            models.CheckConstraint(name="one_board", condition=Q(id=1)),
            models.CheckConstraint(name="board_daily_cap_not_negative", condition=Q(daily_cap_usd__gte=0)),
        ]

    def __str__(self) -> str:
        return "Board settings"


class Revision(models.Model):
    """One field changed: who, when, from what to what, and why. Keys are never written here."""

    SUBJECTS = ("provider", "model", "offering", "price", "board")

    at = models.DateTimeField(db_default=Now())
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    kind = models.CharField(
        max_length=12,
        choices=[
            (k, k) for k in ("added", "edited", "corrected", "paused", "resumed", "retired", "published")
        ],
    )
    subject = models.CharField(max_length=8, choices=[(s, s) for s in SUBJECTS])
    subject_id = models.CharField(max_length=260, help_text="Slug or offering id.")
    field = models.CharField(max_length=60, blank=True)
    old = models.CharField(max_length=500, blank=True)
    new = models.CharField(max_length=500, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    is_public = models.BooleanField(default=False, help_text="Shown among the board's changes.")

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(name="revision_subject", fields=["subject", "subject_id"])]
        constraints = [
            models.CheckConstraint(
                name="correction_has_reason", condition=~Q(kind="corrected") | ~Q(reason="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} {self.subject_id} {self.kind}"


class CatalogueImport(models.Model):
    """One applied import: what it read, what it changed and what it could not map."""

    source = models.CharField(max_length=20)
    imported_at = models.DateTimeField(db_default=Now())
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the bytes read.")
    counts = models.JSONField(default=dict)
    unmapped = models.JSONField(default=list, help_text="Names that fit no identity, with the reason.")

    class Meta:
        ordering = ["-imported_at"]

    def __str__(self) -> str:
        return f"{self.source} {self.imported_at:%Y-%m-%d}"


class SourceQuote(models.Model):
    """What a price source last said about an offering, believed or not: sources are compared, none is hidden."""

    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="quotes")
    source = models.CharField(max_length=20)
    input_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    output_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    read_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(name="one_quote_per_offering_and_source", fields=["offering", "source"]),
        ]

    def __str__(self) -> str:
        return f"{self.offering_id} by {self.source}"


class HeldPrice(models.Model):
    """A price that was read but not believed: it waits for a person, and no figure uses it."""

    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="held_prices")
    source = models.CharField(max_length=20)
    source_url = LinkField(max_length=500, blank=True)
    input_usd_per_mtok = models.DecimalField(max_digits=20, decimal_places=8, null=True)
    output_usd_per_mtok = models.DecimalField(max_digits=20, decimal_places=8, null=True)
    reason = models.CharField(max_length=300)
    seen_at = models.DateTimeField(db_default=Now())
    resolution = models.CharField(
        max_length=9, blank=True, choices=[("believed", "believed"), ("dismissed", "dismissed")]
    )

    class Meta:
        ordering = ["-seen_at"]
        constraints = [
            models.UniqueConstraint(
                name="one_held_price_per_quote",
                fields=["offering", "source", "input_usd_per_mtok", "output_usd_per_mtok"],
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.offering_id}: {self.reason}"
