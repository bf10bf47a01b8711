"""Pages of words: methodology, glossary, about, corrections, the API. Numbers in them come from the code."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.catalogue.models import Board as BoardSettings
from leaderboard.catalogue.models import Revision
from leaderboard.pages.requests import page
from leaderboard.pages.terms import TERMS
from leaderboard.ranking import percentiles, standing
from leaderboard.ranking.filters import WINDOW_HOURS
from leaderboard.ranking.models import Snapshot
from probes import exclusions, metrics
from probes.result import METHODOLOGY_VERSION
from probes.workloads import DEFAULT_WORKLOAD, WORKLOADS

# What each version changed, newest first; a version in the data that is missing here is still shown, without words.
VERSIONS = (("1.0.0", "The first published method."),)
CORRECTIONS_SHOWN = 100


@page
def methodology(request: HttpRequest, version: str = METHODOLOGY_VERSION) -> HttpResponse:
    versions = known_versions()
    if version not in versions:
        raise Http404
    context = {
        "section": "methodology",
        "version": version,
        "current": METHODOLOGY_VERSION,
        "versions": [(name, dict(VERSIONS).get(name, "")) for name in versions],
        "workloads": WORKLOADS.values(),
        "default_workload": DEFAULT_WORKLOAD,
        "windows": list(WINDOW_HOURS),
        **constants(),
    }
    return render(request, "documents/methodology.html", context)


def known_versions() -> list[str]:
    """Every version in the data and the current one, newest first; one query."""
    found = set(Snapshot.objects.order_by().values_list("methodology_version", flat=True).distinct())
    return sorted({METHODOLOGY_VERSION, *found}, key=version_key, reverse=True)


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def constants() -> dict[str, object]:
    """The numbers of the text, as the code has them."""
    return {
        "min_tokens": metrics.MIN_TOKENS_AFTER_FIRST,
        "min_events": metrics.MIN_EVENTS,
        "min_window_ms": metrics.MIN_WINDOW_NS // metrics.NS_PER_MS,
        "held_back_ms": metrics.HELD_BACK_WINDOW_NS // metrics.NS_PER_MS,
        "held_back_tokens": metrics.HELD_BACK_TOKENS,
        "chunk_share_percent": round(metrics.MAX_CHUNK_SHARE * 100),
        "late_chars_percent": round(metrics.LATE_CHARS_SHARE * 100),
        "late_window_percent": round(metrics.LATE_WINDOW_SHARE * 100),
        "answer_tokens": metrics.MODELLED_ANSWER_TOKENS,
        "max_lag_ms": exclusions.MAX_LAG_MS,
        "cached_tokens": exclusions.MIN_CACHED_TOKENS,
        "cached_percent": round(exclusions.MIN_CACHED_SHARE * 100),
        "preliminary_samples": standing.PRELIMINARY_SAMPLES,
        "preliminary_hours": standing.PRELIMINARY_SPAN.total_seconds() / 3600,
        "official_samples": standing.OFFICIAL_SAMPLES,
        "official_hours": standing.OFFICIAL_SPAN.total_seconds() / 3600,
        "standing_days": standing.STANDING_WINDOW.days,
        "stale_hours": standing.STALE_AFTER_AT_LEAST.total_seconds() / 3600,
        "tail_hidden_below": percentiles.TAIL_HIDDEN_BELOW,
        "tail_weak_below": percentiles.TAIL_WEAK_BELOW,
    }


@page
def glossary(request: HttpRequest) -> HttpResponse:
    return render(
        request, "documents/glossary.html", {"terms": sorted(TERMS, key=lambda t: t.name.casefold())}
    )


@page
def about(request: HttpRequest) -> HttpResponse:
    return render(request, "documents/about.html", {"reply_address": reply_address()})


@page
def corrections(request: HttpRequest) -> HttpResponse:
    """How to report a wrong number, and what was corrected; `about` prefills what is meant."""
    found = Revision.objects.filter(kind="corrected", is_public=True).order_by("-at")[:CORRECTIONS_SHOWN]
    context = {
        "about": request.GET.get("about", "")[:300],
        "corrections": found,
        "reply_address": reply_address(),
    }
    return render(request, "documents/corrections.html", context)


@page
def api(request: HttpRequest) -> HttpResponse:
    return render(request, "documents/api.html", {"section": "data"})


def reply_address() -> str:
    """Where the operator wants to be written to; empty where nothing is set."""
    return BoardSettings.objects.values_list("reply_address", flat=True).first() or ""
