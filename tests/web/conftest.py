"""A browser page that notices everything that goes wrong, and studies served to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.patience import PATIENCE
from tests.web.films import film
from tests.web.media_studies import FILMS, MEDIA
from tests.web.product import write_moment
from tests.web.serving import VISITS, Served, live, open_study
from tests.web.studies import write_media, write_study

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.web.office import Offices

OpenPage = Callable[..., "Page"]
FILMED = {**FILMS, "media": write_media}


@pytest.fixture
def offices(tmp_path: Path) -> Iterator[Offices]:
    """Studies with an organizer, over HTTP."""
    from tests.web.office import Offices

    with ExitStack() as stack:
        yield Offices(tmp_path, stack)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open pages; the test fails on any script error, console error or policy violation in them."""
    wrong: list[str] = []
    expected: list[str] = []
    with ExitStack() as stack:

        def make(*, expect: tuple[str, ...] = (), **options: Any) -> Page:
            expected.extend(expect)
            options.setdefault("viewport", {"width": 1280, "height": 800})
            context = browser.new_context(**options)
            stack.callback(context.close)
            # A page that is closed still says that it leaves, to a route that may close before it.
            stack.callback(context.unroute_all, behavior="ignoreErrors")
            context.set_default_timeout(1000 * PATIENCE)

            def leave() -> None:
                for one in context.pages:
                    one.goto("about:blank")

            VISITS.append(leave)
            stack.callback(VISITS.remove, leave)
            page = context.new_page()
            page.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
            page.on(
                "console",
                lambda message: (
                    wrong.append(f"{message.type}: {message.text}")
                    if message.type in ("error", "warning")
                    else None
                ),
            )
            return page

        yield make
    unexpected = [one for one in wrong if not any(part in one for part in expected)]
    assert not unexpected


class Studio:
    """Serves the small studies, each on a port of its own, as long as the test lasts."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack

    def serve(
        self, name: str, *, language: str | None = None, **options: Any
    ) -> tuple[Served, str]:
        """Serve a study by its name, in a language; gives it with its address."""
        folder = self._folder / name
        if name in FILMED:
            folder.mkdir()
            FILMED[name](folder, film())
        elif name.startswith("moment-"):
            write_moment(folder, name)
        elif name in MEDIA:
            folder.mkdir()
            MEDIA[name](folder)
        else:
            write_study(name, folder)
        if language is not None:
            written = (folder / "study.yaml").read_text(encoding="utf-8")
            others = re.sub(r"(?m)^language: .*\n", "", written)
            (folder / "study.yaml").write_text(
                f"{others}\nlanguage: {language}\n", encoding="utf-8"
            )
        served = self._stack.enter_context(open_study(folder, **options))
        return served, self._stack.enter_context(live(served.app))


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    """Serve small studies to a browser."""
    with ExitStack() as stack:
        yield Studio(tmp_path, stack)
