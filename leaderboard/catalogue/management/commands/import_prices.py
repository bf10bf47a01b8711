"""`manage.py import_prices SOURCE [FILE] [--dry-run]`: a price catalogue into this board's, or only the difference."""

from __future__ import annotations

import datetime as dt
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.catalogue.importers import genai_prices
from leaderboard.catalogue.importers.merge import ImportReport, import_reading
from leaderboard.catalogue.importers.quotes import BadCatalogue, LeftOut, Reading
from leaderboard.catalogue.importers.sources import LARGEST_CATALOGUE_BYTES, SOURCES, fetch

MOST_LINES = 200


class Command(BaseCommand):
    help = "Import providers' list prices: appended, compared with other sources, never overwritten."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "source", metavar="SOURCE", choices=sorted(SOURCES), help=", ".join(sorted(SOURCES))
        )
        parser.add_argument(
            "file",
            metavar="FILE",
            nargs="?",
            type=Path,
            help="a saved copy; without one genai-prices is read from its installed package, others are fetched",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, and change nothing"
        )
        parser.add_argument(
            "--all", action="store_true", help="list every difference and name, not the first 200"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            reading = read_source(options["source"], options["file"])
        except BadCatalogue as problem:
            raise CommandError(str(problem)) from None
        report = import_reading(reading, now=dt.datetime.now(dt.UTC), dry_run=options["dry_run"])
        self.show(report, dry_run=options["dry_run"], most=None if options["all"] else MOST_LINES)

    def show(self, report: ImportReport, *, dry_run: bool, most: int | None) -> None:
        self.stdout.write(f"{'Would import' if dry_run else 'Imported'} {report.source}:")
        for name, count in sorted(report.counts.items()):
            self.stdout.write(f"  {count:>6}  {name}")
        for name, count in sorted(report.notes.items()):
            self.stdout.write(f"  {count:>6}  {name}")
        self.show_list("Differences", report.differences, most)
        self.show_left_out("Not mapped", report.unmapped, most)
        self.show_left_out("Refused", report.refused, most)

    def show_left_out(self, title: str, left_out: list[LeftOut], most: int | None) -> None:
        by_provider = Counter(f"{left.provider}: {left.reason}" for left in left_out)
        self.show_list(
            f"{title}, by provider", [f"{n:>5}  {text}" for text, n in by_provider.most_common()], most
        )
        self.show_list(title, [f"{left.provider}  {left.model}  ({left.reason})" for left in left_out], most)

    def show_list(self, title: str, lines: list[str], most: int | None) -> None:
        if not lines:
            return
        self.stdout.write(f"{title} ({len(lines)}):")
        for line in lines[:most]:
            self.stdout.write(f"  {line}")
        if most is not None and len(lines) > most:
            self.stdout.write(f"  … and {len(lines) - most} more; --all lists them")


def read_source(name: str, file: Path | None) -> Reading:
    if file is None:
        return (
            genai_prices.read() if name == genai_prices.SOURCE else SOURCES[name].read(fetch(SOURCES[name]))
        )
    if not file.is_file():
        raise BadCatalogue(
            f"{file} is a folder; name the file." if file.is_dir() else f"There is no file {file}."
        )
    try:
        if file.stat().st_size > LARGEST_CATALOGUE_BYTES:
            raise BadCatalogue(f"{file} has more than {LARGEST_CATALOGUE_BYTES} bytes.")
        data = file.read_bytes()
    except OSError as problem:
        raise BadCatalogue(f"{file} cannot be read: {problem.strerror}.") from None
    return SOURCES[name].read(data)
