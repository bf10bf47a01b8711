from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.exports.publishing import export_dataset


class Command(BaseCommand):
    help = "Write the whole dataset into a folder, as /data/v1/ serves it, with checksums of every file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIR", help="Made where it is missing.")

    def handle(self, *args: Any, **options: Any) -> None:
        directory: Path = options["directory"]
        if directory.exists() and not directory.is_dir():
            raise CommandError(f"{directory} is a file. Name a folder; it is made where it is missing.")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            paths = export_dataset(directory, now=dt.datetime.now(dt.UTC))
        except OSError as problem:
            raise CommandError(
                f"{directory} cannot be written: {problem.strerror}. Name another folder."
            ) from None
        self.stdout.write(f"{len(paths)} files written to {directory}")
