"""From nothing to the board in a real browser, against the scripted lab; with scripts and without."""

from __future__ import annotations

import datetime as dt
import shutil
import threading
import time
from collections.abc import Iterable, Iterator

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connections
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.catalogue.models import Offering
from leaderboard.measurements import probing
from leaderboard.measurements.models import Slot
from leaderboard.measurements.partitions import make_partitions, months_wanted
from leaderboard.operations.onboarding import finishing
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.summarise import make_snapshot
from probes.lab.server import Lab

pytestmark = [
    pytest.mark.browser,
    # naming the apps lets the flush after the test take the partitioned samples along
    pytest.mark.django_db(transaction=True, available_apps=[app.name for app in apps.get_app_configs()]),
]

CANARY = "sk-canary-31bc90ad77"
LONGEST_S = 120


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab() as running:
        yield running


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    monkeypatch.setenv(
        "DJANGO_ALLOW_ASYNC_UNSAFE", "true"
    )  # playwright keeps a loop in the test's own thread
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[threading.Thread]]:
    """Threads in place of the queue: what a worker does with a slot's message."""
    started: list[threading.Thread] = []

    def work(ids: list[int]) -> None:
        try:
            for slot_id in ids:
                slot = probing.take_up(slot_id, dt.datetime.now(dt.UTC))
                if slot is not None:
                    probing.measure(slot)
        finally:
            connections.close_all()

    def send(slots: Iterable[Slot]) -> None:
        thread = threading.Thread(target=work, args=([slot.pk for slot in slots],))
        started.append(thread)
        thread.start()

    monkeypatch.setattr(finishing, "send", send)
    yield started
    for thread in started:
        thread.join()


@pytest.fixture(autouse=True)
def plain_settings(settings: Settings) -> None:
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


def sign_in(page: Page, site: str) -> None:
    User.objects.create_superuser("ada", password="correct horse battery")
    page.goto(f"{site}/admin/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Log in").click()


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
def test_provider_goes_from_nothing_to_the_board(
    browser: Browser,
    live_server: LiveServer,
    lab: Lab,
    workers: list[threading.Thread],
    scripts: bool,
) -> None:
    make_partitions(months_wanted(dt.datetime.now(dt.UTC)))
    page = browser.new_context(java_script_enabled=scripts).new_page()
    complaints: list[str] = []
    seen: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    page.on("console", note)
    page.on("load", lambda loaded: seen.append(loaded.content()))
    started = time.perf_counter()
    sign_in(page, live_server.url)

    page.get_by_role("link", name="Add a provider").click()
    page.get_by_label("Name").fill("Alfa Inference")
    page.get_by_label("Base URL").fill("http://127.0.0.1:9/v1")
    page.get_by_label("API key").fill(CANARY)
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("Could not connect")).to_be_visible()
    page.get_by_label("Base URL").fill(lab.url)
    page.get_by_label("Model to test").fill("steady-tps2000-ttft50")
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("First token after")).to_be_visible()

    page.get_by_role("button", name="Save and choose models").click()
    page.get_by_label("Select matched models").check()
    page.get_by_label("Models typed by hand").fill("steady-tps2000-ttft50 alfa/steady")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Will create 1 offering, change 0, skip 0")).to_be_visible()
    page.get_by_role("button", name="Create").click()

    page.locator("[name$=input_usd_per_mtok]").fill("0.10")
    page.locator("[name$=output_usd_per_mtok]").fill("0.40")
    page.get_by_role("button", name="Save prices").click()
    page.get_by_role("button", name="Probe now").click()
    expect(page.get_by_text("3 of 3 samples")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("stands on the leaderboard from the next snapshot")).to_be_visible()
    make_snapshot(as_of=dt.datetime.now(dt.UTC))

    seconds = time.perf_counter() - started
    offering = Offering.objects.get()
    rows = [row for row in leaderboard_rows(latest_snapshot()) if row.offering_id == offering.public_id]
    assert seconds < LONGEST_S
    assert (offering.public_id, offering.probe_state) == ("alfa-inference~steady", "active")
    assert [(row.samples_ok, row.standing, row.rank_speed) for row in rows] == [(3, "provisional", None)]
    assert rows[0].output_speed_tps_p50 == pytest.approx(2000, rel=0.15)
    assert len(seen) >= 8
    assert not any(CANARY in text for text in seen)
    assert complaints == []
    connections.close_all()  # those of the loop that playwright keeps in this thread
