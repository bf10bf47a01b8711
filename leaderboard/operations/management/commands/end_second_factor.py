from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.operations.second_factor import end_second_factor


class Command(BaseCommand):
    help = "Ends the second step of somebody who lost phone and paper codes; their password is then enough."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name they sign in with")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account named {name!r}. The admin lists them under Users.")
        if end_second_factor(user):
            self.stdout.write(f"{name} signs in with name and password alone from now on.")
        else:
            self.stdout.write(f"{name} had no second step.")
