from __future__ import annotations

import re

import pytest
from django.core.management import call_command
from django.core.management.commands import migrate
from django.db import connection
from django.db.migrations.loader import MigrationLoader

LIMITS = "select current_setting('lock_timeout'), current_setting('statement_timeout')"


def limits() -> tuple[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(LIMITS)
        lock, statement = cursor.fetchall()[0]
    return lock, statement


@pytest.mark.django_db
def test_migrations_run_with_limits_and_leave_none_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []
    monkeypatch.setattr(migrate.Command, "handle", lambda *_, **__: seen.append(limits()))

    call_command("migrate", verbosity=0)

    assert seen == [("5s", "15min")]
    assert limits() == ("0", "0")


@pytest.mark.django_db
def test_released_migrations_only_add() -> None:
    """What a running older version still reads is removed a release later, in a migration named so."""
    loader = MigrationLoader(connection)
    ours = {"catalogue", "measurements", "ranking", "charts", "operations"}
    removing = [
        f"{app}.{name}"
        for (app, name), migration in loader.disk_migrations.items()
        if app in ours and not re.match(r"\d+_(initial|remove_)", name)
        for operation in migration.operations
        if type(operation).__name__ in ("RemoveField", "DeleteModel", "RenameField", "RenameModel")
    ]

    assert removing == []
