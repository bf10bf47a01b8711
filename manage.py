#!/usr/bin/env python
"""Run a management command; `manage.py up` starts the whole board."""

import os
import sys


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    if sys.argv[1:2] == ["up"]:
        from leaderboard.operations.up import main as up

        return up(sys.argv[2:])

    from django.core.management import execute_from_command_line

    from leaderboard.operations.command_database import database_for_command

    with database_for_command(sys.argv[1:]):
        execute_from_command_line(sys.argv)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
