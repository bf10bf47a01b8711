"""What probing will cost, before anything is activated. Upper bounds: every answer is taken at its full length."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.catalogue.models import Board, Offering, Provider
from leaderboard.catalogue.pricing import RatesPerMtok, cost_usd
from leaderboard.catalogue.queries import prices_in_force
from probes.workloads import DEFAULT_WORKLOAD, Workload, get_workload

SECONDS_PER_DAY = Decimal(86_400)


@dataclass(frozen=True, slots=True)
class Forecast:
    """USD a day for a set of offerings; those without a price cannot be forecast and are counted apart."""

    usd_per_day: Decimal
    probes_per_day: Decimal
    unpriced: int = 0


def probe_cost_usd(price: RatesPerMtok | None, workload: Workload) -> Decimal | None:
    """One measurement at its longest: all its requests, the whole prompt, the whole answer."""
    one = cost_usd(price, input_tokens=workload.input_tokens, output_tokens=workload.max_output_tokens)
    return None if one is None else one * workload.concurrency


def probes_per_day(interval_s: int) -> Decimal:
    return SECONDS_PER_DAY / interval_s


def forecast(offerings: Iterable[Offering], *, at: dt.datetime) -> Forecast:
    """For the offerings' own workloads and intervals, at the prices in force; one query a workload."""
    offerings = list(offerings)
    wanted = {slug for offering in offerings for slug in offering.workloads or [DEFAULT_WORKLOAD]}
    total, probes, unpriced = Decimal(0), Decimal(0), set()
    for slug in sorted(wanted):
        workload = get_workload(slug)
        asked = [o for o in offerings if slug in (o.workloads or [DEFAULT_WORKLOAD])]
        prices = prices_in_force([o.pk for o in asked], at, prompt_tokens=workload.input_tokens)
        for offering in asked:
            daily = probes_per_day(workload.interval_s(offering.interval_s))
            probes += daily
            cost = probe_cost_usd(prices.get(offering.pk), workload)
            if cost is None:
                unpriced.add(offering.pk)
            else:
                total += cost * daily
    return Forecast(usd_per_day=total, probes_per_day=probes, unpriced=len(unpriced))


def cap_warning(provider: Provider, board: Board, forecasted: Forecast) -> str:
    """A sentence where the forecast is above a cap: probing would pause each day; empty where it fits."""
    for cap, whose in (
        (provider.daily_cap_usd, f"the daily cap of {provider}"),
        (board.daily_cap_usd, "the board's daily cap"),
    ):
        if forecasted.usd_per_day > cap:
            return (
                f"The forecast of {forecasted.usd_per_day:.2f} USD a day is above {whose} of {cap:.2f} USD: "
                "probing would pause each day when it is reached."
            )
    return ""


def pause_sentence(provider: Provider, board: Board, *, spent_usd: Decimal, spent_by_all_usd: Decimal) -> str:
    """Why probing of a provider rests until the next UTC day; empty while it may go on."""
    if spent_usd >= provider.daily_cap_usd:
        return f"Paused until 00:00 UTC: the daily cap of {provider.daily_cap_usd:.2f} USD for {provider} is reached."
    if spent_by_all_usd >= board.daily_cap_usd:
        return f"Paused until 00:00 UTC: the board's daily cap of {board.daily_cap_usd:.2f} USD is reached."
    return ""
