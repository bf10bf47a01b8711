"""What the samples said at an instant: one Snapshot, its Summary rows, published together."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from leaderboard.catalogue.models import Offering


class Snapshot(models.Model):
    """One consistent set of Summary rows: what every page, chart and file shows for its `as_of`."""

    as_of = models.DateTimeField()
    window_hours = models.PositiveIntegerField()
    methodology_version = models.CharField(max_length=12)
    samples_read = models.PositiveBigIntegerField(default=0)
    is_complete = models.BooleanField(default=False, help_text="Only complete snapshots are shown.")
    is_pinned = models.BooleanField(default=False, help_text="Made for an instant that was asked for: kept.")
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-as_of"]
        constraints = [
            models.UniqueConstraint(
                name="one_snapshot_per_instant_and_window", fields=["as_of", "window_hours"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.as_of:%Y-%m-%dT%H:%M:%SZ} over {self.window_hours} h"


class Summary(models.Model):
    """An offering's figures over a snapshot's window, per location and workload; unrounded, None is unknown."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="summaries")
    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="+")
    probe_location = models.CharField(max_length=64)
    workload = models.CharField(max_length=20)
    workload_version = models.PositiveSmallIntegerField()
    methodology_version = models.CharField(max_length=12)
    simulated = models.BooleanField(default=False)

    samples_total = models.PositiveIntegerField(default=0)
    samples_ok = models.PositiveIntegerField(default=0)
    samples_excluded = models.PositiveIntegerField(default=0)
    speed_samples = models.PositiveIntegerField(default=0)
    ttft_samples = models.PositiveIntegerField(default=0)
    outcomes = models.JSONField(default=dict, help_text="Attempts by outcome.")
    exclusions = models.JSONField(default=dict, help_text="Excluded samples by reason.")
    success_rate = models.FloatField(null=True)
    uptime = models.FloatField(null=True)

    output_speed_tps_p05 = models.FloatField(null=True)
    output_speed_tps_p25 = models.FloatField(null=True)
    output_speed_tps_p50 = models.FloatField(null=True)
    output_speed_tps_p75 = models.FloatField(null=True)
    output_speed_tps_p95 = models.FloatField(null=True)
    output_speed_tps_p50_low = models.FloatField(null=True)
    output_speed_tps_p50_high = models.FloatField(null=True)
    ttft_ms_p05 = models.FloatField(null=True)
    ttft_ms_p25 = models.FloatField(null=True)
    ttft_ms_p50 = models.FloatField(null=True)
    ttft_ms_p75 = models.FloatField(null=True)
    ttft_ms_p95 = models.FloatField(null=True)
    ttft_ms_p50_low = models.FloatField(null=True)
    ttft_ms_p50_high = models.FloatField(null=True)
    ttfat_ms_p50 = models.FloatField(null=True)
    ttfat_ms_p95 = models.FloatField(null=True)
    end_to_end_ms_p50 = models.FloatField(null=True)
    response_time_500_ms_p50 = models.FloatField(null=True)

    input_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    output_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    cache_read_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    blended_usd_per_mtok = models.DecimalField(max_digits=16, decimal_places=8, null=True)
    blend = models.CharField(max_length=40, default="input:output=3:1")
    price_verified_at = models.DateTimeField(null=True)

    last_ok_at = models.DateTimeField(null=True)
    last_sample_at = models.DateTimeField(null=True)
    freshness = models.CharField(max_length=7, default="no_data")
    standing = models.CharField(max_length=11, default="provisional")

    rank_speed = models.PositiveIntegerField(null=True)
    rank_speed_best = models.PositiveIntegerField(null=True)
    rank_speed_worst = models.PositiveIntegerField(null=True)
    rank_ttft = models.PositiveIntegerField(null=True)
    rank_price = models.PositiveIntegerField(null=True)
    frontier_speed_ttft = models.BooleanField(default=False)
    frontier_speed_price = models.BooleanField(default=False)
    frontier_speed_ttft_share = models.FloatField(null=True)
    dominated_by = models.CharField(max_length=260, blank=True)

    class Meta:
        verbose_name_plural = "summaries"
        constraints = [
            models.UniqueConstraint(
                name="one_summary_per_snapshot_offering_location_workload",
                fields=["snapshot", "offering", "probe_location", "workload"],
            )
        ]

    def __str__(self) -> str:
        return f"{self.offering_id} {self.workload}"


class DailySummary(models.Model):
    """What one UTC day's samples of a series said: the rows of daily.csv, unrounded; None is unknown."""

    day = models.DateField()
    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="+")
    probe_location = models.CharField(max_length=64)
    workload = models.CharField(max_length=20)
    workload_version = models.PositiveSmallIntegerField()
    methodology_version = models.CharField(max_length=12)
    connection_kind = models.CharField(max_length=4, default="warm")
    simulated = models.BooleanField(default=False)

    samples_scheduled = models.PositiveIntegerField()
    samples_total = models.PositiveIntegerField()
    samples_ok = models.PositiveIntegerField()
    samples_excluded = models.PositiveIntegerField()
    success_rate = models.FloatField(null=True)
    uptime = models.FloatField(null=True)
    errors_timeout = models.PositiveIntegerField()
    errors_rate_limited = models.PositiveIntegerField()
    errors_server = models.PositiveIntegerField()
    errors_other = models.PositiveIntegerField()

    output_speed_tps_p05 = models.FloatField(null=True)
    output_speed_tps_p25 = models.FloatField(null=True)
    output_speed_tps_p50 = models.FloatField(null=True)
    output_speed_tps_p75 = models.FloatField(null=True)
    output_speed_tps_p95 = models.FloatField(null=True)
    ttft_ms_p05 = models.FloatField(null=True)
    ttft_ms_p25 = models.FloatField(null=True)
    ttft_ms_p50 = models.FloatField(null=True)
    ttft_ms_p75 = models.FloatField(null=True)
    ttft_ms_p95 = models.FloatField(null=True)
    ttfat_ms_p05 = models.FloatField(null=True)
    ttfat_ms_p25 = models.FloatField(null=True)
    ttfat_ms_p50 = models.FloatField(null=True)
    ttfat_ms_p75 = models.FloatField(null=True)
    ttfat_ms_p95 = models.FloatField(null=True)
    end_to_end_ms_p05 = models.FloatField(null=True)
    end_to_end_ms_p25 = models.FloatField(null=True)
    end_to_end_ms_p50 = models.FloatField(null=True)
    end_to_end_ms_p75 = models.FloatField(null=True)
    end_to_end_ms_p95 = models.FloatField(null=True)
    output_speed_tps_p50_low = models.FloatField(null=True)
    output_speed_tps_p50_high = models.FloatField(null=True)
    ttft_ms_p50_low = models.FloatField(null=True)
    ttft_ms_p50_high = models.FloatField(null=True)
    final = models.BooleanField(default=False, help_text="The day is over; the row changes no more.")

    class Meta:
        verbose_name_plural = "daily summaries"
        constraints = [
            models.UniqueConstraint(
                name="one_daily_row_per_series_and_method",
                fields=["day", "offering", "probe_location", "workload", "methodology_version"],
            )
        ]
        indexes = [models.Index(name="daily_offering_day", fields=["offering", "day"])]

    def __str__(self) -> str:
        return f"{self.day} {self.offering_id} {self.workload}"


class SeriesProfile(models.Model):
    """One series' last 14 days in the shapes its page draws; made from samples by a job, so that no page reads them."""

    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="+")
    probe_location = models.CharField(max_length=64)
    workload = models.CharField(max_length=20)
    methodology_version = models.CharField(max_length=12)
    simulated = models.BooleanField(default=False)
    as_of = models.DateTimeField()
    hours = models.JSONField(default=list, help_text="24 UTC hours of figures.")
    weekdays = models.JSONField(default=list, help_text="Seven days of figures, Monday first.")
    speed_curve_tps = models.JSONField(default=list, help_text="Percentiles 0 to 100 of output speed.")
    ttft_curve_ms = models.JSONField(default=list, help_text="Percentiles 0 to 100 of time to first token.")
    recent = models.JSONField(default=list, help_text="The last 50 samples, newest first.")
    output_token_ratio = models.FloatField(
        null=True, help_text="Billed over reference tokens, see inflation."
    )
    output_token_samples = models.PositiveIntegerField(default=0, db_default=0)
    input_token_ratio = models.FloatField(null=True)
    input_token_samples = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_profile_per_series", fields=["offering", "probe_location", "workload"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.offering_id} {self.workload}"


class Event(models.Model):
    """Something that changed, found in the catalogue or in the samples; its key makes finding it twice harmless."""

    class Kind(models.TextChoices):
        ADDED = "added"
        RETIRED = "retired"
        PRICE = "price"
        SPEED = "speed"
        TTFT = "ttft"
        OUTAGE = "outage"
        METHOD = "method"

    key = models.CharField(max_length=400, unique=True, help_text="Stable: kind, subject and instant.")
    kind = models.CharField(max_length=8, choices=Kind)
    at = models.DateTimeField(help_text="When it happened, as far as can be told.")
    ended_at = models.DateTimeField(null=True, help_text="Of an outage that is over.")
    offering = models.ForeignKey(Offering, null=True, on_delete=models.CASCADE, related_name="+")
    probe_location = models.CharField(max_length=64, blank=True)
    workload = models.CharField(max_length=20, blank=True)
    column = models.CharField(max_length=40, blank=True, help_text="The published column that changed.")
    before = models.CharField(max_length=100, blank=True)
    after = models.CharField(max_length=100, blank=True)
    change = models.FloatField(null=True, help_text="Relative: -0.38 is 38 % less.")
    detail = models.CharField(max_length=300, blank=True)
    simulated = models.BooleanField(default=False)
    found_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-at", "key"]
        indexes = [
            models.Index(name="event_at", fields=["-at"]),
            models.Index(name="event_offering_at", fields=["offering", "-at"]),
        ]

    def __str__(self) -> str:
        return self.key
