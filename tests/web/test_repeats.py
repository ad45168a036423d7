"""A rater is served a trial again, far from the first time, without a browser."""

from __future__ import annotations

import csv
import io

from tests.web.serving import ADMIN
from tests.web.studies import write_study
from tests.web.test_api import Client, Place, place, sent, vote

__all__ = ["place"]


def test_a_trial_comes_again_and_both_answers_are_kept(place: Place) -> None:
    folder = write_study("compare", place.folder / "compare")
    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(text.replace("seed: 7", "seed: 7, repeats: 0.34"))
    served, http = place.open(folder)
    client = Client(http)
    client.begin()
    shown = []
    while (stage := client.get("next"))["stage"] == "trial":
        trial = stage["trials"][0]
        slot = served.app.state.site.slot(trial["assignment"])
        shown.append(slot)
        assert trial["draft"] is None
        assert trial["bar"]["total"] == 5  # three trials, one of them twice, and a gold one
        receipt = client.post("submit", sent(trial, vote("first")))
        assert receipt == {"id": receipt["id"], "status": "answered", "duplicate": False}
        # A second tab, or a slow network: what was chosen arrives after the answer.
        late = {"assignment": trial["assignment"], "draft": {"answers": {"preference": "first"}}}
        client.send("PUT", "draft", late).raise_for_status()
    assert stage["stage"] == "end"
    assert len(shown) == 5
    (again,) = [slot for slot in shown if slot.repeat]
    places = [number for number, slot in enumerate(shown) if slot.trial == again.trial]
    assert places[1] - places[0] >= 2
    assert sorted(served.store.table("votes")["repeat"]) == [0, 0, 0]
    assert sorted(served.store.table("votes", retests=True)["repeat"]) == [0, 0, 0, 1]
    reply = http.get("/api/organizer/export/votes", headers={"Authorization": f"Bearer {ADMIN}"})
    rows = list(csv.DictReader(io.StringIO(reply.raise_for_status().text)))
    assert [row["repeat"] for row in rows].count("1") == 1
