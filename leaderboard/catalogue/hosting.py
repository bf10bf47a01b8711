"""What tokens cost on one's own GPUs: hourly cost, cost per token, break-even, energy, and which GPUs fit.

Pure arithmetic in Decimal. Formulas: docs/methodology.md, "Self-hosted". None in, None out: a missing cost is
unknown and never 0. A utilisation is the share of an hour the endpoint is busy, over 0 and at most 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

SECONDS_PER_HOUR = Decimal(3600)
TOKENS_PER_MTOK = Decimal(1_000_000)
WATTS_PER_KILOWATT = Decimal(1000)
BYTES_PER_GIB = Decimal(1024**3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rental:
    """GPUs by the hour; power is in the price."""

    gpu_count: int
    usd_per_gpu_hour: Decimal | None

    def hourly_cost_usd(self) -> Decimal | None:
        """USD an hour for the whole endpoint; None while the rate is unknown."""
        return None if self.usd_per_gpu_hour is None else self.gpu_count * self.usd_per_gpu_hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """GPUs bought and written off over their life, and the electricity they draw."""

    gpu_count: int
    purchase_usd: Decimal | None
    """For the whole endpoint, host included."""
    lifetime_hours: Decimal | None
    watts_per_gpu: Decimal | None
    pue: Decimal | None
    """Power usage effectiveness: watts at the meter per watt at the machine, at least 1."""
    usd_per_kwh: Decimal | None

    def hourly_cost_usd(self) -> Decimal | None:
        """(purchase / lifetime) + GPUs × watts × PUE × USD per kWh; None while any part is unknown."""
        if self.purchase_usd is None or not self.lifetime_hours:
            return None
        energy = energy_usd_per_hour(
            gpu_count=self.gpu_count,
            watts_per_gpu=self.watts_per_gpu,
            pue=self.pue,
            usd_per_kwh=self.usd_per_kwh,
        )
        return None if energy is None else self.purchase_usd / self.lifetime_hours + energy


def energy_usd_per_hour(
    *, gpu_count: int, watts_per_gpu: Decimal | None, pue: Decimal | None, usd_per_kwh: Decimal | None
) -> Decimal | None:
    if watts_per_gpu is None or pue is None or usd_per_kwh is None:
        return None
    return gpu_count * watts_per_gpu / WATTS_PER_KILOWATT * pue * usd_per_kwh


def usd_per_mtok(
    *, hourly_cost_usd: Decimal | None, throughput_tps: Decimal | None, utilisation: Decimal = Decimal(1)
) -> Decimal | None:
    """USD per million tokens of the kind that `throughput_tps` counts, for the whole endpoint at `utilisation`."""
    check_utilisation(utilisation)
    if hourly_cost_usd is None or not throughput_tps:
        return None
    return hourly_cost_usd * TOKENS_PER_MTOK / (throughput_tps * SECONDS_PER_HOUR * utilisation)


def tokens_per_usd(
    *, hourly_cost_usd: Decimal | None, throughput_tps: Decimal | None, utilisation: Decimal = Decimal(1)
) -> Decimal | None:
    """Million tokens for one USD: the exact reciprocal of `usd_per_mtok`, None when that is unknown or free."""
    price = usd_per_mtok(
        hourly_cost_usd=hourly_cost_usd, throughput_tps=throughput_tps, utilisation=utilisation
    )
    return 1 / price if price else None


def break_even_utilisation(
    *, hourly_cost_usd: Decimal | None, throughput_tps: Decimal | None, list_usd_per_mtok: Decimal | None
) -> Decimal | None:
    """The utilisation above which own GPUs are cheaper than the list price.

    Over 1 means never on these GPUs. None when a figure is unknown, or the list price is 0: nothing beats free.
    """
    full = usd_per_mtok(hourly_cost_usd=hourly_cost_usd, throughput_tps=throughput_tps)
    return None if full is None or not list_usd_per_mtok else full / list_usd_per_mtok


def joules_per_token(
    *,
    gpu_count: int,
    watts_per_gpu: Decimal | None,
    throughput_tps: Decimal | None,
    pue: Decimal = Decimal(1),
) -> Decimal | None:
    """Mean watts of the whole endpoint × PUE / tokens per second; say beside it whether measured or assumed."""
    if watts_per_gpu is None or not throughput_tps:
        return None
    return gpu_count * watts_per_gpu * pue / throughput_tps


def kwh_per_mtok(joules: Decimal | None) -> Decimal | None:
    """Energy of a million tokens in kWh from joules per token."""
    return None if joules is None else joules * TOKENS_PER_MTOK / (WATTS_PER_KILOWATT * SECONDS_PER_HOUR)


def check_utilisation(utilisation: Decimal) -> None:
    if not 0 < utilisation <= 1:
        raise ValueError(f"Utilisation is a share over 0 and at most 1, not {utilisation}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """What a model asks of memory. Sizes in billions of parameters; the cache part from its configuration."""

    params_total_b: Decimal
    params_active_b: Decimal
    bits_per_weight: Decimal
    layers: int | None = None
    kv_heads: int | None = None
    head_size: int | None = None
    bits_per_cache_value: Decimal = Decimal(16)

    def weights_gib(self) -> Decimal:
        return self.params_total_b * 1_000_000_000 * self.bits_per_weight / 8 / BYTES_PER_GIB

    def active_bytes(self) -> Decimal:
        """Bytes of weights read for one token of one request."""
        return self.params_active_b * 1_000_000_000 * self.bits_per_weight / 8

    def cache_bytes_per_token(self) -> Decimal | None:
        """2 (key and value) × layers × KV heads × head size × bytes a value; None without the configuration."""
        if self.layers is None or self.kv_heads is None or self.head_size is None:
            return None
        return 2 * self.layers * self.kv_heads * self.head_size * self.bits_per_cache_value / 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Whether a model fits a set of GPUs, with each term of the sum."""

    weights_gib: Decimal
    cache_gib: Decimal | None
    usable_gib: Decimal
    speed_bound_tps: Decimal | None
    """Single-stream ceiling: memory bandwidth over the bytes read for a token. Real engines stay below it."""

    @property
    def needed_gib(self) -> Decimal:
        return self.weights_gib + (self.cache_gib or 0)

    @property
    def fits(self) -> bool:
        return self.needed_gib <= self.usable_gib


def fit(
    shape: ModelShape,
    *,
    gpu_count: int,
    memory_gib: Decimal,
    bandwidth_gb_per_s: Decimal | None,
    context_tokens: int,
    concurrency: int,
    usable_share: Decimal = Decimal("0.9"),
) -> Fit:
    """Weights plus the cache of `concurrency` full contexts against the GPUs' usable memory.

    `usable_share` leaves room for activations and the engine itself. The speed bound assumes tensor parallel over
    all GPUs without any cost of talking to each other, and reads the whole cache of one context for each token.
    """
    per_token = shape.cache_bytes_per_token()
    cache_gib = None if per_token is None else per_token * context_tokens * concurrency / BYTES_PER_GIB
    bound = None
    if bandwidth_gb_per_s is not None:
        read = shape.active_bytes() + (per_token or 0) * context_tokens
        bound = gpu_count * bandwidth_gb_per_s * 1_000_000_000 / read
    return Fit(
        weights_gib=shape.weights_gib(),
        cache_gib=cache_gib,
        usable_gib=gpu_count * memory_gib * usable_share,
        speed_bound_tps=bound,
    )
