"""`manage.py credentials_key [--rotate]`: make a key for LEADERBOARD_CREDENTIALS_KEY, or move what is stored to it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from cryptography.fernet import Fernet
from django.core.management.base import BaseCommand

from leaderboard.catalogue.credentials import rotate
from leaderboard.catalogue.models import Provider
from leaderboard.operations.models import Webhook


class Command(BaseCommand):
    help = (
        "Print a new key for LEADERBOARD_CREDENTIALS_KEY, or encrypt what is stored (API keys of providers, "
        "secrets of webhooks) with its first key."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rotate", action="store_true", help="encrypt what is stored with the first key")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["rotate"]:
            self.stdout.write(Fernet.generate_key().decode())
            return
        keys, lost_keys = rotate(Provider.objects.all(), "encrypted_api_key")
        secrets, lost_secrets = rotate(Webhook.objects.all(), "encrypted_secret")
        self.stdout.write(
            f"{keys} stored API keys and {secrets} secrets of webhooks "
            "are now encrypted with the first credentials key."
        )
        for name in (*lost_keys, *lost_secrets):
            self.stderr.write(f"{name}: none of the credentials keys opens what is stored. Enter it again.")
