"""Recordings and films: one clock, switching at the same spot, loops, and what must be heard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.web.media_studies import EVERY, RATE, clicks, write_heard, write_wave
from tests.web.serving import live, open_study
from tests.web.settling import play_endlessly
from tests.web.walking import begin, stage, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage, Studio

RENDER = """
async ({ seconds, kind, switches, loop }) => {
  const { Deck } = await import("./static/audio.js");
  const rate = 48000;
  const context = new OfflineAudioContext(1, rate * seconds, rate);
  const buffers = [0.6, -0.6, 0.3].map((height) => {
    const made = new AudioBuffer({ length: rate * seconds, sampleRate: rate });
    const values = made.getChannelData(0);
    for (let at = 0; at < values.length; at += 1) {
      if (kind === "clicks") values[at] = at % 4800 === 0 ? height : 0;
      else values[at] = Math.abs(height) * Math.sin(2 * Math.PI * 440 * at / rate);
    }
    return made;
  });
  const deck = new Deck(buffers, () => context);
  if (loop) deck.loop(loop);
  deck.play(0);
  for (const [number, when] of switches) deck.choose(number, when);
  return [...(await context.startRendering()).getChannelData(0)];
}
"""


POSITION = "document.querySelector('jb-trial').media.players[0].set.position"


def render(page: Page, **options: Any) -> np.ndarray:
    """What a deck gives, sample by sample."""
    settings = {"seconds": 2, "kind": "clicks", "switches": [], "loop": None, **options}
    return np.array(page.evaluate(RENDER, settings))


@pytest.fixture
def page(studio: Studio, open_page: OpenPage) -> Page:
    _, url = studio.serve("sounds")
    made = open_page()
    made.goto(url)
    return made


@pytest.fixture
def sounds(studio: Studio, open_page: OpenPage) -> Page:
    """A trial with two recordings and a reference, which are there."""
    _, url = studio.serve("sounds")
    made = open_page()
    begin(made, url)
    made.wait_for_selector(".listen")
    return made


def test_recordings_are_within_a_millisecond_after_every_switch(page: Page) -> None:
    switches = [(1, 0.45), (2, 0.95), (0, 1.25), (1, 1.651)]
    heard = render(page, switches=switches)
    (places,) = np.nonzero(np.abs(heard) > 0.1)
    # The first click falls into the fade in; every other stands on its tenth of a second.
    expected = np.arange(1, 20) * EVERY * RATE
    assert len(places) == len(expected)
    assert np.abs(places - expected).max() / RATE < 0.001
    # Which one is heard: 0.6, then −0.6, then 0.3, then 0.6 and −0.6 again.
    heights = np.round(heard[places], 2)
    times = places / RATE
    assert set(heights[times < 0.45]) == {0.6}
    assert set(heights[(times > 0.46) & (times < 0.95)]) == {-0.6}
    assert set(heights[(times > 0.96) & (times < 1.25)]) == {0.3}
    assert set(heights[times > 1.66]) == {-0.6}


def test_a_switch_is_a_short_fade_without_a_click(page: Page) -> None:
    heard = render(page, kind="sine", switches=[(2, 0.5005)])
    # A click is a jump in the slope: the second difference of a sine of height h is at most
    # h (2 sin(π f / rate))² = 0.6 × 0.0033 = 0.002; a hard switch at this spot gives 0.01.
    bend = np.abs(np.diff(heard, n=2))
    smooth = bend[int(0.1 * RATE) : int(0.4 * RATE)].max()
    assert smooth == pytest.approx(0.6 * (2 * np.sin(np.pi * 440 / RATE)) ** 2, rel=0.01)
    assert bend[int(0.49 * RATE) : int(0.52 * RATE)].max() < 1.5 * smooth
    loud = np.abs(heard)
    period = RATE // 440 + 1
    before = int(0.5005 * RATE)
    after = int((0.5005 + 0.010) * RATE)  # the fade takes 8 ms
    assert loud[before - period : before].max() == pytest.approx(0.6, abs=0.01)
    assert loud[after : after + period].max() == pytest.approx(0.3, abs=0.01)


def test_switching_faster_than_the_fade_neither_fails_nor_clicks(page: Page) -> None:
    switches = [(1 if n % 2 else 2, 0.5 + 0.003 * n) for n in range(1, 12)]
    heard = render(page, kind="sine", switches=switches)
    bend = np.abs(np.diff(heard, n=2))[int(0.48 * RATE) : int(0.56 * RATE)]
    assert bend.max() < 0.006
    assert np.abs(heard).max() < 0.95


def test_a_loop_repeats_all_recordings_alike(page: Page) -> None:
    heard = render(page, loop={"from": 0.05, "to": 0.55}, switches=[(1, 1.02)])
    (places,) = np.nonzero(np.abs(heard) > 0.1)
    # From 0.1 s on a click every 0.1 s; after 0.55 it goes on at 0.05: clicks at 0.6, 0.7, … again.
    gaps = np.diff(places) / RATE
    assert np.abs(gaps - EVERY).max() < 0.001
    assert np.round(heard[places[-1]], 2) == -0.6


# The clicks of the last 18 s, in windows of 0.68 s, 0.3 s apart: a busy machine may look late.
TAP = """
() => {
  const { set } = document.querySelector("jb-trial").media.players[0];
  let before = set.output;
  const taps = Array.from({ length: 60 }, () => {
    const analyser = set.context.createAnalyser();
    analyser.fftSize = 32768;
    const delay = set.context.createDelay(0.3);
    delay.delayTime.value = 0.3;
    before.connect(analyser);
    before.connect(delay);
    before = delay;
    return analyser;
  });
  window.sounded = () => set.context.currentTime;
  window.tapped = () => taps.map((analyser) => {
    const values = new Float32Array(analyser.fftSize);
    analyser.getFloatTimeDomainData(values);
    return [...values.entries()].filter(([_, value]) => Math.abs(value) > 0.3);
  });
}
"""


def hear_half_a_second(page: Page) -> None:
    """Wait by the clock of the sound."""
    until = page.evaluate("() => window.sounded() + 0.5")
    page.wait_for_function("until => window.sounded() > until", arg=until)


def test_in_a_trial_the_letters_switch_in_step(sounds: Page) -> None:
    page = sounds
    play_endlessly(page)
    page.keyboard.press("a")  # a page may make sounds once it was touched
    page.evaluate(TAP)
    hear_half_a_second(page)
    page.keyboard.press("b")
    hear_half_a_second(page)
    # The clicks of one recording go up, those of the other down; which is A was drawn by lot.
    windows = [np.array(clicks) for clicks in page.evaluate("() => window.tapped()") if clicks]
    both = [at for at, height in (clicks.T for clicks in windows) if len(set(np.sign(height))) == 2]
    assert both
    assert max(np.abs(np.diff(at) / RATE - EVERY).max() for at in both) < 0.001
    assert page.get_attribute(".tile[data-name=B] .listen", "aria-pressed") == "true"
    page.keyboard.press("r")
    assert page.get_attribute("[data-role=reference] .listen", "aria-pressed") == "true"
    page.keyboard.press("x")
    assert page.get_attribute(".tile[data-name=A] .listen", "aria-pressed") == "true"
    page.keyboard.press("p")
    assert not page.query_selector(".listen.playing")
    page.keyboard.press("?")
    for command, key in (("reference", "v"), ("next", "r"), ("loop", "k")):
        page.focus(f"[data-remap={command}]")
        page.keyboard.press("Enter")
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    assert page.inner_text("[data-role=reference] .listen kbd") == "v"
    assert page.inner_text(".loop kbd") == "k"
    page.keyboard.press("v")
    assert page.get_attribute("[data-role=reference] .listen", "aria-pressed") == "true"
    page.keyboard.press("r")
    assert page.get_attribute(".tile[data-name=A] .listen", "aria-pressed") == "true"
    page.keyboard.press("p")  # at a standstill a loop ends where it begins, and is none
    for key, pressed in (("k", True), ("l", True), ("k", False)):
        page.keyboard.press(key)
        assert page.locator(".region").is_visible() == pressed, key  # l does nothing any more


ARABIC = (("ش", "KeyA", "A"), ("لا", "KeyB", "B"), ("ء", "KeyX", "Reference"))


def test_an_arabic_keyboard_switches_and_playing_is_the_first_thing_done(sounds: Page) -> None:
    page = sounds
    assert page.evaluate("() => document.querySelector('jb-trial').touched") is None
    for key, code, name in ARABIC:
        page.evaluate(
            "init => document.body.dispatchEvent(new KeyboardEvent('keydown', init))",
            {"key": key, "code": code, "bubbles": True, "cancelable": True},
        )
        heard = page.get_attribute(f".sound[data-short={name}] .listen", "aria-pressed")
        assert heard == "true", name
    assert page.evaluate("() => document.querySelector('jb-trial').touched") > 0


def test_position_and_loop_by_the_keyboard(sounds: Page) -> None:
    page = sounds
    slider = page.locator(".player .position")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "0:02 / 0:04"
    page.keyboard.press("l")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("l")
    assert page.get_attribute(".player .loop", "aria-pressed") == "true"
    page.keyboard.press("p")
    seen: list[float] = []

    def came_round() -> bool:
        seen.append(page.evaluate(f"() => {POSITION}"))
        return sorted(seen) != seen

    wait_until(page, came_round)
    assert 2 <= min(seen)
    assert max(seen) <= 3.01
    page.keyboard.press("l")
    assert page.get_attribute(".player .loop", "aria-pressed") == "false"


def test_either_end_of_a_loop_is_moved_by_itself(sounds: Page) -> None:
    page = sounds
    begin, end = page.locator("[data-end=from]"), page.locator("[data-end=to]")
    looped = "() => document.querySelector('jb-trial').media.players[0].range"
    assert not begin.is_visible()
    page.locator(".player .position").focus()
    for key in ("ArrowRight", "l", "ArrowRight", "l"):  # from 1 s to 2 s
        page.keyboard.press(key)
    assert page.evaluate(looped) == {"from": 1, "to": 2}
    begin.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(looped) == {"from": 1.05, "to": 2}
    page.keyboard.press("End")  # no further than just before the other end
    assert page.evaluate(looped) == {"from": 1.9, "to": 2}
    end.focus()
    page.keyboard.press("End")
    assert page.evaluate(looped) == {"from": 1.9, "to": 4}
    assert begin.get_attribute("aria-valuetext") == "0:01.9"
    assert page.evaluate(f"() => {POSITION}") == pytest.approx(1.9)  # inside the loop
    page.keyboard.press("l")
    assert not begin.is_visible()


def test_space_plays_and_pauses_where_it_presses_nothing_else(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("mushra")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".row .listen")
    play_endlessly(page)
    page.keyboard.press("Space")  # nothing has the keyboard
    page.wait_for_selector(".listen.playing")
    page.focus(".row .slider input")
    page.keyboard.press("Space")
    page.wait_for_selector(".listen.playing", state="detached")
    assert page.locator(".given-value").first.inner_text() == "–"  # it is no answer
    page.focus(".row .listen")
    page.keyboard.press("Space")  # the button's own
    page.wait_for_selector(".row .listen.playing")
    page.focus("[data-command=comment]")
    page.keyboard.press("Space")
    page.wait_for_selector(".comment textarea:focus")
    page.keyboard.type("a b")
    assert page.input_value(".comment textarea") == "a b"
    assert page.query_selector(".row .listen.playing")


def test_the_reference_alone_shows_its_waveform(studio: Studio, open_page: OpenPage) -> None:
    """Outputs are judged by ear; without a reference no waveform is drawn."""
    page = open_page()
    for study, count in (("sounds", 1), ("heard", 0)):
        _, url = studio.serve(study)
        begin(page, url)
        page.wait_for_selector(".listen")
        assert page.locator(".waveform").count() == count, study
        if count:  # a click every tenth of a second
            drawn = page.get_attribute(".waveform path", "d")
            heights = [float(one.split("V")[1]) for one in str(drawn).split("M")[1:]]
            assert max(heights) == 1
            assert sum(one == 1 for one in heights) in range(38, 42), heights


def test_memory_is_released_when_the_trial_goes(sounds: Page) -> None:
    page = sounds
    page.keyboard.press("a")
    page.evaluate("() => { window.kept = document.querySelector('jb-trial').media.players[0].set }")
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    page.wait_for_selector("main[data-stage=end]")
    assert page.evaluate("() => [window.kept.playing, window.kept.buffers.length]") == [False, 0]
    page.wait_for_function("() => window.kept.context.state === 'suspended'")


def test_every_output_must_be_played_to_the_end(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("heard")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".listen")
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    assert page.inner_text(".form .problem") == "Please play it to the end first: Output A."
    # Going to the end is not hearing it.
    page.locator(".player .position").focus()
    page.keyboard.press("End")
    page.keyboard.press("Control+Enter")
    assert "Output A" in page.inner_text(".form .problem")
    unplayed = "() => document.querySelector('jb-trial').state.unplayed"
    for letter, left in (("a", ["Output B"]), ("b", [])):
        page.keyboard.press(letter)
        page.wait_for_function(
            "left => document.querySelector('jb-trial').state.unplayed.join() === left.join()",
            arg=left,
        )
        page.wait_for_selector(".listen.playing", state="detached")
    assert page.evaluate(unplayed) == []
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("main[data-stage=end]")
    assert len(served.store.submissions()) == 1


def test_what_is_heard_while_the_page_stalls_counts(tmp_path: Path, open_page: OpenPage) -> None:
    folder = write_heard(tmp_path)
    for file in (folder / "sounds").rglob("*.wav"):
        write_wave(file, clicks(3.2, 0.5))
    page = open_page()
    with open_study(folder) as served, live(served.app) as url:
        begin(page, url)
        page.wait_for_selector(".listen")
        page.keyboard.press("a")
        page.wait_for_function(f"() => {POSITION} > 0.1")
        # Busy with something else while well over two seconds are heard.
        page.evaluate(
            "() => { const end = performance.now() + 2500; while (performance.now() < end); }"
        )
        page.wait_for_function(
            "() => document.querySelector('jb-trial').state.unplayed.join() === 'Output B'"
        )


def test_recordings_of_different_lengths_each_begin_at_their_beginning(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("heard")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".listen")
    page.keyboard.press("b")
    page.wait_for_function(f"() => {POSITION} > 0.3")
    # Read in the same moment, before any more of it is played.
    began = page.evaluate(
        f"""() => {{
          const key = {{ key: "a", code: "KeyA", bubbles: true }};
          document.body.dispatchEvent(new KeyboardEvent("keydown", key));
          return {POSITION};
        }}"""
    )
    assert began < 0.1


UNDER_THE_THUMB = """() => [...document.querySelectorAll(".row-told")].some((one) => {
  const slider = one.parentElement.querySelector("input");
  const [told, box] = [one.getBoundingClientRect(), slider.getBoundingClientRect()];
  const share = (slider.value - slider.min) / (slider.max - slider.min);
  const thumb = box.left + 13 + share * (box.width - 26);
  return told.left < thumb + 16 && told.right > thumb - 16;
})"""


def test_practice_of_a_listening_test_looks_like_it_and_explains_each_row(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("mushra-practice")
    page = open_page()
    assert begin(page, url) == "practice"
    page.wait_for_selector("[data-role=reference] .listen")
    assert page.locator(".row .listen").count() == 2
    for letter in "ab":
        page.keyboard.press(letter)
        page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_selector(".feedback >> text=A is as loud as the reference.")
    told = [" ".join(line.split()) for line in page.locator(".row-told").all_inner_texts()]
    assert told == ["✗ Right 90–100", "✓"]
    assert not page.evaluate(UNDER_THE_THUMB)
    assert page.locator(".row .slider input:disabled").count() == 2
    assert page.locator("[data-submit]:visible, [data-command=skip]:visible").count() == 0
    page.keyboard.press("b")  # what the sentence speaks of can still be heard
    page.wait_for_selector(".row[data-place='1'] .listen[aria-pressed=true]")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.locator(".feedback button").press("Enter")
    page.wait_for_selector("main[data-stage=practice] .row .untouched")  # the second try


def test_a_listening_test_by_the_keyboard(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("mushra")
    page = open_page()
    begin(page, url)
    page.wait_for_selector(".row .listen")
    assert page.locator(".row input.untouched").count() == 5
    page.keyboard.press("Enter")
    assert "Still to answer" in page.inner_text(".problem")
    for number, letter in enumerate("abcde"):
        page.keyboard.press(letter)  # heard, and its slider has the keyboard
        page.keyboard.press("Home")
        for _ in range(number):
            page.keyboard.press("PageUp")
    page.keyboard.press("r")
    page.keyboard.press("Enter")
    page.wait_for_selector("main[data-stage=end]")
    (sent,) = served.store.submissions()
    values = {answer.system: answer.score for answer in sent.submission.answers}
    order = [served.store.load_plan().trials[0].systems[index] for index in sent.submission.order]  # type: ignore[union-attr]
    assert [values[system] for system in order] == [0, 10, 20, 30, 40]
    assert stage(page) == "end"
