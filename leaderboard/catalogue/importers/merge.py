"""Quotes → the catalogue, in one transaction: models under one identity, prices appended, differences reported.

A price that another source or an admin entered is never replaced: what this source says instead is kept as its
SourceQuote, and shown where sources disagree. A dry run is the same code, rolled back.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from django.db import transaction

from leaderboard.catalogue.amounts import hold_reason
from leaderboard.catalogue.directory import load_directory, slugs_by_source
from leaderboard.catalogue.importers.catalogued import Catalogued
from leaderboard.catalogue.importers.facts import (
    FILLABLE,
    Placed,
    fill_facts,
    improve_name,
    new_model,
    new_offering,
)
from leaderboard.catalogue.importers.prices import PriceBook
from leaderboard.catalogue.importers.quotes import LeftOut, PriceLine, Quote, Reading
from leaderboard.catalogue.model_names import creators_by_prefix, identify, slug_text
from leaderboard.catalogue.models import (
    CatalogueImport,
    HeldPrice,
    LanguageModel,
    Offering,
    Provider,
    SourceQuote,
)
from leaderboard.catalogue.pricing import Rates, median_usd_per_mtok

FEWEST_SELLERS_FOR_MEDIAN = 4


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    source: str
    counts: Counter[str] = field(default_factory=Counter)
    unmapped: list[LeftOut] = field(default_factory=list)
    refused: list[LeftOut] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    """Rows that change, as sentences."""
    notes: Mapping[str, int] = field(default_factory=dict)


def import_reading(reading: Reading, *, now: dt.datetime, dry_run: bool = False) -> ImportReport:
    """Apply a reading whole, or only report what it would change."""
    with transaction.atomic():
        load_directory()
        merge = Merge(reading, now)
        report = merge.run()
        transaction.set_rollback(dry_run)
    return report


class Merge:
    """One import at work: everything is read at the start and written at the end, in bulk."""

    def __init__(self, reading: Reading, now: dt.datetime) -> None:
        self.reading = reading
        self.now = now
        self.report = ImportReport(reading.source, notes=reading.notes, refused=list(reading.refused))
        self.providers = {provider.slug: provider for provider in Provider.objects.all()}
        self.slugs = slugs_by_source(reading.source)
        self.models: dict[str, LanguageModel] = {}
        for model in LanguageModel.objects.all():
            self.models.update(dict.fromkeys((*model.aliases, model.slug), model))
        self.offerings = Catalogued(Offering.objects.select_related("provider", "model"))

    def run(self) -> ImportReport:
        placed = [found for quote in self.reading.quotes if (found := self.place(quote))]
        self.add_models(placed)
        offered = self.add_offerings(placed)
        self.add_prices(offered)
        self.keep_quotes(offered)
        self.count_rest()
        self.keep_record()
        return self.report

    def place(self, quote: Quote) -> Placed | None:
        provider = self.providers.get(self.slugs.get(quote.provider, ""))
        if provider is None:
            self.leave(quote, "the provider is not in our directory")
            return None
        maker = creators_by_prefix().get(provider.slug)
        own = (maker.slug if maker else provider.slug) if provider.kind == Provider.Kind.FIRST_PARTY else ""
        identity = identify(quote.model, seller_is_maker=own)
        if identity is None:
            self.leave(quote, "its name shows no maker")
            return None
        return Placed(quote, provider, identity)

    def leave(self, quote: Quote, reason: str) -> None:
        self.report.unmapped.append(LeftOut(quote.provider, quote.model, reason))

    def add_models(self, placed: Iterable[Placed]) -> None:
        sellers: defaultdict[str, list[Placed]] = defaultdict(list)
        for found in placed:
            sellers[found.identity.slug].append(found)
        known = {slug: quotes for slug, quotes in sellers.items() if slug in self.models}
        added = [new_model(slug, quotes) for slug, quotes in sellers.items() if slug not in known]
        LanguageModel.objects.bulk_create(added)
        self.models.update({model.slug: model for model in added})
        filled = [
            self.models[slug] for slug, quotes in known.items() if fill_facts(self.models[slug], quotes)
        ]
        LanguageModel.objects.bulk_update(filled, [*FILLABLE, "updated_at"], batch_size=500)
        self.report.counts["models added"] += len(added)
        self.report.counts["models completed"] += len(filled)

    def add_offerings(self, placed: Iterable[Placed]) -> list[tuple[Placed, Offering]]:
        offered: dict[tuple[int, int, str], tuple[Placed, Offering]] = {}
        taken: set[str] = set()
        added: list[Offering] = []
        renamed: list[Offering] = []
        for found in placed:
            model = self.models[found.identity.slug]
            variant = self.free_variant(found, model, offered)
            if variant is None:
                continue
            offering = self.offerings.find(found.provider, found.quote.model, model, variant)
            if offering and offering.public_id in taken:
                self.note_second_name(found, offering)
                continue
            if offering is None:
                offering = self.offerings.add(new_offering(found, model, variant, self.now))
                added.append(offering)
            elif offering.pk and improve_name(offering, found, self.reading.source):
                renamed.append(offering)
            taken.add(offering.public_id)
            offered[(found.provider.pk, model.pk, variant)] = (found, offering)
        Offering.objects.bulk_create(added, batch_size=1000)
        Offering.objects.bulk_update(
            renamed, ["provider_model_name", "context_tokens", "max_output_tokens"], batch_size=500
        )
        self.report.counts["offerings added"] += len(added)
        self.report.counts["offerings completed"] += len(renamed)
        return list(offered.values())

    def free_variant(
        self,
        found: Placed,
        model: LanguageModel,
        offered: Mapping[tuple[int, int, str], tuple[Placed, Offering]],
    ) -> str | None:
        """The variant of a quote; its whole name where two names of one model cost different prices."""
        identity = found.identity
        parts = [identity.variant, identity.quantization, identity.region]
        variant = "-".join(part for part in parts if part)[:60]
        earlier = offered.get((found.provider.pk, model.pk, variant))
        if earlier is None:
            return variant
        if earlier[0].quote.price_lists == found.quote.price_lists:
            self.note_second_name(found, earlier[1])
            return None
        variant = slug_text(found.quote.model)[-60:].strip("-.")
        if (found.provider.pk, model.pk, variant) in offered:
            self.note_second_name(found, earlier[1])
            return None
        return variant

    def note_second_name(self, found: Placed, offering: Offering) -> None:
        self.report.counts["second names of one offering"] += 1
        self.report.differences.append(f"{offering} is also sold as {found.quote.model}")

    def add_prices(self, offered: list[tuple[Placed, Offering]]) -> None:
        medians = medians_by_model(offered)
        book = PriceBook(
            [offering.pk for _, offering in offered], self.reading.source, self.now, self.report.counts
        )
        held: list[HeldPrice] = []
        for found, offering in offered:
            current = current_line(found.quote, self.now)
            if current is None:
                self.report.counts["offerings without a price"] += 1
                continue
            reason = hold_reason(current.rates, model_median=medians.get(offering.model_id))
            if reason and not book.already_says(offering, current):
                held.append(self.hold(found.quote, offering, current.rates, reason))
            else:
                self.report.differences += book.enter(offering, found.quote)
        book.write()
        HeldPrice.objects.bulk_create(held, ignore_conflicts=True)
        self.report.counts["prices held for a person"] += len(held)

    def hold(self, quote: Quote, offering: Offering, rates: Rates, reason: str) -> HeldPrice:
        self.report.differences.append(f"{offering}: held, {reason}")
        return HeldPrice(
            offering=offering,
            source=self.reading.source,
            source_url=quote.source_url,
            input_usd_per_mtok=rates.input_usd_per_mtok,
            output_usd_per_mtok=rates.output_usd_per_mtok,
            reason=reason,
            seen_at=self.now,
        )

    def keep_quotes(self, offered: list[tuple[Placed, Offering]]) -> None:
        said = [(offering, current_line(found.quote, self.now)) for found, offering in offered]
        SourceQuote.objects.bulk_create(
            [
                SourceQuote(
                    offering=offering,
                    source=self.reading.source,
                    input_usd_per_mtok=line.rates.input_usd_per_mtok,
                    output_usd_per_mtok=line.rates.output_usd_per_mtok,
                    read_at=self.now,
                )
                for offering, line in said
                if line is not None
            ],
            update_conflicts=True,
            unique_fields=["offering", "source"],
            update_fields=["input_usd_per_mtok", "output_usd_per_mtok", "read_at"],
            batch_size=1000,
        )

    def count_rest(self) -> None:
        counts = self.report.counts
        counts["quotes read"] = len(self.reading.quotes)
        counts["names not mapped"] = len(self.report.unmapped)
        counts["entries refused"] = len(self.reading.refused)
        for left_out in self.reading.left_out:
            counts[f"left out: {left_out.reason}"] += 1

    def keep_record(self) -> None:
        CatalogueImport.objects.create(
            source=self.reading.source,
            imported_at=self.now,
            sha256=self.reading.sha256,
            counts=dict(self.report.counts),
            unmapped=[
                [left.provider, left.model, left.reason]
                for left in (*self.report.unmapped, *self.reading.refused)
            ],
        )


def current_line(quote: Quote, now: dt.datetime) -> PriceLine | None:
    """The line without terms of the list that holds now; None where it says no price."""
    begun = [lst for lst in quote.price_lists if lst.valid_from is None or lst.valid_from <= now]
    if not begun or not begun[-1].lines:
        return None
    line = begun[-1].lines[0]
    return None if line.rates == Rates() else line


def medians_by_model(offered: list[tuple[Placed, Offering]]) -> dict[int, Rates]:
    """Median input and output price per model where enough sellers ask something for it."""
    asked: defaultdict[int, list[Rates]] = defaultdict(list)
    for found, offering in offered:
        for price_list in found.quote.price_lists[-1:]:
            asked[offering.model_id].append(price_list.lines[0].rates if price_list.lines else Rates())
    return {
        model_id: Rates(
            input_usd_per_mtok=paid_median([r.input_usd_per_mtok for r in rates]),
            output_usd_per_mtok=paid_median([r.output_usd_per_mtok for r in rates]),
        )
        for model_id, rates in asked.items()
    }


def paid_median(amounts: list[Decimal | None]) -> Decimal | None:
    median, sellers = median_usd_per_mtok([amount or None for amount in amounts])
    return median if sellers >= FEWEST_SELLERS_FOR_MEDIAN else None
