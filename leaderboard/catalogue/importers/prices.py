"""The prices of many offerings against what a source says: appended, confirmed, or left to another source."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from leaderboard.catalogue.importers.quotes import PriceLine, PriceList, Quote
from leaderboard.catalogue.models import Offering, Price
from leaderboard.catalogue.pricing import Rates

RATE_FIELDS = (
    "input_usd_per_mtok",
    "output_usd_per_mtok",
    "cache_read_usd_per_mtok",
    "cache_write_usd_per_mtok",
    "reasoning_usd_per_mtok",
    "request_usd",
)
STORED = Decimal("0.00000001")

LineKey = tuple[object, ...]


class PriceBook:
    """Reads all prices of the offerings at once, collects what to write, writes it at the end."""

    def __init__(
        self, offering_ids: Iterable[int], source: str, now: dt.datetime, counts: Counter[str]
    ) -> None:
        self.source = source
        self.now = now
        self.counts = counts
        self.added: list[Price] = []
        self.confirmed: list[Price] = []
        self.lists: defaultdict[int, defaultdict[dt.datetime, list[Price]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for price in Price.objects.filter(offering__in=list(offering_ids)):
            self.lists[price.offering_id][price.valid_from].append(price)

    def enter(self, offering: Offering, quote: Quote) -> list[str]:
        """Append, confirm or leave; the sentences say what differs."""
        lists = [lst for lst in quote.price_lists if any(line.rates != Rates() for line in lst.lines)]
        begun = [lst for lst in lists if lst.valid_from is None or lst.valid_from <= self.now]
        dated = [lst for lst in lists if lst.valid_from is not None]
        if len(begun) > 1 and begun[0].valid_from is None:
            self.counts["past prices without a date, not kept"] += 1
        in_force = self.in_force(offering)
        if not in_force:
            for price_list in dated or begun:
                self.append(offering, quote, price_list)
            if not any(lst in begun for lst in dated) and begun and dated:
                self.append(offering, quote, begun[-1])
            return []
        differences = self.compare(offering, quote, begun[-1], in_force) if begun else []
        for price_list in dated:
            if price_list.valid_from is not None and price_list.valid_from > self.now:
                self.append_future(offering, quote, price_list)
        return differences

    def already_says(self, offering: Offering, line: PriceLine) -> bool:
        """Whether the price in force is this one already: someone believed it before."""
        return any(price_key(price) == line_key(line) for price in self.in_force(offering))

    def in_force(self, offering: Offering) -> list[Price]:
        lists = self.lists[offering.pk] if offering.pk else {}
        begun = [start for start in lists if start <= self.now]
        return lists[max(begun)] if begun else []

    def compare(
        self, offering: Offering, quote: Quote, price_list: PriceList, in_force: Sequence[Price]
    ) -> list[str]:
        if {price_key(price) for price in in_force} == {line_key(line) for line in price_list.lines}:
            self.confirmed += in_force
            self.counts["prices confirmed"] += 1
            return []
        if any(price.catalogue != self.source for price in in_force):
            self.counts["prices that another source states differently"] += 1
            return []
        self.append(offering, quote, PriceList(self.later(price_list, in_force), price_list.lines))
        self.counts["prices changed"] += 1
        old, new = flat(in_force), price_list.lines[0].rates
        was = f"input {old.input_usd_per_mtok}, output {old.output_usd_per_mtok}"
        return [f"{offering}: {was} → input {new.input_usd_per_mtok}, output {new.output_usd_per_mtok}"]

    def later(self, price_list: PriceList, in_force: Sequence[Price]) -> dt.datetime | None:
        """The list's own date where it is newer than what is in force, else now."""
        newest = max(price.valid_from for price in in_force)
        return price_list.valid_from if price_list.valid_from and price_list.valid_from > newest else None

    def append_future(self, offering: Offering, quote: Quote, price_list: PriceList) -> None:
        if price_list.valid_from not in self.lists[offering.pk]:
            self.append(offering, quote, price_list)

    def append(self, offering: Offering, quote: Quote, price_list: PriceList) -> None:
        self.counts["price lists added"] += 1
        self.added += [
            Price(
                offering=offering,
                valid_from=price_list.valid_from or self.now,
                context_above_tokens=line.context_above_tokens,
                hours_utc=line.hours_utc,
                weekdays=line.weekdays,
                source="third_party",
                source_url=quote.source_url[:500],
                catalogue=self.source,
                entered_by="job",
                verified_at=self.now,
                **{name: getattr(line.rates, name) for name in RATE_FIELDS},
            )
            for line in price_list.lines
        ]

    def write(self) -> None:
        Price.objects.bulk_create(self.added, batch_size=1000)
        Price.objects.filter(pk__in=[price.pk for price in self.confirmed]).update(verified_at=self.now)


def line_key(line: PriceLine) -> LineKey:
    return (
        line.context_above_tokens,
        line.hours_utc,
        line.weekdays,
        *(stored(getattr(line.rates, f)) for f in RATE_FIELDS),
    )


def price_key(price: Price) -> LineKey:
    return (
        price.context_above_tokens,
        price.hours_utc,
        price.weekdays,
        *(stored(getattr(price, f)) for f in RATE_FIELDS),
    )


def stored(amount: Decimal | None) -> Decimal | None:
    """As the database keeps it, so that a repeated import finds it equal."""
    return None if amount is None else amount.quantize(STORED)


def flat(prices: Sequence[Price]) -> Price:
    return min(prices, key=lambda price: (price.context_above_tokens or 0, price.hours_utc))
