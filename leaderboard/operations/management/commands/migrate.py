"""Django's migrate, with a limit on what it may hold up: a running board goes on while it waits, or it gives way."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import connection

LIMITS = {
    # A lock that is not had soon would let every query behind it queue up: give up, and be run again.
    "lock_timeout": "5s",
    # A data step works in batches; one statement this long holds its locks too long.
    "statement_timeout": "15min",
}


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with connection.cursor() as cursor:
            for name, value in LIMITS.items():
                cursor.execute(f"set {name} = '{value}'")
        try:
            super().handle(*args, **options)
        finally:
            with connection.cursor() as cursor:
                for name in LIMITS:
                    cursor.execute(f"reset {name}")
