"""What sweeps of our own endpoints found: the set-up as it stood, one row for each concurrency, and readings of use."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from leaderboard.catalogue.models import Deployment


class Sweep(models.Model):
    """One sweep of one deployment, with the set-up as it stood then: a later engine changes no earlier row."""

    deployment = models.ForeignKey(Deployment, on_delete=models.PROTECT, related_name="sweeps")
    planned_at = models.DateTimeField(help_text="What asked for it; doing it again changes nothing.")
    measured_at = models.DateTimeField(help_text="When its first request was sent.")
    finished_at = models.DateTimeField()
    probe_location = models.CharField(max_length=64)
    workload = models.CharField(max_length=20)
    workload_version = models.PositiveSmallIntegerField()
    methodology_version = models.CharField(max_length=12)
    phase_s = models.FloatField(help_text="Seconds of each level that count, its ramp left out.")

    engine = models.CharField(max_length=16)
    engine_version = models.CharField(max_length=80, blank=True)
    engine_args = models.CharField(max_length=1000, blank=True)
    gpu_model = models.CharField(max_length=80)
    gpu_count = models.PositiveIntegerField()
    gpu_memory_gib = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    driver_version = models.CharField(max_length=60, blank=True)
    hardware_source = models.CharField(max_length=8)
    quantization = models.CharField(max_length=12)
    tensor_parallel = models.PositiveIntegerField(null=True)
    pipeline_parallel = models.PositiveIntegerField(null=True)
    expert_parallel = models.PositiveIntegerField(null=True)
    speculative_decoding = models.CharField(max_length=60, blank=True)
    max_model_len = models.PositiveIntegerField(null=True)
    was_foreign = models.BooleanField(
        default=False, help_text="Not ours: swept with its owner's word, capped."
    )
    recorded_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-measured_at"]
        constraints = [
            models.UniqueConstraint(name="one_sweep_per_plan", fields=["deployment", "planned_at"]),
            models.CheckConstraint(name="sweep_phase_positive", condition=Q(phase_s__gt=0)),
        ]
        indexes = [models.Index(name="sweep_newest", fields=["deployment", "-measured_at"])]

    def __str__(self) -> str:
        return f"{self.deployment_id} {self.measured_at:%Y-%m-%d %H:%M}"


class SweepLevel(models.Model):
    """One concurrency of a sweep. None is unknown; an excluded level is kept and says why."""

    sweep = models.ForeignKey(Sweep, on_delete=models.CASCADE, related_name="levels")
    concurrency = models.PositiveIntegerField(help_text="Requests kept in flight.")
    samples_ok = models.PositiveIntegerField(help_text="Whole answers within the phase.")
    samples_failed = models.PositiveIntegerField(default=0)
    output_speed_tps_user_p50 = models.FloatField(null=True)
    throughput_tps = models.FloatField(null=True, help_text="Output tokens/s of all requests together.")
    throughput_in_tps = models.FloatField(null=True)
    ttft_ms_p50 = models.FloatField(null=True)
    ttft_ms_p95 = models.FloatField(null=True)
    client_lag_ms = models.FloatField(null=True, help_text="How late our own event loop was, at worst.")
    power_w = models.FloatField(
        null=True, help_text="Mean draw within the phase as measured, whole endpoint."
    )
    is_saturated = models.BooleanField(
        default=False, help_text="More requests at once gained under 5 % from here on."
    )
    excluded = models.BooleanField(default=False)
    exclusion_reason = models.CharField(max_length=32, blank=True)
    figures = models.JSONField(default=dict, help_text="All other figures of the level, by METRICS' names.")

    class Meta:
        ordering = ["sweep", "concurrency"]
        constraints = [
            models.UniqueConstraint(
                name="one_level_per_sweep_and_concurrency", fields=["sweep", "concurrency"]
            ),
            models.CheckConstraint(name="level_concurrency_from_one", condition=Q(concurrency__gte=1)),
            models.CheckConstraint(
                name="level_figures_positive",
                condition=(
                    (Q(output_speed_tps_user_p50__isnull=True) | Q(output_speed_tps_user_p50__gt=0))
                    & (Q(throughput_tps__isnull=True) | Q(throughput_tps__gt=0))
                    & (Q(throughput_in_tps__isnull=True) | Q(throughput_in_tps__gte=0))
                    & (Q(ttft_ms_p50__isnull=True) | Q(ttft_ms_p50__gt=0))
                    & (Q(ttft_ms_p95__isnull=True) | Q(ttft_ms_p95__gt=0))
                    & (Q(power_w__isnull=True) | Q(power_w__gt=0))
                ),
            ),
            models.CheckConstraint(
                name="level_excluded_has_reason",
                condition=Q(excluded=False, exclusion_reason="")
                | (Q(excluded=True) & ~Q(exclusion_reason="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sweep_id} × {self.concurrency}"


class SweepSample(models.Model):
    """One request of a level, as it was published: every figure of the level can be counted again from these.

    Apart from the board's samples: they were made under our own load, and are in no median, rank or uptime.
    """

    level = models.ForeignKey(SweepLevel, on_delete=models.CASCADE, related_name="samples")
    sequence = models.PositiveIntegerField(help_text="Order of sending within the level, from 0.")
    lane = models.PositiveIntegerField(
        help_text="Which of the requests kept in flight it belonged to, from 0."
    )
    started_at = models.DateTimeField()
    sent_ms = models.FloatField(help_text="After the level began.")
    window_share = models.FloatField(
        null=True, help_text="Of its time to the last token, the share within the window."
    )
    window_tokens = models.FloatField(help_text="Output tokens that fell into the window.")

    outcome = models.CharField(max_length=16)
    detail = models.CharField(max_length=32, blank=True)
    http_status = models.PositiveSmallIntegerField(null=True)
    finish_reason = models.CharField(max_length=64, blank=True)
    excluded = models.BooleanField(default=False)
    exclusion_reason = models.CharField(max_length=20, blank=True)
    excluded_from = models.CharField(max_length=5, blank=True)

    input_tokens = models.PositiveIntegerField(null=True)
    cached_input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    reasoning_tokens = models.PositiveIntegerField(null=True)
    token_source = models.CharField(max_length=9, default="unknown")
    first_chunk_tokens = models.PositiveIntegerField(null=True)
    chunks = models.PositiveIntegerField(null=True)
    largest_chunk_share = models.FloatField(null=True)

    connect_ms = models.FloatField(null=True)
    ttft_ms = models.FloatField(null=True)
    ttfat_ms = models.FloatField(null=True)
    thinking_ms = models.FloatField(null=True)
    last_token_ms = models.FloatField(null=True)
    end_to_end_ms = models.FloatField(null=True)
    output_speed_tps = models.FloatField(null=True)
    answer_speed_tps = models.FloatField(null=True)
    inter_token_ms = models.FloatField(null=True)
    event_gap_p50_ms = models.FloatField(null=True)
    event_gap_p95_ms = models.FloatField(null=True)
    response_time_500_ms = models.FloatField(null=True)
    client_lag_ms = models.FloatField(null=True)

    class Meta:
        ordering = ["level", "sequence"]
        constraints = [
            models.UniqueConstraint(name="one_sweep_sample_per_place", fields=["level", "sequence"]),
            models.CheckConstraint(
                name="sweep_sample_exclusion_has_reason",
                condition=Q(excluded=False, exclusion_reason="", excluded_from="")
                | (Q(excluded=True, excluded_from__in=("speed", "all")) & ~Q(exclusion_reason="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.level_id} #{self.sequence}"


class EngineReading(models.Model):
    """The engine's own token counters at an instant: two of them say how much it is used. Appended."""

    deployment = models.ForeignKey(Deployment, on_delete=models.CASCADE, related_name="readings")
    read_at = models.DateTimeField()
    output_tokens = models.BigIntegerField(help_text="Since the engine started.")
    input_tokens = models.BigIntegerField(null=True)

    class Meta:
        ordering = ["deployment", "read_at"]
        constraints = [
            models.UniqueConstraint(name="one_reading_per_instant", fields=["deployment", "read_at"]),
            models.CheckConstraint(name="reading_not_negative", condition=Q(output_tokens__gte=0)),
        ]

    def __str__(self) -> str:
        return f"{self.deployment_id} {self.read_at:%Y-%m-%d %H:%M}"
