from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from django.http import QueryDict

from leaderboard.ranking.filters import BadFilter, Filters, parse_filters
from leaderboard.ranking.pareto import AXES


def parsed(query: str) -> Filters:
    return parse_filters(QueryDict(query))


def test_no_query_is_the_default_view() -> None:
    assert parsed("") == Filters()
    assert Filters().query() == ""
    assert not Filters().is_filtering


def test_every_name_of_the_contract_is_parsed() -> None:
    filters = parsed(
        "q=qwen&model=a/b&model=c/d&creator=X&provider=p&weights=open&hosting=serverless&quantization=fp8"
        "&probe_location=eu&workload=short&window=14d&price_min=0.1&price_max=2&success_min=0.95"
        "&freshness=fresh&freshness=late&sort=-ttft_ms_p50&page=3&hl=z&hl=a&o=one&o=two"
        "&x=ttfat_ms_p50&y=output_speed_tps_p50&yscale=log&display=tokens_per_usd"
        "&as_of=2026-07-15T12:00:00Z&view=table&full=1"
    )

    assert filters == Filters(
        q="qwen",
        model=("a/b", "c/d"),
        creator=("X",),
        provider=("p",),
        weights=("open",),
        hosting=("serverless",),
        quantization=("fp8",),
        probe_location=("eu",),
        workload=("short",),
        window="14d",
        price_min=Decimal("0.1"),
        price_max=Decimal(2),
        success_min=0.95,
        freshness=("fresh", "late"),
        sort="-ttft_ms_p50",
        page=3,
        hl=("z", "a"),
        o=("one", "two"),
        x="ttfat_ms_p50",
        y="output_speed_tps_p50",
        yscale="log",
        display="tokens_per_usd",
        as_of=dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC),
        view="table",
        full=True,
    )
    assert filters.window_hours == 336
    assert (filters.sort_column, filters.is_descending) == ("ttft_ms_p50", True)


def test_unknown_names_and_empty_fields_are_ignored() -> None:
    assert parsed("utm_source=x&v=1&model=&page=&q=+") == Filters()


@pytest.mark.parametrize(
    ("query", "parameter", "allowed"),
    [
        ("page=0", "page", "a whole number from 1"),
        ("page=١", "page", "a whole number from 1"),
        ("page=99999999999999999999", "page", "a whole number from 1"),
        ("window=7d", "window", "14d, 24h, 72h"),
        ("weights=closed", "weights", "open, proprietary"),
        ("sort=drop", "sort", "a column name of the table, with - before it for descending"),
        ("sort=__class__", "sort", "a column name of the table, with - before it for descending"),
        ("price_min=cheap", "price_min", "USD per million tokens, from 0 to 1000000, as in 0.25"),
        ("price_min=NaN", "price_min", "USD per million tokens, from 0 to 1000000, as in 0.25"),
        ("price_max=-1", "price_max", "USD per million tokens, from 0 to 1000000, as in 0.25"),
        ("price_min=1_000", "price_min", "USD per million tokens, from 0 to 1000000, as in 0.25"),
        ("price_max=%D9%A1%D9%A2", "price_max", "USD per million tokens, from 0 to 1000000, as in 0.25"),
        ("price_max=1e3", "price_max", "USD per million tokens, from 0 to 1000000, as in 0.25"),
        ("success_min=%D9%A0", "success_min", "a share from 0 to 1, as in 0.95"),
        ("success_min=0_1", "success_min", "a share from 0 to 1, as in 0.95"),
        ("as_of=0001-01-01", "as_of", "a time from the year 2020 to 2100"),
        ("as_of=2101-01-01", "as_of", "a time from the year 2020 to 2100"),
        ("price_min=3&price_max=2", "price_max", "at least price_min, here 3"),
        ("success_min=nan", "success_min", "a share from 0 to 1, as in 0.95"),
        ("success_min=95", "success_min", "a share from 0 to 1, as in 0.95"),
        ("as_of=yesterday", "as_of", "an ISO 8601 time in UTC, as in 2026-07-15T12:00:00Z"),
        ("as_of=0001-01-01T00:00:00%2B14:00", "as_of", "an ISO 8601 time in UTC, as in 2026-07-15T12:00:00Z"),
        ("q=%00", "q", "printable text of at most 200 characters"),
        ("model=" + "a" * 201, "model", "printable text of at most 200 characters"),
        ("x=password", "x", ", ".join(sorted(AXES))),
        ("full=yes", "full", "0, 1"),
        ("hl=" + "&hl=".join("abcdefghi"), "hl", "at most 8 values"),
    ],
)  # fmt: skip
def test_a_bad_value_of_a_known_name_is_refused_with_what_is_allowed(
    query: str, parameter: str, allowed: str
) -> None:
    with pytest.raises(BadFilter) as caught:
        parsed(query)

    assert (caught.value.parameter, caught.value.allowed) == (parameter, allowed)


def test_the_canonical_query_has_only_what_differs_in_one_order() -> None:
    filters = parsed("workload=short&page=2&model=c/d&model=a/b&window=72h&sort=ttft_ms_p50&price_max=0.50")

    assert filters.query() == "model=a%2Fb&model=c%2Fd&page=2&price_max=0.50&sort=ttft_ms_p50&workload=short"
    assert filters.canonical_query() == "model=a%2Fb&model=c%2Fd&price_max=0.50&workload=short"
    assert parsed(filters.query()) == filters


def test_a_chip_removes_its_own_value_and_returns_to_the_first_page() -> None:
    filters = parsed("model=a/b&model=c/d&success_min=0.9&page=4")

    assert [(c.parameter, c.value, c.query_without) for c in filters.chips()] == [
        ("model", "a/b", "model=c%2Fd&success_min=0.9"),
        ("model", "c/d", "model=a%2Fb&success_min=0.9"),
        ("success_min", "0.9", "model=a%2Fb&model=c%2Fd"),
    ]


def test_a_list_holds_at_most_forty_values() -> None:
    """Each value is in the link of each other: nine hundred of them made pages of megabytes."""
    assert len(parsed("&".join(f"model={n}" for n in range(40))).model) == 40

    with pytest.raises(BadFilter, match="at most 40 values"):
        parsed("&".join(f"model={n}" for n in range(41)))
