"""Who is let in, on both databases, and what every answer of the server keeps to."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from typing import Any
from urllib.parse import parse_qs

import pytest

from jurybox.web.guard import BODY_LIMIT, CONTENT_POLICY
from tests.web.serving import ADMIN
from tests.web.test_access import serve
from tests.web.test_api import ORGANIZER, Client, Place, place, sent, vote

__all__ = ["place"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("ann+bob@x.org", "ann+bob@x.org"),
        (" Zoe\u0308 & Co#1 ", "Zo\u00eb & Co#1"),
        ("100%25", "100%25"),
    ],
)
def test_an_invitation_leads_in_under_the_id_it_names(place: Place, given: str, kept: str) -> None:
    served, http = place.serve("compare")
    headers = {"Authorization": f"Bearer {ADMIN}"}
    body = {"raters": [given, " "]}
    drawn = http.post("/api/organizer/invitations", json=body, headers=headers).json()["html"]
    (link,) = re.findall(r"<code>(.*?)</code>", drawn)
    brought = parse_qs(unescape(link).partition("#")[2])
    assert brought["id"] == [kept]
    Client(http, kept)
    Client(http, brought["id"][0], invite=brought["invite"][0])  # let in again: it is theirs
    assert [rater.id for rater in served.store.raters()] == [kept]


def test_an_id_that_cannot_be_enrolled_is_not_invited(place: Place) -> None:
    _, http = place.serve("compare")
    headers = {"Authorization": f"Bearer {ADMIN}"}
    body = {"raters": ["a\u202eb"]}
    response = http.post("/api/organizer/invitations", json=body, headers=headers)
    assert response.status_code == 400
    assert "all of them visible" in response.json()["error"]["sentence"]


def test_everything_of_a_rater_needs_their_token(place: Place) -> None:
    _, http = place.serve("compare")
    client = Client(http)
    trial = client.begin()["trials"][0]
    client.token = "0" * 40
    calls: list[tuple[str, str, Any]] = [
        ("GET", "next", None),
        ("GET", "guide", None),
        ("POST", "submit", sent(trial, vote())),
        ("PUT", "draft", {"assignment": trial["assignment"], "draft": {}}),
        ("POST", "stop", {}),
        ("POST", "more", {}),
        ("POST", "withdraw", {}),
        ("POST", "break", {}),
        ("POST", "guide", {}),
        ("POST", "consent", {"agree": True}),
        ("POST", "survey", {"answers": {}}),
    ]
    for method, path, body in calls:
        response = client.send(method, path, body)
        assert response.status_code == 401, path
        assert "personal link" in response.json()["error"]["sentence"]


def test_an_id_belongs_to_whoever_chose_it_first(place: Place) -> None:
    _, http = place.serve("compare")
    Client(http, "Ada")
    response = http.post("/api/enroll", json={"rater": " Ada "})
    assert response.status_code == 409
    assert response.json()["error"]["sentence"].startswith("The id 'Ada' is taken.")


def test_of_several_who_choose_an_id_at_once_one_gets_it(place: Place) -> None:
    _, http = place.serve("compare")
    ids = [f"rater-{number % 5}" for number in range(20)]

    def enroll(rater: str) -> int:
        return http.post("/api/enroll", json={"rater": rater}).status_code

    with ThreadPoolExecutor(max_workers=20) as pool:
        statuses = sorted(pool.map(enroll, ids))
    assert statuses == [200] * 5 + [409] * 15


@pytest.mark.parametrize("access", [None, "{listed: [Ada, Bo]}"])
def test_who_asks_again_with_the_same_key_gets_the_same_link_and_nobody_else(
    place: Place, access: str | None
) -> None:
    served, http = serve(place, "compare", *([f"access: {access}"] if access else []))
    key, other = "a" * 32, "b" * 32

    def enroll(**body: str | None) -> Any:
        return http.post("/api/enroll", json=body)

    first = enroll(rater="Ada", key=key)
    assert first.status_code == 200
    assert enroll(rater=" Ada ", key=key).json() == first.json()  # whose reply was lost
    assert enroll(rater="Ada", key=other).status_code == 409
    assert enroll(rater="Ada", key=None).status_code == 409
    assert enroll(rater="Bo", key=None).status_code == 200  # without a key nobody asks again
    assert enroll(rater="Bo", key=key).status_code == 409
    assert enroll(rater="Bo", key=None).status_code == 409
    assert enroll(rater="Ada", key="").status_code == 422  # which anybody would guess
    assert [(rater.id, rater.key_hash is not None) for rater in served.store.raters()] == [
        ("Ada", True),
        ("Bo", False),
    ]


@pytest.mark.parametrize("used", [False, True])
def test_an_id_whose_reply_was_lost_is_free_again_once_its_page_chooses_another(
    place: Place, used: bool
) -> None:
    served, http = serve(place, "compare", "access: {listed: [Ada, Bo, Cy]}")
    key, other = "a" * 32, "b" * 32

    def enroll(rater: str, key: str) -> Any:
        return http.post("/api/enroll", json={"rater": rater, "key": key})

    enroll("Cy", other)
    token = enroll("Ada", key).json()["token"]
    if used:
        http.get("/api/next", headers={"Authorization": f"Bearer {token}"})
    assert enroll("Cy", key).status_code == 409  # refused, so that nothing else changes
    assert enroll("Bo", key).status_code == 200
    assert {rater.id for rater in served.store.raters()} == {"Bo", "Cy", *(["Ada"] if used else [])}
    assert enroll("Ada", other).status_code == (409 if used else 200)


@pytest.mark.parametrize(
    ("access", "query"),
    [
        ("{listed: [Ada], resume: id}", {}),
        ("{prolific: {completed: C1}}", {"PROLIFIC_PID": "p1", "SESSION_ID": "s1"}),
        ("{mturk: true}", {"workerId": "W1", "assignmentId": "A1", "hitId": "H1"}),
    ],
)
def test_where_the_id_alone_leads_in_again_no_key_is_asked_for(
    place: Place, access: str, query: dict[str, str]
) -> None:
    _, http = serve(place, "compare", f"access: {access}")
    bodies = [{"rater": "Ada", "key": letter * 32, "query": query} for letter in "ab"]
    first, second = (http.post("/api/enroll", json=body) for body in bodies)
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()


@pytest.mark.parametrize("rater", ["", "   ", "x" * 65, "a\nb", "a\u202eb"])
def test_an_id_that_nobody_could_read_is_refused(place: Place, rater: str) -> None:
    _, http = place.serve("compare")
    response = http.post("/api/enroll", json={"rater": rater})
    assert response.status_code == 400
    assert "id" in response.json()["error"]["sentence"]


@pytest.mark.parametrize("token", ["", "wrong", ADMIN[:-1], f"{ADMIN}x"])
def test_the_organizers_pages_need_the_organizers_token(place: Place, token: str) -> None:
    _, http = place.serve("compare")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    for part in ORGANIZER:
        response = http.get(f"/api/organizer/{part}", headers=headers)
        assert response.status_code == 401, part
        assert ADMIN not in response.text
    assert http.get(f"/api/organizer/progress?token={ADMIN}").status_code == 401


def test_every_answer_of_the_server_carries_the_strict_headers(place: Place) -> None:
    _, http = place.serve("compare")
    for path in ("/", "/organizer", "/preview", "/static/rater.js", "/api/next", "/nowhere"):
        headers = http.get(path).headers
        assert headers["content-security-policy"] == CONTENT_POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert "unsafe" not in CONTENT_POLICY
    assert "frame-ancestors 'none'" in CONTENT_POLICY


def test_every_failure_has_one_shape(place: Place) -> None:
    _, http = place.serve("compare")
    for response in (
        http.get("/nowhere"),
        http.get("/api/next"),
        http.put("/api/enroll", json={}),
        http.post("/api/enroll", json={"rater": 7}),
        http.post("/api/enroll", content=b"{", headers={"Content-Type": "application/json"}),
        http.get("/media/none"),
        http.get("/report/1/none"),
    ):
        assert response.status_code >= 400
        assert list(response.json()) == ["error"]
        assert list(response.json()["error"]) == ["sentence"]
        assert response.json()["error"]["sentence"].endswith(".")


def test_bodies_are_bounded_with_and_without_a_stated_length(place: Place) -> None:
    _, http = place.serve("compare")
    big = b'{"rater": "' + b"x" * BODY_LIMIT + b'"}'
    headers = {"Content-Type": "application/json"}
    stated = http.post("/api/enroll", content=big, headers=headers)
    streamed = http.post("/api/enroll", content=iter([big[:1000], big[1000:]]), headers=headers)
    for response in (stated, streamed):
        assert response.status_code == 413
        assert "256 kB" in response.json()["error"]["sentence"]
