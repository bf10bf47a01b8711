"""The site in a real browser: both themes, phone and desk, with and without scripts."""

from __future__ import annotations

import datetime as dt
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from playwright.sync_api import Browser, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.catalogue.models import Offering
from leaderboard.ranking.queries import rows_of_snapshot
from tests.factories import (
    make_deployment,
    make_model,
    make_offering,
    make_price,
    make_provider,
    make_sweep,
)
from tests.pages.boards import make_row
from tests.pages.test_self_hosted import LEVELS
from tests.pages.test_subjects import make_days, make_profile
from tests.ranking.factories import make_saved_snapshot

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, available_apps=[app.name for app in apps.get_app_configs()]),
]

MEASURES = Path(__file__).with_name("measures.js").read_text(encoding="utf-8")
FOCUSED = "() => { const at = document.activeElement; return at.href?.baseVal ?? at.href ?? at.name ?? ''; }"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
OFFERING = "alpha~gpt-oss-120b"
PAGES = (
    "/",
    "/offerings/",
    "/offerings/?weights=open",
    "/offerings/?q=nobody",
    "/models/",
    "/models/openai/gpt-oss-120b/",
    "/providers/",
    "/providers/alpha/",
    f"/offerings/{OFFERING}/",
    "/frontier/",
    "/frontier/?x=blended_usd_per_mtok",
    f"/compare/?o={OFFERING}&o=beta~gpt-oss-120b",
    "/compare/",
    "/choose/",
    "/self-hosted/",
    "/self-hosted/rack/",
    "/methodology/",
    "/methodology/1.0.0/",
    "/glossary/",
    "/data/",
    "/data/dictionary/",
    "/data/snapshots/",
    "/about/",
    "/corrections/",
    "/api/",
    "/changes/",
    "/status/",
    "/search?q=gpt",
    "/search?q=nobody",
    "/embed/?chart=tradeoff",
    "/?display=end_to_end&view=table",
)
ERRORS = ("/offerings/?weights=maybe", "/no-such-page/")
FRAMED = ("/embed/tradeoff/",)
# name, weights, creator, tokens/s, ms: the reference page's corners, with a crowd near the frontier.
MODELS = (
    ("V3 Fast", "proprietary", "Morph", 3502.0, 448.0),
    ("V3 Large", "proprietary", "Morph", 3129.0, 476.0),
    ("gpt-oss-120b", "open", "OpenAI", 773.0, 205.0),
    ("Qwen3 32B", "open", "Qwen", 423.0, 205.0),
    ("Nano Banana 2 Lite (Gemini 3.1 Flash Lite Image)", "proprietary", "Google", 443.0, 2390.0),
    ("GPT-5.6 Luna Pro", "proprietary", "OpenAI", 242.0, 8270.0),
)


@pytest.fixture(autouse=True)
def site(settings: Settings) -> Offering:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    rows_of_snapshot.cache_clear()
    return make_board()


def make_board() -> Offering:
    """Six models at three providers, the frontier being V3 Fast and gpt-oss-120b; one offering with all evidence."""
    snapshot = make_saved_snapshot()
    providers = [make_provider(slug=name.lower(), name=name) for name in ("Alpha", "Beta", "Gamma")]
    evidence: Offering | None = None
    for name, weights, creator, speed, ttft in MODELS:
        slug = f"{creator.lower()}/{name.lower().replace(' ', '-').replace('(', '').replace(')', '')}"
        model = make_model(slug=slug, name=name, creator=creator, weights=weights)
        for factor, provider in enumerate(providers):
            row = make_row(
                snapshot,
                provider=provider,
                model=model,
                output_speed_tps_p50=speed * (1, 0.8, 1.2)[factor],
                output_speed_tps_p05=speed * 0.5,
                output_speed_tps_p25=speed * 0.7,
                output_speed_tps_p75=speed * 1.25,
                output_speed_tps_p95=speed * 1.3,
                output_speed_tps_p50_low=speed * 0.75,
                output_speed_tps_p50_high=speed * 1.22,
                ttft_ms_p50=ttft,
                blended_usd_per_mtok=("0.2", "0", None)[factor],
                success_rate=0.99,
                frontier_speed_ttft=name in ("V3 Fast", "gpt-oss-120b") and factor == 2,
                standing="official" if factor < 2 else "preliminary",
                last_sample_at=dt.datetime.now(dt.UTC),
            )
            if row.offering.public_id == OFFERING:
                evidence = row.offering
    assert evidence is not None
    make_days(evidence)
    make_profile(evidence)
    make_price(evidence)
    rack = make_provider(slug="rack", name="Rack", kind="self_hosted", base_url="http://10.1.2.3:8000/v1")
    served = make_offering(
        provider=rack, model=evidence.model, public_id="rack~gpt-oss-120b", hosting="self_hosted"
    )
    deployment = make_deployment(
        offering=served, endpoint_id="rack", cost_basis="rental_on_demand", usd_per_gpu_hour="4"
    )
    make_sweep(deployment, LEVELS)
    return evidence


def measured(page: Page, name: str) -> list[str]:
    found: list[str] = page.evaluate(f"() => ({MEASURES}).{name}()")
    return found


def axe(page: Page) -> list[str]:
    package = find_spec("axe_playwright_python")
    assert package is not None
    assert package.origin is not None
    page.evaluate(Path(package.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    result: dict[str, Any] = page.evaluate("(tags) => axe.run(document, {runOnly: tags})", RULES)
    return [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in result["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_pass_axe_and_chart_contrast(chromium: Browser, live_server: LiveServer, scheme: Any) -> None:
    page = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900}).new_page()
    faults = {}
    for address in (*PAGES, *ERRORS, *FRAMED):
        page.goto(f"{live_server.url}{address}")
        found = axe(page) + measured(page, "chartFaults") + measured(page, "emptyNames")
        if found:
            faults[address] = found

    assert faults == {}


def test_pages_fit_a_phone_and_a_finger(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_context(viewport={"width": 390, "height": 800}, has_touch=True).new_page()
    faults = {}
    for address in (*PAGES, *ERRORS):
        page.goto(f"{live_server.url}{address}")
        page.evaluate("() => document.querySelectorAll('details').forEach(box => { box.open = true; })")
        found = (
            measured(page, "smallTargets") + measured(page, "chartFaults") + measured(page, "sidewaysScroll")
        )
        if found:
            faults[address] = found

    assert faults == {}


def test_nothing_scrolls_sideways_at_320_px(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_context(viewport={"width": 320, "height": 700}).new_page()
    wide = {}
    for address in (*PAGES, *ERRORS, *FRAMED):
        page.goto(f"{live_server.url}{address}")
        if found := measured(page, "sidewaysScroll"):
            wide[address] = found

    assert wide == {}


def test_only_our_origin_is_asked_and_the_console_is_silent(
    chromium: Browser, live_server: LiveServer
) -> None:
    page = chromium.new_page()
    complaints: list[str] = []
    foreign: list[str] = []
    page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda r: foreign.append(r.url) if not r.url.startswith(live_server.url) else None)

    for address in PAGES:
        response = page.goto(f"{live_server.url}{address}")
        assert response is not None
        assert response.status == 200
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "unsafe" not in response.headers["content-security-policy"]
        assert "set-cookie" not in response.headers

    assert foreign == []
    assert complaints == []


def test_fastest_is_drawn_above_slowest_and_soonest_right_of_latest(
    chromium: Browser, live_server: LiveServer
) -> None:
    page = chromium.new_page()
    page.goto(f"{live_server.url}/")

    def centre(name: str) -> tuple[float, float]:
        box = page.locator(f'figure[data-chart="tradeoff"] .wide path[aria-label^="{name},"]').bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    assert centre("V3 Fast")[1] < centre("GPT-5.6 Luna Pro")[1]
    assert centre("gpt-oss-120b")[0] > centre("GPT-5.6 Luna Pro")[0]
    labels = page.locator('figure[data-chart="tradeoff"] .wide [class*="labels_"] text').all_text_contents()
    assert sorted(labels) == ["V3 Fast", "gpt-oss-120b"]


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_as_drawn_do_not_overlap(chromium: Browser, live_server: LiveServer, width: int) -> None:
    page = chromium.new_context(viewport={"width": width, "height": 900}).new_page()
    for address in ("/", "/offerings/", "/frontier/", "/models/openai/gpt-oss-120b/"):
        page.goto(f"{live_server.url}{address}")
        assert measured(page, "overlappingLabels") == [], address


def test_four_tiles_charts_and_rows_are_there_without_scripts(
    chromium: Browser, live_server: LiveServer
) -> None:
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(f"{live_server.url}/")

    assert page.locator("[data-tile]").count() == 4
    assert page.locator("figure[data-chart] .wide svg").count() == 4
    page.goto(f"{live_server.url}/offerings/")
    assert page.locator('table[data-table="leaderboard"] tr[data-id]').count() == 18
    page.get_by_label("proprietary").check()
    page.get_by_role("button", name="Apply filters").click()
    assert page.url.endswith("weights=proprietary")
    assert page.locator('table[data-table="leaderboard"] tr[data-id]').count() == 12


def test_filter_then_row_then_back_shows_the_same_page(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_page()
    page.goto(f"{live_server.url}/offerings/?weights=open")
    rows = page.locator("tr[data-id]").evaluate_all("rows => rows.map(r => r.dataset.id)")

    page.locator("tr[data-id] th a").first.click()
    page.go_back()

    assert page.locator("tr[data-id]").evaluate_all("rows => rows.map(r => r.dataset.id)") == rows
    assert page.get_by_label("open").first.is_checked()
    assert page.locator("header.masthead").count() == 1


def test_skip_link_is_first_and_every_stop_shows_its_focus(
    chromium: Browser, live_server: LiveServer
) -> None:
    page = chromium.new_page()
    page.goto(f"{live_server.url}/")

    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to content"
    for _ in range(40):
        page.keyboard.press("Tab")
        style = page.evaluate(
            "() => { const s = getComputedStyle(document.activeElement);"
            " return [s.outlineStyle, parseFloat(s.outlineWidth)]; }"
        )
        assert style[0] == "solid"
        assert style[1] >= 2


def test_print_has_chart_and_table_and_no_navigation(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_page()
    page.goto(f"{live_server.url}/")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")

    assert page.locator(".masthead nav").is_hidden()
    assert page.locator('figure[data-chart="tradeoff"] .wide svg').is_visible()
    assert page.locator('table[data-table="models"]').is_visible()
    assert page.locator(".printed").inner_text() == f"{live_server.url}/"


def test_points_say_their_name_beside_the_pointer(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_page()
    page.goto(f"{live_server.url}/")

    page.locator('figure[data-chart="tradeoff"] .wide a:has(path[aria-label^="V3 Fast"])').hover()

    assert page.locator("#tip").inner_text() == "V3 Fast, 3502 tokens/s, 448 ms, on the frontier"
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_shapes_differ_where_colours_do(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_page()
    page.goto(f"{live_server.url}/")

    marks = page.locator('figure[data-chart="tradeoff"] .wide [aria-roledescription="point"]').evaluate_all(
        "marks => marks.map(m => [m.getAttribute('fill'), m.getAttribute('d').includes('A')])"
    )
    assert {tuple(mark) for mark in marks} == {("#0072B2", True), ("#D55E00", False)}


def test_live_chart_runs_under_the_strict_policy(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_page()
    complaints: list[str] = []
    page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{live_server.url}/")

    page.locator('figure[data-chart="tradeoff"]').get_by_role("button", name="Explore this chart").click()
    page.locator('.live path[aria-label^="V3 Fast,"]').hover()

    assert (
        page.locator("#vg-tooltip-element").inner_text().strip().startswith("V3 Fast, 3502 tokens/s, 448 ms")
    )
    assert complaints == []


def test_local_time_stands_beside_utc_on_demand(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_page(timezone_id="Asia/Tokyo", locale="en-GB")
    page.goto(f"{live_server.url}/")
    asof = page.locator(".lead time").first
    before = asof.inner_text()

    page.get_by_role("button", name="Local time beside UTC (Asia/Tokyo)").click()
    beside = asof.inner_text()
    page.get_by_role("button", name="UTC only").click()

    assert before == asof.inner_text() == "15 Jul 2026, 12:00 UTC"
    assert beside == "15 Jul 2026, 12:00 UTC (15 Jul 2026, 21:00 local)"


def test_answer_is_in_the_first_screen_of_a_phone_and_the_switches_one_touch_away(
    chromium: Browser, live_server: LiveServer
) -> None:
    page = chromium.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}, has_touch=True
    ).new_page()
    page.goto(f"{live_server.url}/")

    tiles = [tile.bounding_box() for tile in page.locator("[data-tile]").all()]
    switch = page.get_by_role("link", name="End to end")

    assert [box is not None and box["y"] + box["height"] <= 844 for box in tiles] == [True] * 4
    assert switch.is_hidden()
    page.locator(".lens > summary").tap()
    switch.tap()
    page.wait_for_url(f"{live_server.url}/?display=end_to_end&sort=end_to_end_ms_p50")


def test_switches_and_filters_stand_open_on_a_wide_screen(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"{live_server.url}/models/")

    assert page.get_by_role("link", name="End to end").is_visible()
    assert page.get_by_role("button", name="Apply filters").is_visible()
    assert page.locator(".lens > summary").is_hidden()


def test_keyboard_reaches_every_row_and_the_switches(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_page()
    page.goto(f"{live_server.url}/offerings/?weights=open")
    rows = page.locator("tbody tr[data-id] th a").evaluate_all("links => links.map(a => a.href)")

    reached = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(FOCUSED))

    assert set(rows) <= reached
    assert f"{live_server.url}/offerings/?display=end_to_end&sort=end_to_end_ms_p50&weights=open" in reached
    assert "weights" in reached


def test_printed_list_has_its_whole_table_and_no_form(chromium: Browser, live_server: LiveServer) -> None:
    page = chromium.new_page()
    page.goto(f"{live_server.url}/models/")
    page.emulate_media(media="print")

    assert page.locator("form").evaluate_all("forms => forms.every(f => !f.getClientRects().length)")
    assert page.locator(".lens").is_hidden()
    assert page.locator('table[data-table="models"] tr[data-id]').last.is_visible()
    assert page.locator(".printed").inner_text() == f"{live_server.url}/models/"
