"""Addresses of files: each page's path with an ending."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, re_path

from . import errors, sample_views, views

ENDING = r"(?P<ending>csv|metadata\.json|json)$"

urlpatterns: list[URLPattern | URLResolver] = [
    re_path(rf"^leaderboard\.{ENDING}", views.leaderboard),
    re_path(rf"^offerings\.{ENDING}", views.offerings),
    re_path(rf"^frontier\.{ENDING}", views.frontier),
    re_path(rf"^compare\.{ENDING}", views.compare),
    re_path(rf"^models\.{ENDING}", views.models),
    re_path(rf"^providers\.{ENDING}", views.providers),
    # The shortest name that leaves a known ending: `qwen3-0.6b.csv` is the model `qwen3-0.6b`.
    re_path(rf"^models/(?P<creator>[^/]+)/(?P<model>[^/]+?)\.{ENDING}", views.one_model),
    re_path(rf"^providers/(?P<provider>[^/]+?)\.{ENDING}", views.one_provider),
    re_path(rf"^offerings/(?P<offering_id>[^/]+?)\.{ENDING}", sample_views.one_offering),
    re_path(r"^(?P<path>.+\.json)$", errors.not_found),
]
