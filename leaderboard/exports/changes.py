"""Events as a file and as Atom feeds: all of them, and those of one model, provider or offering."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from xml.etree import ElementTree

from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.ranking.models import Event

from . import dataset
from .cells import float_text, instant_text
from .columns.changes import CHANGES
from .dataset_files import site_address
from .responses import REFERENCE_S, File, answer
from .tables import table_answer
from .views import answering_in_json

NEWEST = 100
"""Entries of a feed; the file has all."""
ATOM = "http://www.w3.org/2005/Atom"
WORDS = {
    "output_speed_tps_p50": ("Output speed", "tokens/s"),
    "ttft_ms_p50": ("Time to first token", "ms"),
    "input_usd_per_mtok": ("Input price", "USD per million tokens"),
    "output_usd_per_mtok": ("Output price", "USD per million tokens"),
}


def events() -> QuerySet[Event]:
    return Event.objects.select_related("offering__provider", "offering__model")


def changes_version() -> tuple[str, dt.datetime | None]:
    """A text that changes with every new or ended event, and when the newest was found; one query."""
    found = Event.objects.aggregate(last=Max("pk"), found=Max("found_at"), ended=Max("ended_at"))
    return f"{found['last']} {found['ended']}", found["found"]


@answering_in_json
def table(request: HttpRequest, ending: str) -> HttpResponseBase:
    """All events, newest first."""
    version, found_at = changes_version()
    file = File(name="changes", ending=ending, as_of=found_at, version=version, max_age_s=REFERENCE_S)
    return table_answer(request, CHANGES, file, lambda: events().iterator(chunk_size=2000))


@answering_in_json
def feed(request: HttpRequest) -> HttpResponseBase:
    return feed_answer(request, "Changes on the provider leaderboard", "/changes/", events())


@answering_in_json
def model_feed(request: HttpRequest, creator: str, model: str) -> HttpResponseBase:
    found = LanguageModel.objects.filter(slug=f"{creator}/{model}").first()
    if found is None:
        raise Http404
    page = f"/models/{found.slug}/"
    return feed_answer(request, f"Changes of {found.name}", page, events().filter(offering__model=found))


@answering_in_json
def provider_feed(request: HttpRequest, provider: str) -> HttpResponseBase:
    found = Provider.objects.filter(slug=provider).first()
    if found is None:
        raise Http404
    page = f"/providers/{found.slug}/"
    return feed_answer(request, f"Changes at {found.name}", page, events().filter(offering__provider=found))


@answering_in_json
def offering_feed(request: HttpRequest, offering_id: str) -> HttpResponseBase:
    found = Offering.objects.filter(public_id=offering_id).first()
    if found is None:
        raise Http404
    page = f"/offerings/{found.public_id}/"
    return feed_answer(request, f"Changes of {found.public_id}", page, events().filter(offering=found))


def feed_answer(request: HttpRequest, title: str, page: str, found: QuerySet[Event]) -> HttpResponseBase:
    version, found_at = changes_version()
    file = File(name="changes", ending="atom", as_of=found_at, version=version, max_age_s=REFERENCE_S)
    site = site_address(request)
    return answer(
        request,
        file,
        lambda: atom(list(found[:NEWEST]), title=title, site=site, page=page, path=request.path),
    )


def atom(entries: Sequence[Event], *, title: str, site: str, page: str, path: str) -> bytes:
    """The feed; an empty one carries the day the format was settled, as a date must stand there."""
    # Named here and not registered: a registered prefix is the whole process's, the charts' SVG included.
    root = ElementTree.Element("feed", xmlns=ATOM)
    newest = max((event.found_at for event in entries), default=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    add(root, "title", title)
    add(root, "id", site + path)
    add(root, "updated", instant_text(newest, always_milliseconds=False))
    add(root, "link", rel="self", type="application/atom+xml", href=site + path)
    add(root, "link", rel="alternate", type="text/html", href=site + page)
    add(root, "rights", f"{dataset.LICENCE_TITLE} ({dataset.LICENCE})")
    add(add(root, "author"), "name", "Provider leaderboard")
    for event in entries:
        add_entry(root, event, site)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def add(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, name, attributes)
    element.text = text or None
    return element


def add_entry(root: ElementTree.Element, event: Event, site: str) -> None:
    entry = add(root, "entry")
    add(entry, "title", sentence(event))
    host = site.split("://", 1)[-1].split(":")[0]
    add(entry, "id", f"tag:{host},2026:event:{event.key}")
    add(entry, "updated", instant_text(event.found_at, always_milliseconds=False))
    add(entry, "published", instant_text(event.at, always_milliseconds=False))
    page = f"/offerings/{event.offering.public_id}/" if event.offering else "/changes/"
    add(entry, "link", rel="alternate", type="text/html", href=site + page)
    add(entry, "category", term=event.kind)
    if event.detail:
        add(entry, "summary", event.detail)


def sentence(event: Event) -> str:
    """One event in words, with its subject, its values and its instant; simulated ones say so."""
    subject = event.offering.public_id if event.offering else "The board"
    when = f"{event.at.day} {event.at:%B %Y %H:%M} UTC"
    told = f"{subject}: {what_happened(event)}, {when}"
    return f"{told} (simulated)" if event.simulated else told


def what_happened(event: Event) -> str:
    match event.kind:
        case Event.Kind.ADDED:
            return "added"
        case Event.Kind.RETIRED:
            return "retired"
        case Event.Kind.OUTAGE:
            return "outage, over" if event.ended_at else "outage"
        case Event.Kind.METHOD:
            return "method changed"
    name, unit = WORDS.get(event.column, (event.column, ""))
    before, after = event.before or "unknown", event.after or "unknown"
    if event.change is None:
        return f"{name} changed from {before} to {after} {unit}"
    direction = "rose" if event.change > 0 else "fell"
    share = float_text(abs(event.change) * 100, 0)
    return f"{name} {direction} {share} % from {before} to {after} {unit}"
