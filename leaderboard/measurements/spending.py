"""What probing cost today, against the caps: a provider over its cap, or all of them, wait for the next UTC day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce, TruncDate

from leaderboard.catalogue.budgets import pause_sentence
from leaderboard.catalogue.models import Board, Provider
from leaderboard.measurements.models import Sample


def spent_today(now: dt.datetime) -> dict[int, Decimal]:
    """USD by provider since 00:00 UTC, real providers only; a probe of unknown price counts nothing. One query."""
    midnight = now.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    rows = (
        Sample.objects.filter(scheduled_at__gte=midnight, scheduled_at__lte=now, simulated=False)
        .values_list("offering__provider")
        .annotate(spent=Sum("cost_usd"))
    )
    return {provider_id: spent for provider_id, spent in rows if spent}


def providers_over_cap(now: dt.datetime) -> frozenset[int]:
    """Providers that may spend nothing more today; three queries at most."""
    return frozenset(cap_pauses(now))


def cap_pauses(now: dt.datetime) -> dict[int, str]:
    """The same with the sentence that says which cap is reached; all real providers once the board's is."""
    spent = spent_today(now)
    if not spent:
        return {}
    board, total = Board.objects.first() or Board(), sum(spent.values(), Decimal(0))
    providers = Provider.objects.filter(simulated=False)
    if total < board.daily_cap_usd:
        providers = providers.filter(pk__in=spent)
    said = {
        p.pk: pause_sentence(p, board, spent_usd=spent.get(p.pk, Decimal(0)), spent_by_all_usd=total)
        for p in providers
    }
    return {pk: sentence for pk, sentence in said.items() if sentence}


def tell_providers(pauses: dict[int, str], *, asked: Iterable[int], now: dt.datetime) -> None:
    """Write on the providers whose probes were due that a cap keeps them, for every page to say; or that none does.

    One query to look; writes only what changed.
    """
    until = now.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0) + dt.timedelta(days=1)
    providers = Provider.objects.filter(simulated=False, pk__in=set(asked))
    for provider in providers.only("capped_until", "capped_reason"):
        said = (until, pauses[provider.pk]) if provider.pk in pauses else (None, "")
        if (provider.capped_until, provider.capped_reason) != said:
            Provider.objects.filter(pk=provider.pk).update(capped_until=said[0], capped_reason=said[1])


def board_cap_usd() -> Decimal:
    """The operator's cap over all providers, or the default where no setting was ever saved."""
    board = Board.objects.first() or Board()
    return Decimal(board.daily_cap_usd)


@dataclass(frozen=True, slots=True)
class DaySpending:
    """What one provider's probes cost on one UTC day; probes of unknown price are counted and cost nothing here."""

    day: dt.date
    provider_id: str
    provider_name: str
    probes: int
    unpriced: int
    usd: Decimal


def spending_by_day(now: dt.datetime, *, days: int) -> list[DaySpending]:
    """The last days with today, newest first, the dearest provider first; real providers only. One query."""
    midnight = now.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    rows = (
        Sample.objects.filter(
            scheduled_at__gte=midnight - dt.timedelta(days=days - 1), scheduled_at__lte=now, simulated=False
        )
        .annotate(day=TruncDate("scheduled_at", tzinfo=dt.UTC))
        .values_list("day", "offering__provider__slug", "offering__provider__name")
        .annotate(
            probes=Count("sample_id"),
            unpriced=Count("sample_id", filter=Q(cost_usd__isnull=True)),
            usd=Coalesce(Sum("cost_usd"), Decimal(0)),
        )
    )
    found = [DaySpending(*row) for row in rows]
    return sorted(found, key=lambda spent: (-spent.day.toordinal(), -spent.usd, spent.provider_id))
