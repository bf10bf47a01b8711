"""Options of the whole suite."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

DEFAULT_RECORDINGS = Path(__file__).parents[2] / "shared" / "recordings"
RECORDING_TESTS = "test_recordings.py"


@pytest.fixture(autouse=True)
def empty_shelf_after_each_test() -> Iterator[None]:
    """What a process remembers of the newest snapshot and its pages must not outlive the test's database."""
    yield
    shelf = sys.modules.get("leaderboard.pages.shelf")
    if shelf is not None:
        shelf.believed = None
        shelf.kept.clear()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--recordings",
        metavar="DIR",
        type=Path,
        help="folder of recorded provider responses; default: the one beside the checkout, where there is one",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--recordings") is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(RecordingsRan(), "recordings-ran")


class RecordingsRan:
    """A folder that was asked for by name must not pass by being empty, misspelt or deselected."""

    def __init__(self) -> None:
        self._ran = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and RECORDING_TESTS in report.nodeid and report.outcome != "skipped":
            self._ran += 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self._ran and not session.config.option.collectonly:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._ran:
            terminalreporter.write_line("--recordings was given, but no recording was replayed", red=True)
