from __future__ import annotations

from operator import attrgetter

from .column import (
    NOT_NEGATIVE,
    OFFERING_REFERENCE,
    POSITIVE,
    SHARE,
    SIMULATED,
    Column,
    Table,
)


def count(name: str, meaning: str) -> Column:
    return Column(name, "integer", meaning, unit="count", required=True, bounds=NOT_NEGATIVE)


def percentiles(measure: str, unit: str, note: str) -> tuple[Column, ...]:
    """p05 to p95 of one measure. Percentiles are of the value: for a speed p05 is the slow tail."""
    return tuple(
        Column(
            f"{measure}_p{share:02}",
            "number",
            f"{'median' if share == 50 else f'{share}th percentile'} of {measure}{note}",
            unit=unit,
            bounds=POSITIVE,
        )
        for share in (5, 25, 50, 75, 95)
    )


def interval(measure: str, unit: str) -> tuple[Column, Column]:
    """The 95 % interval of the median by order statistics; empty below six samples."""
    return (
        Column(
            f"{measure}_p50_low",
            "number",
            f"low end of the 95 % interval of the median of {measure} (order statistics)",
            unit=unit,
            bounds=POSITIVE,
        ),
        Column(
            f"{measure}_p50_high",
            "number",
            f"high end of the 95 % interval of the median of {measure} (order statistics)",
            unit=unit,
            bounds=POSITIVE,
        ),
    )


DAILY = Table(
    name="daily",
    title="Daily aggregates",
    row_is="one per UTC day, offering, probe location and workload",
    key=("day", "offering_id", "probe_location", "workload", "methodology_version"),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column("day", "date", "the day the probes were scheduled for", unit="UTC day", required=True),
        Column(
            "offering_id", "string", "what was probed", required=True, get=attrgetter("offering.public_id")
        ),
        Column("probe_location", "string", "label of the probe site", required=True),
        Column("workload", "string", "prompt and output limit, as the methodology defines it", required=True),
        Column(
            "methodology_version",
            "string",
            "a day never mixes versions: two rows on a change-over day",
            unit="semver",
            required=True,
        ),
        count(
            "samples_scheduled",
            "probes the schedule wanted; those beyond samples_total left no sample that could give it back",
        ),
        count("samples_total", "probes made, failures included"),
        count("samples_ok", "probes with a whole answer"),
        count("samples_excluded", "probes left out of some or all aggregates, with a reason"),
        Column(
            "success_rate",
            "number",
            "ok / (total - excluded for probe fault); empty when there was none",
            unit="0..1",
            bounds=SHARE,
        ),
        count("errors_timeout", "probes that ran out of time"),
        count("errors_rate_limited", "probes refused by a rate limit or quota"),
        count("errors_server", "probes answered with a server error"),
        count("errors_other", "probes that failed in any other way"),
        *percentiles("output_speed_tps", "tokens/s", "; p05 is the slow tail"),
        *percentiles("ttft_ms", "ms", "; p95 is the slow tail"),
        *percentiles("ttfat_ms", "ms", "; p95 is the slow tail"),
        *percentiles("end_to_end_ms", "ms", "; p95 is the slow tail"),
        *interval("output_speed_tps", "tokens/s"),
        *interval("ttft_ms", "ms"),
        Column(
            "final",
            "boolean",
            "false until 06:00 UTC of the next day, by the clock; a final row changes only with a CHANGELOG entry",
            required=True,
        ),
        Column(
            "uptime",
            "number",
            "ok / (ok + server errors + timeouts + broken + empty)",
            unit="0..1",
            bounds=SHARE,
        ),
        Column("workload_version", "integer", "version of the workload's prompt", required=True),
        Column(
            "connection_kind",
            "string",
            "cold figures include the connection's set-up",
            required=True,
            one_of=("warm", "cold"),
        ),
        Column("simulated", "boolean", SIMULATED, required=True),
    ),
)
