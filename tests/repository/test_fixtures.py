"""The shared fixtures do what the rooms' tests rely on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.pool import NullPool

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def run(url: str, *statements: str) -> list[object]:
    """Run statements in one transaction and return the last one's first column."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        for statement in statements:
            result = connection.execute(text(statement))
        return list(result.scalars()) if result.returns_rows else []


def test_both_databases_answer(database_url: str) -> None:
    assert run(database_url, "SELECT 1") == [1]


@pytest.mark.parametrize("turn", [1, 2])
def test_every_test_has_an_empty_database(database_url: str, turn: int) -> None:
    # Were the database shared, the second turn would find the first one's table.
    assert run(database_url, "CREATE TABLE mark (n integer)", "SELECT n FROM mark") == []


def test_the_databases_are_our_own(postgres_url: str, database_url: str, tmp_path: Path) -> None:
    url = make_url(database_url)
    if url.drivername == "sqlite":
        assert url.database == str(tmp_path / "study.db")
    else:
        assert url.drivername == "postgresql+psycopg"
        assert url.query["host"] == make_url(postgres_url).query["host"]
        assert "jurybox-" in str(url.query["host"])
    assert not any(name.startswith(("PG", "JURYBOX_")) for name in os.environ)


def test_the_browser_opens_a_page(browser: Browser) -> None:
    page = browser.new_page()
    page.goto("data:text/html,<title>jury</title>")
    assert page.title() == "jury"
    page.close()


def test_the_browser_draws_arabic_and_chinese(browser: Browser) -> None:
    # Without a font, every letter is the same empty box.
    def picture(text: str) -> bytes:
        page = browser.new_page()
        page.set_content(f"<p style='font-size:60px'>{text}")
        shot = page.locator("p").screenshot()
        page.close()
        return shot

    assert picture("م") != picture("ن")
    assert picture("你") != picture("好")
