from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = "Recompute every published aggregate from the published samples; exit 1 if any digit differs."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "place", metavar="DIR-or-URL", help="An exported folder, or …/data/v1/ of a board."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        # pandas takes a second to import: no other command waits for it.
        from leaderboard.exports.recompute.running import run

        if status := run(options["place"], self.stdout.write):
            sys.exit(status)
