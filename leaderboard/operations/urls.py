from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from leaderboard.operations.health import healthz, readyz

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]
