"""The container and unit files start the same programs as `up`, with variables that the board knows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from leaderboard.measurements.planning import HARD_LIMIT_S
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


def test_no_container_is_root_or_reaches_further_than_it_must() -> None:
    """Only web and the proxy are reached from outside; the database and the broker by their neighbours."""
    services = COMPOSE["services"]

    assert {name for name, service in services.items() if "ports" in service} == {"web", "proxy"}
    assert not [s for s in services.values() if {"privileged", "cap_add", "network_mode", "pid"} & set(s)]
    dockerfile = (ROOT / "Dockerfile").read_text().splitlines()
    assert [line for line in dockerfile if line.startswith("USER ")] == ["USER leaderboard"]
    assert not [line for line in dockerfile if line.startswith("ADD ") or ":latest" in line]


def test_every_lasting_service_is_started_again_and_every_image_has_a_version() -> None:
    for name, service in COMPOSE["services"].items():
        assert service["restart"] == ("no" if name == "prepare" else "unless-stopped")
        assert ("build" in service) != ("image" in service)
        assert "image" not in service or re.fullmatch(r"[a-z/]+:\d+", service["image"])


def test_no_secret_has_a_default() -> None:
    text = (ROOT / "compose.yaml").read_text()

    for name in ("SECRET_KEY", "POSTGRES_PASSWORD"):
        assert f"${{{name}:?set it in .env}}" in text
    assert not re.search(r"(PASSWORD|SECRET|KEY)[A-Z_]*: (?!\$|\")\S", text)


def test_named_volumes_and_mounted_files_are_there() -> None:
    mounts = [v for service in COMPOSE["services"].values() for v in service.get("volumes", ())]

    sources = {mount.split(":")[0] for mount in mounts}
    assert {s for s in sources if not s.startswith("./")} == set(COMPOSE["volumes"])
    assert all((ROOT / s).is_file() for s in sources if s.startswith("./"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
@pytest.mark.parametrize("unit", sorted(p.name for p in (ROOT / "deploy/systemd").glob("*.service")))
def test_units_are_good_for_systemd(unit: str, tmp_path: Path) -> None:
    """With our own Python in the place of the installed one, which is not here."""
    text = (ROOT / "deploy/systemd" / unit).read_text()
    copy = tmp_path / unit
    copy.write_text(re.sub(r"/srv/leaderboard/\.venv/bin/\w+", "/bin/true", text))

    shown = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)],
        capture_output=True,
        text=True,
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
    )

    ours = [line for line in shown.stderr.splitlines() if unit in line and "No such process" not in line]
    assert ours == []


def test_probing_unit_starts_what_a_probing_machine_runs() -> None:
    unit = (ROOT / "deploy/systemd/leaderboard-probes.service").read_text()
    (start,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    command = probe_worker_command("${LEADERBOARD_PROBE_LOCATION}")

    for option in ("--queues", "--concurrency"):
        words = start.split()
        assert words[words.index(option) + 1] == command[command.index(option) + 1]
    assert int(re.findall(r"TimeoutStopSec=(\d+)", unit)[0]) > HARD_LIMIT_S
