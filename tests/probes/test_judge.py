"""judge: outcomes in their order, flags, exclusions and what the result must never hold."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from probes.exchange import Ending
from tests.probes.exchanges import (
    DONE,
    chat_delta,
    chat_usage,
    event,
    judge_exchange,
    make_endpoint,
    make_exchange,
)

KEY = "probe-key-EXAMPLE-0123456789abcdef"
ROLE = chat_delta("", role="assistant")
ANSWER = [(100.0, ROLE), (200.0, chat_delta("Tall")), (300.0, chat_delta(" ship"))]
FINISHED = [*ANSWER, (310.0, chat_delta(finish="stop")), (320.0, chat_usage(2)), (330.0, DONE)]


def make_long(tokens: int, *, step_ms: float = 10, **usage: Any) -> list[tuple[float, str]]:
    deltas = [(100 + step_ms * number, chat_delta(f"w{number % 10} ")) for number in range(tokens)]
    end = 100 + step_ms * tokens
    return [*deltas, (end, chat_delta(finish="stop")), (end, chat_usage(tokens, **usage)), (end, DONE)]


def test_judge_finished_stream_is_ok() -> None:
    result = judge_exchange(make_exchange(FINISHED))

    assert (result.outcome, result.detail, result.fault, result.message) == ("ok", None, None, None)
    assert (result.ttft_ms, result.ttfat_ms, result.last_token_ms, result.end_to_end_ms) == (
        200,
        200,
        300,
        310,
    )
    assert (result.output_tokens, result.input_tokens, result.token_source) == (2, 20, "usage")
    assert (result.first_chunk_tokens, result.output_speed_tps) == (1, 10.0)
    assert (result.chunks, result.content_deltas, result.finish_reason) == (2, 2, "stop")
    assert result.thinking_ms == 0.0


@pytest.mark.parametrize(
    ("ending", "outcome", "detail", "fault"),
    [
        (Ending.DNS, "network", "dns", "network"),
        (Ending.CONNECT, "network", "connect", "network"),
        (Ending.TLS, "network", "tls", "network"),
        (Ending.RESET, "network", "reset", "network"),
        (Ending.OURS, "ours", "ours", "ours"),
        (Ending.TIMEOUT_FIRST_TOKEN, "timeout", "timeout_first_token", "provider"),
        (Ending.TIMEOUT_TOTAL, "timeout", "timeout_total", "provider"),
        (Ending.BAD_BODY, "stream_broken", "protocol", "provider"),
    ],
)
def test_judge_without_an_answer_names_the_ending(
    ending: Ending, outcome: str, detail: str, fault: str
) -> None:
    result = judge_exchange(make_exchange(ending=ending, status=None))

    assert (result.outcome, result.detail, result.fault) == (outcome, detail, fault)
    assert result.http_status is None


@pytest.mark.parametrize(
    ("ending", "outcome", "detail"),
    [
        (Ending.RESET, "stream_broken", "reset"),
        (Ending.STALLED, "timeout", "stalled"),
        (Ending.TIMEOUT_TOTAL, "timeout", "timeout_total"),
        (Ending.TOO_LARGE, "too_large", "too_large"),
        (Ending.BAD_BODY, "stream_broken", "bad_body"),
        (Ending.CLOSED, "stream_broken", "truncated"),
    ],
)
def test_judge_broken_answer_keeps_its_first_token_time(ending: Ending, outcome: str, detail: str) -> None:
    result = judge_exchange(make_exchange(ANSWER, ending=ending))

    assert (result.outcome, result.detail) == (outcome, detail)
    assert result.ttft_ms == 200
    assert result.output_speed_tps is None
    assert result.end_to_end_ms is None


@pytest.mark.parametrize("ending", [Ending.RESET, Ending.STALLED, Ending.TIMEOUT_TOTAL, Ending.TERMINAL])
def test_judge_terminal_marker_outweighs_how_the_connection_ended(ending: Ending) -> None:
    assert judge_exchange(make_exchange(FINISHED, ending=ending)).outcome == "ok"
    assert judge_exchange(make_exchange(FINISHED[:4], ending=ending)).outcome == "ok"


@pytest.mark.parametrize(
    ("status", "body", "outcome", "detail"),
    [
        (401, {"error": {"message": "no"}}, "auth", "auth"),
        (403, {"message": "The security token is invalid."}, "auth", "auth"),
        (402, {"error": "Insufficient balance"}, "billing", "quota"),
        (400, {"error": {"message": "Your credit balance is too low"}}, "billing", "quota"),
        (404, {"detail": "Not Found"}, "not_found", "not_found"),
        (400, {"error": {"code": "model_not_found", "message": "no such model"}}, "not_found", "not_found"),
        (400, {"error": {"message": "bad"}}, "bad_request", "bad_request"),
        (422, {"detail": [{"msg": "field required"}]}, "bad_request", "bad_request"),
        (413, "too long", "bad_request", "bad_request"),
        (400, {"error": {"code": "content_filter", "message": "filtered"}}, "blocked", "blocked"),
        (400, {"error": {"message": "Unrecognized field: stream_options"}}, "capability", "option_refused"),
        (400, {"error": {"message": "Unsupported value: 'temperature'"}}, "capability", "option_refused"),
        (400, {"error": {"message": "Unsupported parameter: 'max_tokens'"}}, "bad_request", "bad_request"),
        (429, {"error": {"message": "slow down"}}, "rate_limited", "rate_limit"),
        (429, {"error": {"code": "insufficient_quota", "message": "no quota"}}, "rate_limited", "quota"),
        (408, "request timeout", "server_error", "server"),
        (500, "", "server_error", "server"),
        (502, "<html><title>Bad</title></html>", "server_error", "server"),
        (503, {"error": {"message": "no capacity"}}, "server_error", "overloaded"),
        (
            529,
            {"type": "error", "error": {"type": "overloaded_error", "message": "O"}},
            "server_error",
            "overloaded",
        ),
        (307, "", "bad_request", "redirect"),
    ],
)
def test_judge_status_is_refined_by_what_the_body_says(
    status: int, body: object, outcome: str, detail: str
) -> None:
    text = body if isinstance(body, str) else json.dumps(body)

    result = judge_exchange(make_exchange([(30.0, text)], status=status))

    assert (result.outcome, result.detail, result.http_status) == (outcome, detail, status)
    assert result.message
    assert result.ttft_ms is None


def test_judge_names_the_refused_option() -> None:
    body = event({"error": {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."}})

    result = judge_exchange(make_exchange([(30.0, body)], status=400))

    assert result.flags == ("refuses_max_tokens",)


@pytest.mark.parametrize(
    ("error", "before", "after"),
    [
        ({"message": "gone", "code": 500}, ("server_error", "server"), ("stream_broken", "server")),
        ({"message": "wait", "type": "rate_limit_exceeded"}, ("rate_limited", "rate_limit"),
         ("stream_broken", "rate_limit")),
        ({"message": "busy", "type": "overloaded_error"}, ("server_error", "overloaded"),
         ("stream_broken", "overloaded")),
        ("out of memory", ("server_error", "server"), ("stream_broken", "server")),
        ({"message": "x", "code": "content_filter"}, ("blocked", "blocked"), ("stream_broken", "blocked")),
    ],
)  # fmt: skip
def test_judge_error_inside_a_stream_outweighs_all_that_follows(
    error: object, before: tuple[str, str], after: tuple[str, str]
) -> None:
    early = judge_exchange(make_exchange([(100.0, ROLE), (200.0, event({"error": error})), (300.0, DONE)]))
    late = judge_exchange(make_exchange([*ANSWER, (400.0, event({"error": error})), (500.0, DONE)]))

    assert (early.outcome, early.detail) == before
    assert (late.outcome, late.detail) == after


@pytest.mark.parametrize(
    ("body", "outcome", "detail"),
    [
        ("<html>login</html>", "stream_broken", "bad_body"),
        ("upstream connect error", "stream_broken", "bad_body"),
        ('{"choices": [', "stream_broken", "bad_body"),
        ('{"status": "fine"}', "stream_broken", "bad_body"),
        ('{"error": {"message": "no", "code": 504}}', "server_error", "server"),
        ('[{"error": {"message": "no", "code": 429}}]', "rate_limited", "rate_limit"),
        ('{"choices": [{"message": {"content": "all"}}]}', "capability", "not_streamed"),
        (ROLE + 'data: {"choices": [oops\n\n' + DONE, "stream_broken", "protocol"),
        (ROLE + "data: [1, 2]\n\n" + DONE, "stream_broken", "protocol"),
        (DONE, "empty", "empty"),
        ("", "empty", "empty"),
        (": ping\n\n", "empty", "empty"),
        (chat_delta(finish="content_filter") + DONE, "blocked", "blocked"),
    ],
)
def test_judge_body_that_is_no_good_stream(body: str, outcome: str, detail: str) -> None:
    result = judge_exchange(make_exchange([(30.0, body)] if body else []))

    assert (result.outcome, result.detail) == (outcome, detail)


def test_judge_whole_answer_is_ok_where_no_stream_was_asked_for() -> None:
    body = '{"choices": [{"message": {"content": "all"}, "finish_reason": "stop"}], "usage": {"completion_tokens": 1}}'

    result = judge_exchange(make_exchange([(700.0, body)]), expects_stream=False)

    assert (result.outcome, result.output_tokens, result.output_speed_tps) == ("ok", 1, None)
    assert "whole_answer" in result.flags


def test_judge_usage_of_zero_falls_back_to_the_reference_tokenizer() -> None:
    result = judge_exchange(make_exchange([*ANSWER, (310.0, chat_usage(0)), (330.0, DONE)]))

    assert (result.output_tokens, result.reference_tokens, result.token_source) == (2, 2, "tokenizer")
    assert "usage_zero" in result.flags


def test_judge_usage_far_from_the_text_is_kept_and_flagged() -> None:
    result = judge_exchange(make_exchange([*ANSWER, (310.0, chat_usage(5)), (330.0, DONE)]))

    assert (result.output_tokens, result.token_source) == (5, "usage")
    assert "usage_suspect" in result.flags


def test_judge_missing_usage_with_hidden_reasoning_stays_unknown() -> None:
    hidden = chat_delta("", reasoning_details=[{"type": "reasoning.encrypted", "data": "x"}])

    result = judge_exchange(make_exchange([(50.0, hidden), *ANSWER, (330.0, DONE)]))

    assert (result.output_tokens, result.output_speed_tps, result.token_source) == (None, None, "unknown")
    assert result.thinking_ms is None


def test_judge_reasoning_that_ate_the_budget_is_ok_without_answer_time() -> None:
    chunks = [(100.0, chat_delta(reasoning="We")), (200.0, chat_delta(reasoning=" think")),
              (210.0, chat_delta(finish="length")), (220.0, chat_usage(2)), (230.0, DONE)]  # fmt: skip

    result = judge_exchange(make_exchange(chunks), max_output_tokens=2)

    assert (result.outcome, result.ttft_ms, result.ttfat_ms, result.output_speed_tps) == (
        "ok",
        100,
        None,
        10.0,
    )
    assert "budget_exhausted" in result.flags
    assert "short_output" not in result.flags


def test_judge_short_output_is_flagged() -> None:
    assert "short_output" in judge_exchange(make_exchange(FINISHED), max_output_tokens=100).flags
    assert "short_output" not in judge_exchange(make_exchange(FINISHED), max_output_tokens=2).flags


def test_judge_think_tags_cut_over_chunks_are_reasoning() -> None:
    texts = ["<thi", "nk>a", "b</th", "ink>\n", "\nNine", " km"]
    chunks = [(100.0 * (i + 1), chat_delta(text)) for i, text in enumerate(texts)]

    result = judge_exchange(make_exchange([*chunks, (650.0, chat_delta(finish="stop")), (660.0, DONE)]))

    assert (result.ttft_ms, result.ttfat_ms, result.thinking_ms) == (100, 500, 400)
    assert "think_tags" in result.flags


@pytest.mark.parametrize(
    ("fields", "reason", "excluded_from"),
    [
        ({}, None, None),
        ({"client_lag_ms": 5.1}, "probe_fault", "all"),
        ({"client_lag_ms": 5.0}, None, None),
        ({"client_lag_ms": 90.0, "kernel_stamped": True}, None, None),
        ({"clock_stepped": True, "client_lag_ms": 9.0}, "clock_fault", "all"),
    ],
)
def test_judge_excludes_what_our_own_side_spoilt(
    fields: dict[str, Any], reason: str | None, excluded_from: str | None
) -> None:
    result = judge_exchange(make_exchange(make_long(40), **fields))

    assert (result.exclusion_reason, result.excluded_from) == (reason, excluded_from)
    assert result.excluded is (reason is not None)
    assert result.output_speed_tps == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("prompt_tokens", "cached", "is_hit"),
    [
        (1000, 960, True),
        (1000, 64, False),
        (1000, 65, True),
        (10_000, 500, False),
        (10_000, 501, True),
        (20, 0, False),
    ],
)
def test_judge_excludes_cache_hits_but_not_a_templates_prefix(
    prompt_tokens: int, cached: int, is_hit: bool
) -> None:
    usage: dict[str, Any] = {
        "prompt_tokens": prompt_tokens,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    exchange = make_exchange(make_long(40, **usage))

    result = judge_exchange(exchange)
    on_purpose = judge_exchange(exchange, workload_slug="warm-cache")

    assert result.cached_input_tokens == cached
    assert (result.exclusion_reason == "cache_hit") is is_hit
    assert on_purpose.exclusion_reason is None


def test_judge_excludes_another_model_and_another_provider() -> None:
    exchange = make_exchange(make_long(40))
    routed = make_exchange([(50.0, event({"provider": "Other", "choices": []})), *make_long(40)])

    assert (
        judge_exchange(exchange, endpoint=make_endpoint(model="small-1b")).exclusion_reason == "wrong_model"
    )
    assert (
        judge_exchange(exchange, endpoint=make_endpoint(model="x", model_aliases=("tall-7b",))).excluded
        is False
    )
    assert (
        judge_exchange(routed, endpoint=make_endpoint(pinned_provider="acme")).exclusion_reason
        == "wrong_model"
    )
    assert (
        judge_exchange(routed, endpoint=make_endpoint(pinned_provider="other/fp8")).exclusion_reason is None
    )


def test_judge_failure_is_not_excluded_for_its_shape() -> None:
    assert judge_exchange(make_exchange(ANSWER)).excluded is False


def test_judge_retry_after_comes_from_the_header_or_the_body() -> None:
    google = {"error": {"code": 429, "message": "slow", "details": [{"retryDelay": "48s"}]}}
    chunks = [(30.0, json.dumps(google))]

    assert judge_exchange(make_exchange(chunks, status=429)).retry_after_s == 48.0
    assert (
        judge_exchange(make_exchange(chunks, status=429, headers={"retry-after": "7"})).retry_after_s == 7.0
    )
    assert judge_exchange(make_exchange(FINISHED, headers={"retry-after": "7"})).retry_after_s is None


def test_judge_connection_times_add_up() -> None:
    cold = judge_exchange(make_exchange(FINISHED, dns_ms=1.0, tcp_ms=2.0, tls_ms=4.0), connection_kind="cold")
    reused = judge_exchange(make_exchange(FINISHED, connection_reused=True))

    assert (cold.connect_ms, cold.connection_kind) == (7.0, "cold")
    assert (reused.connect_ms, reused.connection_reused) == (0.0, True)
    assert judge_exchange(make_exchange(FINISHED)).connect_ms is None


@pytest.mark.parametrize("place", ["message", "model", "provider", "finish"])
def test_judge_result_never_holds_the_key(place: str) -> None:
    echo = f"saw {KEY} here"
    chunks = {
        "message": [(30.0, event({"error": {"message": echo}}))],
        "model": [(30.0, event({"model": echo, "choices": []})), (40.0, chat_delta("x", finish="stop"))],
        "provider": [
            (30.0, event({"provider": echo, "choices": []})),
            (40.0, chat_delta("x", finish="stop")),
        ],
        "finish": [(30.0, chat_delta("x", finish=echo))],
    }

    result = judge_exchange(make_exchange(chunks[place]), endpoint=make_endpoint(api_key=KEY))

    assert "0123456789" not in json.dumps(dataclasses.asdict(result), default=str)


def test_judge_server_timing_keeps_finite_figures_only() -> None:
    timings = '{"timings": {"predicted_ms": 15.0, "bad": Infinity, "worse": NaN, "text": "x", "huge": 1e300}}'

    result = judge_exchange(make_exchange([*ANSWER, (310.0, f"data: {timings}\n\n"), (320.0, DONE)]))

    assert result.server_timing == {"timings": {"predicted_ms": 15.0}}


def test_judge_oversized_event_is_too_large_even_on_a_clean_end() -> None:
    from probes.endpoint import Limits

    result = judge_exchange(make_exchange(FINISHED), limits=Limits(max_event_bytes=60))

    assert (result.outcome, result.detail) == ("too_large", "too_large")
