"""A database under every management command, with or without a running `up`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from leaderboard.operations.data_dir import make_data_dir
from leaderboard.operations.embedded.child import ServiceError
from leaderboard.operations.embedded.sharing import SharedPostgres
from leaderboard.operations.environment import EnvironmentProblem, read_environment

NEEDS_NO_DATABASE = frozenset(
    {
        *(
            "help",
            "version",
            "check",
            "collectstatic",
            "findstatic",
            "diffsettings",
            "startapp",
            "startproject",
            "recompute",
        ),
        *("makemessages", "compilemessages", "sendtestemail", "testserver", "test"),
    }
)
# These read or change the schema themselves.
MIGRATES_ITSELF = frozenset(
    {"migrate", "makemigrations", "showmigrations", "sqlmigrate", "prepare_board", "flush"}
)


@contextmanager
def database_for_command(words: Sequence[str]) -> Iterator[None]:
    """Attach to the data dir's Postgres, or run it for the length of the command; nothing where none is needed."""
    command = words[0] if words else "help"
    if command in NEEDS_NO_DATABASE or command.startswith("-") or asks_for_help(words):
        yield
        return
    try:
        environment = read_environment()
        if environment.database_url is not None:
            yield
            return
        make_data_dir(environment.data_dir)
        shared = SharedPostgres(environment.data_dir)
        try:
            shared.attach()
            if shared.is_starter and command not in MIGRATES_ITSELF:
                migrate()
            yield
        finally:
            shared.detach()
    except (EnvironmentProblem, ServiceError) as problem:
        sys.exit(f"Cannot start: {problem}")


def asks_for_help(words: Sequence[str]) -> bool:
    return "--help" in words or "-h" in words or "--version" in words


def migrate() -> None:
    """Nobody else keeps this database up to date; costs one query where nothing is left to do."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
