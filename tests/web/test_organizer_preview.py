"""The preview: every trial is shown, and nothing is kept."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.store import Store
from jurybox.store.tables import metadata
from tests.web.office import HEADERS, Offices
from tests.web.test_api import sent


def dump(store: Store) -> dict[str, list[Any]]:
    """Every row of every table."""

    def read(connection: Any) -> dict[str, list[Any]]:
        return {
            table.name: [tuple(row) for row in connection.execute(table.select())]
            for table in metadata.sorted_tables
        }

    return store.database.read(read)


@pytest.mark.parametrize("study", ["compare", "panel", "rank"])
def test_the_preview_leaves_the_store_as_it_is(offices: Offices, study: str) -> None:
    office = offices.open(study)
    before, mark = dump(office.store), office.store.changes()
    for path in ("/preview", "/organizer"):
        assert office.http.get(path).status_code == 200
    shown = 0
    while True:
        reply = office.http.get(f"/api/preview/next?done={shown}", headers=HEADERS)
        stage = reply.raise_for_status().json()
        if stage["stage"] == "end":
            break
        body = sent(stage["trials"][0], [], status="skipped", reason="other")
        office.http.post("/api/preview/submit", json=body, headers=HEADERS).raise_for_status()
        shown += 1
    assert office.http.get("/api/preview/guide", headers=HEADERS).status_code == 200
    assert shown == len(office.served.app.state.site.plan.booklets[0].slots)
    assert dump(office.store) == before
    assert office.store.changes() == mark
