"""What operations remember: which alarms are ringing, so that a person is told once and not every minute."""

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
