"""Which words of two texts differ: the comparison by itself, and what the page shows of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.patience import PATIENCE
from tests.web.serving import live, open_study
from tests.web.studies import write_study
from tests.web.walking import begin

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.web.conftest import OpenPage, Studio

COMPARE = """
async ([a, b]) => {
  const { differing } = await import("/static/diff.js");
  let looks = 0;
  const counted = (list) => new Proxy(list, {
    get(target, name) {
      looks += 1;
      return Reflect.get(target, name);
    },
  });
  const [left, right] = differing(counted(a), counted(b));
  return { left, right, looks };
}
"""
"""How often a word was looked at says what it costs, on a slow machine too."""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = write_study("graded", tmp_path_factory.mktemp("differences"))
    with open_study(folder) as served, live(served.app) as url:
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(url)
        yield page
        page.close()


def compare(page: Page, a: str, b: str) -> tuple[list[str], list[str]]:
    """The words that only the first and only the second text has."""
    left, right = a.split(), b.split()
    found = page.evaluate(COMPARE, [left, right])
    return (
        [word for word, differs in zip(left, found["left"], strict=True) if differs],
        [word for word, differs in zip(right, found["right"], strict=True) if differs],
    )


@pytest.mark.parametrize(
    ("a", "b", "only_a", "only_b"),
    [
        ("the cat sat", "the cat sat", "", ""),
        ("the cat sat", "the dog sat", "cat", "dog"),
        ("the cat sat", "the cat", "sat", ""),
        ("", "a b", "", "a b"),
        ("", "", "", ""),
        ("x y", "y x", "x", "x"),
        ("no word alike", "all is new here", "no word alike", "all is new here"),
    ],
)
def test_differing_words(page: Page, a: str, b: str, only_a: str, only_b: str) -> None:
    found = compare(page, a, b)
    assert [sorted(one) for one in found] == [sorted(only_a.split()), sorted(only_b.split())]


def test_the_example_of_the_paper_takes_five_changes(page: Page) -> None:
    # Myers (1986), figure 1: ABCABBA to CBABAC, three words go and two come.
    assert [len(one) for one in compare(page, "a b c a b b a", "c b a b a c")] == [3, 2]


def longest_common(a: list[str], b: list[str]) -> int:
    """The length of a longest common subsequence, by the textbook's table."""
    row = [0] * (len(b) + 1)
    for word in a:
        before, row = row, [0]
        for place, other in enumerate(b):
            row.append(before[place] + 1 if word == other else max(before[place + 1], row[place]))
    return row[-1]


@pytest.mark.parametrize("words", [2, 5, 50])
@pytest.mark.parametrize("size", [3, 40, 200])
def test_what_is_left_is_the_same_on_both_sides(page: Page, size: int, words: int) -> None:
    draw = random.Random(size + words)
    a = [f"w{draw.randrange(words)}" for _ in range(size)]
    b = [f"w{draw.randrange(words)}" for _ in range(size)]
    found = page.evaluate(COMPARE, [a, b])
    kept = [word for word, differs in zip(a, found["left"], strict=True) if not differs]
    also = [word for word, differs in zip(b, found["right"], strict=True) if not differs]
    assert kept == also
    if words == 2 and size >= 40:  # no word is alone, so the way is a shortest one
        assert len(kept) == longest_common(a, b)


def test_long_texts_are_compared_in_few_steps(page: Page) -> None:
    draw = random.Random(7)
    vocabulary = [f"word{n}" for n in range(800)]
    a = [draw.choice(vocabulary) for _ in range(5000)]
    edited = [draw.choice(vocabulary) if draw.random() < 0.1 else word for word in a]
    other = [draw.choice(vocabulary) for _ in range(5000)]
    foreign = [f"x{n % 3}" for n in range(5000)]
    looks = {}
    for name, b in (("edited", edited), ("other", other), ("foreign", foreign)):
        found = page.evaluate(COMPARE, [a, b])
        looks[name] = found["looks"]
        if name == "edited":
            changed = sum(x != y for x, y in zip(a, b, strict=True))
            assert sum(found["left"]) <= 1.1 * changed
    assert max(looks.values()) < 1_000_000, looks  # each word with each other: 25,000,000


def shown(page: Page) -> list[str]:
    """What is underlined, in the order of the page."""
    return list(
        page.evaluate(
            "() => [...(CSS.highlights.get('differs') ?? [])].map((range) => range.toString())"
        )
    )


def test_differences_are_shown_on_demand_and_remembered(
    studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("compare")
    page = open_page()
    begin(page, url)
    before = page.inner_html(".tile[data-role=output] .body >> nth=1")
    assert shown(page) == []
    page.keyboard.press("d")
    found = shown(page)
    assert found
    assert not any(one in ("Open", "Shared files") for one in found)
    texts = " ".join(page.locator(".tile[data-role=output] .prose").all_inner_texts())
    assert all(one in texts for one in found)
    pressed = page.locator("[data-differences] >> nth=0").get_attribute("aria-pressed")
    assert pressed == "true"
    assert page.inner_html(".tile[data-role=output] .body >> nth=1") == before
    page.reload()
    page.wait_for_selector("jb-trial.ready .question.now")
    assert shown(page) == found
    page.keyboard.press("d")
    assert shown(page) == []


def test_differences_in_right_to_left_text(studio: Studio, open_page: OpenPage) -> None:
    _, url = studio.serve("compare")
    page = open_page()
    begin(page, url)
    texts: list[Any] = ["ذهبَ الولدُ إلى المدرسة 👩‍🔬 صباحًا", "ذهبَ الولدُ إلى السوق 👩‍🔬 مساءً"]
    page.evaluate(
        """(texts) => document.querySelectorAll(".tile[data-role=output] .prose").forEach(
             (one, place) => { one.textContent = texts[place]; })""",
        texts,
    )
    page.keyboard.press("d")
    assert shown(page) == ["المدرسة", "صباحًا", "السوق", "مساءً"]
