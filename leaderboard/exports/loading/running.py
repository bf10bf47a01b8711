"""The whole of loading: catalogue, samples, what offerings know of their samples, and the ranking at one instant."""

from __future__ import annotations

import csv
import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.db.models import Max, Min

from leaderboard.catalogue.models import Offering
from leaderboard.exports.catalogue_rows import DEFAULT_INTERVAL_S
from leaderboard.measurements.due import usual_interval_s
from leaderboard.measurements.models import Sample
from leaderboard.ranking.daily import backfill_daily
from leaderboard.ranking.schedule import natural_as_of
from leaderboard.ranking.summarise import make_snapshot

from .catalogue import load_catalogue
from .cells import LoadProblem
from .samples import load_samples

SLOTS_LOOKED_AT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What was read, what was new, and the instant the ranking was made for."""

    catalogue: dict[str, int]
    rows: int
    new: int
    as_of: dt.datetime


def load(file: Path, catalogue: Path | None, *, now: dt.datetime) -> Loaded:
    """Raises LoadProblem; the catalogue and the samples are each stored whole or not at all."""
    if catalogue is not None and not catalogue.is_dir():
        raise LoadProblem(f"{catalogue} is not a folder.")
    folder = catalogue or file.parent
    was_empty = not Sample.objects.exists()
    counts = load_catalogue(folder) if has_catalogue(folder) else {}
    rows, new = load_samples(file)
    refresh_offerings(schedule_is_known=(folder / "latest.json").exists())
    as_of = (published_as_of(folder, now) if was_empty else None) or natural_as_of(now)
    make_snapshot(as_of=as_of, remake=True)
    backfill_daily(now)
    return Loaded(catalogue=counts, rows=rows, new=new, as_of=as_of)


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
