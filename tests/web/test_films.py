"""Films and long recordings: in step within a frame, to the end, and nothing moves meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.forms import cases
from tests.web.films import film
from tests.web.media_studies import write_films
from tests.web.serving import live, open_study
from tests.web.settling import Held, laid_out, settled
from tests.web.walking import arrive, begin

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import OpenPage, Studio


PARTS = ".player, .tile, .block, .sound, video, .question, [data-submit]"


PLACES = "all => all.map((one) => JSON.stringify(one.getBoundingClientRect()))"


@pytest.mark.parametrize("width", cases([1280], [390]))
@pytest.mark.parametrize("study", cases(["sounds", "films"], ["heard", "mushra"]))
def test_nothing_moves_when_recordings_and_films_arrive(
    study: str, width: int, studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve(study)
    page = open_page(viewport={"width": width, "height": 800})
    files = Held(page, "**/media/**")
    arrive(page, url)
    page.wait_for_selector(".player .loading")
    laid_out(page)
    before = page.eval_on_selector_all(PARTS, PLACES)
    files.let_go()
    page.wait_for_selector(".listen")
    settled(page)
    assert page.eval_on_selector_all(PARTS, PLACES) == before


@pytest.mark.parametrize(("container", "codec"), [("mp4", "libx264"), ("webm", "libvpx")])
def test_films_are_played_to_the_end(
    container: str, codec: str, tmp_path: Path, open_page: OpenPage
) -> None:
    write_films(tmp_path, b"")
    for path in tmp_path.rglob("move.webm"):
        path.unlink()
        brief = film(codec=codec, container=container, seconds=0.5)
        path.with_suffix(f".{container}").write_bytes(brief)
    text = (tmp_path / "study.yaml").read_text(encoding="utf-8")
    text = text.replace(".webm", f".{container}").replace(
        "video}", "{as: video, play: to-the-end}}"
    )
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    page = open_page()
    with open_study(tmp_path) as served, live(served.app) as url:
        begin(page, url)
        page.wait_for_selector(".listen")
        page.keyboard.press("Digit1")
        page.keyboard.press("Enter")
        assert page.inner_text(".problem") == "Please play it to the end first: Output A."
        wanted = "() => document.querySelector('jb-trial').state.unplayed.length"
        for letter, left in (("a", 1), ("b", 0)):
            page.keyboard.press(letter)
            page.wait_for_function(f"() => ({wanted})() === {left}")
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-stage=end]")
        assert [one.status for one in served.store.submissions()] == ["answered"]


FILM_TIMES = "() => [...document.querySelectorAll('video')].map((one) => one.currentTime)"


IN_STEP = """
([selector, from]) => {
  const players = [...document.querySelectorAll(selector)];
  const times = players.map((one) => one.currentTime);
  const playing = players.every((one) => !one.paused);
  return playing && Math.min(...times) > from && Math.max(...times) - Math.min(...times) <= 1 / 25;
}
"""


CAME = """
(seconds) => {
  const films = document.querySelector("jb-trial")?.media?.players[0]?.set;
  return films?.lengths.length === 2 && films.lengths.every((length) => length > seconds);
}
"""


def test_films_stay_within_a_frame(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("films")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".listen")
    # These films do not say how long they are: they are as long as what has come of them.
    page.wait_for_function(CAME, arg=0.2)
    page.evaluate("() => document.querySelector('jb-trial').media.players[0].set.seek(0.2)")
    times = page.evaluate(FILM_TIMES)
    assert times[0] == times[1] == pytest.approx(0.2, abs=0.01)
    page.keyboard.press("b")  # plays the other one, both move
    page.wait_for_function(IN_STEP, arg=["video", 0.2])
    assert page.evaluate("() => [...document.querySelectorAll('video')].map((v) => v.muted)") == [
        True,
        False,
    ]
    page.keyboard.press("p")
    page.wait_for_function("() => [...document.querySelectorAll('video')].every((v) => v.paused)")
    times = page.evaluate(FILM_TIMES)
    assert abs(times[0] - times[1]) <= 1 / 25


SO_FAR = """
async (films) => {
  const { Reel } = await import("./static/video.js");
  const players = films.map(({ lasts, came, ended }) => ({
    duration: lasts ?? Infinity,
    ended,
    buffered: { length: 1, end: () => came },
    addEventListener: () => {},
  }));
  return new Reel(players).together;
}
"""


@pytest.mark.parametrize(
    ("films", "together"),
    [
        # How long they are is not known: that more has come of one says nothing.
        ([{"came": 0.1}, {"came": 8}], True),
        ([{"lasts": 8, "came": 8}, {"came": 0.1}], True),
        # One has ended, so that it is as long as what has come; the other one may be, too.
        ([{"came": 2, "ended": True}, {"came": 8}], True),
        ([{"came": 2, "ended": True}, {"lasts": 8, "came": 8}], False),
        ([{"lasts": 8, "came": 0.1}, {"lasts": 8.2, "came": 8}], True),
        ([{"lasts": 8, "came": 0.1}, {"lasts": 9, "came": 8}], False),
    ],
)
def test_films_move_together_until_they_are_known_to_differ(
    films: list[dict[str, float]], together: bool, studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("films")
    page = open_page()
    page.goto(url)
    assert page.evaluate(SO_FAR, films) is together


def test_long_recordings_stay_within_a_frame(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("long")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".listen")
    assert page.inner_text(".player .time") == "0:00 / 5:01"
    page.keyboard.press("a")
    page.evaluate("() => document.querySelector('jb-trial').media.players[0].set.seek(200)")
    page.wait_for_function(IN_STEP, arg=["audio", 200.5])
    page.keyboard.press("b")
    page.wait_for_function(IN_STEP, arg=["audio", 201])
    muted = page.evaluate("() => [...document.querySelectorAll('audio')].map((one) => one.muted)")
    assert muted == [True, True, False]  # the reference, A and B
