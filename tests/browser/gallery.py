"""Pictures of every page, to be looked at: light, dark, phone and paper, with the states that are seldom met.

    python -m tests.browser.gallery OUT                 every page in every form: about ten minutes
    python -m tests.browser.gallery OUT --only model,stale    those whose name holds a text
    python -m tests.browser.gallery OUT --forms phone,dark

Starts a throw-away Postgres and the production server with a generated board (`generated_board`). The first day comes
first, with the real catalogue and nothing measured; then the full board; then the board after its probes stopped; at
last the pages of a site whose database is gone. The pictures are OUT/<page>.<form>.png.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Browser, sync_playwright

if TYPE_CHECKING:
    from leaderboard.catalogue.models import Offering

TALLEST_PX = 9000
FORMS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "print": {"viewport": {"width": 794, "height": 1123}},
}
PRINTED = frozenset({"home", "models"})


@dataclass(frozen=True, slots=True)
class Shot:
    """A page to look at; the name is the picture's."""

    name: str
    address: str


FIRST_DAY = tuple(
    Shot(f"first-day-{name}", address)
    for name, address in (
        ("home", "/"),
        ("offerings", "/offerings/"),
        ("models", "/models/"),
        ("providers", "/providers/"),
        ("frontier", "/frontier/"),
        ("compare", "/compare/"),
        ("choose", "/choose/"),
        ("self-hosted", "/self-hosted/"),
        ("status", "/status/"),
        ("changes", "/changes/"),
        ("corrections", "/corrections/"),
        ("data", "/data/"),
        ("snapshots", "/data/snapshots/"),
    )
)
STALE = tuple(
    Shot(f"stale-{name}", address)
    for name, address in (("home", "/"), ("offerings", "/offerings/"), ("status", "/status/"))
)
WITHOUT_DATABASE = (Shot("no-database", "/"), Shot("no-database-static-words", "/glossary/"))


def full_board(sold: list[Offering]) -> list[Shot]:
    """Every page of the site map; the first offering has the evidence, the second is retired, the third stale."""
    first, gone, stale = sold[:3]
    model, provider = f"/models/{first.model.slug}/", f"/providers/{first.provider.slug}/"
    rivals = [o.public_id for o in sold if o.model_id == first.model_id][:4]
    lone = next(o for o in sold[3:] if sum(other.model_id == o.model_id for other in sold) <= 4)
    return [
        Shot("home", "/"),
        Shot("home-end-to-end", "/?display=end_to_end"),
        Shot("offerings", "/offerings/"),
        Shot("offerings-filtered", "/offerings/?weights=open&success_min=0.9&sort=ttft_ms_p50"),
        Shot("offerings-highlit", f"/offerings/?hl={first.public_id}&hl={rivals[-1]}"),
        Shot("offerings-none", "/offerings/?q=nobody"),
        Shot("models", "/models/"),
        Shot("model", model),
        Shot("model-few", f"/models/{lone.model.slug}/"),
        Shot("providers", "/providers/"),
        Shot("provider", provider),
        Shot("offering", f"/offerings/{first.public_id}/"),
        Shot("offering-retired", f"/offerings/{gone.public_id}/"),
        Shot("offering-stale", f"/offerings/{stale.public_id}/"),
        Shot("frontier", "/frontier/"),
        Shot("frontier-price", "/frontier/?x=blended_usd_per_mtok&yscale=linear"),
        Shot("compare", "/compare/?" + "&".join(f"o={public_id}" for public_id in rivals)),
        Shot("compare-empty", "/compare/"),
        Shot("choose", "/choose/"),
        Shot("self-hosted", "/self-hosted/"),
        Shot("self-hosted-endpoint", "/self-hosted/rack-0/"),
        Shot("methodology", "/methodology/"),
        Shot("glossary", "/glossary/"),
        Shot("data", "/data/"),
        Shot("dictionary", "/data/dictionary/"),
        Shot("snapshots", "/data/snapshots/"),
        Shot("status", "/status/"),
        Shot("changes", "/changes/"),
        Shot("corrections", "/corrections/"),
        Shot("api", "/api/"),
        Shot("about", "/about/"),
        Shot("search", "/search?q=heron"),
        Shot("search-none", "/search?q=nobody"),
        Shot("embedding", "/embed/?chart=tradeoff"),
        Shot("embed", "/embed/tradeoff/"),
        Shot("bad-filter", "/offerings/?weights=maybe"),
        Shot("not-found", "/no-such-page/"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="", help="texts, one of which the pictures' names hold")
    parser.add_argument("--forms", default=",".join(FORMS), help="which of light, dark, phone, print")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    forms = [form for form in FORMS if form in asked.forms.split(",")]

    def take(browser: Browser, site: str, shots: list[Shot]) -> None:
        for shot in shots:
            if any(text in shot.name for text in asked.only.split(",")):
                for form in forms:
                    if form != "print" or shot.name in PRINTED:
                        photograph(
                            browser, f"{site}{shot.address}", form, asked.out / f"{shot.name}.{form}.png"
                        )

    with tempfile.TemporaryDirectory(prefix="gallery-") as folder:
        walk(Path(folder), take)


def walk(folder: Path, take: Callable[[Browser, str, list[Shot]], None]) -> None:
    """The site from its first day to its last, each state shown to `take`."""
    os.environ["LEADERBOARD_DATA_DIR"] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
        os.environ.pop(name, None)
    from leaderboard.operations.embedded.postgres import EmbeddedPostgres

    database = EmbeddedPostgres(folder, durable=False)
    database.start()
    try:
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        from tests.benchmarks.site import serve

        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        server, address = serve(1)
        site = f"http://{address}"
        try:
            with sync_playwright() as playwright:
                # playwright keeps a loop in this thread, and Django would not ask its database from it
                os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox"]
                )
                states(site, browser, take)
                connection.close()
                database.stop()
                take(browser, site, list(WITHOUT_DATABASE))
                browser.close()
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)
    finally:
        with suppress(Exception):
            database.stop()


def states(site: str, browser: Browser, take: Callable[[Browser, str, list[Shot]], None]) -> None:
    from leaderboard.catalogue.loading import load_catalogue
    from leaderboard.catalogue.models import Offering
    from tests.browser.generated_board import age, fill

    now = dt.datetime.now(dt.UTC)
    load_catalogue()
    take(browser, site, list(FIRST_DAY))
    before = set(Offering.objects.values_list("pk", flat=True))
    fill(now)
    sold = Offering.objects.select_related("model", "provider").filter(provider__simulated=False)
    take(browser, site, full_board([o for o in sold.order_by("pk") if o.pk not in before]))
    age(now, dt.timedelta(days=2))
    take(browser, site, list(STALE))


def photograph(browser: Browser, address: str, form: str, file: Path) -> None:
    """The whole page down to `TALLEST_PX`."""
    page = browser.new_context(**FORMS[form]).new_page()
    page.goto(address)
    if form == "print":
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
    size = FORMS[form]["viewport"]
    height = min(TALLEST_PX, page.evaluate("() => document.documentElement.scrollHeight"))
    page.screenshot(
        path=file, full_page=True, clip={"x": 0, "y": 0, "width": size["width"], "height": max(height, 1)}
    )
    page.context.close()
    sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main()
