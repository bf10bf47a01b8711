"""The API: filters, cursors, limits and errors; its description holds under generated requests."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from pytest_django.fixtures import Settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leaderboard.exports.api import views
from leaderboard.exports.api.limits import RateLimit, share_of_one_process
from leaderboard.exports.columns import TABLE_BY_NAME
from leaderboard.ranking.daily import backfill_daily
from leaderboard.ranking.summarise import make_snapshot
from tests.exports.boards import make_history
from tests.exports.rows import AS_OF

pytestmark = pytest.mark.django_db
PATHS = ("leaderboard", "providers", "models", "offerings", "prices", "daily", "samples")
OFFERING = "offering_id=alfa~model-a"


@pytest.fixture(autouse=True)
def _no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views.LIMIT, "per_minute", 1_000_000)


@pytest.fixture
def _board() -> None:
    make_history(hours=30)
    make_snapshot(as_of=AS_OF)
    backfill_daily(AS_OF)


def get(client: Client, path: str) -> Any:
    response = client.get(f"/api/v1/{path}")
    assert response.status_code == 200, response.content
    return response.json()


def every_row(client: Client, path: str) -> list[Any]:
    rows, cursor = [], ""
    while True:
        page = get(client, f"{path}&cursor={cursor}" if cursor else path)
        rows += page["rows"]
        cursor = page["next"]
        if cursor is None:
            return rows


@pytest.mark.usefixtures("_board")
@pytest.mark.parametrize("name", PATHS)
def test_each_look_up_gives_its_tables_columns_and_pages_give_every_row_once(
    client: Client, name: str
) -> None:
    query = OFFERING if name in ("prices", "daily", "samples") else "q="

    whole = get(client, f"{name}?{query}&limit=1000")["rows"]
    paged = every_row(client, f"{name}?{query}&limit=1")

    assert list(whole[0]) == list(TABLE_BY_NAME[name].column_names)
    assert paged == whole
    assert len(whole) > 1


@pytest.mark.usefixtures("_board")
def test_rows_have_the_digits_of_the_file(client: Client) -> None:
    rows = get(client, "leaderboard?limit=1000")["rows"]

    assert rows == client.get("/leaderboard.json").json()["rows"]


@pytest.mark.usefixtures("_board")
@pytest.mark.parametrize(
    ("path", "ids"),
    [
        ("leaderboard?provider=alfa&workload=short", ["alfa~model-a", "alfa~model-b"]),
        ("leaderboard?model=maker/model-b&workload=short&provider=bravo", ["bravo~model-b"]),
        ("leaderboard?as_of=2026-07-14T00:00:00Z", []),
        ("offerings?provider=charlie", ["charlie~model-a"]),
        ("offerings?model=maker/model-b&provider=alfa&provider=bravo", ["alfa~model-b", "bravo~model-b"]),
    ],
)
def test_filters(client: Client, path: str, ids: list[str]) -> None:
    assert [row["offering_id"] for row in get(client, path)["rows"]] == ids


@pytest.mark.usefixtures("_board")
def test_rows_are_chosen_by_price_and_freshness(client: Client) -> None:
    rows = get(client, "leaderboard?limit=1000")["rows"]
    prices = sorted({row["blended_usd_per_mtok"] for row in rows})
    low, high = prices[1], prices[-2]

    chosen = get(client, f"leaderboard?limit=1000&price_min={low}&price_max={high}&freshness=fresh")["rows"]

    wanted = [
        row for row in rows if low <= row["blended_usd_per_mtok"] <= high and row["freshness"] == "fresh"
    ]
    assert [(row["offering_id"], row["workload"]) for row in chosen] == [
        (row["offering_id"], row["workload"]) for row in wanted
    ]
    assert 0 < len(chosen) < len(rows)


@pytest.mark.parametrize(
    ("path", "status", "code", "parameter"),
    [
        ("leaderboard?weights=secret", 400, "bad_parameter", "weights"),
        ("leaderboard?limit=0", 400, "bad_parameter", "limit"),
        ("leaderboard?limit=many", 400, "bad_parameter", "limit"),
        ("leaderboard?cursor=bm9uc2Vuc2U", 400, "bad_cursor", "cursor"),
        ("samples?offering_id=zulu~x", 404, "not_found", "offering_id"),
        ("samples", 400, "bad_parameter", "offering_id"),
        ("leaderboard?price_min=free", 400, "bad_parameter", "price_min"),
        ("leaderboard?as_of=yesterday", 400, "bad_parameter", "as_of"),
        ("nothing", 404, "not_found", None),
    ],
)
def test_errors_have_one_form(
    client: Client, path: str, status: int, code: str, parameter: str | None
) -> None:
    response = client.get(f"/api/v1/{path}")

    error = response.json()["error"]
    assert (response.status_code, error["code"], error.get("parameter")) == (status, code, parameter)
    assert error["message"]
    assert error["docs"] == "/api/"
    assert response["Access-Control-Allow-Origin"] == "*"


def test_over_the_limit_it_says_when_to_come_back(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views.LIMIT, "per_minute", 2)
    monkeypatch.setattr(views.LIMIT, "_buckets", type(views.LIMIT._buckets)())

    statuses = [client.get("/api/v1/models").status_code for _ in range(3)]
    refused = client.get("/api/v1/models")

    assert statuses == [200, 200, 429]
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert "/data/v1/" in refused.json()["error"]["message"]
    assert client.get("/api/v1/models", REMOTE_ADDR="127.0.0.2").status_code == 200


@pytest.mark.parametrize("path", ["", "models", "openapi.json"])
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_changed_and_the_refusal_is_json(path: str, method: str) -> None:
    response = getattr(Client(enforce_csrf_checks=True), method)(f"/api/v1/{path}")

    assert (response.status_code, response.json()["error"]["code"]) == (405, "method_not_allowed")
    assert response["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", ["", "models", "openapi.json"])
def test_head_has_the_headers_of_get_and_options_is_open_to_other_origins(client: Client, path: str) -> None:
    got, head, asked = (getattr(client, m)(f"/api/v1/{path}") for m in ("get", "head", "options"))

    assert (head.status_code, head.content) == (200, b"")
    assert head["Content-Type"] == got["Content-Type"]
    assert {r["Access-Control-Allow-Origin"] for r in (got, head, asked)} == {"*"}
    assert head["Content-Length"] == str(len(got.content))
    assert (asked.status_code, asked["Access-Control-Allow-Methods"]) == (204, "GET, HEAD, OPTIONS")


def test_the_root_names_every_look_up(client: Client) -> None:
    index = get(client, "")

    assert [look_up["path"] for look_up in index["look_ups"]] == [f"/api/v1/{name}" for name in PATHS]
    assert all(look_up["summary"] for look_up in index["look_ups"])
    assert (index["openapi"], index["bulk"]) == ("/api/v1/openapi.json", "/data/v1/")


def test_each_web_process_grants_its_share() -> None:
    assert [share_of_one_process(n) for n in (1, 2, 7, 100)] == [60, 30, 8, 1]


def test_behind_the_proxy_each_visitor_has_a_limit_of_their_own(
    client: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.HAS_TLS = True
    monkeypatch.setattr(views.LIMIT, "per_minute", 1)
    monkeypatch.setattr(views.LIMIT, "_buckets", type(views.LIMIT._buckets)())

    statuses = [
        client.get("/api/v1/models", headers={"X-Forwarded-For": forwarded}).status_code
        for forwarded in ("203.0.113.9", "203.0.113.9", "203.0.113.10", "203.0.113.77, 203.0.113.10")
    ]

    assert statuses == [200, 429, 200, 429]


def test_the_limit_fills_up_evenly() -> None:
    limit = RateLimit(per_minute=60)

    spent = [limit.wait_s("a", 0.0) for _ in range(61)]

    assert spent == [0] * 60 + [1]
    assert limit.wait_s("a", 0.5) == 1
    assert limit.wait_s("a", 1.1) == 0
    assert limit.wait_s("b", 0.0) == 0


def test_the_description_names_every_look_up_and_describes_every_column(client: Client) -> None:
    described = client.get("/api/v1/openapi.json").json()

    assert set(described["paths"]) == {f"/api/v1/{name}" for name in PATHS}
    rows = {name: s for name, s in described["components"]["schemas"].items() if name.endswith("Row")}
    assert len(rows) == len(PATHS)
    for schema in rows.values():
        assert all(field["description"] for field in schema["properties"].values())


@pytest.fixture
def _kept_connection() -> Iterator[None]:
    """A server closes its connections after a request; the test's own must outlive them all."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.mark.usefixtures("_board", "_kept_connection")
@pytest.mark.parametrize("name", PATHS)
def test_generated_requests_break_nothing(name: str) -> None:
    """Cursors are opaque, so a made-up one is refused although its form is right: 400 is told in the description."""
    schema: Any = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
    operation = schema[f"/api/v1/{name}"]["GET"]

    def attempt(case: Any) -> None:
        case.call_and_validate(checks=CHECKS)

    generated: Any = given(case=operation.as_strategy())(attempt)
    examples(max_examples=15, deadline=None, database=None, suppress_health_check=list(HealthCheck))(
        generated
    )()


EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "api.md"


@pytest.mark.usefixtures("_board")
def test_every_address_in_the_examples_answers(client: Client) -> None:
    paths = re.findall(r"http://127\.0\.0\.1:8000(/[^\s\"')`]+)", EXAMPLES.read_text())

    assert len(paths) >= 5
    for path in paths:
        assert client.get(path).status_code == 200, path


@pytest.mark.usefixtures("_board")
def test_the_python_example_runs(client: Client) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", EXAMPLES.read_text(), re.DOTALL)
    names: dict[str, Any] = {}

    def fetch(address: str) -> Any:
        return client.get(address.removeprefix("http://127.0.0.1:8000")).json()

    exec(compile(code, "docs/api.md", "exec"), names)
    rows = list(names["rows"]("samples", fetch=fetch, offering_id="alfa~model-a", limit=20))

    assert len(rows) == len(get(client, f"samples?{OFFERING}&limit=1000")["rows"])
    assert isinstance(dt.datetime.fromisoformat(rows[0]["started_at"]), dt.datetime)
