"""Whatever a visitor sends, the answer is a page, a file or a refusal; never a fault of ours.

Random and repeatable; FUZZ_EXAMPLES=2000 searches longer.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote, quote_from_bytes

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.ranking.filters import DEFAULTS, SORTS
from tests.security.addresses import Maker
from tests.security.board import HOSTILE, HostileBoard, values_of

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "120"))
REFUSALS = (200, 206, 301, 302, 304, 400, 404, 405, 406, 416)

searching = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="FUZZ_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

numbers = st.one_of(
    st.integers().map(str), st.floats().map(str), st.decimals().map(str), st.just("1e999"), st.just("٣")
)
instants = st.one_of(
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.sampled_from(
        ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-07-15", "2026-W29-3", "now", "24:00")
    ),
)
choices = st.sampled_from(
    (*SORTS, *(f"-{name}" for name in sorted(SORTS)), "24h", "72h", "14d", "open", "log", "fresh", "1", "0")
)
texts = st.one_of(st.text(max_size=300), st.sampled_from(HOSTILE), numbers, instants, choices, st.just("\0"))
values = st.one_of(
    texts.map(lambda text: quote(text.encode("utf-8", "surrogatepass"))),
    st.binary(max_size=30).map(quote_from_bytes),
)
keys = st.one_of(
    st.sampled_from(sorted(DEFAULTS)), st.text(max_size=8).map(lambda text: quote(text, errors="ignore"))
)
queries = st.lists(st.tuples(keys, values), max_size=6).map(
    lambda pairs: "&".join("=".join(pair) for pair in pairs)
)
segments = st.one_of(values, st.sampled_from(("..", "%2e%2e", "%2F", "a%00b", "%ff", "a" * 3000)))
header_values = st.one_of(
    st.sampled_from(
        (
            *(
                "bytes=0-0",
                "bytes=-0",
                "bytes=9-1",
                "bytes=a-b",
                "bytes=0-99999999999999999999",
                "bytes=0-1,2-3",
            ),
            *('"x"', "W/", "*", "Wed, 99 Foo 2026 00:00:00 GMT", "gzip;q=abc", "identity;q=0, *;q=0"),
        )
    ),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60),
)
headers = st.dictionaries(
    st.sampled_from(
        (
            *("range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since"),
            *("accept", "accept-encoding", "accept-language", "cookie", "x-forwarded-for", "hx-request"),
        )
    ),
    header_values,
    max_size=4,
)


def ask(client: Client, address: str, **given: Any) -> int:
    answer = client.get(address, headers=given)
    for _ in answer if answer.streaming else ():
        pass
    return int(answer.status_code)


@pytest.fixture
def public(board: HostileBoard) -> list[str]:
    """Public addresses that are quick to answer: a picture in PNG is drawn anew for each query."""
    made = Maker(values_of(board)).addresses()
    return [a.path for a in made if not a.path.startswith("/admin/") and not a.path.endswith(".png")]


@searching
@given(data=st.data())
def test_no_query_and_no_header_breaks_a_public_address(
    public: list[str], visitor: Client, data: Any
) -> None:
    path, query = data.draw(st.sampled_from(public)), data.draw(queries)
    sent = data.draw(headers)

    status = ask(visitor, f"{path}?{query}", **sent)

    assert status in (*REFUSALS, 503 if path == "/readyz" else 200), (path, query, sent)


@searching
@given(data=st.data())
def test_no_path_breaks_the_site(public: list[str], visitor: Client, data: Any) -> None:
    parts = data.draw(st.sampled_from(public)).strip("/").split("/")
    place = data.draw(st.integers(0, len(parts) - 1))
    segment = data.draw(segments)
    ending = data.draw(st.sampled_from(("", "/", ".csv", ".json", ".metadata.json", ".svg")))
    changed = "/".join([*parts[:place], segment, *parts[place + 1 :]])

    status = ask(visitor, f"/{changed}{ending}")

    assert status in REFUSALS, changed


@searching
@given(data=st.data())
def test_no_query_breaks_an_admin_list(board: HostileBoard, admin: Client, data: Any) -> None:
    path = data.draw(
        st.sampled_from(
            [
                f"/admin/catalogue/{model}/"
                for model in ("provider", "offering", "languagemodel", "price", "revision")
            ]
        )
    )
    name = data.draw(
        st.sampled_from(("q", "o", "p", "e", "all", "_facets", "kind", "key", "provider__kind", "id"))
    )
    value = data.draw(values)

    assert ask(admin, f"{path}?{name}={value}") in REFUSALS, (path, name, value)
