"""Forty shapes and faults of a stream, each with the verdict it deserves."""

from __future__ import annotations

import pytest

from probes.lab import Lab
from probes.lab.grammar import PRESETS
from tests.probes.network.conftest import ProbeOnce, on_a_busy_machine

OK = ("ok", None)
VERDICTS: dict[str, tuple[str, str | None]] = {
    "http429": ("rate_limited", "rate_limit"),
    "http500": ("server_error", "server"),
    "jsonerror": ("server_error", "server"),
    "html": ("stream_broken", "bad_body"),
    "whole": ("capability", "not_streamed"),
    "miderror": ("stream_broken", "server"),
    "earlyerror": ("server_error", "server"),
    "drop": ("stream_broken", "reset"),
    "reset": ("stream_broken", "reset"),
    "nofinish": ("stream_broken", "truncated"),
    "brokenjson": ("stream_broken", "protocol"),
    "stall": ("timeout", "stalled"),
    "hang": ("timeout", "timeout_first_token"),
}


def test_there_are_forty_modes() -> None:
    assert len(set(PRESETS)) == 40
    assert set(VERDICTS) <= set(PRESETS)


@pytest.mark.parametrize("mode", PRESETS)
def test_mode_is_judged_rightly(mode: str, lab: Lab, probe: ProbeOnce) -> None:
    result = probe(lab.url, f"{mode}-ttft60-tps400")

    assert (result.outcome, result.detail) == VERDICTS.get(mode, OK)
    if result.outcome == "ok":
        assert result.output_tokens == (180 if mode == "usagewrong" else 60)
        assert result.ttft_ms is not None


@pytest.mark.parametrize(
    "mode", ["plain", "crlf", "gzip", "splitpackets", "splitutf8", "comments", "closedelimited"]
)
@on_a_busy_machine
def test_framing_leaves_the_times_alone(mode: str, lab: Lab, probe: ProbeOnce) -> None:
    result = probe(lab.url, f"{mode}-ttft150-tps200")

    served = lab.wait_for(result.request_id)
    truth_ms = (served.content_ns[0] - served.received_ns) / 1e6
    truth_tps = 59 / (served.content_ns[-1] - served.content_ns[0]) * 1e9
    assert result.ttft_ms == pytest.approx(truth_ms, abs=10)
    assert result.output_speed_tps == pytest.approx(truth_tps, rel=0.03)


@on_a_busy_machine
def test_reasoning_is_timed_apart_from_the_answer(lab: Lab, probe: ProbeOnce) -> None:
    result = probe(lab.url, "plain-reason20-ttft100-tps200")

    assert result.reasoning_tokens == 20
    assert result.ttft_ms == pytest.approx(100, abs=8)
    assert result.ttfat_ms == pytest.approx(200, abs=8)


@on_a_busy_machine
def test_stream_left_open_after_its_last_word_ends_soon(lab: Lab, probe: ProbeOnce) -> None:
    result = probe(lab.url, "stayopen-ttft50-tps1000")

    assert result.outcome == "ok"
    assert result.end_to_end_ms == pytest.approx(110, abs=15)


def test_retry_after_is_kept(lab: Lab, probe: ProbeOnce) -> None:
    assert probe(lab.url, "http429-retry17").retry_after_s == 17
