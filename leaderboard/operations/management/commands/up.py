from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leaderboard.operations.up import add_arguments


class Command(BaseCommand):
    """Stands here for `manage.py help`; manage.py runs `up` itself, before Django is loaded."""

    help = "Starts the board: database, broker, web server, worker and beat."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit("Start it as `manage.py up`: it must run before Django is loaded.")
