"""A store on each database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from jurybox.store import Store
from jurybox.store.tables import metadata
from tests.databases import ensure_database


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> str:
    """Give the URL of a database with the store's tables, made once: making one takes long."""
    url = make_url(postgres_url)
    server = url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE store_tests")
    made = url.set(database="store_tests").render_as_string(hide_password=False)
    Store.open(made).close()
    return made


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of a database whose tables are empty; the test runs once on each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{ensure_database(tmp_path / 'study.db')}"
    url: str = request.getfixturevalue("migrated_postgres")
    server = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(server, autocommit=True) as connection:
        names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
        connection.execute(f"TRUNCATE {names} RESTART IDENTITY")
    return url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """Give an open, empty store."""
    with Store.open(database_url) as store:
        yield store
