from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from leaderboard.operations.embedded.child import ServiceError
from leaderboard.operations.embedded.folder import make_own_folder
from leaderboard.operations.embedded.paths import database_url, socket_dir
from leaderboard.operations.embedded.postgres import EmbeddedPostgres
from leaderboard.operations.embedded.sharing import SharedPostgres

USER_OF_THE_DATA_DIR = """
import sys
from pathlib import Path
from leaderboard.operations.embedded.sharing import SharedPostgres
shared = SharedPostgres(Path(sys.argv[1]))
shared.attach()
print("starter" if shared.is_starter else "guest", flush=True)
sys.stdin.read()
shared.detach()
"""


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cluster for the module: making it takes most of a second."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def server(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(data_dir)
    server.start()
    yield server
    server.stop()


def start_user(data_dir: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", USER_OF_THE_DATA_DIR, str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def role_of(user: subprocess.Popen[str]) -> str:
    assert user.stdout is not None
    return user.stdout.readline().strip()


def finish(user: subprocess.Popen[str]) -> None:
    user.communicate("")
    assert user.returncode == 0


def test_start_after_kill_9_keeps_what_was_committed(server: EmbeddedPostgres, data_dir: Path) -> None:
    with psycopg.connect(database_url(data_dir), autocommit=True) as connection:
        connection.execute("create table if not exists kept (number integer)")
        connection.execute("insert into kept values (42)")
    assert server.process is not None
    server.process.kill()
    server.process.wait()

    server.start()

    with psycopg.connect(database_url(data_dir)) as connection:
        assert connection.execute("select number from kept").fetchone() == (42,)


def test_lock_files_that_name_a_living_neighbour_do_not_stop_the_start(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir, durable=False)
    server.start()
    assert server.process is not None
    server.process.kill()
    server.process.wait()
    for left in (server.cluster / "postmaster.pid", server.sockets / ".s.PGSQL.5432.lock"):
        left.write_text(left.read_text().replace(str(server.process.pid), str(os.getpid()), 1))

    server.start()

    assert server.is_running()
    server.stop()


def test_start_ends_the_server_of_a_dead_supervisor(server: EmbeddedPostgres, data_dir: Path) -> None:
    successor = EmbeddedPostgres(data_dir, durable=False)

    successor.start()

    assert server.process is not None
    assert server.process.wait(20) == 0
    successor.stop()


def test_second_user_joins_the_server_and_the_starter_waits_for_it(data_dir: Path) -> None:
    with start_user(data_dir) as starter:
        assert role_of(starter) == "starter"
        with start_user(data_dir) as guest:
            assert role_of(guest) == "guest"
            assert starter.stdin is not None
            starter.stdin.close()
            with psycopg.connect(database_url(data_dir)) as connection:
                assert connection.execute("select 1").fetchone() == (1,)
            finish(guest)
        assert starter.wait(20) == 0

    assert not EmbeddedPostgres(data_dir).is_running()


def test_user_killed_with_9_leaves_a_data_dir_that_the_next_one_starts(data_dir: Path) -> None:
    with start_user(data_dir) as killed:
        assert role_of(killed) == "starter"
        killed.kill()
    with start_user(data_dir) as successor:
        assert role_of(successor) == "starter"
        finish(successor)


def test_keeper_waits_for_a_command_and_says_so_when_it_takes_too_long(data_dir: Path) -> None:
    with start_user(data_dir) as command:
        assert role_of(command) == "starter"
        shared = SharedPostgres(data_dir)
        with pytest.raises(ServiceError, match="A management command still uses the database"):
            shared.take_over(timeout_s=0.1)
        finish(command)
        shared.take_over(timeout_s=20)
        shared.detach()


def test_other_major_version_is_refused(data_dir: Path, tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path)
    server.cluster.mkdir()
    (server.cluster / "PG_VERSION").write_text("17\n")

    with pytest.raises(ServiceError, match="holds PostgreSQL 17 data and the installed server is 18"):
        server.start()


def test_long_data_dir_gets_a_short_private_socket_folder(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 90)

    assert len(str(socket_dir(deep))) < 60
    assert socket_dir(tmp_path / "a") != socket_dir(tmp_path / "b")


def test_folder_that_others_may_fill_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)

    with pytest.raises(ServiceError, match="belongs to somebody else"):
        make_own_folder(folder)
