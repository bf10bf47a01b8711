"""Message brokers over TCP on loopback, each in a folder of its own: Valkey, Redis, RabbitMQ."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import kombu
import redis

from leaderboard.operations.embedded.valkey import server_binary

RABBIT = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
START_TIMEOUT_S = 60


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Broker:
    """`start` waits until it answers; `kill` is kill -9; `start` again goes on with what was kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        raise NotImplementedError

    def command(self) -> list[str]:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), env=self.environment(), stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.answers():
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < deadline, "the broker does not answer"
            time.sleep(0.1)

    def answers(self) -> bool:
        try:
            with kombu.Connection(self.url, connect_timeout=2) as connection:
                connection.ensure_connection(max_retries=0, timeout=2)
                return connection.default_channel is not None
        except Exception:  # every transport has errors of its own
            return False

    def kill(self) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def forget(self) -> None:
        """What a lost disk leaves: nothing."""
        shutil.rmtree(self.folder)


class RedisLike(Broker):
    def __init__(self, folder: Path, binary: str) -> None:
        super().__init__(folder)
        self.binary = binary

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "dir": str(self.folder),
            "appendonly": "yes",
            "save": "",
            "maxmemory-policy": "noeviction",
        }
        return [self.binary, *(word for name, value in options.items() for word in (f"--{name}", value))]

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port)


class RabbitMq(Broker):
    """As whoever runs the tests, with a name server (epmd) of its own that ends with it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.names_port = free_port()
        self.cluster_port = free_port()
        self.names: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def command(self) -> list[str]:
        return [str(RABBIT)]

    def environment(self) -> dict[str, str]:
        return dict(os.environ) | {
            "HOME": str(self.folder),
            "RABBITMQ_NODENAME": f"drill{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.cluster_port),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_LOG_BASE": str(self.folder / "logs"),
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "none"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 2:2 +sbwt none",
            "ERL_EPMD_PORT": str(self.names_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        }

    def start(self) -> None:
        """The name server first, as our own child: one that RabbitMQ starts itself would outlive it."""
        if self.names is None:
            self.names = subprocess.Popen(
                [str(shutil.which("epmd")), "-port", str(self.names_port), "-address", "127.0.0.1"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        super().start()

    def stop(self) -> None:
        super().stop()
        if self.names is not None:
            self.names.kill()
            self.names.wait()


def redis_binary() -> str | None:
    return shutil.which("redis-server") or shutil.which("valkey-server")


KINDS: dict[str, Callable[[Path], Broker]] = {"valkey": lambda folder: RedisLike(folder, server_binary())}
if (found := redis_binary()) is not None:
    KINDS["redis"] = lambda folder, found=found: RedisLike(folder, found)  # type: ignore[misc]
if RABBIT.exists():
    KINDS["rabbitmq"] = RabbitMq
