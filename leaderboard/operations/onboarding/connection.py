"""Test connection: one model list and one small call, each finding a line of its own as it comes.

Nothing is stored here. A line never holds the key; provider text is cut and escaped where it is shown.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlsplit

from leaderboard.catalogue.addresses import INSIDE
from leaderboard.catalogue.model_names import is_chat_name
from leaderboard.catalogue.pricing import RatesPerMtok, cost_usd
from leaderboard.operations.onboarding.model_lists import ListedModel, NoModelList, list_request, read_models
from probes.endpoint import Endpoint, Limits
from probes.exchange import Ending, Exchange
from probes.redaction import clean_message
from probes.result import ProbeResult
from probes.run import run_probe
from probes.transport import exchange_request
from probes.workloads import get_workload

TEST_LIMITS = Limits(first_token_s=15, idle_s=10, deadline_s=15, max_bytes=4_000_000)
TEST_OUTPUT_TOKENS = 256
LONGEST_PROVIDER_TEXT = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One finding: `ok` True is good, False is bad, None could not be looked at or is only told."""

    ok: bool | None
    text: str

    @property
    def mark(self) -> str:
        return {True: "✓", False: "✗", None: "–"}[self.ok]


class Everything:
    """A watcher that lets the whole answer in: a model list has no tokens to wait for."""

    first_content_ns: int | None = None
    last_content_ns: int | None = None
    is_terminal: bool = False
    has_finished: bool = False
    oversized: bool = False

    def feed(self, body: bytes, at_ns: int) -> None:
        """Nothing to follow."""


@dataclass(slots=True)
class ConnectionTest:
    """A test at work. `models` is the provider's list once it was read; empty where there is none."""

    endpoint: Endpoint
    price: RatesPerMtok | None = None
    models: list[ListedModel] = dataclasses.field(default_factory=list)
    has_passed: bool = False

    def run(self) -> Iterator[Line]:
        """The lines, as they are found; takes 30 s at the very most, usually two or three."""
        exchange = fetch_list(self.endpoint)
        if exchange.status is None:
            yield Line(False, describe_no_answer(self.endpoint, exchange))
            return
        yield from connected_lines(self.endpoint, exchange)
        yield from self.list_lines(exchange)
        if exchange.status in (401, 403):
            return
        model = self.endpoint.model or next((m.name for m in self.models if is_chat_name(m.name)), "")
        if not model:
            yield Line(None, "No model to try: type one under Model to test.")
            return
        yield from self.probe_lines(dataclasses.replace(self.endpoint, model=model))

    def list_lines(self, exchange: Exchange) -> Iterator[Line]:
        status = exchange.status
        if status in (401, 403):
            yield Line(
                False,
                f"The provider answered, but not to this key ({status}). Paste the key again; "
                "check that it belongs to this project.",
            )
            return
        if status in (402, 429):
            yield Line(
                False,
                f"Key accepted, but the account is out of quota or credit ({status}). The probes would fail too.",
            )
            return
        if status == 200:
            yield Line(True, "Key accepted." if self.endpoint.api_key else "No key is asked for.")
            try:
                self.models = read_models(b"".join(chunk.body for chunk in exchange.chunks))
            except NoModelList as problem:
                yield Line(
                    None, f"The model list cannot be read: {problem}. You can type model names by hand."
                )
            else:
                yield Line(True, f"{len(self.models)} models listed.")
            return
        path = urlsplit(list_request(self.endpoint).url).path
        yield Line(
            None,
            f"Reached the server, but there is no model list at {path} ({status}). You can type model names by hand.",
        )

    def probe_lines(self, endpoint: Endpoint) -> Iterator[Line]:
        result = probe_once(endpoint)
        yield Line(None, f"Tried {endpoint.model} with one small call.")
        if result.outcome != "ok":
            yield Line(False, describe_failure(result))
            return
        yield from stream_lines(result)
        yield self.cost_line(result)
        self.has_passed = True

    def cost_line(self, result: ProbeResult) -> Line:
        tokens = (result.input_tokens or 0) + (result.output_tokens or 0)
        cost = cost_usd(self.price, input_tokens=result.input_tokens, output_tokens=result.output_tokens)
        said = "price unknown" if cost is None else f"about ${significant(cost)}"
        return Line(None, f"This test used {tokens:,} tokens, {said}.")


def fetch_list(endpoint: Endpoint) -> Exchange:
    """The list's exchange, on a guarded connection of its own."""
    return asyncio.run(
        exchange_request(
            list_request(endpoint), limits=TEST_LIMITS, watcher=Everything(), public_only=endpoint.public_only
        )
    )


def probe_once(endpoint: Endpoint) -> ProbeResult:
    workload = dataclasses.replace(get_workload("short"), max_output_tokens=TEST_OUTPUT_TOKENS)
    return asyncio.run(run_probe(endpoint, workload, limits=TEST_LIMITS))


def describe_no_answer(endpoint: Endpoint, exchange: Exchange) -> str:
    parts = urlsplit(endpoint.base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    match exchange.ending:
        case Ending.DNS:
            return f"Could not connect: name not found for {parts.hostname}."
        case Ending.CONNECT:
            return f"Could not connect: nothing answers on port {port}."
        case Ending.TLS:
            return f"Could not connect: {told(exchange.error) or 'the certificate cannot be trusted'}."
        case Ending.OURS if "public" in (exchange.error or ""):
            return f"Could not connect: {INSIDE[0].lower()}{INSIDE[1:]}"
        case Ending.TIMEOUT_FIRST_TOKEN | Ending.TIMEOUT_TOTAL | Ending.STALLED:
            return f"Could not connect: no answer within {TEST_LIMITS.deadline_s:.0f} seconds."
        case _:
            return f"Could not connect: {told(exchange.error) or 'the connection broke'}."


def told(text: str | None) -> str:
    """Someone else's words, cleaned of anything key-shaped and cut."""
    return (clean_message(text) or "")[:LONGEST_PROVIDER_TEXT].rstrip(" .")


def connected_lines(endpoint: Endpoint, exchange: Exchange) -> Iterator[Line]:
    host = urlsplit(endpoint.base_url).hostname
    took = "" if exchange.dns_ms is None else f" in {exchange.dns_ms:.0f} ms"
    yield Line(True, f"Address of {host} resolved{took}.")
    if exchange.tls_ms is not None:
        yield Line(True, f"TLS agreed in {exchange.tls_ms:.0f} ms.")
    elif endpoint.base_url.startswith("http://"):
        yield Line(None, "No TLS: the address begins with http://.")
    yield Line(True, f"The server answered over HTTP ({exchange.status}).")


def describe_failure(result: ProbeResult) -> str:
    words = told(result.message)
    status = result.http_status
    match result.outcome, result.detail:
        case "auth", _:
            return (
                f"The provider answered, but not to this key ({status}). Paste the key again; "
                "check that it belongs to this project."
            )
        case (("billing" | "rate_limited"), _):
            return f"Key accepted, but the account is out of quota or credit ({status}). The probes would fail too."
        case "capability", "not_streamed":
            return (
                "The reply came in one piece. First-token time cannot be measured; "
                "the offering can be listed for price only."
            )
        case "network", _:
            return f"Could not connect: {words}."
        case _:
            return f"The call ended as {result.outcome.replace('_', ' ')}: {words}."


def stream_lines(result: ProbeResult) -> Iterator[Line]:
    share = result.largest_chunk_share or 0
    came_at_once = result.output_speed_tps is None and (result.output_tokens or 0) > 10
    if came_at_once or result.exclusion_reason == "buffered_stream":
        part = "All" if came_at_once else f"{share * 100:.0f} %"
        yield Line(
            False,
            f"{part} of the tokens came in one chunk: something on the way buffers. Speed would be wrong.",
        )
    else:
        yield Line(True, f"Streams: {result.chunks} chunks.")
    yield Line(True, f"First token after {result.ttft_ms or 0:.0f} ms.")
    if "budget_exhausted" in result.flags and not result.answer_chars:
        yield Line(
            False,
            f"{result.reasoning_tokens or result.output_tokens} tokens of reasoning, no answer within the limit. "
            "Raise max tokens or lower effort.",
        )
    if result.token_source == "usage":
        yield Line(True, f"Usage numbers present: {result.input_tokens} in, {result.output_tokens} out.")
    else:
        yield Line(
            False,
            "The provider does not report token counts. We will count with the reference tokenizer; "
            "the row is marked so.",
        )
    if result.output_speed_tps is None:
        yield Line(None, "Too few tokens for a speed.")
    else:
        yield Line(True, f"Speed {result.output_speed_tps:.0f} tokens/s (one sample, not published).")


def significant(amount: Decimal) -> str:
    """Two significant digits without an exponent."""
    return f"{Decimal(f'{amount:.2g}'):f}"
