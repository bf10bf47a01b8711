"""The lab itself: its grammar, its answers and its own truth."""

from __future__ import annotations

import http.client
import json
import socket
import uuid
from typing import Any

import httpx
import pytest

from probes.__main__ import main
from probes.lab import Lab
from probes.lab.grammar import NUMBERS, PRESETS, WORDS, UnknownModel, describe_grammar, parse_model


def post(lab: Lab, fields: dict[str, Any], headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    address = lab.url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(fields), headers or {})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_example_of_the_grammar_is_read() -> None:
    behaviour = parse_model("steady-ttft200-tps150-n400-reason64-chunk3-jitter5")

    assert (behaviour.ttft_ms, behaviour.tokens_per_s, behaviour.output_tokens) == (200, 150, 400)
    assert (behaviour.reasoning_tokens, behaviour.tokens_per_event, behaviour.jitter_ms) == (64, 3, 5)


def test_label_before_the_last_sign_is_free() -> None:
    assert parse_model("Any Maker/model-x@gzip-n5") == parse_model("gzip-n5")


def test_refusals_add_up() -> None:
    assert parse_model("newlimit-notemperature").refuses == {"max_tokens", "temperature"}


@pytest.mark.parametrize("name", ["", "nonsense", "ttft", "plain-ttftfast", "http42", "tps0", "http999"])
def test_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(UnknownModel):
        parse_model(name)


def test_every_preset_word_and_number_is_explained() -> None:
    text = describe_grammar()

    assert all(parse_model(preset) for preset in PRESETS)
    assert all(f"  {word} " in text for word in WORDS)
    assert all(f"  {name}N " in text for name in NUMBERS)


def test_unknown_model_is_404(lab: Lab) -> None:
    status, body = post(lab, {"model": "gpt-9", "stream": True})

    assert status == 404
    assert json.loads(body)["error"]["code"] == "model_not_found"


@pytest.mark.parametrize("body", [b"", b"no json", b"[]"])
def test_body_that_is_no_request_is_400(body: bytes, lab: Lab) -> None:
    address = lab.url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.request("POST", "/v1/chat/completions", body)

    assert connection.getresponse().status == 400
    connection.close()


def test_answer_without_streaming_is_whole(lab: Lab) -> None:
    status, body = post(lab, {"model": "plain-n5-ttft5-tps1000", "messages": []})

    answer = json.loads(body)
    assert status == 200
    assert answer["choices"][0]["message"]["content"] == " the river carries small stones"
    assert answer["usage"]["completion_tokens"] == 5


def test_limit_of_the_request_cuts_the_answer(lab: Lab) -> None:
    _, body = post(lab, {"model": "plain-n50-ttft5-tps5000", "max_tokens": 7})

    answer = json.loads(body)
    assert answer["usage"]["completion_tokens"] == 7
    assert answer["choices"][0]["finish_reason"] == "length"


def test_same_request_id_draws_the_same_lot(lab: Lab) -> None:
    fields = {"model": "plain-n1-ttft1-fail50", "stream": True}

    statuses = [[post(lab, fields, {"x-request-id": f"id-{lot}"})[0] for lot in range(12)] for _ in range(2)]

    assert statuses[0] == statuses[1]
    assert set(statuses[0]) == {200, 503}


def test_connection_is_kept_for_a_second_request(lab: Lab) -> None:
    address = lab.url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(address, timeout=10)

    for _ in range(2):
        connection.request(
            "POST", "/v1/chat/completions", json.dumps({"model": "plain-n2-ttft1", "stream": True})
        )
        assert connection.getresponse().read().endswith(b"[DONE]\n\n")
    connection.close()


def test_stream_is_never_early_and_says_how_late_it_was(lab: Lab) -> None:
    request_id = uuid.uuid4().hex
    post(lab, {"model": "plain-ttft50-tps500-n100", "stream": True}, {"x-request-id": request_id})

    served = lab.wait_for(request_id)
    for position, at_ns in enumerate(served.content_ns):
        late_ms = (at_ns - served.received_ns) / 1e6 - (50 + position * 2)
        assert -0.01 <= late_ms <= served.max_late_ms + 0.01


def test_client_that_leaves_ends_its_stream(lab: Lab) -> None:
    host, port = lab.url.removeprefix("http://").removesuffix("/v1").split(":")
    body = json.dumps({"model": "endless-ttft1-tps1000", "stream": True}).encode()
    with socket.create_connection((host, int(port))) as sock:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nx-request-id: leaver\r\ncontent-length: {len(body)}\r\n\r\n"
        sock.sendall(head.encode() + body)
        sock.recv(1000)

    assert lab.wait_for("leaver").ending == "client left"


def test_reader_that_does_not_read_does_not_hold_up_others(lab: Lab) -> None:
    host, port = lab.url.removeprefix("http://").removesuffix("/v1").split(":")
    body = json.dumps({"model": "endless-ttft1-tps1000000", "stream": True}).encode()
    with socket.create_connection((host, int(port))) as sock:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
        sock.sendall(head.encode() + body)

        status, answer = post(lab, {"model": "plain-n20-ttft20-tps1000", "stream": True})

    assert status == 200
    assert answer.endswith(b"[DONE]\n\n")


def test_an_impossible_port_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "--port", "99999"]) == 2
    assert capsys.readouterr().err == "99999 is not a port; use a number from 0 to 65535.\n"


def test_request_without_an_id_is_answered_and_logged_under_the_same(lab: Lab) -> None:
    body = {"model": "plain-n3-ttft5", "stream": False, "messages": []}

    answered = httpx.post(f"{lab.url}/chat/completions", json=body).json()

    (served,) = lab.wait_for_requests(1)
    assert answered["id"] == f"chatcmpl-{served.request_id[:24]}"
