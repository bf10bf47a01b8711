from __future__ import annotations

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from leaderboard.operations.logs import LOGGING


@pytest.fixture
def lines() -> Iterator[Any]:
    """What our handler writes, one parsed object a line."""
    formatter = LOGGING["formatters"]["json"]
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=formatter["foreign_pre_chain"], processors=formatter["processors"]
        )
    )
    logger = logging.getLogger("leaderboard")
    logger.addHandler(handler)
    level, logger.level = logger.level, logging.INFO
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_line_carries_what_was_bound_to_the_work_at_hand(lines: Any) -> None:
    with structlog.contextvars.bound_contextvars(slot=7, offering="alfa~x"):
        structlog.get_logger("leaderboard.measurements.probing").info("probe stored", ttft_ms=205.5)

    (line,) = lines()
    assert line.pop("at").endswith("Z")
    assert line == {
        "event": "probe stored",
        "level": "info",
        "logger": "leaderboard.measurements.probing",
        "slot": 7,
        "offering": "alfa~x",
        "ttft_ms": 205.5,
    }


def test_line_of_a_library_has_the_same_form(lines: Any) -> None:
    logging.getLogger("leaderboard.x").warning("took %s ms", 12, extra={"queue": "board"})

    (line,) = lines()
    assert (line["event"], line["level"], line["queue"]) == ("took 12 ms", "warning", "board")


def test_nobodys_words_look_like_a_line_of_ours(lines: Any) -> None:
    forged = 'x\n{"event": "probe stored", "level": "info"}\r\u2028\x1b[2J'

    logging.getLogger("leaderboard.x").warning("Not Found: %s", forged)

    (line,) = lines()
    assert line["event"] == f"Not Found: {forged}"


@pytest.mark.parametrize(
    "logged",
    [
        {"event": "Bearer Zm9vYmFyLXNlY3JldC0xMjM0"},
        {"event": "key sk-proj-a1b2c3d4e5f6g7h8 is wrong"},
        {"event": "x", "api_key": "a1b2c3d4e5f6g7h8"},
        {"event": "x", "headers": {"Authorization": "a1b2c3d4e5f6g7h8"}},
        {"event": "x", "urls": ["postgresql://board:a1b2c3d4e5f6g7h8@db/board"]},
        {"event": "x", "error": ValueError("redis://:a1b2c3d4e5f6g7h8@host")},
    ],
)
def test_secrets_are_taken_out_wherever_they_stand(lines: Any, logged: dict[str, Any]) -> None:
    structlog.get_logger("leaderboard.x").warning(**logged)

    (line,) = lines()
    assert "[removed]" in str(line)
    assert not [part for part in ("a1b2c3d4e5f6", "Zm9vYmFy") if part in str(line)]


def test_traceback_is_one_line_and_holds_no_secret(lines: Any) -> None:
    try:
        raise RuntimeError("postgresql://board:a1b2c3d4e5f6g7h8@db/board")
    except RuntimeError:
        logging.getLogger("leaderboard.x").exception("crash", extra={"request": object()})

    (line,) = lines()
    assert "RuntimeError: postgresql://[removed]@db/board" in line["exception"]
    assert "request" not in line


def test_settings_of_the_log_can_be_applied() -> None:
    """dictConfig refuses what it does not know; the root's handlers are put back."""
    handlers = logging.getLogger().handlers[:]

    logging.config.dictConfig(LOGGING | {"root": {"handlers": [], "level": "WARNING"}})

    logging.getLogger().handlers[:] = handlers
    assert logging.getLogger("leaderboard").level == logging.INFO
