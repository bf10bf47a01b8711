"""Errors in the envelopes of gateways, as a whole answer, in mid-stream and behind a status."""

from __future__ import annotations

import json

import pytest

from tests.probes.exchanges import chat_delta, event, judge_exchange, make_exchange

MINIMAX = {"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}
ZAI = {"code": 1302, "msg": "Rate limit reached for requests"}
BAIDU = {"error_code": 17, "error_msg": "Open api daily request limit reached"}
APIGEE = {
    "fault": {
        "faultstring": "Rate limit quota violation",
        "detail": {"errorcode": "policies.ratelimit.Quota"},
    }
}
TENCENT = {"Response": {"Error": {"Code": "RequestLimitExceeded", "Message": "slow down"}}}
FASTAPI = {"detail": "boom"}
PLAIN = {"code": 429, "message": "Too many requests"}


@pytest.mark.parametrize(
    ("body", "outcome", "message"),
    [
        (MINIMAX, "rate_limited", "rate limit"),
        ({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}, "auth", "login fail"),
        ({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}, "billing", "insufficient balance"),
        (ZAI, "server_error", "Rate limit reached for requests"),
        (BAIDU, "server_error", "Open api daily request limit reached"),
        (APIGEE, "rate_limited", "Rate limit quota violation"),
        (TENCENT, "rate_limited", "slow down"),
        ({"Response": {"Error": {"Code": "AuthFailure", "Message": "no"}}}, "auth", "no"),
        (FASTAPI, "server_error", "boom"),
        (PLAIN, "rate_limited", "Too many requests"),
    ],
)  # fmt: skip
def test_error_of_a_gateway_with_status_200_has_its_own_class(
    body: dict[str, object], outcome: str, message: str
) -> None:
    result = judge_exchange(make_exchange([(30.0, json.dumps(body))]))

    assert (result.outcome, result.message) == (outcome, message)


@pytest.mark.parametrize("body", [MINIMAX, ZAI, BAIDU, APIGEE, TENCENT, FASTAPI, PLAIN])
def test_error_of_a_gateway_in_mid_stream_breaks_it(body: dict[str, object]) -> None:
    result = judge_exchange(make_exchange([(30.0, chat_delta("Hi")), (40.0, event(body))]))

    assert result.outcome == "stream_broken"
    assert result.detail != "truncated"


@pytest.mark.parametrize(
    "frame",
    [
        {"base_resp": {"status_code": 0, "status_msg": ""}, "choices": []},
        {"error": None, "choices": []},
        {"code": 0, "choices": [], "message": "ok"},
        {"id": "x", "status": "in_progress"},
    ],
)
def test_envelope_without_an_error_is_none(frame: dict[str, object]) -> None:
    body = chat_delta("Hi") + event(frame) + chat_delta(finish="stop")

    assert judge_exchange(make_exchange([(30.0, body)])).outcome == "ok"


def test_plain_sentence_in_an_error_event_is_the_error() -> None:
    result = judge_exchange(make_exchange([(30.0, chat_delta("Hi") + "event: error\ndata: out of luck\n\n")]))

    assert (result.outcome, result.detail, result.message) == ("stream_broken", "server", "out of luck")


def test_validators_complaint_names_the_option_it_refuses() -> None:
    complaint = {
        "loc": ["body", "stream_options"],
        "msg": "Extra inputs are not permitted",
        "type": "extra_forbidden",
    }

    result = judge_exchange(make_exchange([(30.0, json.dumps({"detail": [complaint]}))], status=422))

    assert (result.outcome, result.flags) == ("capability", ("refuses_stream_options",))
    assert result.message == "body.stream_options: Extra inputs are not permitted"


def test_delay_in_milliseconds_is_rounded_up_to_seconds() -> None:
    exchange = make_exchange([(30.0, "{}")], status=429, headers={"retry-after-ms": "1500"})

    assert judge_exchange(exchange).retry_after_s == 2.0
