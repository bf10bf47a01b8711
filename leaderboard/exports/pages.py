"""The data pages: what there is to download, the dictionary, and the frozen months."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from . import dataset
from .closed_files import ClosedFile, Manifest, closed_root, read_manifest
from .columns import TABLES
from .dataset_files import LIVE_FILES, site_address
from .descriptions.json_ld import dataset_json_ld
from .live_tables import leaderboard_table
from .sample_days import first_sample_day
from .sqlite_file import NAME as TODAY_FILE

NEWEST_SHOWN = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """One line of the table of files."""

    path: str
    title: str
    updates: str
    others: tuple[str, ...] = ()


UPDATES = {
    "leaderboard": "within a minute of new samples",
    "samples": "as samples arrive",
    "daily": "within a minute of new samples",
    "tombstones": "when a closed file is corrected",
}
OTHER_FORMS = {"leaderboard.csv": (".json", ".parquet"), "samples/today.csv": ()}


def live_list() -> list[ListedFile]:
    return [
        ListedFile(
            path=file.path,
            title=file.table.title,
            updates=UPDATES.get(file.table.name, "when the catalogue changes"),
            others=tuple(
                file.path.removesuffix(".csv") + ending for ending in OTHER_FORMS.get(file.path, (".json",))
            ),
        )
        for file in LIVE_FILES
    ]


@require_safe
def data(request: HttpRequest) -> HttpResponse:
    manifest = read_manifest()
    as_of, rows = leaderboard_table()
    site = site_address(request)
    homepage = site + "/data/"
    instant = as_of or dt.datetime.now(dt.UTC)
    described = dataset_json_ld(
        LIVE_FILES, as_of=as_of, since=first_sample_day(), homepage=homepage, root=site + dataset.ROOT
    )
    return render(
        request,
        "exports/data.html",
        {
            "has_today_file": (closed_root() / TODAY_FILE).exists(),
            "section": "data",
            "dataset": dataset,
            "site_address": site,
            "as_of": as_of,
            "rows": len(rows),
            "live_files": live_list(),
            "closed_files": newest_closed(manifest),
            "closed_count": len(manifest.files),
            "snapshot": newest_snapshot(manifest),
            "citation_short": dataset.short_citation(instant),
            "citation_long": dataset.long_citation(instant, url=homepage),
            "json_ld": script_json(described),
        },
    )


def newest_closed(manifest: Manifest) -> list[ClosedFile]:
    tables = [f for f in manifest.files if f.path.endswith(".csv.gz")]
    return sorted(tables, key=lambda f: f.path, reverse=True)[:NEWEST_SHOWN]


def newest_snapshot(manifest: Manifest) -> ClosedFile | None:
    return max(
        (f for f in manifest.files if f.path.startswith("snapshots/")), key=lambda f: f.path, default=None
    )


def script_json(document: object) -> SafeString:
    """JSON that cannot close its script element."""
    text = json.dumps(document, ensure_ascii=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return mark_safe(text)  # noqa: S308 the three characters that could end it are escaped above


@require_safe
def dictionary(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "exports/dictionary.html",
        {"section": "data", "tables": TABLES, "dataset": dataset},
    )


@require_safe
def snapshots(request: HttpRequest) -> HttpResponse:
    found = [f for f in read_manifest().files if f.path.startswith("snapshots/")]
    return render(
        request,
        "exports/snapshots.html",
        {
            "section": "data",
            "dataset": dataset,
            "snapshots": sorted(found, key=lambda f: f.path, reverse=True),
        },
    )
