from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from leaderboard.operations.health import healthz, readyz
from leaderboard.operations.metrics import metrics

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
