"""What an offering cost, from when on and under which terms."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from leaderboard.catalogue.models.link import LinkField
from leaderboard.catalogue.models.offering import Offering

HOURS_FORM = r"^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$"
WEEKDAYS_FORM = r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(;(Mon|Tue|Wed|Thu|Fri|Sat|Sun))*$"


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
    hours_utc = models.CharField(
        "hours (UTC)",
        max_length=11,
        blank=True,
        validators=[RegexValidator(HOURS_FORM, "Write hours as 16:30-00:30, in UTC.")],
        help_text="HH:MM-HH:MM; empty: all day.",
    )
    weekdays = models.CharField(
        max_length=27,
        blank=True,
        validators=[RegexValidator(WEEKDAYS_FORM, "Write weekdays as Mon;Tue;Wed.")],
        help_text="Mon;Tue …; empty: every day.",
    )
    currency_original = models.CharField(max_length=3, default="USD")
    fx_rate_to_usd = models.DecimalField(max_digits=18, decimal_places=8, null=True, blank=True)
    source = models.CharField(
        max_length=14,
        default="operator",
        choices=[(k, k) for k in ("provider_page", "provider_api", "operator", "third_party")],
    )
    source_url = LinkField(max_length=500, blank=True)
    verified_at = models.DateTimeField(db_default=Now())
    catalogue = models.CharField(
        max_length=20, blank=True, help_text="The price catalogue it was imported from; empty: typed here."
    )
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
                name="price_hours_form", condition=Q(hours_utc="") | Q(hours_utc__regex=HOURS_FORM)
            ),
            models.CheckConstraint(
                name="price_weekdays_form", condition=Q(weekdays="") | Q(weekdays__regex=WEEKDAYS_FORM)
            ),
            models.CheckConstraint(
                name="price_currency_has_rate",
                condition=Q(currency_original="USD")
                | Q(fx_rate_to_usd__gt=0)
                | Q(input_usd_per_mtok__isnull=True, output_usd_per_mtok__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.offering_id} from {str(self.valid_from)[:10] if self.pk else 'now on'}"
