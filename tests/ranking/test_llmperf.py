"""Somebody else's published medians, out of their own samples, through our percentile code."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from leaderboard.ranking.percentiles import median, usable
from tests.ranking.llmperf_sets import FOLDER, compare, markdown, read_sets

DOCUMENT = Path(__file__).parents[2] / "docs" / "definitions-matter.md"


def published(table: str) -> dict[tuple[str, str], tuple[float, bool]]:
    with (FOLDER / "published_medians.csv").open(newline="") as file:
        return {
            (row["provider"], row["size"]): (float(row["median"]), row["median_reproduced"] == "true")
            for row in csv.DictReader(file)
            if row["table"] == table
        }


def is_printed_as(value: float, printed: float) -> bool:
    """Whole units; its authors rounded some cells and cut others."""
    return round(printed) in (math.floor(value), round(value))


def test_all_2845_requests_of_19_sets_are_read() -> None:
    sets = read_sets()

    assert (len(sets), sum(map(len, sets.values()))) == (19, 2845)
    assert sum(bool(r.error_code) for requests in sets.values() for r in requests) == 539


def test_19_of_19_published_medians_of_first_tokens_come_out() -> None:
    told = published("ttft seconds")

    ours = {key: compare(*key, requests).ttft_ms or 0 for key, requests in read_sets().items()}

    assert len(told) == 19
    assert all(is_printed_as(ours[k] / 10, 100 * v) for k, (v, _) in told.items())  # hundredths of a second


def test_18_of_19_published_medians_of_throughput_come_out_and_the_19th_is_known_not_to() -> None:
    told = published("output tokens/s")

    ours = {key: compare(*key, requests).whole_request_tps or 0 for key, requests in read_sets().items()}
    differing = {k for k, (v, _) in told.items() if not is_printed_as(ours[k], v)}

    assert len(told) == 19
    assert differing == {("bedrock", "13b"), ("groq", "70b")}
    assert {k for k, (_, reproduced) in told.items() if not reproduced} == {("bedrock", "13b")}
    groq = usable(r.own_throughput_tps for r in read_sets()["groq", "70b"] if not r.error_code)
    assert is_printed_as(median(groq) or 0, told["groq", "70b"][0])  # from the publisher's own column only


def test_failed_requests_would_spoil_the_medians() -> None:
    requests = read_sets()["lepton", "70b"]

    assert (compare("lepton", "70b", requests).ok, len(requests)) == (20, 150)


def test_our_definition_turns_the_order_of_two_providers() -> None:
    sets = read_sets()
    anyscale, together = (compare(p, "70b", sets[p, "70b"]) for p in ("anyscale", "together"))

    assert (anyscale.whole_request_tps or 0) > (together.whole_request_tps or 0)
    assert (anyscale.output_speed_tps or 0) < (together.output_speed_tps or 0)


def test_an_answer_that_came_in_one_burst_has_no_speed_of_ours() -> None:
    replicate = read_sets()["replicate", "13b"]

    burst = max((r for r in replicate if not r.error_code), key=lambda r: r.ttft_ms / r.end_to_end_ms)

    assert round((burst.output_tokens - 1) / (burst.end_to_end_ms - burst.ttft_ms) * 1000) == 147_210
    assert burst.output_speed_tps is None
    assert compare("replicate", "13b", replicate).without_speed == 1


def test_the_document_shows_these_very_figures() -> None:
    assert markdown() in DOCUMENT.read_text()
