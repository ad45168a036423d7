"""Outputs put in order: what is stored is the order that was shown, however it was made."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from tests.study.examples import write_jsonl
from tests.web.serving import live, open_study
from tests.web.settling import laid_out
from tests.web.walking import begin, submit, wait_for_stage, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.conftest import OpenPage
    from tests.web.serving import Served

NAMES = ("zebra-model", "quagga-model", "okapi-model", "tapir-model")
CAPTIONS = dict(zip(("red", "blue", "green", "gray"), NAMES, strict=True))


def write_ranking(folder: Path, *, items: int, captions: dict[str, str] = CAPTIONS) -> Path:
    """A study in which the caption on screen tells a test, and nobody else, the system."""
    rows = [{"item": f"i{n:02}", "prompt": f"A disk, number {n}"} for n in range(items)]
    write_jsonl(folder / "items.jsonl", rows)
    for caption, system in captions.items():
        made = [{"item": row["item"], "caption": caption} for row in rows]
        write_jsonl(folder / "outputs" / f"{system}.jsonl", made)
    (folder / "study.yaml").write_text(
        f"""\
title: In order
protocol: rank
items: items.jsonl
outputs: outputs/{{system}}.jsonl
show: {{prompt: text, caption: text}}
criteria:
  fit: {{question: "Best first.", answer: order, ties: true}}
design: {{outputs_per_trial: {len(captions)}, overlap: 1, raters: 1, seed: 3}}
""",
        encoding="utf-8",
    )
    return folder


def shown(page: Page) -> list[str]:
    """The systems on screen from A to D."""
    texts = page.locator(".tile[data-role=output] .plain").all_inner_texts()
    return [CAPTIONS[text.strip()] for text in texts]


def stored(served: Served) -> dict[str, dict[str, float]]:
    table = served.store.table("rankings")
    rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(str(row["item"]), {})[str(row["system"])] = float(row["rank"])
    return found


def item_of(page: Page) -> str:
    return f"i{int(page.inner_text('.ask .plain').split()[-1]):02}"


def test_stored_ranks_equal_the_shown_order_for_every_permutation_of_four(
    tmp_path: Path, open_page: OpenPage
) -> None:
    expected = {}
    page = open_page()
    with open_study(write_ranking(tmp_path, items=24)) as served, live(served.app) as url:
        begin(page, url)
        for order in itertools.permutations(range(4)):
            page.wait_for_selector("jb-trial.ready .question.now")
            systems = shown(page)
            expected[item_of(page)] = {systems[place]: rank for rank, place in enumerate(order, 1)}
            submit(page, *("abcd"[place] for place in order))
        wait_for_stage(page, "end")
        assert len(expected) == 24
        assert stored(served) == expected


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_dragging_by_mouse_reorders_and_a_click_still_picks(
    tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page()
    with open_study(write_ranking(tmp_path, items=1)) as served, live(served.app) as url:
        begin(page, url)
        systems = shown(page)
        standing = page.locator(".standing")
        for letter in ("a", "b", "c"):
            page.click(f"[data-pick='{'abcd'.index(letter)}']")
        expect(standing).to_have_text(re.compile("^A > B > C"))
        x, y = middle(page, "[data-placed='2']")
        page.mouse.move(x, y)
        page.mouse.down()
        to_x, to_y = middle(page, "[data-placed='0']")
        page.mouse.move(to_x - 8, to_y, steps=5)
        page.mouse.up()
        expect(standing).to_have_text(re.compile("^C > A > B"))
        x, y = middle(page, "[data-pick='3']")  # D is not placed yet: drag it between A and B
        page.mouse.move(x, y)
        page.mouse.down()
        to_x, to_y = middle(page, "[data-placed='1']")
        page.mouse.move(to_x - 4, to_y, steps=5)
        page.mouse.up()
        expect(standing).to_have_text("C > A > D > B")
        page.click("[data-submit]")
        wait_for_stage(page, "end")
        (ranks,) = stored(served).values()
        assert [ranks[system] for system in systems] == [2, 4, 1, 3]


def test_dragging_by_touch(tmp_path: Path, open_page: OpenPage) -> None:
    phone: dict[str, Any] = {"width": 390, "height": 844}
    page = open_page(viewport=phone, has_touch=True, is_mobile=True)
    with open_study(write_ranking(tmp_path, items=1)) as served, live(served.app) as url:
        begin(page, url)
        for place in range(4):
            page.locator(f"[data-pick='{place}']").tap()
        standing = page.locator(".standing")
        expect(standing).to_have_text("A > B > C > D")
        laid_out(page)
        start, end = middle(page, "[data-placed='0']"), middle(page, "[data-placed='3']")
        touch = page.context.new_cdp_session(page)

        def finger(kind: str, *points: tuple[float, float]) -> None:
            told = {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
            touch.send("Input.dispatchTouchEvent", told)

        finger("touchStart", start)
        for share in (0.3, 0.7, 1.05):
            finger("touchMove", (start[0] + share * (end[0] + 20 - start[0]), end[1]))
        finger("touchEnd")
        expect(standing).to_have_text("B > C > D > A")
        page.locator("[data-submit]").tap()
        wait_until(page, lambda: len(served.store.submissions()) == 1)


MANY = 28
"""More than letters."""
SCROLL_THROUGH = """async () => {
  const one = document.querySelector(".outputs");
  for (let at = 0; at < one.scrollHeight; at += one.clientHeight / 2) {
    one.scrollTop = at;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }
}"""


def test_many_outputs_stay_readable_and_are_looked_at_by_scrolling(
    tmp_path: Path, open_page: OpenPage
) -> None:
    captions = {f"number {number}": f"model-{number:02}" for number in range(MANY)}
    write_ranking(tmp_path, items=1, captions=captions)
    page = open_page()
    with open_study(tmp_path) as served, live(served.app) as url:
        begin(page, url)
        heights = "all => all.map((one) => one.getBoundingClientRect().height)"
        assert min(page.eval_on_selector_all(".tile[data-role=output]", heights)) >= 120
        for place in range(MANY):
            page.click(f"[data-pick='{place}']")
        page.keyboard.press("Enter")
        page.wait_for_selector(".form .problem:text(', AB first')")
        page.evaluate(SCROLL_THROUGH)
        page.wait_for_selector(".form .problem", state="hidden")
        page.keyboard.press("Enter")
        wait_for_stage(page, "end")
        assert sorted(stored(served)["i00"].values()) == [float(rank + 1) for rank in range(MANY)]
