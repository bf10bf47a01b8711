"""What operations remember: which alarms ring, so that a person is told once, and how far each webhook was told."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Alarm(models.Model):
    """One condition that needs a person, from its first sight to its end; kept afterwards as a record."""

    name = models.CharField(max_length=200, help_text="Which condition, and of what: key-refused:acme.")
    text = models.CharField(max_length=1000, help_text="What is wrong and what to do, as last seen.")
    since = models.DateTimeField()
    told_at = models.DateTimeField(null=True, help_text="When a person was last told.")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-since"]
        constraints = [
            models.UniqueConstraint(
                name="one_ringing_alarm_of_a_name", fields=["name"], condition=Q(ended_at__isnull=True)
            ),
            models.CheckConstraint(
                name="alarm_ends_after_it_began",
                condition=Q(ended_at__isnull=True) | Q(ended_at__gte=models.F("since")),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Webhook(models.Model):
    """An address that is told of every change on the board, in order; made by an administrator."""

    name = models.CharField(max_length=100, unique=True, help_text="Whose it is.")
    url = models.URLField(max_length=500, help_text="Gets a signed POST of JSON; redirects are not followed.")
    encrypted_secret = models.TextField(blank=True, editable=False)
    with_simulated = models.BooleanField("simulated events too", default=False)
    is_active = models.BooleanField("active", default=True)
    last_event = models.PositiveBigIntegerField(
        default=0, editable=False, help_text="The newest event that arrived."
    )
    failures = models.PositiveIntegerField(default=0, editable=False, help_text="In a row.")
    next_try_at = models.DateTimeField(null=True, editable=False)
    last_ok_at = models.DateTimeField(null=True, editable=False)
    last_error = models.CharField(max_length=100, blank=True, editable=False)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
