"""Draw the README's picture: a rater's page on the left, the demo's report on the right.

Both are real: a template served and rated in Chromium, and the report that `jurybox demo` writes.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageFilter
from playwright.sync_api import Page, ViewportSize, sync_playwright

ROOT = Path(__file__).parent.parent
JURYBOX = Path(sys.executable).parent / "jurybox"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZE = ViewportSize(width=1280, height=880)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = ["new", "edits", "--template", "imagenhub/text-guided-editing"]
        subprocess.run([JURYBOX, *run], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([JURYBOX, "demo", "--no-serve"], cwd=folder, check=True)
        study = folder / "edits" / "study.yaml"
        study.write_text(re.sub(r"(?m)^\s*practice:.*$", "", study.read_text()))
        server = subprocess.Popen(
            [JURYBOX, "serve", "edits", "--port", "8399"],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            _take_pictures(_wait_for_link(server), folder)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
        target = ROOT / "docs" / "pictures" / "rater-and-report.png"
        _side_by_side(folder).save(target, optimize=True)


def _wait_for_link(server: subprocess.Popen[str]) -> str:
    for line in server.stdout or ():
        if line.startswith("Raters"):
            return line.split()[-1]
    raise SystemExit("The server printed no link for raters.")


def _take_pictures(link: str, folder: Path) -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        page = browser.new_page(viewport=SIZE, device_scale_factor=1.5)
        _rate(page, link)
        page.screenshot(path=folder / "rater.png")
        page.goto(f"file://{folder}/demo-study/report/report.html")
        page.screenshot(path=folder / "report.png")
        browser.close()


def _rate(page: Page, link: str) -> None:
    """Go to the third trial and answer half of it."""
    page.goto(link)
    page.get_by_role("textbox").fill("ana")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="How it works").wait_for()
    page.keyboard.press("Enter")
    for number in (1, 2):
        page.locator("#where", has_text=f"Trial {number} of").wait_for()
        page.keyboard.press("2")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
    page.locator("#where", has_text="Trial 3 of").wait_for()
    page.keyboard.press("2")
    page.wait_for_timeout(800)


def _side_by_side(folder: Path) -> Image.Image:
    pictures = [Image.open(folder / name) for name in ("rater.png", "report.png")]
    width, height = pictures[0].size
    gap, edge = 60, 40
    sheet = Image.new("RGB", (2 * width + gap + 2 * edge, height + 2 * edge), "#e9e6df")
    for number, picture in enumerate(pictures):
        left = edge + number * (width + gap)
        shadow = Image.new("L", sheet.size, 0)
        shadow.paste(70, (left - 2, edge + 4, left + width + 2, edge + height + 8))
        sheet.paste("#6b665c", mask=shadow.filter(ImageFilter.GaussianBlur(12)))
        sheet.paste(picture.convert("RGB"), (left, edge))
    return sheet.resize((1800, round(1800 * sheet.height / sheet.width)), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
