from __future__ import annotations

import pytest
from django.test import Client

from .html import Node, read
from .test_subjects import make_shared_model

pytestmark = pytest.mark.django_db


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def labels(page: Node) -> list[str]:
    wide = page.one("figure", data_chart="tradeoff").one("div", class_="wide")
    return [p.attributes["aria-label"] for p in wide.all("path", aria_roledescription="point")]


def test_frontier_of_speed_and_first_token(client: Client) -> None:
    make_shared_model()

    page = get(client, "/frontier/")

    assert [text for text in labels(page) if text.endswith("on the frontier")] == [
        "gpt-oss-20b, Gamma, 100 tokens/s, 100 ms, on the frontier",
        "gpt-oss-20b, Beta, 200 tokens/s, 200 ms, on the frontier",
        "gpt-oss-20b, Alpha, 400 tokens/s, 400 ms, on the frontier",
    ]
    assert "Three of 3 offerings are on the frontier of output speed against time to first token" in page.text


def test_frontier_is_taken_anew_for_other_axes(client: Client) -> None:
    make_shared_model()

    page = get(client, "/frontier/?x=blended_usd_per_mtok")

    assert sorted(text for text in labels(page) if "on the frontier" in text) == [
        "gpt-oss-20b, Alpha, 400 tokens/s, 2 USD per 1M tokens, on the frontier",
        "gpt-oss-20b, Beta, 200 tokens/s, 0 USD per 1M tokens, on the frontier",
    ]
    rows = {
        r.attributes["data-id"]: r.cells[-1]
        for r in page.one("table", data_table="leaderboard").all("tr", data_id=None)
    }
    assert rows == {"alpha~gpt-oss-20b": "yes", "beta~gpt-oss-20b": "yes", "gamma~gpt-oss-20b": "no"}


def test_frontier_file_holds_the_rows_of_the_chart(client: Client) -> None:
    make_shared_model()

    link = get(client, "/frontier/").one("a", data_csv=None).attributes["href"]

    assert link == "/frontier.csv?probe_location=local&workload=medium"
    assert client.get(link).status_code == 200


@pytest.mark.parametrize("y", ["success_rate", "uptime", "response_time_500_ms_p50", "end_to_end_ms_p50"])
def test_any_two_measures_can_be_drawn(client: Client, y: str) -> None:
    make_shared_model(success_rate=0.99, uptime=1.0, response_time_500_ms_p50=900.0, end_to_end_ms_p50=5000.0)

    assert len(labels(get(client, f"/frontier/?y={y}"))) == 3


def test_frontier_has_a_picture(client: Client) -> None:
    make_shared_model()

    assert client.get("/frontier.svg?yscale=linear").status_code == 200


def test_compare_is_symmetrical(client: Client) -> None:
    make_shared_model()

    one = get(client, "/compare/?o=alpha~gpt-oss-20b&o=beta~gpt-oss-20b")
    other = get(client, "/compare/?o=beta~gpt-oss-20b&o=alpha~gpt-oss-20b")

    assert one.one("table", data_table="compare").text == other.one("table", data_table="compare").text
    speed = one.one("table", data_table="compare").one("tr", data_id="output_speed_tps_p50")
    assert speed.cells == ["Output speed tokens/s", "400", "200"]
    assert [f.attributes["data-chart"] for f in one.all("figure", data_chart=None)] == [
        "compare",
        "answer-time",
    ]


def test_compare_times_an_answer_of_any_length(client: Client) -> None:
    make_shared_model()

    page = get(client, "/compare/?o=alpha~gpt-oss-20b&o=beta~gpt-oss-20b&tokens=1000")

    assert "Seconds for 1000 output tokens" in page.text


@pytest.mark.parametrize("tokens", ["0", "-5", "x", "1e9", "999999999999"])
def test_bad_answer_length_is_said(client: Client, tokens: str) -> None:
    response = client.get(f"/compare/?tokens={tokens}")

    assert response.status_code == 400
    assert "tokens" in read(response.content).one("main").text


def test_unlike_quantizations_are_not_compared_silently(client: Client) -> None:
    offering = make_shared_model()
    offering.quantization = "fp8"
    offering.save()

    page = get(client, "/compare/?o=alpha~gpt-oss-20b&o=beta~gpt-oss-20b")

    assert "Not comparable: fp8 and undisclosed." in page.text


def test_compare_finds_offerings_and_says_what_is_missing(client: Client) -> None:
    make_shared_model()

    page = get(client, "/compare/?q=beta&o=nobody~nothing")

    assert "Not measured here in the last 72 hours: nobody~nothing." in page.text
    boxes = [b.attributes["value"] for b in page.all("input", type="checkbox", name="o")]
    assert boxes == ["nobody~nothing", "beta~gpt-oss-20b"]


def test_seven_are_too_many(client: Client) -> None:
    query = "&".join(f"o=x{i}" for i in range(7))

    assert client.get(f"/compare/?{query}").status_code == 400


def test_comparison_has_its_picture_as_a_file(client: Client) -> None:
    make_shared_model()
    query = "?o=alpha~gpt-oss-20b&o=beta~gpt-oss-20b"

    page = read(client.get(f"/compare/{query}").content)
    link = next(a.attributes["href"] for a in page.all("a") if a.text == "SVG")
    picture = client.get(link)

    assert link == f"/compare.svg{query}"
    assert (picture.status_code, picture["Content-Type"]) == (200, "image/svg+xml; charset=utf-8")
    assert client.get("/compare.svg?o=alpha~gpt-oss-20b").status_code == 404
