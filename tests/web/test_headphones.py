"""The page about volume and headphones: what sounds, what is kept, and that it decides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.web.media_studies import write_headphones
from tests.web.reaching import at_stage
from tests.web.serving import open_study

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import OpenPage, Studio

TONES = """
async () => {
  const { tones } = await import("./static/headphones.js");
  const made = tones(["loud", "soft", "turned"]);
  return [0, 1].map((side) => [...made.getChannelData(side)]);
}
"""


def test_one_tone_is_softer_and_one_cancels_in_the_air(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("headphones")
    page = open_page()
    page.goto(url)
    sides = np.array(page.evaluate(TONES)).reshape(2, 3, -1)  # side, tone, moment
    power = (sides**2).mean(axis=2)
    # On headphones each side is heard by itself: the second tone is 6 dB softer.
    assert 10 * np.log10(power[:, 1] / power[:, 0]) == pytest.approx([-6.02, -6.02], abs=0.01)
    assert 10 * np.log10(power[:, 2] / power[:, 0]) == pytest.approx([0, 0], abs=0.01)
    # In the air both sides meet: nothing is left of the third.
    met = ((sides[0] + sides[1]) ** 2).mean(axis=1)
    assert met[2] == pytest.approx(0, abs=1e-12)
    assert met[1] > 0
    assert np.abs(np.diff(sides)).max() < 0.02  # it swells and fades: no click


def test_the_test_is_taken_once_and_kept(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("headphones")
    page = open_page()
    # Nothing random: loud, soft, turned come as soft, turned, loud.
    page.add_init_script("Math.random = () => 0;")
    at_stage("headphones")(page, url, served)
    page.click("text=Play the tone")
    page.keyboard.press("Tab")
    page.click("button[type=submit]")
    for number in range(1, 7):
        assert page.inner_text("[data-round]") == f"{number} of 6"
        page.keyboard.press("Enter")  # plays the tones
        page.check("[name=softest] >> nth=0" if number < 6 else "[name=softest] >> nth=1")
        page.click("button[type=submit]")
    page.wait_for_selector("jb-trial.ready .question.now")
    (rater,) = served.store.raters()
    assert rater.details["headphones"] == "5 of 6"
    page.reload()
    page.wait_for_selector("jb-trial.ready .question.now")


def test_without_the_key_there_is_no_such_page(studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve("sounds")
    page = open_page()
    at_stage("trial")(page, url, served)


def test_only_counts_are_taken(tmp_path: Path) -> None:
    with open_study(write_headphones(tmp_path)) as served, TestClient(served.app) as http:
        token = http.post("/api/enroll", json={"rater": "r1"}).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        http.post("/api/guide", headers=headers)
        assert http.get("/api/next", headers=headers).json()["stage"] == "headphones"
        for wrong in ({"right": -1, "rounds": 6}, {"right": "all", "rounds": 6}, {}):
            assert http.post("/api/headphones", headers=headers, json=wrong).status_code == 422
        kept = http.post("/api/headphones", headers=headers, json={"right": 0, "rounds": 6})
        assert kept.json()["stage"] == "trial"
