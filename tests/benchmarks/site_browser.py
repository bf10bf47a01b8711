"""What a slow phone sees: time to the largest paint and layout shift, in a throttled Chromium with nothing kept."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

LOADS = 3
BYTES_PER_S = 1_600_000 / 8
ROUND_TRIP_MS = 150
SLOWER = 4
SETTLED_MS = 1500
WATCH = """
window.painted = 0; window.shifted = 0;
new PerformanceObserver(list => { for (const entry of list.getEntries()) window.painted = entry.startTime; })
    .observe({type: 'largest-contentful-paint', buffered: true});
new PerformanceObserver(list => { for (const entry of list.getEntries())
    if (!entry.hadRecentInput) window.shifted += entry.value; }).observe({type: 'layout-shift', buffered: true});
"""


@dataclass(frozen=True, slots=True)
class Paint:
    """The median of three loads on a 390 × 844 screen at 1.6 Mbit/s, 150 ms round trip and a 4 times slower CPU."""

    path: str
    largest_paint_ms: float
    layout_shift: float
    kb: float
    """All that came over the wire, headers too."""
    script_kb: float


def paints(address: str, paths: Sequence[str]) -> list[Paint]:
    """None where there is no Chromium."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        return []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        found = [median([load(browser, address, path) for _ in range(LOADS)]) for path in paths]
        browser.close()
    return found


def load(browser: object, address: str, path: str) -> Paint:
    """One load in a context of its own, so that nothing is kept from another."""
    from playwright.sync_api import Browser

    assert isinstance(browser, Browser)
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": ROUND_TRIP_MS,
            "downloadThroughput": BYTES_PER_S,
            "uploadThroughput": BYTES_PER_S,
        },
    )
    network.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    sizes: dict[str, float] = {}
    kinds: dict[str, str] = {}
    network.on("Network.responseReceived", lambda event: kinds.update({event["requestId"]: event["type"]}))
    network.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: event["encodedDataLength"] / 1000}),
    )
    page.add_init_script(WATCH)
    page.goto(f"http://{address}{path}", wait_until="load")
    page.wait_for_timeout(SETTLED_MS)
    painted, shifted = page.evaluate("[window.painted, window.shifted]")
    context.close()
    scripts = sum(kb for request, kb in sizes.items() if kinds.get(request) == "Script")
    return Paint(path, float(painted), float(shifted), sum(sizes.values()), scripts)


def median(loads: Sequence[Paint]) -> Paint:
    return Paint(
        loads[0].path,
        statistics.median(one.largest_paint_ms for one in loads),
        max(one.layout_shift for one in loads),
        statistics.median(one.kb for one in loads),
        statistics.median(one.script_kb for one in loads),
    )
