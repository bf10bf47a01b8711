"""Where price sources agree and where they do not: shown, not hidden, and settled by nobody in silence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.catalogue.models import SourceQuote


@dataclass(frozen=True, slots=True)
class Quoted:
    """What one source says of an offering, in USD per million tokens; None is unknown."""

    source: str
    input_usd_per_mtok: Decimal | None
    output_usd_per_mtok: Decimal | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An offering whose sources say different prices; `factor` is the largest over the smallest, None beside a 0."""

    offering_id: str
    quotes: tuple[Quoted, ...]
    factor: Decimal | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of the offerings that two sources or more price: how many agree to the digit."""

    compared: int
    equal: int
    disagreements: tuple[Disagreement, ...]
    """The farthest apart first."""

    @property
    def share_equal(self) -> float | None:
        return self.equal / self.compared if self.compared else None


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two sources over the offerings both price."""

    first: str
    second: str
    compared: int
    equal: int


def price_agreement(*, with_simulated: bool = False) -> Agreement:
    """All offerings on sale; one query."""
    quotes = quotes_by_offering(with_simulated=with_simulated)
    several = {offering: said for offering, said in quotes.items() if len(said) > 1}
    differing = [disagreement(offering, said) for offering, said in several.items() if differs(said)]
    differing.sort(key=lambda found: (-(found.factor or Decimal("Infinity")), found.offering_id))
    return Agreement(len(several), len(several) - len(differing), tuple(differing))


def agreement_by_pair(*, with_simulated: bool = False) -> list[PairAgreement]:
    """Every two sources that price the same offerings; one query."""
    compared: Counter[tuple[str, str]] = Counter()
    equal: Counter[tuple[str, str]] = Counter()
    for said in quotes_by_offering(with_simulated=with_simulated).values():
        for number, first in enumerate(said):
            for second in said[number + 1 :]:
                pair = (first.source, second.source)
                compared[pair] += 1
                equal[pair] += not differs((first, second))
    return [PairAgreement(*pair, count, equal[pair]) for pair, count in sorted(compared.items())]


def quotes_by_offering(*, with_simulated: bool) -> dict[str, tuple[Quoted, ...]]:
    """By public id, each source once, in order of their names; offerings no source prices are left out."""
    rows = SourceQuote.objects.filter(offering__retired_on=None)
    if not with_simulated:
        rows = rows.filter(offering__provider__simulated=False)
    found: defaultdict[str, list[Quoted]] = defaultdict(list)
    for public_id, source, given, returned in rows.order_by("source").values_list(
        "offering__public_id", "source", "input_usd_per_mtok", "output_usd_per_mtok"
    ):
        if given is not None or returned is not None:
            found[public_id].append(Quoted(source, given, returned))
    return {public_id: tuple(said) for public_id, said in found.items()}


def differs(quotes: Iterable[Quoted]) -> bool:
    return len({(quote.input_usd_per_mtok, quote.output_usd_per_mtok) for quote in quotes}) > 1


def disagreement(offering_id: str, quotes: tuple[Quoted, ...]) -> Disagreement:
    factors = [
        factor_between([quote.input_usd_per_mtok for quote in quotes]),
        factor_between([quote.output_usd_per_mtok for quote in quotes]),
    ]
    known = [factor for factor in factors if factor is not None]
    is_beside_free = None in factors
    return Disagreement(offering_id, quotes, None if is_beside_free or not known else max(known))


def factor_between(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """Largest over smallest of the known ones; None where one says free and another does not."""
    known = [amount for amount in amounts if amount is not None]
    if len(set(known)) <= 1:
        return Decimal(1)
    return max(known) / min(known) if min(known) else None
