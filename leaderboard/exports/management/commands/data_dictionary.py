from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.exports.dictionary import DOCUMENT, dictionary_markdown


class Command(BaseCommand):
    help = "Write docs/data-dictionary.md from the columns in code."

    def handle(self, *args: Any, **options: Any) -> None:
        DOCUMENT.write_text(dictionary_markdown())
        self.stdout.write(f"{DOCUMENT} written")
