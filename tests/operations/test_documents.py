"""What the README and its neighbours promise is what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest
from django.core.management import get_commands

from leaderboard.operations.environment import ROOT, read_environment

README = (ROOT / "README.md").read_text()
VARIABLE = re.compile(r"^\| `([A-Z_]+)` \|", re.MULTILINE)


def code_blocks(text: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def variables_read() -> set[str]:
    """Names that the code asks its environment for, by looking what it looks up."""

    class Watching(dict[str, str]):
        asked: set[str] = set()

        def get(self, key: str, default: str = "") -> str:  # type: ignore[override]
            self.asked.add(key)
            return default

    watching = Watching()
    read_environment(watching)
    first_admin = (ROOT / "leaderboard/operations/first_admin.py").read_text()
    return watching.asked | set(re.findall(r"DJANGO_SUPERUSER_[A-Z]+", first_admin))


def test_first_two_code_blocks_are_one_line_each_start_and_test() -> None:
    start, test = code_blocks(README)[:2]

    assert start.count("\n") == test.count("\n") == 1
    assert start.endswith("&& .venv/bin/python manage.py up\n")
    assert "--require-hashes -r requirements.lock" in start
    assert ".venv/bin/python -m pytest" in test.rpartition("&&")[2]
    assert "--require-hashes -r requirements-dev.lock" in test


def test_every_variable_is_in_the_readme_and_the_example_and_no_other() -> None:
    example = set(re.findall(r"^# ([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))

    assert set(VARIABLE.findall(README)) == variables_read() == example


@pytest.mark.parametrize("document", ["README.md", "docs/operations.md", "docs/lab.md", "CONTRIBUTING.md"])
def test_named_commands_and_files_exist(document: str) -> None:
    text = (ROOT / document).read_text()

    commands = set(re.findall(r"manage\.py ([a-z_]+)", text)) - {"help"}
    files = set(re.findall(r"`((?:docs|tests|leaderboard|probes)/[\w/.-]+)`", text))

    assert commands <= set(get_commands())
    assert [name for name in files if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("words", [["up"], ["run"], ["sweep"], ["replay"], ["lab"]])
def test_named_programs_show_their_help(words: list[str]) -> None:
    program = ["manage.py", "up"] if words == ["up"] else ["-m", "probes", *words]

    shown = subprocess.run([sys.executable, *program, "--help"], capture_output=True, text=True, cwd=ROOT)

    assert shown.returncode == 0
    assert shown.stdout.startswith("usage: ")


def test_options_of_up_in_the_readme_are_its_options() -> None:
    shown = subprocess.run(
        [sys.executable, "manage.py", "up", "--help"], capture_output=True, text=True, cwd=ROOT
    ).stdout
    row = next(line for line in README.splitlines() if line.startswith("| `manage.py up` |"))

    for option in re.findall(r"--[a-z-]+", row):
        assert option in shown


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_locks_are_hashed_and_name_no_index(lock: str) -> None:
    text = (ROOT / lock).read_text()
    pinned = re.findall(r"^([\w.-]+)==", text, re.MULTILINE)

    assert len(pinned) > 50
    assert text.count("--hash=sha256:") >= len(pinned)
    assert "http" not in re.sub(r"^http[\w-]*==.*$", "", text, flags=re.MULTILINE)
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[\[<>=]", name)[0] for name in wanted}
    assert names <= {name.lower() for name in pinned}
