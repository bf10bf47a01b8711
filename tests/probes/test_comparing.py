"""Is it me or them: one's own run beside the board's record."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from probes.__main__ import main
from probes.comparing import Verdict, compare, overall

PUBLISHED: dict[str, object] = {
    "offering_id": "acme~fast", "workload": "medium", "probe_location": "eu-west", "window_hours": "72",
    "samples_ok": "400", "success_rate": "0.99", "output_speed_tps_p50": "100", "output_speed_tps_p05": "80",
    "ttft_ms_p50": "300", "ttft_ms_p95": "500",
}  # fmt: skip


def row(
    at: str = "12:00", *, speed: float | None = 100, ttft: float | None = 300, **more: Any
) -> dict[str, Any]:
    return {
        "offering_id": "acme~fast", "probe_location": "eu-west", "workload": "medium",
        "started_at": f"2026-07-15T{at}:00.000Z", "outcome": "ok", "excluded": False, "excluded_from": None,
        "output_speed_tps": speed, "ttft_ms": ttft,
    } | more  # fmt: skip


def verdicts(run: list[dict[str, Any]], near: list[dict[str, Any]]) -> list[Verdict]:
    return [one.verdict for one in compare(run, PUBLISHED, near)]


def test_figures_within_the_published_tail_are_usual() -> None:
    assert verdicts([row(speed=81, ttft=499)] * 3, [row("14:00")] * 3) == ["usual", "usual", "usual"]


def test_slow_run_while_the_board_is_as_usual_is_you() -> None:
    assert verdicts([row(speed=79, ttft=501)] * 3, [row("14:59")] * 3) == ["usual", "you", "you"]


def test_slow_run_while_the_board_is_slow_too_is_them() -> None:
    assert verdicts([row(speed=79, ttft=501)] * 3, [row("09:01", speed=70, ttft=600)] * 3) == [
        "usual",
        "them",
        "them",
    ]


def test_board_slow_while_you_were_lucky_is_them() -> None:
    assert verdicts([row()] * 3, [row(speed=70)] * 3) == ["usual", "them", "usual"]


@pytest.mark.parametrize("near", [[], [row("15:01")] * 9, [row("08:59")] * 9, [row("12:00")] * 2])
def test_slow_run_without_enough_of_the_board_around_it_cannot_be_told(near: list[dict[str, Any]]) -> None:
    assert verdicts([row(speed=79)] * 3, near)[1] == "cannot say"


def test_two_requests_are_too_few() -> None:
    assert overall(compare([row(speed=1)] * 2, PUBLISHED, [row()] * 9)) == "cannot say"


def test_failures_of_yours_that_the_board_does_not_see_are_you_and_our_own_mistakes_do_not_count() -> None:
    run = [row(outcome="timeout", speed=None, ttft=None)] * 3

    assert verdicts(run, [row()] * 3)[0] == "you"
    assert verdicts([row(outcome="ours")] * 3, [row()] * 3)[0] == "cannot say"


def test_excluded_samples_are_left_out_as_published() -> None:
    buffered = row(speed=5, excluded="true", excluded_from="speed")
    run = [buffered] * 5 + [row(speed=90)] * 3

    _, speed, ttft = compare(run, PUBLISHED, [])

    assert (speed.yours, speed.yours_n) == (90, 3)
    assert ttft.yours_n == 8


def test_gravest_figure_decides() -> None:
    assert overall(compare([row(speed=79)] * 3, PUBLISHED, [row(ttft=600)] * 3)) == "them"


def write_board(folder: Path, samples: list[dict[str, Any]]) -> None:
    for name, rows in (("leaderboard.csv", [PUBLISHED]), ("samples.csv", samples)):
        with (folder / name).open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def test_command_compares_a_saved_run_with_an_exported_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_board(tmp_path, [row()] * 3 + [row(speed=1, probe_location="us-east")] * 9)
    saved = tmp_path / "run.jsonl"
    saved.write_text("".join(json.dumps(line) + "\n" for line in [*[row(speed=50)] * 3, {"summary": {}}]))

    status = main(["compare", str(saved), str(tmp_path), "--offering", "acme~fast"])

    shown = capsys.readouterr().out
    assert status == 0
    assert "output_speed_tps tokens/s" in shown
    assert "You: the board's own probes were as usual" in shown


@pytest.mark.parametrize(
    ("run", "offering", "words"),
    [
        ("not json", "acme~fast", "no saved run"),
        ('{"summary": {}}', "acme~fast", "no result"),
        (json.dumps(row()), "acme~other", "no row of acme~other with medium prompts"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], run: str, offering: str, words: str
) -> None:
    write_board(tmp_path, [row()])
    saved = tmp_path / "run.jsonl"
    saved.write_text(run)

    assert main(["compare", str(saved), str(tmp_path), "--offering", offering]) == 2
    assert words in capsys.readouterr().err


def test_board_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "run.jsonl"
    saved.write_text(json.dumps(row()))

    assert main(["compare", str(saved), "http://127.0.0.1:9/", "--offering", "acme~fast"]) == 2
    assert "does not answer as a board" in capsys.readouterr().err
