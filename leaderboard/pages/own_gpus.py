"""What the self-hosted pages say in words: sums with their numbers filled in, column heads, and the marks' key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.catalogue.candidates import Candidate, Need
from leaderboard.catalogue.engines.flags import cleaned_flags
from leaderboard.catalogue.models import Deployment
from leaderboard.charts.curves import Look
from leaderboard.pages.numbers import money, percent, whole
from leaderboard.ranking.calculator import Calculation
from leaderboard.ranking.endpoint_view import BreakEven, EndpointView
from leaderboard.ranking.endpoints import GpuEndpointRow, with_cost

GB = Decimal(1_000_000_000)
USABLE = Decimal("0.9")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One column head: a link that sorts, best first."""

    label: str
    unit: str
    column: str
    query: str = ""
    state: str = "none"
    numeric: bool = True


# label, unit, column, whether the highest is best
COLUMNS = (
    ("Endpoint", "", "endpoint_id", False),
    ("Engine", "", "engine", False),
    ("Version", "", "engine_version", False),
    ("GPU", "", "gpu_model", False),
    ("Count", "GPUs", "gpu_count", False),
    ("Quantization", "", "quantization", False),
    ("Concurrency", "requests", "concurrency", False),
    ("Speed per user", "tokens/s", "output_speed_tps_user_p50", True),
    ("Output", "tokens/s", "throughput_tps", True),
    ("Per GPU", "tokens/s", "throughput_tps_gpu", True),
    ("First token", "ms", "ttft_ms_p50", False),
    ("p95", "ms", "ttft_ms_p95", False),
    ("Cost", "USD per h", "hourly_cost_usd", False),
    ("Basis", "", "cost_basis", False),
    ("Output", "USD per 1M tokens", "usd_per_mtok_output", False),
    ("Power", "W", "power_w", False),
    ("Energy", "J per token", "joules_per_token", False),
    ("n", "", "samples_ok", True),
    ("Measured", "UTC", "measured_at", True),
)
TEXT = frozenset(
    {"endpoint_id", "engine", "engine_version", "gpu_model", "quantization", "cost_basis", "measured_at"}
)


def heads(calculation: Calculation) -> list[Head]:
    current = calculation.sort.removeprefix("-")
    found = []
    for label, unit, column, highest_first in COLUMNS:
        wanted, state = (f"-{column}" if highest_first else column), "none"
        if column == current:
            is_descending = calculation.sort.startswith("-")
            state = "descending" if is_descending else "ascending"
            wanted = column if is_descending else f"-{column}"
        found.append(
            Head(
                label=label,
                unit=unit,
                column=column,
                query=calculation.query(sort=wanted),
                state=state,
                numeric=column not in TEXT,
            )
        )
    return found


def cost_sum(row: GpuEndpointRow, display: str = "usd_per_mtok") -> str:
    """The formula with its numbers; empty where the cost is unknown."""
    if row.usd_per_mtok_output is None or row.hourly_cost_usd is None or row.throughput_tps is None:
        return ""
    hour, tokens, use = money(row.hourly_cost_usd), f"{row.throughput_tps:,.1f}", f"{row.utilisation:f}"
    if display == "tokens_per_usd":
        if row.mtok_output_per_usd is None:
            return ""
        return (
            f"{tokens} output tokens/s × 3,600 s × {use} ÷ 1,000,000 ÷ {hour} USD per hour "
            f"= {money(row.mtok_output_per_usd)} million output tokens per USD"
        )
    return (
        f"{hour} USD per hour × 1,000,000 ÷ ({tokens} output tokens/s × 3,600 s × {use}) "
        f"= {money(row.usd_per_mtok_output)} USD per 1M output tokens"
    )


def summary_sentences(view: EndpointView) -> list[str]:
    """At most three, from the rows of the table: who does most, whose tokens cost least, and from which use on."""
    if not view.rows:
        return []
    return [sentence for sentence in (fullest_sentence(view.rows), *cost_sentences(view)) if sentence]


def fullest_sentence(rows: Sequence[GpuEndpointRow]) -> str:
    known = [row for row in rows if row.throughput_tps_gpu is not None]
    if not known:
        return ""
    best = max(known, key=lambda row: (row.throughput_tps_gpu or 0, row.level_id))
    return (
        f"The most from one GPU is {whole(best.throughput_tps_gpu or 0)} output tokens/s: {best.endpoint_id}, "
        f"{requests(best.concurrency)} at once."
    )


def cost_sentences(view: EndpointView) -> list[str]:
    row = view.best(view.chosen_endpoint)
    if row is None or row.usd_per_mtok_output is None:
        return ["What a token costs is unknown: no endpoint here states what its hour costs."]
    use = "at full use" if row.utilisation == 1 else f"at {percent(float(row.utilisation))} % use"
    cost = money(row.usd_per_mtok_output)
    found = [
        f"A million output tokens of {row.endpoint_id} cost {cost} USD {use}, {requests(row.concurrency)} at once."
    ]
    sold = [price for price in view.asked.prices if price.output_usd_per_mtok > 0]
    if sold:
        found.append(
            break_even_sentence(row, sold[0].provider_name, row.break_even(sold[0].output_usd_per_mtok))
        )
    return found


def break_even_sentence(row: GpuEndpointRow, seller: str, share: Decimal | None) -> str:
    if share is None:
        return ""
    if share > 1:
        return f"{seller}, the cheapest seller of the same model, stays cheaper even at full use."
    return f"Above {percent(float(share))} % use that is less than {seller} asks, the cheapest seller of the model."


def break_even_words(found: BreakEven) -> str:
    if found.utilisation is None:
        return "never: it is free" if found.asked.output_usd_per_mtok == 0 else ""
    return "never" if found.utilisation > 1 else f"above {percent(float(found.utilisation))} %"


def not_like_for_like(found: BreakEven, row: GpuEndpointRow) -> str:
    if found.is_like_for_like:
        return ""
    return f"not comparable: {row.quantization} and {found.asked.quantization}"


def requests(count: int) -> str:
    return "1 request" if count == 1 else f"{count:,} requests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """The same endpoint rented and bought."""

    rented: GpuEndpointRow
    owned: GpuEndpointRow

    @property
    def is_owning_cheaper(self) -> bool | None:
        rented, owned = self.rented.hourly_cost_usd, self.owned.hourly_cost_usd
        return None if rented is None or owned is None else owned < rented


def owned_against_rented(row: GpuEndpointRow | None, calculation: Calculation) -> Owned | None:
    """None until all five figures of owning are given."""
    hourly = None if row is None else calculation.owned(row.gpu_count).hourly_cost_usd()
    if row is None or hourly is None:
        return None
    return Owned(rented=row, owned=with_cost(row, hourly_cost_usd=hourly))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEntry:
    """How a curve is told apart, in words and as a mark."""

    endpoint_id: str
    words: str
    look: Look

    @property
    def dash(self) -> str:
        return "" if self.look.dash == (1, 0) else " ".join(map(str, self.look.dash))


def key_entries(endpoints: dict[str, list[GpuEndpointRow]], look: dict[str, Look]) -> list[KeyEntry]:
    return [
        KeyEntry(endpoint_id=name, words=f"{rows[0].hardware}, {rows[0].quantization}", look=look[name])
        for name, rows in endpoints.items()
        if name in look
    ]


def memory_sum(candidate: Candidate) -> str:
    """Weights and cache against the usable memory, with the numbers filled in."""
    fit, gpu = candidate.fit, candidate.gpu
    cache = "cache unknown" if fit.cache_gib is None else f"{fit.cache_gib:,.1f} cache"
    return (
        f"{fit.weights_gib:,.1f} weights + {cache} = {fit.needed_gib:,.1f} of {fit.usable_gib:,.1f} GiB "
        f"({candidate.count} × {gpu.memory_gib or 0:,.0f} × {USABLE})"
    )


def speed_sum(candidate: Candidate, need: Need) -> str:
    """Bandwidth over the bytes read for a token; empty where the bandwidth is unknown."""
    bound, bandwidth = candidate.fit.speed_bound_tps, candidate.gpu.bandwidth_gb_per_s
    if bound is None or bandwidth is None:
        return ""
    read = candidate.count * bandwidth / bound
    return f"{candidate.count} × {bandwidth:,.0f} GB/s ÷ {read:,.1f} GB a token"


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of what is known of a deployment; no value is unknown."""

    name: str
    value: str


def facts(deployment: Deployment) -> list[Fact]:
    """Everything public of it. Where it answers is not among it."""
    gpu = deployment.gpu
    read = "read from the host" if deployment.hardware_source == "measured" else "as the operator states"
    memory = f", {gpu.memory_gib:,.0f} GiB each" if gpu.memory_gib else ""
    speculative = deployment.speculative_decoding
    return [
        Fact("Hardware", f"{deployment.gpu_count} × {gpu.name}{memory} ({read})"),
        Fact("Driver", deployment.driver_version),
        Fact("Region", deployment.region),
        Fact("Engine", f"{deployment.engine} {deployment.engine_version}".strip()),
        Fact("Flags", cleaned_flags(deployment.engine_args)),
        Fact("Quantization", deployment.offering.quantization),
        Fact("Parallel", parallel_words(deployment)),
        Fact("Speculative decoding", speculative),
        Fact("Longest context", f"{deployment.max_model_len:,} tokens" if deployment.max_model_len else ""),
        Fact("Cost basis", cost_words(deployment)),
        Fact("Power", power_words(deployment)),
    ]


def parallel_words(deployment: Deployment) -> str:
    degrees = (
        ("tensor", deployment.tensor_parallel),
        ("pipeline", deployment.pipeline_parallel),
        ("expert", deployment.expert_parallel),
    )
    return ", ".join(f"{name} {degree}" for name, degree in degrees if degree)


def cost_words(deployment: Deployment) -> str:
    hourly = deployment.hourly_cost_usd()
    basis = deployment.cost_basis.replace("_", " ")
    if hourly is None:
        return "unknown" if deployment.cost_basis == "unknown" else f"{basis}, a part of it unknown"
    if deployment.usd_per_gpu_hour is not None:
        return f"{basis}: {deployment.gpu_count} × {money(deployment.usd_per_gpu_hour)} = {money(hourly)} USD per hour"
    purchase, hours = deployment.purchase_usd, deployment.lifetime_hours
    return (
        f"{basis}: {money(purchase or 0)} USD ÷ {hours or 0:,.0f} h + {deployment.gpu_count} × "
        f"{deployment.watts_per_gpu or 0:,.0f} W × {deployment.pue or 1:f} × {money(deployment.usd_per_kwh or 0)} "
        f"USD per kWh = {money(hourly)} USD per hour"
    )


def power_words(deployment: Deployment) -> str:
    if deployment.watts_per_gpu is None:
        return ""
    stated = "measured" if deployment.power_source == "measured" else "as the operator states"
    return f"{deployment.watts_per_gpu:,.0f} W a GPU ({stated}), PUE {(deployment.pue or Decimal(1)).normalize():f}"
