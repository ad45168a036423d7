"""The public address: each way of writing it, and the study behind it, whatever a proxy does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest
from fastapi.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from jurybox.errors import InputError
from jurybox.web.address import read_public_url
from jurybox.web.app import Offers, create_app
from tests.web.serving import ADMIN, Served, live, now, open_study
from tests.web.studies import write_study
from tests.web.walking import begin, wait_for_stage

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("https://rate.example", "https://rate.example/"),
        ("https://rate.example/", "https://rate.example/"),
        ("https://rate.example/lab", "https://rate.example/lab/"),
        ("https://rate.example/lab/", "https://rate.example/lab/"),
        (" https://rate.example//lab//two ", "https://rate.example/lab/two/"),
        ("http://192.168.1.20:8321", "http://192.168.1.20:8321/"),
        ("http://[::1]:8321/a", "http://[::1]:8321/a/"),
        ("https://rate.example/été", "https://rate.example/%C3%A9t%C3%A9/"),
        ("https://rate.example/a%20b", "https://rate.example/a%20b/"),
    ],
)
def test_an_address_has_one_form(given: str, read: str) -> None:
    assert read_public_url(given) == read
    assert read_public_url(read) == read


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("https://rate.example/lab?x=1", "it has no '?' or '#'"),
        ("https://rate.example/lab?", "it has no '?' or '#'"),
        ("https://rate.example/#raters", "it has no '?' or '#'"),
        ("rate.example/lab", "no address of a web server"),
        ("ftp://rate.example/lab", "no address of a web server"),
        ("https:///lab", "no address of a web server"),
        ("https://rate .example", "no address of a web server"),
        ("", "no address of a web server"),
        ("https://rate.example:port/", "Port could not be cast"),
        ("https://rate.example:99999/", "Port out of range"),
        ("https://[::1/", "Invalid IPv6 URL"),
        ("https://me:secret@rate.example/", "a name or password"),
        ("https://rate.example/a/../b", "leads nowhere certain"),
    ],
)
def test_what_is_no_address_is_said_with_what_to_write(given: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as error:
        read_public_url(given)
    assert str(error.value).startswith(f"--public-url {given}: ")
    assert str(error.value).endswith("write it as https://host/prefix.")


def stripping(app: ASGIApp, prefix: str) -> ASGIApp:
    """A proxy that takes the prefix off, and what has none it does not pass on."""

    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["path"]
            known = path == prefix or path.startswith(f"{prefix}/")
            rest = path.removeprefix(prefix) or "/" if known else "/not/of/this/study"
            scope = {**scope, "path": rest, "raw_path": rest.encode()}
        await app(scope, receive, send)

    return proxy


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Served]:
    with open_study(write_study("best", tmp_path / "study")) as served:
        yield served


def app_at(served: Served, public_url: str) -> ASGIApp:
    return create_app(
        served.study,
        served.material,
        served.store,
        now=now,
        admin_token=ADMIN,
        public_url=public_url,
        offers=Offers(report=lambda names: ""),
    )


@pytest.mark.parametrize("prefix", ["/lab/two", "/api"])
def test_a_proxy_may_take_the_prefix_off_or_leave_it_on(study: Served, prefix: str) -> None:
    app = app_at(study, f"https://rate.example{prefix}")
    both = {"off": stripping(app, prefix), "on": app, "none": app}
    for proxy, reached in both.items():
        with TestClient(reached, base_url="https://rate.example") as http:
            page = http.get("/" if proxy == "none" else f"{prefix}/").text
            scripts = re.findall(r'(?:href|src)="([^"]+)"', page)
            assert scripts
            assert all(one.startswith(f"{prefix}/static/") for one in scripts)
            assert {http.get(one).status_code for one in scripts} == {200}, proxy
            token = http.post(f"{prefix}/api/enroll", json={"rater": proxy, "query": {}})
            http.headers["Authorization"] = f"Bearer {token.json()['token']}"
            html = http.post(f"{prefix}/api/guide", json={}).text
            media = set(re.findall(rf"{prefix}/media/[\w-]+", html))
            assert media or proxy != "off"  # the first takes the one trial
            assert {http.get(one).status_code for one in media} <= {200}
            assert '\\"media/' not in html
            missing = http.get(f"{prefix}/no/such", headers={"Accept": "text/html"})
            assert missing.status_code == 404
            assert f'href="{prefix}/static/page.css"' in missing.text


def test_a_slash_too_few_or_too_many_leads_to_the_public_address(study: Served) -> None:
    app = app_at(study, "https://rate.example/lab")
    behind = {"on": app, "off": stripping(app, "/lab")}
    for proxy, reached in behind.items():
        # What a proxy asks for is not what the browser asked the proxy for.
        with TestClient(reached, base_url="http://127.0.0.1", follow_redirects=False) as http:
            for asked, meant in (("/lab?id=1", "/lab/?id=1"), ("/lab/preview/", "/lab/preview")):
                got = http.get(asked)
                if got.status_code == 200:  # without its prefix it is the page itself
                    assert (proxy, asked) == ("off", "/lab?id=1")
                    continue
                public = urljoin(f"https://rate.example{asked}", got.headers["Location"])
                assert public == f"https://rate.example{meant}"


def test_invitations_and_the_report_carry_the_address(study: Served) -> None:
    app = app_at(study, "https://rate.example:8443/lab")
    with TestClient(app) as http:
        http.headers["Authorization"] = f"Bearer {ADMIN}"
        made = http.post("/api/organizer/invitations", json={"raters": ["Ada"]}).json()["html"]
        assert "<code>https://rate.example:8443/lab/#invite=" in made
        assert http.post("/api/organizer/report", json={}).json()["url"].startswith("/lab/report/")


def test_a_rater_may_leave_out_the_last_slash(study: Served, open_page: OpenPage) -> None:
    page = open_page()
    with live(stripping(app_at(study, "https://rate.example/lab"), "/lab")) as url:
        begin(page, f"{url}/lab")
        page.wait_for_function(
            "() => [...document.querySelectorAll('img')].every((one) => one.naturalWidth > 0)"
        )
        page.keyboard.press("a")
        page.keyboard.press("Enter")
        wait_for_stage(page, "end")
        page.goto(f"{url}/lab/organizer#token={ADMIN}")
        page.wait_for_selector("#part h1:not(.unseen)")
        page.click("text=Preview")
        page.wait_for_url(f"{url}/lab/preview*")
    assert len(study.store.submissions()) == 1
