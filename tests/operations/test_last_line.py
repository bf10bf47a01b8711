from __future__ import annotations

from pathlib import Path

from leaderboard.operations.up import last_line


def test_a_database_that_does_not_answer_is_said_with_its_variable(tmp_path: Path) -> None:
    log = tmp_path / "prepare.log"
    log.write_text(
        "Traceback (most recent call last):\n"
        'django.db.utils.OperationalError: connection failed: connection to server at "127.0.0.1", port 1 failed: '
        "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n"
    )

    said = last_line(log)

    assert said.startswith("The database does not answer; check DATABASE_URL (connection failed:")
    assert "Traceback" not in said


def test_a_command_error_is_said_without_its_class(tmp_path: Path) -> None:
    log = tmp_path / "prepare.log"
    log.write_text("CommandError: Set this.\n")

    assert last_line(log) == "Set this."
