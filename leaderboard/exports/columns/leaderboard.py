from __future__ import annotations

from leaderboard.catalogue.models import Weights

from .column import (
    FROM_ONE,
    NOT_NEGATIVE,
    OFFERING_REFERENCE,
    POSITIVE,
    SHARE,
    Column,
    Reference,
    Table,
)
from .offerings import HOSTINGS

PER_MTOK = "USD per 1e6 tokens"


def speed(name: str, meaning: str) -> Column:
    return Column(name, "number", meaning, unit="tokens/s", bounds=POSITIVE)


def milliseconds(name: str, meaning: str) -> Column:
    return Column(name, "number", meaning, unit="ms", bounds=POSITIVE)


def share(name: str, meaning: str) -> Column:
    return Column(name, "number", meaning, unit="0..1", bounds=SHARE)


def price(name: str, meaning: str) -> Column:
    return Column(name, "number", meaning, unit=PER_MTOK, bounds=NOT_NEGATIVE)


def count(name: str, meaning: str) -> Column:
    return Column(name, "integer", meaning, unit="count", required=True, bounds=NOT_NEGATIVE)


def rank(name: str, meaning: str) -> Column:
    return Column(name, "integer", meaning, bounds=FROM_ONE)


LEADERBOARD = Table(
    name="leaderboard",
    title="Leaderboard snapshot",
    row_is="every offering with a sample in the window at as_of, ranked or not; exactly what pages and charts show",
    key=("as_of", "offering_id", "probe_location", "workload"),
    references=(
        OFFERING_REFERENCE,
        Reference(column="provider_id", table="providers", table_column="provider_id"),
        Reference(column="model_id", table="models", table_column="model_id"),
    ),
    columns=(
        Column("as_of", "datetime", "the instant the window ends", unit="UTC", required=True),
        Column("offering_id", "string", "what was measured", required=True),
        Column("provider_id", "string", "who serves it", required=True),
        Column("provider_name", "string", "the provider's name", required=True),
        Column("model_id", "string", "what is served", required=True),
        Column("model_name", "string", "the model's name", required=True),
        Column("creator", "string", "who trained the model", required=True),
        Column(
            "weights",
            "string",
            "whether the weights can be downloaded",
            required=True,
            one_of=tuple(Weights.values),
        ),
        Column("hosting", "string", "how the capacity is sold", required=True, one_of=HOSTINGS),
        Column(
            "quantization",
            "string",
            "copy of the offering's value",
            required=True,
        ),
        Column("probe_location", "string", "label of the probe site", required=True),
        Column("workload", "string", "prompt and output limit, as the methodology defines it", required=True),
        Column("window_hours", "integer", "72 by default", unit="h", required=True, bounds=POSITIVE),
        Column(
            "methodology_version",
            "string",
            "version of the rules it was measured by",
            unit="semver",
            required=True,
        ),
        count("samples_ok", "probes with a whole answer in the window"),
        share("success_rate", "ok / all attempts whose fault was not ours"),
        speed("output_speed_tps_p50", "median output speed"),
        speed("output_speed_tps_p50_low", "low end of the 95 % interval of the median output speed"),
        speed("output_speed_tps_p50_high", "high end of the 95 % interval of the median output speed"),
        speed("output_speed_tps_p05", "the slow tail"),
        milliseconds("ttft_ms_p50", "median time to the first token of any kind"),
        milliseconds("ttft_ms_p50_low", "low end of the 95 % interval of the median time to first token"),
        milliseconds("ttft_ms_p50_high", "high end of the 95 % interval of the median time to first token"),
        milliseconds("ttft_ms_p95", "the slow tail"),
        milliseconds("ttfat_ms_p50", "median time to the first answer token"),
        price("input_usd_per_mtok", "list price of input at as_of; empty = unknown, 0 = free"),
        price("output_usd_per_mtok", "list price of output at as_of; empty = unknown, 0 = free"),
        price("blended_usd_per_mtok", "one price at the mix that `blend` names"),
        Column("blend", "string", "e.g. input:output=3:1", required=True),
        Column("price_verified_at", "datetime", "when the price was last checked", unit="UTC"),
        rank("rank_speed", "competition ranking 1,2,2,4; empty when there is no value"),
        rank("rank_speed_best", "best rank the interval allows"),
        rank("rank_speed_worst", "worst rank the interval allows"),
        rank("rank_ttft", "rank by median time to first token, soonest first"),
        rank("rank_price", "rank by blended price, cheapest first"),
        Column(
            "frontier_speed_ttft",
            "boolean",
            "no other ranked row is at least as good on both and better on one",
            required=True,
        ),
        Column(
            "frontier_speed_price", "boolean", "the same for output speed and blended price", required=True
        ),
        Column(
            "dominated_by",
            "string",
            "one witness on speed/TTFT; empty on the frontier",
            unit="offering_id",
            get=lambda row: row.dominated_by or None,
        ),
        Column("last_ok_at", "datetime", "last successful sample", unit="UTC"),
        Column(
            "freshness",
            "string",
            "late and stale values are old ones; stale is unranked",
            required=True,
            one_of=("fresh", "late", "stale", "no_data"),
        ),
        Column(
            "standing",
            "string",
            "only the last two are ranked",
            required=True,
            one_of=("provisional", "preliminary", "official"),
        ),
        share("uptime", "ok / (ok + server errors + timeouts + broken + empty)"),
        count("speed_samples", "samples behind the speed figures"),
        count("ttft_samples", "samples behind the first-token figures"),
        speed("output_speed_tps_p25", "25th percentile of the output speed"),
        speed("output_speed_tps_p75", "75th percentile of the output speed"),
        speed("output_speed_tps_p95", "the fast tail"),
        milliseconds("ttft_ms_p05", "the soon tail"),
        milliseconds("ttft_ms_p25", "25th percentile of the time to first token"),
        milliseconds("ttft_ms_p75", "75th percentile of the time to first token"),
        share("frontier_speed_ttft_share", "share of resamples on the frontier"),
        Column("workload_version", "integer", "version of the workload's prompt", required=True),
        Column("simulated", "boolean", "true = demo lab; ranked among its own kind", required=True),
    ),
)
