"""Backup and restore with the commands of docs/operations.md: dump, wipe, restore, the same leaderboard to the byte."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.operations.embedded.paths import socket_dir
from leaderboard.operations.embedded.postgres import EmbeddedPostgres
from leaderboard.operations.environment import ROOT

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drill")]

FILL = """
import datetime as dt
from tests.factories import make_model, make_offering, make_price, make_provider
from tests.measurements.factories import make_samples
from leaderboard.ranking.summarise import make_snapshot
now = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)
for number in range(3):
    offering = make_offering(model=make_model(), provider=make_provider())
    make_price(offering)
    ttft_ms = [200.0 + number * 10 + n for n in range(24)]
    make_samples(offering, count=24, until=now, ttft_ms=ttft_ms, ttfat_ms=ttft_ms)
make_snapshot(as_of=now)
"""
READ = """
from django.test import Client
answer = Client(headers={'host': 'localhost'}).get('/leaderboard.csv')
import sys; sys.stdout.buffer.write(b''.join(answer) if answer.streaming else answer.content)
"""


def environment(data_dir: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LEADERBOARD_", "DJANGO_"))}
    for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
        kept.pop(name, None)
    return kept | {"LEADERBOARD_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT)}


def shell(data_dir: Path, code: str) -> bytes:
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v", "0", "-c", code]
    done = subprocess.run(command, env=environment(data_dir), cwd=ROOT, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return done.stdout


def documented(program: str) -> list[str]:
    """The command line that the document gives for it."""
    text = (ROOT / "docs/operations.md").read_text()
    found = re.search(rf"^    ({program} .*)$", text, re.MULTILINE)
    assert found is not None
    return found[1].split()


def test_dump_wipe_and_restore_give_the_same_leaderboard(folder: Path) -> None:
    data_dir = folder / "d"
    shell(data_dir, FILL)
    before = shell(data_dir, READ)
    dump = folder / "board.dump"

    def run(program: str) -> None:
        words = [word.replace(".data/run", str(socket_dir(data_dir))) for word in documented(program)]
        words = [word.replace("board.dump", str(dump)) for word in words]
        server = EmbeddedPostgres(data_dir)
        server.start()
        words[0] = str(server.binaries / program)
        target = words[words.index(">") + 1] if ">" in words else None
        words = words[: words.index(">")] if ">" in words else words
        done = subprocess.run(words, capture_output=True, timeout=120)
        server.stop()
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        if target:
            Path(target).write_bytes(done.stdout)

    run("pg_dump")
    shutil.rmtree(data_dir / "postgres-18")
    empty = shell(data_dir, READ)
    run("pg_restore")
    after = shell(data_dir, READ)

    assert before.count(b"\r\n") == 4
    assert empty.count(b"\r\n") == 1
    assert after == before
