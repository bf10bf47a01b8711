from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.exports.cells import instant_text
from leaderboard.exports.loading.cells import LoadProblem
from leaderboard.exports.loading.running import load


class Command(BaseCommand):
    help = (
        "Load samples in the published format, with the catalogue beside them; loading twice changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, metavar="FILE.csv", help="samples.csv, or a closed day's .csv.gz"
        )
        parser.add_argument(
            "--catalogue",
            type=Path,
            metavar="DIR",
            help="Folder with providers, models, offerings and prices CSVs; the file's own where it has them.",
        )

        parser.add_argument(
            "--as-location",
            default="",
            metavar="NAME",
            help="The file is another board's: its samples become those of this probe location, and of its "
            "catalogue only what is new here is taken.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = load(
                options["file"],
                options["catalogue"],
                now=dt.datetime.now(dt.UTC),
                place=options["as_location"],
            )
        except LoadProblem as problem:
            raise CommandError(str(problem)) from None
        for table, rows in loaded.catalogue.items():
            self.stdout.write(f"{table}: {rows} rows")
        self.stdout.write(f"samples: {loaded.rows} rows, {loaded.new} of them new")
        self.stdout.write(f"as_of {instant_text(loaded.as_of, always_milliseconds=False)}")
