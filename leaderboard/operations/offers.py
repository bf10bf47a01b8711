"""What could be measured at once: providers whose key is at hand, and engines on this machine. Offered, never begun."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q

from leaderboard.catalogue.budgets import forecast
from leaderboard.catalogue.credentials import key_for
from leaderboard.catalogue.models import Offering, ProbeState, Provider
from leaderboard.operations.local_engines import choices_of, new_local_engines, slug_of

ACTIVE = Q(offerings__probe_state=ProbeState.ACTIVE)
DRAFT = Q(offerings__probe_state=ProbeState.DRAFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One provider that a click, or `up --measure` with its slug, begins to measure."""

    slug: str
    name: str
    found: str
    """What makes it possible: the variable that holds its key, or where the engine listens."""
    offerings: int
    usd_per_day: Decimal
    """By forecast, at most; an engine of our own bills nothing."""
    cap_usd: Decimal
    unpriced: int = 0

    @property
    def sentence(self) -> str:
        unpriced = f", {self.unpriced} of unknown price" if self.unpriced else ""
        plural = "" if self.offerings == 1 else "s"
        return (
            f"{self.name} ({self.found}): {self.offerings} offering{plural}{unpriced}, at most "
            f"{self.usd_per_day:.2f} USD a day by forecast, capped at {self.cap_usd:.2f} USD"
        )


def key_offers(now: dt.datetime) -> list[Offer]:
    """Real providers with a readable key, drafts to measure, and nothing measured so far."""
    ready = (
        Provider.objects.filter(simulated=False, retired_on=None)
        .exclude(api_key_env="", encrypted_api_key="")
        .annotate(active=Count("offerings", filter=ACTIVE), drafts=Count("offerings", filter=DRAFT))
        .filter(active=0, drafts__gt=0)
    )
    return [offer_of(p, now) for p in ready if not p.probing_forbidden and key_for(p) is not None]


def offer_of(provider: Provider, now: dt.datetime) -> Offer:
    drafts = list(Offering.objects.filter(provider=provider, probe_state=ProbeState.DRAFT))
    expected = forecast(drafts, at=now)
    return Offer(
        slug=provider.slug,
        name=provider.name,
        found=f"key in {provider.api_key_env}" if provider.api_key_env else "key stored",
        offerings=len(drafts),
        usd_per_day=expected.usd_per_day,
        cap_usd=provider.daily_cap_usd,
        unpriced=expected.unpriced,
    )


def engine_offers(*, leave_out: Iterable[int] = ()) -> list[Offer]:
    """Engines that listen on loopback and serve a model the board knows; asks each port once, a second at most."""
    offers = []
    for engine in new_local_engines(leave_out=leave_out):
        choices = choices_of(engine)
        if choices:
            offers.append(
                Offer(
                    slug=slug_of(engine),
                    name=engine.name,
                    found=f"listens on {engine.base_url.removeprefix('http://').removesuffix('/v1')}",
                    offerings=len(choices),
                    usd_per_day=Decimal(0),
                    cap_usd=Decimal(1),
                )
            )
    return offers
