"""What a test waits for before it looks at a page: states of the page, never some time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.web.walking import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Page, Route

# What answers to a new size does so within the frame that has it, and the next frame shows it.
FRAMES = """() => new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))"""

READY = """async () => {
  await document.fonts.ready;
  await document.querySelector("jb-trial")?.media?.ready;
  await Promise.all([...document.images].map((one) => one.decode()));
  return true;
}"""

ROUND_TRIP = """async () => {
  const root = document.documentElement.dataset.root;
  await (await fetch(`${root}static/icon.svg`, { cache: "no-store" })).text();
  return true;
}"""

ENDLESS = """() => {
  const { set } = document.querySelector("jb-trial").media.players[0];
  set.loop({ from: 0, to: set.duration });
}"""


def laid_out(page: Page) -> None:
    """Wait until everything that was done to the page shows where it stays."""
    page.wait_for_function(FRAMES)


def settled(page: Page) -> None:
    """Wait until the letters, pictures, recordings and films on the page are there and in place.

    Where one of them is held back or broken, wait for what the page shows instead.
    """
    page.wait_for_function(READY)
    laid_out(page)


def arrived(page: Page) -> None:
    """Wait until each picture has come or failed, or the page says that it still loads."""
    page.wait_for_function(
        "() => [...document.images].every((one) => one.complete)"
        " || document.querySelector('.loading, .late') !== null"
    )
    laid_out(page)


def resize(page: Page, width: int, height: int) -> None:
    """Give the page another size, and wait until it has taken it."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(
        "([width, height]) => innerWidth === width && innerHeight === height", arg=[width, height]
    )
    laid_out(page)


def heard_out(page: Page) -> None:
    """Wait until the page has read what the server had said before: a later reply has come."""
    page.wait_for_function(ROUND_TRIP)


def play_endlessly(page: Page) -> None:
    """Let recordings begin again at their end: what plays still does when it is looked at."""
    page.evaluate(ENDLESS)


class Held:
    """Requests that wait until they are let go."""

    def __init__(self, page: Page, address: str) -> None:
        self.routes: list[Route] = []
        self._is_open = False
        page.route(address, self._hear)

    def _hear(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self.routes.append(route)

    def let_go(self) -> None:
        """Let those that wait go on, and those that come."""
        self._is_open = True
        while self.routes:
            self.routes.pop().continue_()


class Late:
    """Holds the first answer to a request back until it is let go, while later ones overtake it."""

    def __init__(self, page: Page, address: str) -> None:
        self._held: tuple[Route, APIResponse] | None = None
        self._page, self._address = page, address
        page.route(address, self._hear)

    def _hear(self, route: Route) -> None:
        if self._held is None:
            self._held = (route, route.fetch())
        else:
            route.continue_()

    def wait(self) -> tuple[Route, APIResponse]:
        """Wait until the server has answered."""
        wait_until(self._page, lambda: self._held is not None)
        assert self._held is not None
        return self._held

    def let_go(self) -> None:
        """Let the page have the answer, and wait until it has read it."""
        route, response = self.wait()
        with self._page.expect_response(self._address):
            route.fulfill(response=response)
        heard_out(self._page)


SHIFTS = """
// From the trial on: the first page has no bar, so that the second one moves as a whole.
window.began = Infinity;
new MutationObserver((_, watch) => {
  if (!document.querySelector("jb-trial")) return;
  window.began = performance.now();
  watch.disconnect();
}).observe(document, { subtree: true, childList: true });
const found = [];
const watch = new PerformanceObserver((list) => found.push(...list.getEntries()));
watch.observe({ type: "layout-shift", buffered: true });
window.shifted = () => {
  found.push(...watch.takeRecords());
  const since = found.filter((one) => one.startTime > window.began);
  return since.reduce((sum, one) => sum + one.value, 0);
};
"""


def watch_shifts(page: Page) -> None:
    """Count from now on how far things move on the page of a trial by themselves."""
    page.add_init_script(SHIFTS)


def shifted(page: Page) -> float:
    """Say how far things have moved since the trial came, as a share of the page."""
    laid_out(page)
    return float(page.evaluate("() => window.shifted()"))
