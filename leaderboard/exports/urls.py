"""Addresses of files: each page's path with an ending, and the dataset."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, re_path

from . import (
    badges,
    changes,
    choices,
    closed_views,
    differences,
    errors,
    following,
    gpu_views,
    live_views,
    pages,
    prose,
    sample_views,
    sqlite_file,
    status,
    views,
)
from .api import views as api_views
from .api.read_only import made_read_only
from .live_tables import REFERENCE_TABLES

look_ups, api_name, api_namespace = api_views.api.urls

ENDING = r"(?P<ending>csv|metadata\.json|json)$"
ROWS = r"(?P<ending>csv|json)$"
TABLE = "(?P<table>" + "|".join(table.name for table in REFERENCE_TABLES) + ")"
TEXT = "(?P<name>" + "|".join(name.replace(".", r"\.") for name in prose.NAMES) + ")$"
METRIC = "|".join(badges.METRICS)
DESCRIPTION = "(?P<name>" + "|".join(name.replace(".", r"\.") for name in live_views.DESCRIPTIONS) + ")$"

urlpatterns: list[URLPattern | URLResolver] = [
    path("data/", pages.data),
    path("data/dictionary/", pages.dictionary),
    path("data/snapshots/", pages.snapshots),
    re_path(r"^data/v1/leaderboard\.(?P<ending>csv|json|parquet)$", live_views.leaderboard),
    re_path(rf"^data/v1/{TABLE}\.{ROWS}", live_views.reference_table),
    re_path(rf"^data/v1/daily\.{ROWS}", live_views.daily),
    path("data/v1/samples/today.csv", live_views.todays_samples),
    path("data/v1/samples/since.csv", following.samples_since),
    re_path(rf"^data/v1/leaderboard-diff\.{ENDING}", differences.leaderboard_difference),
    path("data/v1/today.sqlite", sqlite_file.today),
    re_path(rf"^data/v1/{DESCRIPTION}", live_views.description),
    re_path(rf"^data/v1/{TEXT}", live_views.text),
    path("data/v1/SHA256SUMS", closed_views.checksums),
    path("data/v1/snapshots/index.json", closed_views.snapshot_index),
    re_path(r"^data/v1/(?P<path>(samples|daily|snapshots)/.+)$", closed_views.closed_file),
    re_path(rf"^leaderboard\.{ENDING}", views.leaderboard),
    re_path(rf"^offerings\.{ENDING}", views.offerings),
    re_path(rf"^frontier\.{ENDING}", views.frontier),
    re_path(rf"^compare\.{ENDING}", views.compare),
    re_path(rf"^choose\.{ENDING}", choices.choose),
    re_path(rf"^models\.{ENDING}", views.models),
    re_path(rf"^providers\.{ENDING}", views.providers),
    # The shortest name that leaves a known ending: `qwen3-0.6b.csv` is the model `qwen3-0.6b`.
    re_path(rf"^models/(?P<creator>[^/]+)/(?P<model>[^/]+?)\.{ENDING}", views.one_model),
    re_path(rf"^providers/(?P<provider>[^/]+?)\.{ENDING}", views.one_provider),
    re_path(rf"^offerings/(?P<offering_id>[^/]+?)\.{ENDING}", sample_views.one_offering),
    re_path(rf"^self-hosted\.{ENDING}", gpu_views.self_hosted),
    re_path(rf"^self-hosted/(?P<endpoint>[^/]+)/samples\.{ENDING}", gpu_views.one_endpoints_requests),
    re_path(rf"^self-hosted/(?P<endpoint>[^/]+?)\.{ENDING}", gpu_views.one_endpoint),
    re_path(rf"^changes\.{ROWS}", changes.table),
    path("changes.atom", changes.feed),
    path("status.json", status.status),
    re_path(r"^models/(?P<creator>[^/]+)/(?P<model>[^/]+)\.atom$", changes.model_feed),
    re_path(r"^providers/(?P<provider>[^/]+)\.atom$", changes.provider_feed),
    re_path(r"^offerings/(?P<offering_id>[^/]+)\.atom$", changes.offering_feed),
    re_path(rf"^badge/(?P<offering_id>[^/]+)/(?P<metric>{METRIC})\.(?P<ending>svg|json)$", badges.badge),
    path("api/v1/", api_views.index),
    path("api/v1/", (made_read_only(look_ups), api_name, api_namespace)),
    re_path(r"^(?P<path>api/.+|.+\.json)$", errors.not_found),
]
