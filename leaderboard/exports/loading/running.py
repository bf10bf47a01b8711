"""The whole of loading: catalogue, samples, what offerings know of their samples, and the ranking at one instant."""

from __future__ import annotations

import csv
import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.db.models import Max, Min

from leaderboard.catalogue.models import Offering
from leaderboard.exports.catalogue_rows import DEFAULT_INTERVAL_S
from leaderboard.exports.closed_files import read_manifest
from leaderboard.exports.columns import SAMPLES
from leaderboard.exports.releases import day_choice, day_path
from leaderboard.exports.rewriting import FilesBusy, rewrite_days
from leaderboard.measurements.due import usual_interval_s
from leaderboard.measurements.models import ProbeLocation, Sample
from leaderboard.ranking.daily import backfill_daily, is_final, make_day
from leaderboard.ranking.schedule import natural_as_of
from leaderboard.ranking.summarise import make_snapshot

from .catalogue import load_catalogue
from .cells import LoadProblem
from .samples import LABEL, UNNAMED, load_samples

SLOTS_LOOKED_AT = 500
# Samples come in by COPY, whose errors Django does not wrap.
REFUSED_BY_THE_DATABASE = (DataError, IntegrityError, psycopg.DataError, psycopg.IntegrityError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What was read, what was new, and the instant the ranking was made for."""

    catalogue: dict[str, int]
    rows: int
    new: int
    as_of: dt.datetime


def load(file: Path, catalogue: Path | None, *, now: dt.datetime, place: str = "") -> Loaded:
    """Raises LoadProblem; the catalogue and the samples are each stored whole or not at all.

    With a `place` the file is another board's: its samples come in as that probe location's, and of its catalogue
    only what this board does not know.
    """
    if catalogue is not None and not catalogue.is_dir():
        raise LoadProblem(f"{catalogue} is not a folder.")
    if place:
        check_place(place)
    folder = catalogue or file.parent
    was_empty = not Sample.objects.exists()
    with storing(folder):
        counts = load_catalogue(folder, only_new=bool(place)) if has_catalogue(folder) else {}
    with storing(file):
        rows, new, days = load_samples(file, place=place)
    refresh_offerings(schedule_is_known=bool(place) or (folder / "latest.json").exists())
    as_of = (published_as_of(folder, now) if was_empty else None) or natural_as_of(now)
    make_snapshot(as_of=as_of, remake=True)
    if new:
        count_again(days, now)
    backfill_daily(now)
    publish_again(days, f"samples loaded{f' of {place}' if place else ''}", now)
    return Loaded(catalogue=counts, rows=rows, new=new, as_of=as_of)


@contextmanager
def storing(source: Path) -> Iterator[None]:
    """All or nothing; what the database refuses is told as a LoadProblem."""
    try:
        with transaction.atomic():
            yield
    except REFUSED_BY_THE_DATABASE as problem:
        raise LoadProblem(
            f"{source} holds a value that the board cannot store: {str(problem).splitlines()[0]}."
        ) from None


def check_place(place: str) -> None:
    """Other people's samples never mix with those of a place that this board probes from itself."""
    if not LABEL.fullmatch(place):
        raise LoadProblem(f"{place!r} is no label: lower-case letters, digits, dots and hyphens.")
    if place in (UNNAMED, settings.PROBE_LOCATION) or ProbeLocation.objects.filter(name=place).exists():
        raise LoadProblem(
            f"{place} is a place that this board probes from itself; give the other board's another name."
        )


def count_again(days: Iterable[dt.date], now: dt.datetime) -> None:
    """Final rows are never made anew by themselves."""
    for day in days:
        if is_final(day):
            make_day(day, now=now)


def publish_again(days: Iterable[dt.date], reason: str, now: dt.datetime) -> None:
    """Closed files of days that gained samples, told in the change log; raises LoadProblem."""
    published = {file.path: file.rows for file in read_manifest().of_table(SAMPLES.name)}
    behind = [day for day in days if published.get(f"{day_path(day)}.csv.gz", 0) != stored_count(day)]
    try:
        rewrite_days(behind, reason=reason, now=now)
    except FilesBusy as busy:
        raise LoadProblem(f"The samples are stored. {busy} Load the file again then.") from None


def stored_count(day: dt.date) -> int:
    choice = day_choice(day)
    return Sample.objects.filter(scheduled_at__gte=choice.since, scheduled_at__lt=choice.until).count()


def has_catalogue(folder: Path) -> bool:
    return (folder / "offerings.csv").exists()


def published_as_of(folder: Path, now: dt.datetime) -> dt.datetime | None:
    """The instant of the leaderboard beside the samples: an empty board loads back to that very ranking."""
    path = folder / "leaderboard.csv"
    if not path.exists():
        return None
    with path.open(newline="") as stream:
        first = next(csv.DictReader(stream), None)
    if first is None or "as_of" not in first:
        return None
    as_of = dt.datetime.fromisoformat(first["as_of"])
    return as_of if as_of <= now else None


def refresh_offerings(*, schedule_is_known: bool) -> None:
    """When each was first probed and last well; and, without a timetable, the interval its slots were planned at."""
    seen = {
        row["offering"]: row
        for row in Sample.objects.values("offering").annotate(
            first=Min("scheduled_at"), last=Max("started_at")
        )
    }
    last_ok = dict(
        Sample.objects.filter(outcome="ok")
        .values("offering")
        .annotate(last=Max("started_at"))
        .values_list("offering", "last")
    )
    intervals = {} if schedule_is_known else usual_intervals(seen)
    for pk, row in seen.items():
        Offering.objects.filter(pk=pk).update(
            first_probed_on=row["first"].date(),
            last_ok_at=last_ok.get(pk),
            **({"interval_s": intervals[pk]} if pk in intervals else {}),
        )


def usual_intervals(offerings: Iterable[int]) -> dict[int, int]:
    """From the newest slots of the offering's commonest workload; only where nothing else was set."""
    found = {}
    untold = Offering.objects.filter(pk__in=list(offerings), interval_s=DEFAULT_INTERVAL_S).values_list(
        "pk", flat=True
    )
    for pk in untold:
        slots: defaultdict[tuple[str, str], list[dt.datetime]] = defaultdict(list)
        newest = Sample.objects.filter(offering=pk).order_by("-scheduled_at")
        for at, workload, location in newest.values_list("scheduled_at", "workload", "probe_location")[
            :SLOTS_LOOKED_AT
        ]:
            slots[workload, location].append(at)
        longest = max(slots.values(), key=len)
        found[pk] = usual_interval_s(longest, DEFAULT_INTERVAL_S)
    return found
