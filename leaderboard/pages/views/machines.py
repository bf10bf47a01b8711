"""For machines: robots.txt, the site map, llms.txt and the address for security reports."""

from __future__ import annotations

import datetime as dt
from urllib.parse import quote
from xml.sax.saxutils import escape

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.pages.requests import page
from leaderboard.pages.views.documents import known_versions, reply_address
from leaderboard.ranking.queries import latest_snapshot

FIXED = (
    "/", "/offerings/", "/models/", "/providers/", "/frontier/", "/compare/", "/choose/", "/self-hosted/",
    "/methodology/",
    "/glossary/", "/data/", "/data/dictionary/", "/data/snapshots/", "/status/", "/changes/", "/corrections/",
    "/api/", "/about/",
)  # fmt: skip
LIVE = frozenset({"/", "/offerings/", "/models/", "/providers/", "/frontier/", "/status/", "/changes/"})


def origin_of(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


@page
def robots(request: HttpRequest) -> HttpResponse:
    """Pages and data may be crawled; views by query are the same rows again."""
    lines = [
        "User-agent: *",
        "Disallow: /admin/",
        "Disallow: /*?",
        "Allow: /",
        "",
        f"Sitemap: {origin_of(request)}/sitemap.xml",
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@page
def sitemap(request: HttpRequest) -> HttpResponse:
    """Every page that answers 200, with the day it last changed where that is known; five queries."""
    snapshot = latest_snapshot()
    as_of = snapshot.as_of if snapshot else None
    entries: list[tuple[str, dt.datetime | None]] = [
        (path, as_of if path in LIVE else None) for path in FIXED
    ]
    entries += [(f"/methodology/{version}/", None) for version in known_versions()]
    entries += [
        (f"/models/{slug}/", at) for slug, at in LanguageModel.objects.values_list("slug", "updated_at")
    ]
    entries += [
        (f"/providers/{slug}/", at) for slug, at in Provider.objects.values_list("slug", "updated_at")
    ]
    entries += [
        (f"/offerings/{quote(public_id, safe='~')}/", at)
        for public_id, at in Offering.objects.values_list("public_id", "updated_at")
    ]
    origin = origin_of(request)
    urls = "".join(
        f"<url><loc>{escape(origin + path)}</loc>{last_modified(at)}</url>" for path, at in entries
    )
    xml = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
    )
    return HttpResponse(xml, content_type="application/xml; charset=utf-8")


def last_modified(at: dt.datetime | None) -> str:
    return f"<lastmod>{at.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}</lastmod>" if at else ""


@page
def security(request: HttpRequest) -> HttpResponse:
    """RFC 9116; the contact is the operator's reply address, or the corrections page where none is set."""
    address = reply_address()
    contact = f"mailto:{address}" if address else f"{origin_of(request)}/corrections/"
    expires = timezone.now().astimezone(dt.UTC) + dt.timedelta(days=180)
    lines = [
        f"Contact: {contact}",
        f"Expires: {expires:%Y-%m-%dT00:00:00Z}",
        "Preferred-Languages: en",
        f"Canonical: {origin_of(request)}/.well-known/security.txt",
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@page
def llms(request: HttpRequest) -> HttpResponse:
    """What a language model should read first, by the llms.txt convention."""
    origin = origin_of(request)
    lines = [
        "# Provider Leaderboard",
        "",
        "> Speed, time to first token, reliability and price of LLM inference providers, measured by scheduled probes.",
        "",
        "Every page has its rows as CSV and JSON: the same path without its last slash, plus the ending.",
        "Rows with simulated = true come from a demo lab, not from a provider.",
        "",
        "## Data",
        f"- [Current board]({origin}/leaderboard.csv): one row an offering, place and workload",
        f"- [Dataset]({origin}/data/): all tables, daily files, checksums",
        f"- [Dictionary]({origin}/data/dictionary/): every column, its unit and meaning",
        f"- [API]({origin}/api/): look-ups with filters",
        "",
        "## Reading",
        f"- [Methodology]({origin}/methodology/): what each number means",
        f"- [Glossary]({origin}/glossary/): terms",
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")
