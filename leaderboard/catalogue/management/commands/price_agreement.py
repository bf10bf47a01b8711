"""`manage.py price_agreement [--all]`: where the price sources of this board disagree."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.catalogue.agreement import Disagreement, agreement_by_pair, price_agreement
from leaderboard.catalogue.amounts import plain

MOST_LINES = 50


class Command(BaseCommand):
    help = "Show where price sources agree and where they do not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="list every disagreement, not the first 50")

    def handle(self, *args: Any, **options: Any) -> None:
        found = price_agreement()
        share = "" if found.share_equal is None else f" ({found.share_equal:.1%})"
        self.stdout.write(
            f"{found.compared} offerings are priced by several sources; {found.equal} agree{share}."
        )
        for pair in agreement_by_pair():
            self.stdout.write(f"  {pair.first} and {pair.second}: {pair.equal} of {pair.compared} agree")
        shown = found.disagreements if options["all"] else found.disagreements[:MOST_LINES]
        for each in shown:
            self.stdout.write(f"  {each.offering_id}: {say(each)}")
        if len(shown) < len(found.disagreements):
            self.stdout.write(f"  … and {len(found.disagreements) - len(shown)} more; --all lists them")


def say(found: Disagreement) -> str:
    return "; ".join(
        f"{quote.source} {amount(quote.input_usd_per_mtok)} in, {amount(quote.output_usd_per_mtok)} out"
        for quote in found.quotes
    )


def amount(value: Any) -> str:
    return "unknown" if value is None else plain(value)
