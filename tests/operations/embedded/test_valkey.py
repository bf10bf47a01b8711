from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from leaderboard.operations.embedded.child import is_alive
from leaderboard.operations.embedded.paths import broker_socket
from leaderboard.operations.embedded.valkey import EmbeddedValkey


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    broker = EmbeddedValkey(tmp_path)
    broker.start()
    yield broker
    broker.stop()


def push_and_read(data_dir: Path, *words: str) -> list[bytes]:
    with redis.Redis(unix_socket_path=str(broker_socket(data_dir))) as client:
        for word in words:
            client.rpush("board", word)
        return list(client.lrange("board", 0, -1))


def test_messages_survive_kill_9(broker: EmbeddedValkey, tmp_path: Path) -> None:
    push_and_read(tmp_path, "one", "two")
    assert broker.process is not None
    broker.process.kill()
    broker.process.wait()
    assert not broker.is_running()

    broker.start()

    assert push_and_read(tmp_path) == [b"one", b"two"]


def test_start_ends_the_broker_of_a_dead_supervisor(broker: EmbeddedValkey, tmp_path: Path) -> None:
    assert broker.process is not None
    orphan = broker.process.pid
    push_and_read(tmp_path, "one")

    successor = EmbeddedValkey(tmp_path)
    successor.start()

    broker.process.wait()
    assert not is_alive(orphan)
    assert push_and_read(tmp_path) == [b"one"]
    successor.stop()


def test_stale_pid_file_never_ends_a_neighbour(tmp_path: Path) -> None:
    broker = EmbeddedValkey(tmp_path)
    broker.folder.mkdir()
    broker.pid_file.write_text(str(os.getpid()))
    previous = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("a neighbour was signalled"))

    broker.start()

    broker.stop()
    signal.signal(signal.SIGTERM, previous)


def test_broker_listens_on_its_private_socket_only(broker: EmbeddedValkey, tmp_path: Path) -> None:
    with redis.Redis(unix_socket_path=str(broker_socket(tmp_path))) as client:
        assert client.config_get("port") == {"port": "0"}
    assert broker_socket(tmp_path).parent.stat().st_mode & 0o077 == 0
