from __future__ import annotations

import logging
from typing import Any

import pytest

from leaderboard.catalogue.engines import reading
from leaderboard.catalogue.engines.detecting import detect_local_engines
from leaderboard.catalogue.engines.facts import EngineCounters
from leaderboard.catalogue.engines.reading import EngineReader, root_of
from tests.catalogue.engines.replies import LLAMA_CPP, LM_STUDIO, OLLAMA, SGLANG, TGI, VLLM
from tests.catalogue.engines.scripted import scripted_engine


@pytest.mark.parametrize(
    ("replies", "engine", "version"),
    [
        (LLAMA_CPP, "llama.cpp", "b6250-e92734d5"),
        (VLLM, "vllm", "0.11.0"),
        (SGLANG, "sglang", "0.5.3"),
        (TGI, "tgi", "3.3.4"),
        (OLLAMA, "ollama", "0.12.3"),
        (LM_STUDIO, "other", None),
    ],
)
def test_each_engine_is_recognised_by_its_own_pages(
    replies: dict[str, Any], engine: str, version: str | None
) -> None:
    with scripted_engine(replies) as scripted, EngineReader(scripted.url) as reader:
        facts = reader.facts()

    assert facts is not None
    assert (facts.engine, facts.version) == (engine, version)


def test_no_page_is_asked_twice_but_for_the_counters() -> None:
    with scripted_engine(VLLM) as scripted, EngineReader(scripted.url) as reader:
        reader.facts()
        first = reader.counters(engine="vllm")
        scripted.replies["/metrics"] = scripted.replies["/metrics"].replace("3000.0", "4000.0")
        second = reader.counters(engine="vllm")

    repeated = {path for path in scripted.asked if scripted.asked.count(path) > 1}
    assert repeated == {"/metrics"}
    assert (first.output_tokens, second.output_tokens) == (5000, 6000)


def test_counters_of_a_page_that_is_gone_are_unknown_not_the_old_ones() -> None:
    with scripted_engine(VLLM) as scripted, EngineReader(scripted.url) as reader:
        reader.counters(engine="vllm")
        del scripted.replies["/metrics"]

        assert reader.counters(engine="vllm") == EngineCounters()


def test_the_key_is_sent_and_no_redirect_is_followed() -> None:
    with (
        scripted_engine({"/props": 302}) as scripted,
        EngineReader(scripted.url, api_key="canary-key") as reader,
    ):
        assert reader.facts(engine="llama.cpp") is None

    assert set(scripted.authorizations) == {"Bearer canary-key"}
    assert set(scripted.asked) == {"/props", "/v1/models", "/slots"}


def test_a_page_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 1000)
    padded = {**LLAMA_CPP, "/props": {**LLAMA_CPP["/props"], "padding": "x" * 2000}}

    with scripted_engine(padded) as scripted, EngineReader(scripted.url) as reader:
        assert reader.facts(engine="llama.cpp") is None


def test_nothing_that_reading_logs_holds_the_address_or_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with scripted_engine(OLLAMA) as scripted, EngineReader(scripted.url, api_key="canary-key") as reader:
        assert reader.facts()
    with EngineReader(scripted.url) as reader:
        assert reader.facts() is None

    assert caplog.text == ""


@pytest.mark.parametrize(
    ("base_url", "root"),
    [
        ("http://10.0.0.1:8000/v1", "http://10.0.0.1:8000"),
        ("http://10.0.0.1:8000/v1/", "http://10.0.0.1:8000"),
        ("https://inside.example/llm/v1", "https://inside.example/llm"),
        ("http://10.0.0.1:11434", "http://10.0.0.1:11434"),
    ],
)
def test_the_engine_s_pages_are_above_its_api(base_url: str, root: str) -> None:
    assert root_of(base_url) == root


def test_local_engines_are_found_at_their_ports_and_our_own_are_left_out() -> None:
    with scripted_engine(OLLAMA) as ollama, scripted_engine(VLLM) as vllm, scripted_engine({}) as other:
        ports = (ollama.port, vllm.port, other.port, 1)

        found = detect_local_engines(ports)
        without = detect_local_engines(ports, leave_out=[vllm.port])

    assert [(e.name, e.base_url) for e in found] == [
        ("Ollama", f"http://127.0.0.1:{ollama.port}/v1"),
        ("vLLM", f"http://127.0.0.1:{vllm.port}/v1"),
    ]
    assert [e.name for e in without] == ["Ollama"]
