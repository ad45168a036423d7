"""How soon the next trial is on screen after a rater submits one, in a real browser."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from scripts.install_browser import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

__all__ = ["next_trial"]

TRIALS = 50
SIZE = (1024, 768)

# From the press of Enter to two frames after the next trial stands there with its pictures decoded.
WATCH = """
() => {
  window.took = [];
  let pressed = null;
  addEventListener("keydown", (event) => {
    if (event.key === "Enter") pressed = performance.now();
  }, true);
  new MutationObserver(async () => {
    const trial = document.querySelector("main jb-trial");
    if (pressed === null || !trial || trial.seen) return;
    trial.seen = true;
    const from = pressed;
    pressed = null;
    await Promise.all([...trial.querySelectorAll("img")].map((one) => one.decode()));
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.took.push(performance.now() - from);
    }));
  }).observe(document.querySelector("main"), { childList: true });
}
"""


def next_trial(latency: int) -> float:
    """The 95th percentile in milliseconds over 50 pairs of pictures, with so much latency added."""
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder)) as url, _page() as page:
        _begin(page, url)
        if latency:
            slow = {"latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
            session = page.context.new_cdp_session(page)
            session.send("Network.enable")
            session.send("Network.emulateNetworkConditions", {"offline": False, **slow})
        page.evaluate(WATCH)
        for number in range(TRIALS):
            page.wait_for_timeout(1500 if latency else 600)  # nobody decides faster than this
            page.keyboard.press("1")
            page.keyboard.press("Enter")
            page.wait_for_function("count => window.took.length === count", arg=number + 1)
        return float(np.percentile(page.evaluate("() => window.took"), 95))


def _begin(page: Page, url: str) -> None:
    page.goto(url)
    page.fill("[name=rater]", "r1")
    page.click("main button[type=submit]")
    page.wait_for_selector("main[data-stage=guide]")
    page.click("main button[type=submit]")
    page.wait_for_selector("jb-trial.ready .question.now")


@contextmanager
def _page() -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1280, "height": 800})
        browser.close()


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """A comparison of pictures, served by its own process."""
    random = np.random.default_rng(7)
    for system in ("one", "two"):
        (folder / "images" / system).mkdir(parents=True)
        for number in range(TRIALS + 1):
            grain: Any = random.integers(0, 255, (SIZE[1] // 8, SIZE[0] // 8, 3), dtype=np.uint8)
            picture = Image.fromarray(grain).resize(SIZE)
            picture.save(folder / "images" / system / f"p{number}.jpg", quality=85)
    (folder / "study.yaml").write_text(
        "title: Which picture is better?\n"
        "protocol: compare\n"
        "outputs: images/{system}/{item}.jpg\n"
        "show: {output: image}\n"
        "design: {overlap: 1, raters: 1}\n"
        "session: {minutes: 500}\n",
        encoding="utf-8",
    )
    verb = str(Path(sys.executable).with_name("jurybox"))
    command = [verb, "serve", str(folder), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        lines = server.stdout or ()
        yield next(found[1] for line in lines if (found := re.match(r"Raters\s+(\S+)", line)))
    finally:
        server.terminate()
        server.communicate()
