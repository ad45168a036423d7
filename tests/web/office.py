"""A study with its organizer, who asks over HTTP."""

from __future__ import annotations

import csv
import io
import re
from contextlib import ExitStack
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from jurybox.store import Store
from tests.web.filling import fill, real_offers
from tests.web.serving import ADMIN, Served, open_study
from tests.web.studies import write_study
from tests.web.test_api import Clock

HEADERS = {"Authorization": f"Bearer {ADMIN}"}
START = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Office:
    """A study with its organizer."""

    def __init__(self, served: Served, http: TestClient, clock: Clock) -> None:
        self.served, self.http, self.clock = served, http, clock

    @property
    def store(self) -> Store:
        return self.served.store

    def get(self, part: str, **headers: str) -> Any:
        return self.http.get(f"/api/organizer/{part}", headers=HEADERS | headers)

    def html(self, part: str) -> str:
        return unescape(self.get(part).raise_for_status().json()["html"])

    def text(self, part: str) -> str:
        return " ".join(re.sub(r"<[^>]+>", " ", self.html(part)).split())

    def post(self, part: str, **body: Any) -> Any:
        return self.http.post(f"/api/organizer/{part}", json=body, headers=HEADERS)

    def csv(self, part: str) -> list[dict[str, str]]:
        text = self.get(part).raise_for_status().content.decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text)))


class Offices:
    """Opens studies for their organizers."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack = folder, stack

    def open(
        self,
        name: str,
        *,
        filled: bool = False,
        change: tuple[str, str] = ("", ""),
        database: str | None = None,
    ) -> Office:
        folder = write_study(name, self.folder / name)
        text = (folder / "study.yaml").read_text(encoding="utf-8")
        (folder / "study.yaml").write_text(text.replace(*change), encoding="utf-8")
        return self.reopen(folder, filled=filled, database=database)

    def reopen(self, folder: Path, *, filled: bool, database: str | None = None) -> Office:
        """Open a study that is there."""
        clock = Clock()
        served = self.stack.enter_context(open_study(folder, clock=clock, database=database))
        if filled:
            fill(served, now=clock())
            served.app.state.site.offers = real_offers(served)
        return Office(served, self.stack.enter_context(TestClient(served.app)), clock)
