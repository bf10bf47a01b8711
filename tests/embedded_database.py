"""Pytest plugin: one throw-away Postgres for the whole run, inherited by xdist's workers.

Loaded with `-p`, before the settings are read, because the settings take the data dir from the environment.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from leaderboard.operations.embedded.postgres import EmbeddedPostgres

IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
server: EmbeddedPostgres | None = None

if not IS_WORKER:
    for name in [n for n in os.environ if n.startswith(("LEADERBOARD_", "DJANGO_SUPERUSER_"))]:
        del os.environ[name]
    os.environ["LEADERBOARD_DATA_DIR"] = tempfile.mkdtemp(prefix="leaderboard-tests-")
    # WhiteNoise warns where collected static files are missing.
    Path(os.environ["LEADERBOARD_DATA_DIR"], "static").mkdir()


def pytest_configure(config: pytest.Config) -> None:
    global server
    if IS_WORKER or "DATABASE_URL" in os.environ or config.option.collectonly:
        return
    from leaderboard.operations.embedded.postgres import EmbeddedPostgres

    server = EmbeddedPostgres(Path(os.environ["LEADERBOARD_DATA_DIR"]), durable=False)
    server.start()


def pytest_unconfigure() -> None:
    if IS_WORKER:
        return
    if server is not None:
        server.stop()
    shutil.rmtree(os.environ["LEADERBOARD_DATA_DIR"], ignore_errors=True)
