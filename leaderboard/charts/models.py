"""Charts drawn once, when the snapshot is made, and served as they are."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class Rendering(models.Model):
    """One chart at one width: the SVG that pages inline, and the spec it was drawn from.

    Addressed by what it shows, not by its snapshot: a chart whose values did not move is not drawn again, and a
    page can never inline a chart of other rows than its table has.
    """

    key = models.CharField(max_length=40, help_text="Hash of everything drawn.")
    chart = models.CharField(max_length=40, help_text="speed, ttft, tradeoff, catalogue, …")
    width = models.PositiveIntegerField()
    svg = models.TextField()
    spec = models.JSONField()  # empty beside the narrow picture
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(name="one_rendering_per_key_and_width", fields=["key", "width"])
        ]
        indexes = [models.Index(name="rendering_made_at", fields=["made_at"])]

    def __str__(self) -> str:
        return f"{self.chart} {self.width}"
