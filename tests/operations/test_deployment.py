"""The container and unit files start the same programs as `up`, with variables that the board knows."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from leaderboard.operations.environment import ROOT
from leaderboard.operations.programs import board_worker_command, probe_worker_command

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_compose_sets_only_variables_of_the_board() -> None:
    known = set(re.findall(r"^# ([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))

    assert set(COMPOSE["services"]["web"]["environment"]) <= known


@pytest.mark.parametrize(
    ("service", "command"),
    [("board-worker", board_worker_command()), ("probe-worker", probe_worker_command("local"))],
)
def test_compose_workers_consume_the_queues_of_up(service: str, command: tuple[str, ...]) -> None:
    words = COMPOSE["services"][service]["command"]

    for option in ("--queues", "--concurrency"):
        assert words[words.index(option) + 1] == command[command.index(option) + 1]


def test_everything_waits_for_the_preparation() -> None:
    for name in ("web", "board-worker", "probe-worker", "beat"):
        assert COMPOSE["services"][name]["depends_on"]["prepare"] == {
            "condition": "service_completed_successfully"
        }


def test_image_and_unit_start_up() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    unit = (ROOT / "deploy/systemd/leaderboard.service").read_text()

    assert 'CMD ["python", "manage.py", "up", "--host", "0.0.0.0"]' in dockerfile
    assert "manage.py up --no-demo --data-dir /var/lib/leaderboard" in unit
