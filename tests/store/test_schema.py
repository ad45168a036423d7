"""The schema from blank, the migrations that make it, and databases that are none."""

from __future__ import annotations

import sqlite3
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text

from jurybox.errors import StoreError
from jurybox.store import Store
from jurybox.store.migrate import HEAD, VERSION_TABLE, revisions
from jurybox.store.tables import metadata
from jurybox.store.views import VIEWS

SCHEMA = {
    "assignments": "id slot trial repeat rater position claimed_at leased_until outcome ended_at",
    "booklets": "id round number holder taken_at group",
    "drafts": "rater trial body at",
    "events": "id kind rater trial detail at",
    "exclusions": "id rater rule sentence marked_at unmarked_at",
    "jurybox_schema": "version_num",
    "plans": "round seed overlap version at",
    "raters": "id kind token_hash details enrolled_at active_at consented_at survey practice "
    "finished_at stopped_at withdrawn_at paused group key_hash",
    "response_rows": "submission number shape criterion system score winner first strength rank "
    "answer confidence field start end category severity comment place",
    "settings": "name value",
    "slots": "id trial booklet position number repeat shown_order",
    "submission_rows": "seq id content rater rater_kind trial slot round study_version session "
    "position shown_order repeat ms timing at received_at status reason comment correct",
    "trial_outputs": "trial place system truth",
    "trials": "id plan round kind item number practice one_per_item",
    "versions": "number study_json study_hash material_hash kind at",
}


@pytest.fixture(params=["sqlite", "postgresql"])
def blank_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of a database without any table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'blank.db'}"
    url: str = request.getfixturevalue("fresh_postgres")
    return url


@pytest.fixture
def blank_store(blank_url: str) -> Iterator[Store]:
    with Store.open(blank_url) as store:
        yield store


def test_the_schema_made_from_blank_is_this_one(blank_store: Store) -> None:
    found = inspect(blank_store.database.engine)
    columns = {
        table: " ".join(column["name"] for column in found.get_columns(table))
        for table in found.get_table_names()
    }
    assert columns == SCHEMA
    assert set(found.get_view_names()) == set(VIEWS)


def test_the_migrations_make_what_the_tables_say(blank_store: Store) -> None:
    with blank_store.database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_type": True}
        )
        assert compare_metadata(context, metadata) == []


def test_the_two_guards_against_doubling_are_partial_unique_indexes(blank_store: Store) -> None:
    found = inspect(blank_store.database.engine).get_indexes("assignments")
    unique = {index["name"]: index["column_names"] for index in found if index["unique"]}
    assert unique == {"uq_held_slot": ["slot"], "uq_held_trial": ["rater", "trial", "repeat"]}
    for index in found:
        where = " ".join(str(option) for option in index["dialect_options"].values())
        assert ("leased" in where and "answered" in where) == bool(index["unique"])


def test_the_newest_revision_is_the_one_the_code_asks_for() -> None:
    assert revisions().get_heads() == [HEAD]


def test_opening_again_changes_nothing(blank_url: str) -> None:
    with Store.open(blank_url) as first:
        first.set_setting("color", "red")
        secret = first.secret()
    with Store.open(blank_url, secret=b"other") as second:
        assert second.setting("color") == "red"
        assert second.secret() == secret
    assert len(secret) == 32


def test_a_secret_may_be_given_to_a_new_database(blank_url: str) -> None:
    with Store.open(blank_url, secret=b"twelve bytes") as store:
        assert store.secret() == b"twelve bytes"


def test_many_may_open_a_new_database_at_once(blank_url: str) -> None:
    secrets: list[bytes] = []
    failures: list[BaseException] = []

    def open_it() -> None:
        try:
            with Store.open(blank_url) as store:
                secrets.append(store.secret())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(secrets) == 8
    assert len(set(secrets)) == 1


def test_sqlite_is_opened_so_that_an_acknowledged_response_is_on_disk(tmp_path: Path) -> None:
    with Store.open(tmp_path / "study.db") as store, store.database.engine.connect() as connection:
        for pragma, value in (
            ("journal_mode", "wal"),
            ("synchronous", 2),  # FULL
            ("foreign_keys", 1),
            ("busy_timeout", 60_000),
        ):
            assert connection.execute(text(f"PRAGMA {pragma}")).scalar() == value


def test_a_directory_stands_for_its_study_db(tmp_path: Path) -> None:
    for target in (tmp_path, str(tmp_path)):
        Store.open(target).close()
    assert (tmp_path / "study.db").is_file()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"not a database, but long enough to look at" * 40, "is not a jurybox database"),
        (b"SQLite format 3\0" + b"\xff" * 4000, "is not a jurybox database"),
    ],
)
def test_a_file_that_is_no_database_is_refused(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "study.db"
    file.write_bytes(content)
    with pytest.raises(StoreError, match=rf"study\.db.*{sentence}"):
        Store.open(file)
    assert file.read_bytes() == content


def test_the_database_of_another_program_is_left_alone(blank_url: str) -> None:
    from sqlalchemy import create_engine

    engine = create_engine(blank_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE invoices (n integer)"))
    with pytest.raises(StoreError, match=r"is not a jurybox database: it holds other tables \(inv"):
        Store.open(blank_url)
    assert inspect(engine).get_table_names() == ["invoices"]
    engine.dispose()


def test_a_newer_schema_is_refused(blank_url: str) -> None:
    with Store.open(blank_url) as store, store.database.engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9042'"))
    with pytest.raises(
        StoreError, match=rf"newer jurybox \(schema 9042; this one knows {HEAD}\): install"
    ):
        Store.open(blank_url)


def test_a_damaged_database_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "study.db"
    Store.open(file).close()
    content = bytearray(file.read_bytes())
    content[4096 : 4096 * 6] = b"\xaa" * (4096 * 5)
    file.write_bytes(bytes(content))
    with pytest.raises(StoreError, match=r"study\.db"), Store.open(file) as store:
        store.events()


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("mysql://host/db", "'mysql' is no database that jurybox knows"),
        ("sqlite://", "would be lost; give the name of a file"),
        ("sqlite:///:memory:", "would be lost; give the name of a file"),
        ("://", "names no database"),
        ("/nowhere/at/all/study.db", "the directory /nowhere/at/all does not exist"),
        (
            "postgresql://nobody:hunter2@127.0.0.1:1/none",
            r"postgresql\+psycopg://nobody:\*\*\*@127.0.0.1:1/none: the database cannot be used",
        ),
    ],
)
def test_a_wrong_target_is_a_sentence(target: str, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence) as caught:
        Store.open(target)
    assert "hunter2" not in str(caught.value)


def test_without_create_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no such database"):
        Store.open(tmp_path / "study.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_a_sentence_and_stores_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "study.db") as store:
        with store.database.engine.connect() as connection:
            connection.execute(text("PRAGMA max_page_count = 1"))  # not below what is there
        with pytest.raises(StoreError, match=r"study\.db: the database cannot be used now: .*full"):
            store.set_setting("a", "b" * 1_000_000)
        assert store.setting("a") is None


def test_a_folder_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    with Store.open(tmp_path / "study.db") as store:
        with store.database.engine.connect() as connection:
            connection.execute(text("PRAGMA query_only = ON"))
        with pytest.raises(StoreError, match="copy the study to a folder where you have it"):
            store.set_setting("a", "b")


def test_a_locked_file_is_waited_for(tmp_path: Path) -> None:
    with Store.open(tmp_path / "study.db") as store:
        blocker = sqlite3.connect(tmp_path / "study.db", check_same_thread=False)
        blocker.isolation_level = None
        blocker.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.3, lambda: blocker.execute("COMMIT"))
        release.start()
        store.set_setting("a", "b")
        release.join()
        blocker.close()
        assert store.setting("a") == "b"


def test_nothing_is_left_open(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        store = Store.open(tmp_path / "study.db")
        store.set_setting("a", "b")
        store.close()
    assert not (tmp_path / "study.db-wal").exists()
