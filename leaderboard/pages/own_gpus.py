"""What the self-hosted pages say of levels and their cost: sums with their numbers, column heads, the marks' key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.charts.curves import Look
from leaderboard.pages.numbers import money, percent, whole
from leaderboard.ranking.calculator import Calculation
from leaderboard.ranking.endpoint_view import BreakEven, EndpointView
from leaderboard.ranking.endpoints import GpuEndpointRow, with_cost


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
