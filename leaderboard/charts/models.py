"""Charts drawn once, when the snapshot is made, and served as they are."""

from __future__ import annotations

from django.db import models

from leaderboard.ranking.models import Snapshot


class Rendering(models.Model):
    """One chart of one snapshot at one width: the SVG pages inline, and the spec it was drawn from."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="renderings")
    chart = models.CharField(max_length=200, help_text="speed, ttft, tradeoff, catalogue, or kind:subject.")
    width = models.PositiveIntegerField()
    svg = models.TextField()
    spec = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_rendering_per_chart_and_width", fields=["snapshot", "chart", "width"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.chart} {self.width}"
