"""The mark of changes: another one after every write, the same as long as nobody writes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from jurybox.store import Store
from jurybox.study.model import RaterId

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def test_the_mark_changes_with_every_write_and_with_nothing_else(store: Store) -> None:
    marks = [store.changes()]
    store.raters()
    store.events()
    assert store.changes() == marks[0]
    rater = RaterId("Ada")
    for write in (
        lambda: store.enroll(rater, token_hash="t", now=NOW),
        lambda: store.event("results seen", now=NOW),
        lambda: store.update_rater(rater, paused=True, now=NOW),
        lambda: store.mark_excluded(rater, "gold_below", "No gold was right.", now=NOW),
        lambda: store.unmark_excluded(rater, "gold_below", now=NOW),
        lambda: store.set_setting("name", "value"),
    ):
        write()
        marks.append(store.changes())
        assert store.changes() == marks[-1]
    assert len(set(marks)) == len(marks)


def test_writes_of_another_process_are_seen(store: Store, database_url: str) -> None:
    before = store.changes()
    with Store.open(database_url) as other:
        other.event("seen", now=NOW)
    assert store.changes() != before


def test_many_threads_may_ask(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        marks = set(pool.map(lambda _: store.changes(), range(100)))
    assert len(marks) == 1
