"""`manage.py credentials_key [--rotate]`: make a key for LEADERBOARD_CREDENTIALS_KEY, or move stored keys to it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from cryptography.fernet import Fernet
from django.core.management.base import BaseCommand

from leaderboard.catalogue.credentials import rotate_keys


class Command(BaseCommand):
    help = (
        "Print a new key for LEADERBOARD_CREDENTIALS_KEY, or encrypt the stored API keys with its first key."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rotate", action="store_true", help="encrypt stored keys with the first key")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rotate"]:
            self.stdout.write(
                f"{rotate_keys()} stored keys are now encrypted with the first credentials key."
            )
        else:
            self.stdout.write(Fernet.generate_key().decode())
