"""`jurybox backup`: everything in one zip, and back again, from either database to either."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, select, text

from jurybox.cli.app import run
from jurybox.store import Store
from jurybox.store.tables import metadata
from jurybox.study.model import RaterId
from tests.store.planning import LEASE, START, answer_to, at, enroll, fill, latin_plan, skip_of
from tests.store.test_screen_places import SHAPES, filled, places
from tests.study.examples import write_example

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_example("rate", tmp_path / "study", items=2)


def collect(store: Store) -> None:
    fill(store, latin_plan(4, 2, per_booklet=4))
    ann, bob = enroll(store, "ann", "bob")
    for rater, make in ((ann, answer_to), (bob, skip_of)):
        store.submit(make(store.claim(rater, lease=LEASE, now=at(0))[0]), now=at(1))
    store.claim(ann, lease=LEASE, now=at(2))
    store.mark_excluded(bob, "gold_below", "why", now=at(3))
    store.event("opened", rater=ann, detail={"ü": [1, None]}, now=at(4))
    store.update_rater(ann, survey={"age": "30"}, consented_at=at(1))


def content(store: Store) -> dict[str, list[tuple[object, ...]]]:
    with store.database.engine.connect() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
        }


def test_a_backup_of_a_file_is_restored_as_it_was(
    study: Path, tmp_path: Path, capsys: Capture
) -> None:
    with Store.open(study) as store:
        collect(store)
        before = content(store)
        out = tmp_path / "b.zip"
        assert run(["backup", str(study), "--out", str(out)]) == 0  # while it is open
    assert "2 submissions, checked" in capsys.readouterr().out
    names = zipfile.ZipFile(out).namelist()
    assert {"study/study.yaml", "study/edits.jsonl", "study.db", "manifest.json"} <= set(names)
    assert not any(name.endswith((".png", "-wal", "-shm")) for name in names)
    again = tmp_path / "again"
    assert run(["backup", "--restore", str(out), str(again)]) == 0
    assert (again / "study.yaml").read_text() == (study / "study.yaml").read_text()
    with Store.open(again, create=False) as store:
        assert content(store) == before
        assert len(store.claim(RaterId("ann"), count=3, lease=LEASE, now=at(5))) == 3


def test_a_backup_goes_from_any_database_to_any_other(
    study: Path, tmp_path: Path, fresh_postgres: str, capsys: Capture
) -> None:
    with Store.open(study) as store:
        collect(store)
        before = content(store)
    first, second = tmp_path / "1.zip", tmp_path / "2.zip"
    assert run(["backup", str(study), "-o", str(first)]) == 0
    middle = tmp_path / "middle"
    there = ["--database", fresh_postgres]
    assert run(["backup", "--restore", str(first), str(middle), *there]) == 0
    with Store.open(fresh_postgres) as store:
        assert content(store) == before
        assert store.event("next", now=START) == 2  # counting goes on where it stopped
    assert run(["backup", str(middle), "-o", str(second), *there]) == 0
    assert "tables/submission_rows.jsonl" in zipfile.ZipFile(second).namelist()
    assert run(["backup", "--restore", str(second), str(tmp_path / "last")]) == 0
    with Store.open(tmp_path / "last", create=False) as store:
        assert {**content(store), "events": before["events"]} == before
        assert [event.kind for event in store.events()] == ["opened", "next"]
    assert run(["backup", "--restore", str(first), str(tmp_path / "x"), *there]) == 1
    assert "The database is not empty" in capsys.readouterr().err


def test_a_study_on_postgresql_comes_back_to_an_empty_postgresql(
    study: Path, tmp_path: Path, fresh_postgres: str
) -> None:
    there = ["--database", fresh_postgres]
    with Store.open(fresh_postgres) as store:
        collect(store)
        before = content(store)
    assert run(["backup", str(study), "-o", str(tmp_path / "b.zip"), *there]) == 0
    engine = create_engine(fresh_postgres)
    with engine.begin() as connection:  # the server is lost, and another set up
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    again = tmp_path / "again"
    assert run(["backup", "--restore", str(tmp_path / "b.zip"), str(again), *there]) == 0
    assert not (again / "study.db").exists()
    with Store.open(fresh_postgres, create=False) as store:
        assert content(store) == before
        # Raters go on where they were: new rows get new numbers.
        for given in store.claim(RaterId("ann"), count=2, lease=LEASE, now=at(5)):
            assert store.submit(answer_to(given), now=at(6)).status == "answered"


LATER = {
    "0004": {"raters": ["key_hash"]},
    "0003": {"raters": ["key_hash"], "response_rows": ["place"]},
    "0001": {
        "raters": ["key_hash", "group"],
        "response_rows": ["place"],
        "booklets": ["group"],
    },
}
"""The columns that each older schema did not have yet."""


def age(path: Path, schema: str) -> None:
    """Rewrite a backup of tables as the jurybox of an older schema would have written it."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    listed = json.loads(files["manifest.json"])
    for table, columns in LATER[schema].items():
        name = f"tables/{table}.jsonl"
        rows = [json.loads(line) for line in files[name].splitlines()]
        assert all(set(columns) <= set(row) for row in rows)
        kept = [{key: row[key] for key in row if key not in columns} for row in rows]
        files[name] = b"".join(json.dumps(row).encode() + b"\n" for row in kept)
        listed["files"][name] = hashlib.sha256(files[name]).hexdigest()
    files["manifest.json"] = json.dumps({**listed, "schema": schema}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)


@pytest.mark.parametrize("schema", LATER)
@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_tables_of_an_older_schema_are_brought_to_the_present_one(
    study: Path, tmp_path: Path, fresh_postgres: str, target: str, schema: str
) -> None:
    there = ["--database", fresh_postgres]
    with Store.open(fresh_postgres) as store:
        filled(store)
        before = content(store)
        expected = [places(store, shape) for shape in SHAPES]
    out, again = tmp_path / "b.zip", tmp_path / "again"
    assert run(["backup", str(study), "-o", str(out), *there]) == 0
    age(out, schema)
    with closing(Store.open(fresh_postgres)) as store, store.database.engine.begin() as connection:
        names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
        connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY"))
    goes = there if target == "postgresql" else []
    assert run(["backup", "--restore", str(out), str(again), *goes]) == 0
    with Store.open(fresh_postgres if goes else again, create=False) as store:
        assert [places(store, shape) for shape in SHAPES] == expected
        assert content(store) == before


def test_a_backup_is_consistent_while_others_write(study: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    with Store.open(study) as store:
        fill(store, latin_plan(200, 1, per_booklet=200))
        (ann,) = enroll(store, "ann")

        def write() -> None:
            while not stop.is_set():
                for given in store.claim(ann, lease=LEASE, now=at(0)):
                    store.submit(answer_to(given), now=at(0))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(3):
                assert run(["backup", str(study), "-o", str(tmp_path / f"{number}.zip")]) == 0
        finally:
            stop.set()
            writer.join()
    for number in range(3):
        assert (
            run(
                [
                    "backup",
                    "--restore",
                    str(tmp_path / f"{number}.zip"),
                    str(tmp_path / f"r{number}"),
                ]
            )
            == 0
        )
        with Store.open(tmp_path / f"r{number}") as restored:
            assert restored.progress().answered == len(restored.table("votes")["trial"])


def test_media_come_along_when_asked(study: Path, tmp_path: Path) -> None:
    Store.open(study).close()
    assert run(["backup", str(study), "-o", str(tmp_path / "b.zip"), "--media"]) == 0
    assert "study/images/brush/e1.png" in zipfile.ZipFile(tmp_path / "b.zip").namelist()


def damage(path: Path, name: str, new: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        files = {n: archive.read(n) for n in archive.namelist()}
    files[name] = new
    with zipfile.ZipFile(path, "w") as archive:
        for n, data in files.items():
            archive.writestr(n, data)


def manifest(**values: object) -> bytes:
    return json.dumps({"format": 1, "schema": "0001", **values}).encode()


def test_a_damaged_backup_is_refused_before_anything_is_written(
    study: Path, tmp_path: Path, capsys: Capture
) -> None:
    Store.open(study).close()
    out, target = tmp_path / "b.zip", tmp_path / "again"
    for name, new, sentence in (
        ("study/study.yaml", b"title: other", "'study/study.yaml' is damaged"),
        ("manifest.json", b"{}", "the backup cannot be read: 'format'"),
        ("manifest.json", manifest(format=9, jurybox="7.0"), "was written by jurybox 7.0: install"),
        ("manifest.json", manifest(files={"../x": ""}), "the name '../x' leads out of the backup"),
    ):
        assert run(["backup", str(study), "-o", str(out)]) == 0
        damage(out, name, new)
        capsys.readouterr()
        assert run(["backup", "--restore", str(out), str(target)]) == 1
        assert sentence in capsys.readouterr().err
        assert not target.exists()
    out.write_bytes(b"no zip at all")
    assert run(["backup", "--restore", str(out), str(target)]) == 1
    assert "the backup cannot be read: File is not a zip file" in capsys.readouterr().err


def test_wrong_usage_is_a_sentence(study: Path, tmp_path: Path, capsys: Capture) -> None:
    for options, sentence in (
        ([str(study)], "this study has no responses yet"),
        ([str(study), "-o", str(tmp_path / "no" / "b.zip")], "does not exist"),
        (["--restore", str(tmp_path / "no.zip"), str(tmp_path / "d")], "there is no such backup"),
    ):
        assert run(["backup", *options]) == 1
        assert sentence in capsys.readouterr().err
    Store.open(study).close()
    assert run(["backup", str(study), "-o", str(tmp_path / "b.zip")]) == 0
    assert run(["backup", "--restore", str(tmp_path / "b.zip"), str(study)]) == 1
    assert "is not empty; restore a backup into a new directory" in capsys.readouterr().err


def test_a_damaged_database_is_not_backed_up(study: Path, tmp_path: Path, capsys: Capture) -> None:
    with Store.open(study) as store:
        collect(store)
    # An index that names another trial than its row: SQLite reads on, but the file is not sound.
    with closing(sqlite3.connect(study / "study.db")) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'ix_submission_rows_trial'"
        ((page,),) = connection.execute(query)
        ((size,),) = connection.execute("PRAGMA page_size")
    data = bytearray((study / "study.db").read_bytes())
    place = data.index(b"t0", (page - 1) * size)
    assert place < page * size
    data[place : place + 2] = b"zz"
    (study / "study.db").write_bytes(data)
    assert run(["backup", str(study), "-o", str(tmp_path / "b.zip")]) == 1
    assert "the database is damaged" in capsys.readouterr().err
    assert not (tmp_path / "b.zip").exists()
