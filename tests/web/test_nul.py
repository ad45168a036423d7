"""A character that PostgreSQL cannot hold, in every text that a rater or an organizer sends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from tests.web.office import HEADERS
from tests.web.serving import open_study
from tests.web.studies import write_study

NUL = "a\x00b"


def test_no_text_with_nul_breaks_the_server(tmp_path: Path, database_url: str) -> None:
    folder = write_study("rate", tmp_path / "study")
    with (
        open_study(folder, database=database_url) as served,
        TestClient(served.app, raise_server_exceptions=False) as http,
    ):
        asked = {"STUDY_ID": NUL, NUL: NUL}
        token = http.post("/api/enroll", json={"rater": "Ada", "query": asked}).json()["token"]
        rater = {"Authorization": f"Bearer {token}"}

        def send(path: str, method: str = "POST", **body: Any) -> Any:
            headers = HEADERS if path.startswith("organizer") else rater
            return http.request(method, f"/api/{path}", json=body, headers=headers)

        assert send("consent", agree=True).status_code == 200
        said = [send("survey", answers={"vision": "yes", "field": NUL, NUL: NUL})]
        stage = send("guide").json()
        name = stage["trial"]["assignment"]
        sent = {"assignment": name, "session": NUL, "comment": NUL, "timing": {NUL: 1}}
        said += [
            send("submit", id=NUL * 4, answers=[{"criterion": NUL}], **sent),
            send("submit", id=NUL * 4, status="skipped", reason=NUL, **sent),
            send("submit", id="12345678", answers=[], **{**sent, "assignment": NUL}),
            send("problem", assignment=name, words=NUL),
            send("draft", "PUT", assignment=name, draft={NUL: NUL}),
            send("organizer/raters", rater=NUL, action="pause"),
            send("organizer/raters", rater="Ada", action="pause", by=NUL),
            send(
                "organizer/raters", rater="Ada", action="exclude", rule="organizer", by=NUL, why=NUL
            ),
            send("organizer/raters", rater="Ada", action="include", rule=NUL, by="x", why="y"),
            send("organizer/invitations", raters=[NUL], group=NUL),
            send("organizer/invitations/revoke", rater=NUL),
            send("organizer/unblind", by=NUL, sure=True),
            send("organizer/problems", problem=1, action="handle", by=NUL, note=NUL),
        ]
        said += [
            http.get(f"/api/organizer/{part}", headers=HEADERS)
            for part in ("raters?rater=%00", "raters?q=%00", "trials?q=%00", "trials/%00")
        ]
        said.append(http.get("/api/past/%00", headers=rater))
        broken = [(one.request.url.path, one.text) for one in said if one.status_code >= 500]
        assert not broken
