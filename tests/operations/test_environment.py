from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from leaderboard.operations.environment import ROOT, EnvironmentProblem, read_environment


def problem_of(variables: dict[str, str]) -> str:
    with pytest.raises(EnvironmentProblem) as caught:
        read_environment(variables)
    return str(caught.value)


def test_environment_without_variables_uses_the_embedded_services() -> None:
    environment = read_environment({})

    assert environment.data_dir == ROOT / ".data"
    assert environment.database_url is None
    assert environment.broker_url is None
    assert environment.probe_location == "local"
    assert environment.allowed_hosts == ()


def test_environment_reads_every_variable() -> None:
    environment = read_environment(
        {
            "LEADERBOARD_DATA_DIR": "/srv/board",
            "DATABASE_URL": "postgresql://u:p@db/board",
            "CELERY_BROKER_URL": "redis://broker:6379/0",
            "SECRET_KEY": "s" * 50,
            "LEADERBOARD_CREDENTIALS_KEY": "c" * 43 + "=",
            "LEADERBOARD_BASE_URL": "https://board.example.org/",
            "LEADERBOARD_PROBE_LOCATION": "eu-west",
            "ALLOWED_HOSTS": "board.example.org, www.example.org",
            "LEADERBOARD_SMTP_URL": "smtp+tls://ada:word@mail.example.org",
            "LEADERBOARD_MAIL_FROM": "board@example.org",
            "LEADERBOARD_ALERT_MAIL": "ada@example.org, bob@example.org",
            "LEADERBOARD_ALERT_WEBHOOK": "https://chat.example.org/hook",
            "LEADERBOARD_ALERT_SECRET": "w" * 16,
            "LEADERBOARD_DEADMAN_URL": "https://ping.example.org/id",
            "GRANIAN_WORKERS": "2",
        }
    )

    assert environment.data_dir == Path("/srv/board")
    assert environment.base_url == "https://board.example.org"
    assert environment.probe_location == "eu-west"
    assert environment.allowed_hosts == ("board.example.org", "www.example.org")
    assert environment.mail_from == "board@example.org"
    assert environment.alert_mail == ("ada@example.org", "bob@example.org")
    assert environment.alert_webhook == "https://chat.example.org/hook"
    assert environment.deadman_url == "https://ping.example.org/id"
    assert environment.web_processes == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://u:hunter2@db/board"),
        ("DATABASE_URL", "hunter2"),
        ("CELERY_BROKER_URL", "http://u:hunter2@broker"),
        ("CELERY_BROKER_URL", "[hunter2"),
        ("GRANIAN_WORKERS", "two"),
        ("GRANIAN_WORKERS", "0"),
        ("LEADERBOARD_BASE_URL", "board.example.org"),
        ("LEADERBOARD_BASE_URL", "https://board.example.org/path"),
        ("LEADERBOARD_PROBE_LOCATION", "EU West"),
        ("LEADERBOARD_SMTP_URL", "mail.example.org:hunter2"),
        ("LEADERBOARD_ALERT_MAIL", "hunter2"),
        ("LEADERBOARD_MAIL_FROM", "a@b <hunter2>\nBcc: x@y"),
        ("LEADERBOARD_ALERT_WEBHOOK", "ftp://hunter2"),
        ("LEADERBOARD_DEADMAN_URL", "hunter2"),
        ("SENTRY_DSN", "hunter2"),
    ],
)
def test_malformed_value_is_named_and_never_shown(name: str, value: str) -> None:
    problem = problem_of({name: value})

    assert problem.startswith(f"{name} must ")
    assert "hunter2" not in problem


def test_unknown_leaderboard_name_is_refused_with_the_one_meant() -> None:
    problem = problem_of({"LEADERBOARD_DATADIR": "/srv"})

    assert problem == (
        "LEADERBOARD_DATADIR is not a variable of this board. Did you mean LEADERBOARD_DATA_DIR? "
        "Unset it or correct its name."
    )


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"LEADERBOARD_ALERT_MAIL": "ada@example.org"}, "LEADERBOARD_ALERT_MAIL needs a mail server: set "),
        (
            {"LEADERBOARD_ALERT_WEBHOOK": "https://x.example/"},
            "LEADERBOARD_ALERT_SECRET must be at least 16 ",
        ),
        (
            {"SENTRY_DSN": "https://key@sentry.example.org/1"},
            "SENTRY_DSN needs a package that is not installed: ",
        ),
    ],
)
def test_variable_that_needs_another_names_it(
    variables: dict[str, str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert problem_of(variables).startswith(sentence)


def test_secrets_are_absent_from_the_representation() -> None:
    environment = read_environment(
        {
            "DATABASE_URL": "postgresql://u:hunter2@db/b",
            "SECRET_KEY": "hunter2",
            "LEADERBOARD_SMTP_URL": "smtp://u:hunter2@mail",
            "LEADERBOARD_ALERT_WEBHOOK": "https://chat/hunter2",
            "LEADERBOARD_ALERT_SECRET": "hunter2" * 3,
            "LEADERBOARD_DEADMAN_URL": "https://ping/hunter2",
        }
    )

    assert "hunter2" not in repr(environment)
