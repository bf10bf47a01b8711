"""A real browser: Debian's chromium. Without one these tests are skipped, but never where CI is set."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright


@pytest.fixture
def chromium(monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None and not os.environ.get("CI"):
        pytest.skip("no chromium here")
    # playwright keeps a loop in the test's own thread
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
