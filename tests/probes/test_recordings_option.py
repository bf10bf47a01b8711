"""`--recordings DIR` must not pass by replaying nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import RecordingsRan

RECORDING = "tests/probes/test_recordings.py::test_recording_has_its_right_values[x]"


def finish(*reports: tuple[str, str, str]) -> Any:
    session: Any = SimpleNamespace(
        exitstatus=pytest.ExitCode.OK, config=SimpleNamespace(option=SimpleNamespace(collectonly=False))
    )
    check = RecordingsRan()
    for nodeid, when, outcome in reports:
        report: Any = SimpleNamespace(nodeid=nodeid, when=when, outcome=outcome)
        check.pytest_runtest_logreport(report)
    check.pytest_sessionfinish(session)
    return session.exitstatus


def test_recordings_option_passes_when_one_was_replayed() -> None:
    assert finish((RECORDING, "call", "passed")) == pytest.ExitCode.OK


@pytest.mark.parametrize(
    "reports",
    [
        [],
        [(RECORDING, "setup", "passed")],
        [(RECORDING, "call", "skipped")],
        [("tests/probes/test_metrics.py::test_x", "call", "passed")],
    ],
)
def test_recordings_option_fails_when_nothing_was_replayed(reports: list[tuple[str, str, str]]) -> None:
    assert finish(*reports) == pytest.ExitCode.TESTS_FAILED
