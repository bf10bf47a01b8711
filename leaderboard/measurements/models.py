"""The raw record: slots that were planned and the samples that probes left. Nothing here is ever rewritten."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.sweep_models import EngineReading, Sweep, SweepLevel, SweepSample

__all__ = ["EngineReading", "ProbeLocation", "Sample", "Slot", "Sweep", "SweepLevel", "SweepSample"]


class ProbeLocation(models.Model):
    """A place that probes start from. Its first worker writes it; slots are planned for it from then on."""

    name = models.CharField(max_length=64, unique=True)
    first_seen_at = models.DateTimeField(db_default=Now())
    is_used = models.BooleanField(
        "in use",
        default=True,
        help_text="Untick when its workers are gone for good: nothing is planned for it.",
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Slot(models.Model):
    """One planned probe. Inserting it is the claim: the natural key makes a second beat harmless."""

    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="+")
    workload = models.CharField(max_length=20)
    probe_location = models.CharField(max_length=64)
    scheduled_at = models.DateTimeField()
    queued_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(help_text="Not started by then: a hole for ever.")
    manual = models.BooleanField(default=False, help_text="Asked for by an operator, not by the schedule.")
    sent_at = models.DateTimeField(null=True, help_text="When its message went to the workers.")
    started_at = models.DateTimeField(null=True, help_text="When a worker took it up.")
    finished_at = models.DateTimeField(null=True, help_text="When its samples were stored.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_slot_per_offering_workload_location_instant",
                fields=["offering", "workload", "probe_location", "scheduled_at"],
            ),
        ]
        indexes = [
            models.Index(name="slot_scheduled_at", fields=["scheduled_at"]),
            models.Index(
                name="slot_unfinished", fields=["expires_at"], condition=models.Q(finished_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.offering_id} {self.workload} {self.scheduled_at:%Y-%m-%d %H:%M:%S}"


class Sample(models.Model):
    """The stored row of one probe, failures included. Partitioned by month of `scheduled_at`.

    The table is made by a migration in SQL (`partitions`); the constraint below is its natural key.
    """

    pk = models.CompositePrimaryKey("scheduled_at", "sample_id")
    sample_id = models.UUIDField()
    offering = models.ForeignKey(Offering, on_delete=models.PROTECT, related_name="+")
    scheduled_at = models.DateTimeField()
    started_at = models.DateTimeField()
    probe_location = models.CharField(max_length=64)
    workload = models.CharField(max_length=20)
    workload_version = models.PositiveSmallIntegerField()
    connection_kind = models.CharField(max_length=4, default="warm")
    sequence = models.PositiveSmallIntegerField(default=0, help_text="Which of the slot's requests, from 0.")
    concurrency = models.PositiveSmallIntegerField(default=1)
    methodology_version = models.CharField(max_length=12)
    simulated = models.BooleanField(default=False)

    outcome = models.CharField(max_length=16)
    detail = models.CharField(max_length=32, blank=True)
    fault = models.CharField(max_length=10, blank=True)
    message = models.CharField(max_length=300, blank=True)
    http_status = models.PositiveSmallIntegerField(null=True)
    finish_reason = models.CharField(max_length=64, blank=True)
    retry_after_s = models.FloatField(null=True)
    flags = ArrayField(models.CharField(max_length=32), default=list)
    excluded = models.BooleanField(default=False)
    exclusion_reason = models.CharField(max_length=20, blank=True)
    excluded_from = models.CharField(max_length=5, blank=True)

    input_tokens = models.PositiveIntegerField(null=True)
    cached_input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    reasoning_tokens = models.PositiveIntegerField(null=True)
    reference_tokens = models.PositiveIntegerField(null=True)
    token_source = models.CharField(max_length=9, default="unknown")
    first_chunk_tokens = models.PositiveIntegerField(null=True)
    chunks = models.PositiveIntegerField(null=True)
    largest_chunk_share = models.FloatField(null=True)
    answer_chars = models.PositiveIntegerField(null=True)
    reasoning_chars = models.PositiveIntegerField(null=True)
    answer_sha256_16 = models.CharField(max_length=16, blank=True)

    connect_ms = models.FloatField(null=True)
    dns_ms = models.FloatField(null=True)
    tcp_ms = models.FloatField(null=True)
    tls_ms = models.FloatField(null=True)
    connection_reused = models.BooleanField(default=False)
    headers_ms = models.FloatField(null=True)
    ttft_ms = models.FloatField(null=True)
    ttfat_ms = models.FloatField(null=True)
    thinking_ms = models.FloatField(null=True)
    last_token_ms = models.FloatField(null=True)
    end_to_end_ms = models.FloatField(null=True)
    response_time_500_ms = models.FloatField(null=True)
    output_speed_tps = models.FloatField(null=True)
    answer_speed_tps = models.FloatField(null=True)
    inter_token_ms = models.FloatField(null=True)
    event_gap_p50_ms = models.FloatField(null=True)
    event_gap_p95_ms = models.FloatField(null=True)
    client_lag_ms = models.FloatField(null=True)
    served_model = models.CharField(max_length=200, blank=True)
    served_provider = models.CharField(max_length=120, blank=True)
    server_timing = models.JSONField(null=True)
    cost_usd = models.DecimalField(max_digits=16, decimal_places=10, null=True)
    recorded_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "measurements_sample"

    def __str__(self) -> str:
        return str(self.sample_id)
