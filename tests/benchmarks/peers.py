"""Packaged load generators against the lab, judged by its log like our own clients: `exactness.py --peers`.

They are no dependency of this project. Each is named by a variable, and left out with a sentence where it is not:

    PEER_AIPERF=…/bin/aiperf      `pip install aiperf==0.13.*` in an environment of its own
    PEER_GUIDELLM=…/bin/guidellm  likewise
    PEER_VLLM=…/bin/python        a Python that imports `vllm.benchmarks.lib.endpoint_request_func`, aiohttp and tqdm;
                                  the rest of vLLM is not needed

What a peer says of each request is taken from its own output. Its requests are told apart by the `X-Request-Id` that it
sends, or by the answer's id, which holds the lab's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from probes.lab.script import WORDS

ANSWER_ID = "chatcmpl-"
TIMEOUT_S = 240
VLLM_CLIENT = Path(__file__).with_name("peer_vllm.py")
PROMPT = "the river carries small stones past every bend"

Said = dict[str, float | str]
"""`request_id`, `ttft_ms` and `speed_tps` of one request; the id may be cut."""


class PeerFailed(Exception):
    """The peer did not do what it was asked; the text is the end of what it said."""


def find_peers() -> dict[str, str]:
    """Executables by peer; says which are left out."""
    found = {}
    for name in PEERS:
        variable = f"PEER_{name.upper()}"
        if os.environ.get(variable):
            found[name] = os.environ[variable]
        else:
            sys.stderr.write(f"{name} is left out: {variable} names no executable.\n")
    return found


def ask_with_peer(
    name: str,
    executable: str,
    url: str,
    *,
    model: str,
    streams: int,
    requests: int,
    tokens: int,
    folder: Path,
) -> list[Said]:
    """Raises PeerFailed."""
    return PEERS[name](executable, url, model, streams, requests, tokens, folder)


def _call(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerFailed(str(error)) from None
    if done.returncode:
        raise PeerFailed((done.stdout + done.stderr)[-600:])
    return done.stdout


def write_tokenizer(folder: Path) -> Path:
    """A tokenizer of the lab's own words, one token each, in the form that both load from a folder."""
    place = folder / "tokenizer"
    place.mkdir(exist_ok=True)
    words = dict.fromkeys(["[UNK]", *WORDS])
    model = {"type": "WordLevel", "vocab": {w: n for n, w in enumerate(words)}, "unk_token": "[UNK]"}
    empty = dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    whole = {"version": "1.0", **empty, "added_tokens": [], "pre_tokenizer": {"type": "WhitespaceSplit"}}
    (place / "tokenizer.json").write_text(json.dumps({**whole, "model": model}))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]"}
    (place / "tokenizer_config.json").write_text(json.dumps(settings))
    return place


def _ask_with_aiperf(
    executable: str, url: str, model: str, streams: int, requests: int, tokens: int, folder: Path
) -> list[Said]:
    out = folder / "aiperf"
    _call([
        executable, "profile", "--url", url.removesuffix("/v1"), "--model", model, "--endpoint-type", "chat",
        "--streaming", "--use-server-token-count", "--tokenizer", str(write_tokenizer(folder)), "--isl", "100",
        "--concurrency", str(streams), "--request-count", str(requests), "--artifact-dir", str(out),
        "--export-level", "records", "--ui", "none", "--no-auto-plot", "--connection-reuse-strategy", "never",
    ])  # fmt: skip
    return list(_read_aiperf(out / "profile_export.jsonl"))


def _read_aiperf(path: Path) -> Iterator[Said]:
    for line in path.read_text().splitlines():
        record = json.loads(line)
        figures = record["metrics"]
        if "inter_token_latency" in figures:
            yield {
                "request_id": record["metadata"]["x_request_id"],
                "ttft_ms": figures["time_to_first_token"]["value"],
                "speed_tps": 1000 / figures["inter_token_latency"]["value"],
            }


def _ask_with_guidellm(
    executable: str, url: str, model: str, streams: int, requests: int, tokens: int, folder: Path
) -> list[Said]:
    questions, out = folder / "questions.jsonl", folder / "guidellm.json"
    rows = ({"prompt": f"{PROMPT} {n}", "output_tokens_count": tokens} for n in range(requests))
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    target = url.removesuffix("/v1")
    _call([
        executable, "run", "--backend", f"kind=openai_http,target={target},model={model},validate_backend=false",
        "--profile", f"kind=concurrent,streams={streams}", "--constraint", f"kind=max_requests,count={requests}",
        "--data", f"kind=json_file,path={questions}",
        "--tokenizer", f"kind=huggingface_auto,model={write_tokenizer(folder)}",
        "--output", f"kind=json,path={out}", "--disable-console",
    ])  # fmt: skip
    (benchmark,) = json.loads(out.read_text())["benchmarks"]
    return [
        {
            "request_id": str(one["response_id"]).removeprefix(ANSWER_ID),
            "ttft_ms": one["time_to_first_token_ms"],
            "speed_tps": 1000 / one["inter_token_latency_ms"],
        }
        for one in benchmark["requests"]["successful"]
    ]


def _ask_with_vllm(
    executable: str, url: str, model: str, streams: int, requests: int, tokens: int, folder: Path
) -> list[Said]:
    plan = {"url": url, "model": model, "streams": streams, "requests": requests, "tokens": tokens}
    said: list[Said] = json.loads(
        _call([executable, str(VLLM_CLIENT), json.dumps(plan | {"prompt": PROMPT})])
    )
    return said


PEERS: dict[str, Callable[[str, str, str, int, int, int, Path], list[Said]]] = {
    "aiperf": _ask_with_aiperf,
    "guidellm": _ask_with_guidellm,
    "vllm": _ask_with_vllm,
}
