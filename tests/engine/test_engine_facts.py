"""What the real llama.cpp says of itself, read live."""

from __future__ import annotations

import httpx
import pytest

from leaderboard.catalogue.engines.reading import EngineReader
from tests.real_engine.engine import real_engine

pytestmark = pytest.mark.engine


def test_llama_cpp_tells_its_set_up_and_counts_its_tokens() -> None:
    with real_engine(parallel=3) as url, EngineReader(url) as reader:
        facts = reader.facts()
        before = reader.counters(engine="llama.cpp")
        ask = {"messages": [{"role": "user", "content": "Count."}], "max_tokens": 48}
        with httpx.Client(trust_env=False, timeout=60) as client:
            usage = client.post(f"{url}/chat/completions", json=ask).json()["usage"]
        after = reader.counters(engine="llama.cpp")

    assert facts is not None
    assert (facts.engine, facts.max_model_len, facts.requests_at_once) == ("llama.cpp", 16_384, 3)
    assert (facts.quantization, facts.speculative_decoding) == ("other", "none")
    assert before.output_tokens == 0
    assert after.output_tokens == usage["completion_tokens"] == 48
