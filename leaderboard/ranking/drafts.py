"""The rows of a snapshot before they are written, by column: figures, standing, prices, ranks and frontiers.

Column by column and not row by row: a board of thousands of series costs a few passes of numpy instead of as many
objects. numpy is loaded with this module, so it is imported where a snapshot is made.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leaderboard.catalogue.models import Offering
from leaderboard.catalogue.pricing import DEFAULT_BLEND_TEXT, blended_usd_per_mtok, price_in_force
from leaderboard.catalogue.queries import newest_price_lists
from leaderboard.ranking.comparing import Group, Rivals, compared_columns
from leaderboard.ranking.frontiers import GroupKey
from leaderboard.ranking.ordered import Floats, Whole, known
from leaderboard.ranking.standing import (
    STANDING_WINDOW,
    Freshness,
    Standing,
    freshness_at,
    is_ranked,
    standing_of,
)
from leaderboard.ranking.window import (
    US_PER_S,
    Successes,
    Window,
    look_further,
    microseconds,
    read_window,
)
from probes.workloads import workload_interval_s

MONEY_STEP = Decimal("1e-8")
LOOKS_BACK = (dt.timedelta(days=4), STANDING_WINDOW)
"""The first is long enough for a series that runs well, and a quarter of the reading."""
PUBLISHED_FIGURES = (
    *(f"{measure}_{name}" for measure in ("output_speed_tps", "ttft_ms") for name in (
        "p05", "p25", "p50", "p75", "p95", "p50_low", "p50_high",
    )),
    "ttfat_ms_p50", "ttfat_ms_p95", "end_to_end_ms_p50", "response_time_500_ms_p50",
)  # fmt: skip

Column = Sequence[Any] | NDArray[Any]
"""One value for each row; NaN in numbers, NEVER in instants and None elsewhere are unknown."""


class OfferingFacts(NamedTuple):
    """What a ranking needs to know of an offering."""

    public_id: str
    probe_state: str
    interval_s: int


class PriceRow(NamedTuple):
    """What a ranking needs to know of a price and its terms."""

    valid_from: dt.datetime
    valid_to: dt.datetime | None
    context_above_tokens: int | None
    hours_utc: str
    weekdays: str
    input_usd_per_mtok: Decimal | None
    output_usd_per_mtok: Decimal | None
    cache_read_usd_per_mtok: Decimal | None
    cache_write_usd_per_mtok: Decimal | None
    reasoning_usd_per_mtok: Decimal | None
    request_usd: Decimal | None
    verified_at: dt.datetime | None


@dataclass(slots=True, kw_only=True)
class Drafts:
    """`columns` are those of the table of summaries; the lists have one element for each of its rows."""

    window: Window
    offerings: Sequence[OfferingFacts]
    standings: Sequence[Standing]
    freshness: Sequence[Freshness]
    columns: dict[str, Column] = field(default_factory=dict)

    @property
    def samples_read(self) -> int:
        return int(self.window.tallies.counts.sum())

    def active(self, rows: Iterable[int]) -> list[int]:
        return [n for n in rows if self.offerings[n].probe_state == "active"]

    def ranked(self, rows: Iterable[int]) -> list[int]:
        return [n for n in self.active(rows) if is_ranked(self.standings[n], self.freshness[n])]

    def compared(self, rows: Iterable[int]) -> list[int]:
        """The ranked rows of a group; where none is ranked yet, the provisional ones (pages label them so)."""
        return self.ranked(rows) or [
            n
            for n in self.active(rows)
            if self.standings[n] == "provisional" and self.freshness[n] in ("fresh", "late")
        ]


def drafted(*, as_of: dt.datetime, window_hours: int) -> Drafts:
    """Every row of the snapshot, judged and ranked; five queries at most, whatever the history."""
    window = read_window(as_of=as_of, hours=window_hours)
    facts = offering_facts(window.offerings.tolist())
    offerings = [facts[pk] for pk in window.offerings.tolist()]
    standings = judged(window, as_of=as_of, hours=window_hours)
    drafts = Drafts(
        window=window,
        offerings=offerings,
        standings=standings,
        freshness=freshness_by_row(window, offerings, as_of),
    )
    figures, prices = window.figures(), price_columns(window, as_of)
    rivals = rivals_of(drafts, figures, prices["blended_usd_per_mtok"])
    drafts.columns = {
        **counted_columns(drafts),
        **{name: figures[name] for name in PUBLISHED_FIGURES},
        **prices,
        **compared_columns(rivals, groups_of(drafts, as_of)),
    }
    return drafts


def offering_facts(ids: Iterable[int]) -> dict[int, OfferingFacts]:
    rows = Offering.objects.filter(pk__in=set(ids)).values_list(
        "pk", "public_id", "probe_state", "interval_s"
    )
    return {pk: OfferingFacts(public_id, state, interval_s) for pk, public_id, state, interval_s in rows}


def judged(window: Window, *, as_of: dt.datetime, hours: float) -> list[Standing]:
    """The standing of each row over the last 14 days.

    A window that makes a row official settles it, so each longer look back is only for the others.
    """
    standings = standings_of(window.successes)
    for back in (look for look in LOOKS_BACK if look > dt.timedelta(hours=hours)):
        unsettled = [n for n, standing in enumerate(standings) if standing != "official"]
        if unsettled:
            look_further(window, np.array(unsettled), as_of=as_of, back=back)
            standings = standings_of(window.successes)
    return standings


def standings_of(successes: Successes) -> list[Standing]:
    spans_s = ((successes.last_us - successes.first_us) / US_PER_S).tolist()
    return [
        standing_of(count, span_s=span_s, blocks=blocks)
        for count, span_s, blocks in zip(
            successes.count.tolist(), spans_s, successes.blocks.tolist(), strict=True
        )
    ]


def freshness_by_row(
    window: Window, offerings: Sequence[OfferingFacts], as_of: dt.datetime
) -> list[Freshness]:
    ages_s = ((microseconds(as_of) - window.successes.last_started_us) / US_PER_S).tolist()
    return [
        "no_data"
        if count == 0
        else freshness_at(age_s, interval_s=workload_interval_s(part.workload, offering.interval_s))
        for count, age_s, part, offering in zip(
            window.successes.count.tolist(), ages_s, window.parts, offerings, strict=True
        )
    ]


def counted_columns(drafts: Drafts) -> dict[str, Column]:
    """What the samples say by themselves."""
    window = drafts.window
    tallies = window.tallies
    return {
        "offering_id": window.offerings,
        "probe_location": [part.probe_location for part in window.parts],
        "workload": [part.workload for part in window.parts],
        "workload_version": [part.workload_version for part in window.parts],
        "methodology_version": [part.methodology_version for part in window.parts],
        "simulated": window.simulated,
        "samples_total": tallies.total(),
        "samples_ok": tallies.ok(),
        "samples_excluded": tallies.excluded(),
        "speed_samples": window.measures["output_speed_tps"].counts,
        "ttft_samples": window.measures["ttft_ms"].counts,
        "outcomes": tally_texts(tallies.outcomes(), len(window)),
        "exclusions": tally_texts(tallies.exclusions(), len(window)),
        "success_rate": tallies.success_rates(),
        "uptime": tallies.uptimes(),
        "last_ok_at": window.successes.last_started_us,
        "last_sample_at": window.last_started_us,
        "freshness": drafts.freshness,
        "standing": drafts.standings,
    }


def tally_texts(counts: Mapping[str, Whole], rows: int) -> list[str]:
    """One JSON object a row, with what was not zero. Few rows differ, so each text is made once."""
    if not counts:
        return ["{}"] * rows
    made: dict[tuple[int, ...], str] = {}
    texts = []
    for row in map(tuple, np.column_stack(list(counts.values())).tolist()):
        if row not in made:
            made[row] = json.dumps({name: count for name, count in zip(counts, row, strict=True) if count})
        texts.append(made[row])
    return texts


def price_columns(window: Window, as_of: dt.datetime) -> dict[str, list[Any]]:
    """List prices in force at `as_of`, without a tier; one query."""
    rows = window.offerings.tolist()
    lists: defaultdict[int, list[PriceRow]] = defaultdict(list)
    for row in newest_price_lists(set(rows), as_of).values_list("offering_id", *PriceRow._fields):
        lists[row[0]].append(PriceRow(*row[1:]))
    prices = {offering: price_in_force(list_, as_of) for offering, list_ in lists.items()}
    blends = {offering: money(blended_usd_per_mtok(price)) for offering, price in prices.items()}
    of_row = [prices.get(offering) for offering in rows]
    return {
        "input_usd_per_mtok": [price and price.input_usd_per_mtok for price in of_row],
        "output_usd_per_mtok": [price and price.output_usd_per_mtok for price in of_row],
        "cache_read_usd_per_mtok": [price and price.cache_read_usd_per_mtok for price in of_row],
        "blended_usd_per_mtok": [blends.get(offering) for offering in rows],
        "blend": [DEFAULT_BLEND_TEXT] * len(rows),
        "price_verified_at": [price and price.verified_at for price in of_row],
    }


def money(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else amount.quantize(MONEY_STEP)


def groups_of(drafts: Drafts, as_of: dt.datetime) -> Iterable[Group]:
    """The rows of each location, workload and reality."""
    groups: defaultdict[GroupKey, list[int]] = defaultdict(list)
    window = drafts.window
    for n, (part, simulated) in enumerate(zip(window.parts, window.simulated.tolist(), strict=True)):
        groups[part.probe_location, part.workload, simulated].append(n)
    for (location, workload, simulated), rows in groups.items():
        yield Group(
            seed=f"{as_of:%Y-%m-%dT%H:%M:%SZ} {location} {workload} {simulated}",
            ranked=drafts.ranked(rows),
            on_frontier=drafts.compared(rows),
        )


def rivals_of(drafts: Drafts, figures: Mapping[str, Floats], prices_usd: Sequence[Decimal | None]) -> Rivals:
    return Rivals(
        ids=[offering.public_id for offering in drafts.offerings],
        speeds_tps=known(figures["output_speed_tps_p50"]),
        ttfts_ms=known(figures["ttft_ms_p50"]),
        prices_usd=prices_usd,
        all_speeds_tps=drafts.window.measures["output_speed_tps"],
        all_ttfts_ms=drafts.window.measures["ttft_ms"],
    )
