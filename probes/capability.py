"""What an offering accepts, found out by preparatory requests that are never measured.

A 400 that names a request option is believed once; the next request goes without it (or, for the output limit, with
its newer name). At most four short requests are sent.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, replace

from probes.endpoint import Capabilities, Endpoint, Limits
from probes.result import ProbeResult
from probes.run import run_probe
from probes.workloads import get_workload

MAX_REQUESTS = 4
PREPARATORY_OUTPUT_TOKENS = 16
REFUSALS = {
    "refuses_stream_options": "stream_options",
    "refuses_continuous_usage_stats": "continuous_usage",
    "refuses_temperature": "temperature",
    "refuses_max_tokens": "max_tokens",
    "refuses_max_completion_tokens": "max_completion_tokens",
}


@dataclass(frozen=True, slots=True)
class Learnt:
    """What to ask with from now on; `evidence` says for each change what the endpoint answered."""

    capabilities: Capabilities
    evidence: tuple[str, ...]
    last: ProbeResult
    """The last preparatory answer: tells whether anything works at all."""


async def learn_capabilities(
    endpoint: Endpoint, *, limits: Limits | None = None, tls_context: ssl.SSLContext | None = None
) -> Learnt:
    """Ask until nothing more is refused. Raises nothing for what the endpoint does."""
    workload = replace(get_workload("short"), max_output_tokens=PREPARATORY_OUTPUT_TOKENS)
    capabilities, evidence = endpoint.capabilities, []
    for _ in range(MAX_REQUESTS):
        asked = replace(endpoint, capabilities=capabilities)
        result = await run_probe(asked, workload, limits=limits, tls_context=tls_context)
        following = adapt_capabilities(capabilities, result)
        if following == capabilities:
            break
        changes = ", ".join(_describe_changes(capabilities, following))
        evidence.append(f"{changes}, because the endpoint answered {result.http_status}: {result.message}")
        capabilities = following
    return Learnt(capabilities, tuple(evidence), result)


def adapt_capabilities(capabilities: Capabilities, result: ProbeResult) -> Capabilities:
    """The capabilities with what this answer refused taken out; unchanged where it refused nothing we can drop."""
    refused = {REFUSALS[flag] for flag in result.flags if flag in REFUSALS}
    if result.http_status not in {400, 422} or not refused:
        return capabilities
    if "stream_options" in refused:
        capabilities = replace(capabilities, stream_options=False, continuous_usage=False)
    if "continuous_usage" in refused:
        capabilities = replace(capabilities, continuous_usage=False)
    if "temperature" in refused:
        capabilities = replace(capabilities, temperature=False)
    if "max_tokens" in refused:
        capabilities = replace(capabilities, output_limit_field="max_completion_tokens")
    if "max_completion_tokens" in refused:
        capabilities = replace(capabilities, output_limit_field="max_tokens")
    return capabilities


def _describe_changes(before: Capabilities, after: Capabilities) -> list[str]:
    changes = []
    if before.stream_options and not after.stream_options:
        changes.append("without stream_options")
    if before.continuous_usage and not after.continuous_usage:
        changes.append("without continuous usage")
    if before.temperature and not after.temperature:
        changes.append("without temperature")
    if before.output_limit_field != after.output_limit_field:
        changes.append(f"with {after.output_limit_field}")
    return changes
