"""Pages in other languages: no word outside the catalogues, and one plural on page and server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from gettext import NullTranslations
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jurybox
from jurybox.screen import guide, trial
from jurybox.study import languages as room
from jurybox.study.languages import Catalogue, catalogue, languages
from jurybox.web import pages
from scripts.catalogues import extracted
from tests.forms import cases
from tests.web.serving import Served
from tests.web.state import State
from tests.web.states import STATES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.web.conftest import OpenPage, Studio

SOURCE = Path(str(jurybox.__file__)).parent
TEMPLATES = sorted(
    path
    for folder in ("web", "screen")
    for path in (SOURCE / folder / "templates").glob("*.html")
    if not path.name.startswith("organizer")
)
SPOKEN = ("aria-label", "aria-valuetext", "placeholder", "title", "alt")
WORD = re.compile(r"[^\W\d_]{2}")


class _Bare(HTMLParser):
    """What a template says by itself: texts and spoken attributes, without the names of keys."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag
        self.said += [value for name, value in attrs if name in SPOKEN and value]

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in not in ("kbd", "style", "script"):
            # A macro may draw attributes alone.
            self.said.append(re.sub(r'[\w-]+=""', "", data).strip())


def bare_words(template: str) -> list[str]:
    parser = _Bare()
    parser.feed(re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", template, flags=re.DOTALL))
    return [text for text in parser.said if WORD.search(text)]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_have_no_words_of_their_own(path: Path) -> None:
    assert bare_words(path.read_text(encoding="utf-8")) == []


def test_a_word_in_a_template_is_found() -> None:
    drawn = '<p title="A hint">{{ _("Marked") }} <b>loose</b> <kbd>Tab</kbd></p>{# a note #}'
    assert bare_words(drawn) == ["A hint", "loose"]


# What is on the page, with marks around every message


class _Wrapping(NullTranslations):
    """A language in which every message is the English one between marks."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


def _wrapping() -> Catalogue:
    of_scripts: dict[str, str | Mapping[str, str]] = {}
    for message in extracted():
        if not any(str(source).endswith(".js") for source, _ in message.locations):
            continue
        if isinstance(message.id, str):
            of_scripts[message.id] = f"⟦{message.id}⟧"
        else:
            one, many = message.id
            of_scripts[one] = {"one": f"⟦{one}⟧", "other": f"⟦{many}⟧"}
    return Catalogue(translations=_Wrapping(), of_scripts=of_scripts)


def _forget() -> None:
    for kept in (catalogue, trial.environment, guide._environment, pages._environment):
        kept.cache_clear()


@pytest.fixture(scope="module")
def wrapping() -> Catalogue:
    """Read the sources once: that takes long."""
    return _wrapping()


@pytest.fixture
def marks(monkeypatch: pytest.MonkeyPatch, wrapping: Catalogue) -> Iterator[None]:
    """Wrap every message in marks as long as the test lasts."""
    monkeypatch.setattr(room, "Catalogue", lambda: wrapping)
    _forget()
    yield
    monkeypatch.undo()
    _forget()


# A message can hold other elements, so the marks are counted over the whole page.
OUTSIDE = """(spoken) => {
  const found = [];
  const how = { visibilityProperty: true, opacityProperty: true };
  const seen = (element) => element.checkVisibility(how);
  const skip = "script, style, template, noscript, kbd, code, .code-shown";
  let depth = 0;
  const outside = (text) => [...text].filter((sign) => {
    if (sign === "⟦") depth += 1;
    if (sign === "⟧") depth -= 1;
    return depth === 0 && sign !== "⟧";
  }).join("");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, data } = walker.currentNode;
    if (parent.closest("script, style, template, noscript")) continue;
    const rest = outside(data);
    if (!parent.closest(skip) && seen(parent)) found.push(["text", rest]);
  }
  for (const name of spoken) {
    for (const element of document.querySelectorAll(`body [${name}]`)) {
      const rest = outside(element.getAttribute(name));
      if (seen(element)) found.push([name, rest]);
    }
  }
  return [["title", outside(document.title)], ...found];
}"""


def _own_words(value: Any) -> Iterator[str]:
    """Every text in a value, and names as they are written in titles."""
    if isinstance(value, str):
        yield value
        yield value.replace("_", " ").replace("-", " ").capitalize()
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _own_words(str(key))
            yield from _own_words(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _own_words(part)


def words_of(served: Served) -> str:
    """What the study itself says, in one long text."""
    material = served.material
    fields = [item.fields for item in material.items.values()]
    outputs = [output.fields for output in material.outputs.values()]
    told = [known.explanation for known in material.known.values()]
    said = _own_words([served.study.plain_data(), fields, outputs, told])
    return "\n".join(" ".join(one.split()) for one in said)


def unmarked(page: Page, own: str) -> list[str]:
    """What is on the page and has neither marks nor the study's own words."""
    found = []
    for kind, rest in page.evaluate(OUTSIDE, SPOKEN):
        parts = (part.strip(" ,.=>–…") for part in re.split(r"[·:()]| [A-Z]\b", rest))
        if any(WORD.search(part) and " ".join(part.split()) not in own for part in parts):
            found.append(f"{kind}: {rest.strip()}")
    return found


OF_RATERS = tuple(one for one in STATES if not one.name.startswith(("organizer", "moment-")))
"""Moments say in every form and medium what the states here say in some."""
BY_SCRIPTS = {
    "welcome-id-taken",
    "guide",
    "headphones-test",
    "practice-wrong",
    "trial-compare",
    "trial-sides-missing",
    "trial-rank-partly",
    "trial-mark-marked",
    "trial-pair-wipe",
    "trial-sounds",
    "trial-mushra-rating",
    "offline",
    "trial-looking-back",
    "dialog-keys-changing",
    "dialog-jump",
    "end",
}
"""States with words that scripts or the server put on the page; the templates are checked above."""


def _check(state: State, studio: Studio, open_page: OpenPage) -> None:
    served, url = studio.serve(state.study)
    page = open_page(expect=state.expect)
    state.reach(page, url, served)
    assert unmarked(page, words_of(served)) == []
    assert "⟦" in page.inner_text("body")


WORDED = [one for one in OF_RATERS if one.name in BY_SCRIPTS]


@pytest.mark.parametrize("state", cases(WORDED[::2], WORDED[1::2]), ids=lambda state: state.name)
def test_every_word_is_in_the_catalogues(
    state: State, studio: Studio, open_page: OpenPage, marks: None
) -> None:
    _check(state, studio, open_page)


@pytest.mark.full
@pytest.mark.parametrize(
    "state", [one for one in OF_RATERS if one.name not in BY_SCRIPTS], ids=lambda state: state.name
)
def test_every_word_of_every_state_is_in_the_catalogues(
    state: State, studio: Studio, open_page: OpenPage, marks: None
) -> None:
    _check(state, studio, open_page)


def test_an_unmarked_word_is_found(studio: Studio, open_page: OpenPage, marks: None) -> None:
    served, url = studio.serve("rank")
    page = open_page()
    page.goto(url)
    own = words_of(served)
    assert unmarked(page, own) == []
    page.evaluate("() => document.querySelector('main').append('Forgotten words')")
    page.evaluate("() => document.querySelector('main').setAttribute('title', 'A forgotten hint')")
    assert unmarked(page, own) == ["text: Forgotten words", "title: A forgotten hint"]


# The same plural form, and the same number, on page and server


@pytest.mark.parametrize("language", [one for one in languages() if one != "en"])
def test_page_and_server_choose_the_same_plural_form(language: str, browser: Browser) -> None:
    page = browser.new_page()
    try:
        kinds = page.evaluate(
            "(language) => { const rules = new Intl.PluralRules(language);"
            " return Array.from({ length: 201 }, (_, n) => rules.select(n)); }",
            language,
        )
    finally:
        page.close()
    words = catalogue(language)
    plurals = [message.id for message in extracted() if isinstance(message.id, tuple)]
    forms = {one: of for one, of in words.of_scripts.items() if isinstance(of, Mapping)}
    assert forms
    for one, many in plurals:
        for n, kind in enumerate(kinds):
            if one in forms:
                assert forms[one][kind] % {"num": n} == words.ngettext(one, many, n), (n, kind)


NUMBERS = [0, 2, 0.5, -3, -0.25, 62.5, 1200]


@pytest.mark.parametrize("language", ["en", "de", "ar", "fi"])
def test_page_and_server_write_the_same_numbers(
    language: str, studio: Studio, open_page: OpenPage
) -> None:
    _, url = studio.serve("rank", language=language)
    page = open_page()
    page.goto(url)
    written = page.evaluate(
        "async (numbers) => { const { words } = await import('./static/words.js');"
        " return numbers.map((one) => words.number(one)); }",
        NUMBERS,
    )
    assert written == [catalogue(language).number(value) for value in NUMBERS]
