from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.operations.embedded.child import ServiceError
from leaderboard.operations.environment import EnvironmentProblem
from leaderboard.operations.prepare import prepare_board


class Command(BaseCommand):
    help = "Brings database, catalogue, demo, static files and first admin up to date; `up` calls it."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--lab-port", type=int, help="where the demo lab listens; without it, no demo")
        parser.add_argument("--revive-demo", action="store_true", help="also where an administrator ended it")
        parser.add_argument("--measure", nargs="+", default=[], metavar="SLUG")

    def handle(
        self, *args: Any, lab_port: int | None, revive_demo: bool, measure: list[str], **options: Any
    ) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        try:
            prepare_board(lab_port=lab_port, revive_demo=revive_demo, measure=measure, say=self.stdout.write)
        except (EnvironmentProblem, ServiceError) as problem:
            raise CommandError(str(problem)) from None
        call_command("collectstatic", verbosity=0, interactive=False)
