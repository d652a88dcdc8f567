"""Real databases: SQLite in a file, and a PostgreSQL server of the system's packages, started for the tests."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from tests.waiting import wait_until


def _programs() -> Path | None:
    """Return the folder of initdb and postgres, which Debian keeps out of the PATH."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((folder for folder in reversed(folders) if (folder / "initdb").exists()), None)


@contextmanager
def postgresql() -> Iterator[Callable[[str], str]]:
    """Run a server for a block, and return what gives the address of a database there."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    # As root it does not start; a short path, since that of a socket is limited.
    user = "nobody" if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="daoqi-pg-", dir="/tmp"))
    try:
        if user is not None:
            entry = pwd.getpwnam(user)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
        data = folder / "data"
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "cwd": "/tmp"}
        made = [programs / "initdb", "-D", data, "-U", "tests", "-A", "trust", "-N", "-E", "UTF8", "--no-locale"]
        subprocess.run(made, check=True, user=user, **quiet)
        options = [
            "-k",
            folder,
            "-c",
            "listen_addresses=",
            "-c",
            "fsync=off",
            "-c",
            "shared_buffers=8MB",
            "-c",
            "autovacuum=off",
        ]
        with (folder / "log").open("w") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, *options], user=user, **{**quiet, "stdout": log, "stderr": log}
            )
        try:

            def address(name: str) -> str:
                return f"postgresql://tests@/{name}?host={folder}"

            first = create_engine(
                address("postgres").replace(":", "+psycopg:", 1), isolation_level="AUTOCOMMIT", poolclass=NullPool
            )

            def answers() -> bool:
                assert server.poll() is None, (folder / "log").read_text()
                try:
                    first.connect().close()
                except DBAPIError:
                    return False
                return True

            wait_until(answers)

            def new(name: str) -> str:
                with first.connect() as db:
                    db.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
                return address(name)

            yield new
        finally:
            # SIGQUIT ends it at once, with what is connected.
            server.send_signal(3)
            server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
