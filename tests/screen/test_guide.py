"""The guide as Markdown and as one HTML file: complete, self-contained, safe and accessible."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from functools import cache, partial
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from jurybox.errors import InputError
from jurybox.screen.form import make_form
from jurybox.screen.guide import guide_fragment, guide_html, guide_markdown
from jurybox.screen.prose import Media, draw_markdown
from jurybox.study import load_material, load_study
from jurybox.study.guide import Guide, make_guide
from jurybox.study.languages import languages
from jurybox.study.templates import write_template
from tests.forms import cases
from tests.study.examples import EXAMPLES, write_example

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Request

HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script> & "quotes" </style></title>'

Templates = Callable[[str], Guide]


def guide_of(folder: Path) -> Guide:
    study = load_study(folder)
    return make_guide(study, load_material(study))


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    """Give the guide of a template, written once for all tests of this module."""
    root = tmp_path_factory.mktemp("guides")

    @cache
    def make(name: str) -> Guide:
        return guide_of(write_template(name, root / name.replace("/", "-")))

    return make


class Outline(HTMLParser):
    """What a page consists of: tags with attributes, and the levels of its headings."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    @property
    def levels(self) -> list[int]:
        return [int(tag[1]) for tag, _ in self.tags if re.fullmatch("h[1-6]", tag)]


@pytest.mark.parametrize("name", ["imagenhub/text-guided-editing", "mqm", "ab-rubric"])
def test_the_page_needs_nothing_beside_it(templates: Templates, name: str) -> None:
    page = Outline(guide_html(templates(name)))
    tags = [tag for tag, _ in page.tags]
    assert not {"script", "link", "iframe", "object", "form", "base"} & set(tags)
    for tag, attributes in page.tags:
        assert not any(key.startswith("on") or key == "style" for key in attributes), tag
        for key in ("src", "href"):
            address = attributes.get(key)
            assert address is None or address.startswith(("data:image/png;base64,", "#"))


@pytest.mark.parametrize("name", ["image-quality", "rag-qa", "imagenhub/multi-subject-generation"])
def test_headings_are_in_order_and_pictures_have_words(templates: Templates, name: str) -> None:
    page = Outline(guide_html(templates(name)))
    assert page.levels[0] == 1
    assert page.levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(page.levels))
    pictures = [attributes for tag, attributes in page.tags if tag == "img"]
    assert all(attributes.get("alt") for attributes in pictures)
    landmarks = {tag for tag, _ in page.tags}
    assert {"header", "nav", "main"} <= landmarks


@pytest.mark.parametrize("draw", [guide_html, guide_markdown])
def test_everything_the_guide_holds_is_told(
    templates: Templates, draw: Callable[[Guide], str]
) -> None:
    guide = templates("imagenhub/text-guided-editing")
    told = plain(draw(guide))
    for criterion in guide.criteria:
        assert criterion.question in told
        assert criterion.look_for in told
        assert all(anchor.words in told for anchor in criterion.anchors)
    for case in guide.cases:
        assert case.words in told
        assert case.reason in told
    assert "Realism 1 or 2" in told.replace(":", "")
    assert all(line in told for line in guide.look_for)
    assert all(name in told and when in told for name, when in guide.skipping)
    assert all(key.does in told for key in guide.keys)
    assert all(sentence in told for sentence in guide.session)
    # One picture for each case and each illustrated value.
    illustrated = [a for c in guide.criteria for a in c.anchors if a.example is not None]
    assert len(illustrated) == 8
    marks = "![" if draw is guide_markdown else "<img "
    assert draw(guide).count(marks) == len(guide.cases) + len(illustrated)


def test_examples_are_put_in_clean_and_what_cannot_be_is_named(tmp_path: Path) -> None:
    guide = guide_of(write_template("imagenhub/text-guided-editing", tmp_path / "study"))
    path = next(case.example.path for case in guide.cases if case.example is not None)
    note = PngInfo()
    note.add_text("parameters", "made by model-x")
    with Image.open(path) as image:
        image.save(path, "PNG", pnginfo=note)
    media = re.findall(r"data:[\w/]+;base64,([^\"]+)", guide_html(guide))
    assert b"made by model-x" in path.read_bytes()
    assert not any(b"made by model-x" in base64.b64decode(one) for one in media)
    path.write_text("no picture")
    with pytest.raises(InputError, match=f"{path.name} cannot be put into the guide: it is of a"):
        guide_html(guide)


def plain(text: str) -> str:
    """The words of a page, without its tags and line breaks."""
    import html

    body = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", body)).replace("**", "").split())


def test_hostile_words_are_shown_as_words(tmp_path: Path, browser: Browser) -> None:
    write_example("rate", tmp_path)
    file = tmp_path / "study.yaml"
    hostile = '"' + HOSTILE.replace('"', '\\"') + '"'
    text = file.read_text()
    for words, instead in (
        ("title: Text-guided editing", f"title: {hostile}"),
        ("question: Does the output do what was asked, and nothing else?",
         f"question: {hostile}\n    look_for: {hostile}"),
        ("Instruction missed", hostile),
        ("instruction: text", f"instruction: {{as: text, caption: {hostile}}}"),
    ):  # fmt: skip
        assert words in text
        text = text.replace(words, instead)
    text += f"instructions: {hostile}\nlook_for: [{hostile}]\n"
    text += f"cases: [{{case: {hostile}, scores: {{realism: 1}}, reason: {hostile}}}]\n"
    file.write_text(text)
    assert not re.search(r"(?<!\\)<[a-zA-Z/]", guide_markdown(guide_of(tmp_path)))
    html = guide_html(guide_of(tmp_path))
    assert {tag for tag, _ in Outline(html).tags}.isdisjoint({"script", "img"})
    (tmp_path / "guide.html").write_text(html, encoding="utf-8")
    page = browser.new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.goto((tmp_path / "guide.html").as_uri())
    shown = page.inner_text("body")
    page.close()
    assert dialogs == []
    # title, task, caption, look for (study and criterion), question, anchor, case and its reason
    assert shown.count("<script>alert(2)</script>") == 9


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    cases(
        ["imagenhub/mask-guided-editing", "mqm"],
        ["ab-rubric", "real-vs-generated", "transformation-telling"],
    ),
)
def test_axe_finds_nothing_and_nothing_is_cut_off(
    templates: Templates, browser: Browser, tmp_path: Path, name: str, scheme: Any
) -> None:
    path = tmp_path / "guide.html"
    path.write_text(guide_html(templates(name)), encoding="utf-8")
    for width in (1280, 360):
        # The page's policy forbids every script; axe is brought in from outside.
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
        )
        page = context.new_page()
        requested: set[str] = set()
        context.on("request", partial(note, requested))
        page.goto(path.as_uri())
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        broken = "[...document.images].filter(i => !i.complete || !i.naturalWidth).length"
        assert page.evaluate(broken) == 0
        assert requested <= {"file", "data"}
        context.close()


def note(schemes: set[str], request: Request) -> None:
    schemes.add(request.url.split(":")[0])


def test_markdown_can_be_drawn_and_names_pictures_from_where_it_lies(tmp_path: Path) -> None:
    folder = write_template("imagenhub/text-to-image", tmp_path / "study")
    guide = guide_of(folder)
    beside = guide_markdown(guide)
    assert "](<cases/horse-exact.png>)" in beside
    elsewhere = guide_markdown(guide, base=tmp_path / "out")
    names = re.findall(r"!\[[^\]]*\]\(<([^>]+)>\)", elsewhere)
    assert names
    assert all((tmp_path / "out" / name).resolve().is_file() for name in names)
    found: list[str] = []

    def find(source: str) -> Media:
        found.append(source)
        return Media(f"media/{len(found)}")

    drawn = draw_markdown(beside, find_media=find)
    assert len(found) == len(names)
    assert drawn.count("<table>") == 3  # two criteria and the keys
    assert "**" not in drawn


def test_an_anchor_with_a_bar_stays_in_its_cell(tmp_path: Path) -> None:
    write_example("rate", tmp_path)
    file = tmp_path / "study.yaml"
    file.write_text(file.read_text().replace("Partly done", '"Partly | done\\nagain"'))
    lines = guide_markdown(guide_of(tmp_path)).splitlines()
    (row,) = [line for line in lines if "Partly" in line]
    assert row == "| **0.5** | Partly \\| done again | `5` |"


PICTURES = """\
Ours ![u](<in put/e1.png>), theirs ![p](http://x.org/p.png) ![q](/etc/passwd "q") ![r][ref].

```
<b> ![code](input/e2.png)
```

Gone ![t](gone.png), and `<i>`.

[ref]: https://x.org/r.png
"""


def test_pictures_in_texts_are_shown_when_the_study_has_them(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path / "study")
    (folder / "in put").mkdir()
    (folder / "input/e1.png").rename(folder / "in put/e1.png")
    (folder / "input/e2.png").rename(folder / "input/e1.png")
    (folder / "edits.jsonl").write_text(
        (folder / "edits.jsonl").read_text().replace("e2.png", "e1.png")
    )
    (folder / "tell.md").write_text(PICTURES)
    with (folder / "study.yaml").open("a") as file:
        file.write("instructions: tell.md\nlook_for: ['See ![v](input/e3.png)']\n")
    guide = guide_of(folder)
    page = Outline(guide_html(guide))
    pictures = [attributes for tag, attributes in page.tags if tag == "img"]
    assert [picture["alt"] for picture in pictures] == ["u", "v"]
    assert all((picture["src"] or "").startswith("data:image/png;base64,") for picture in pictures)
    beside = guide_markdown(guide)
    shown: list[str] = []
    draw_markdown(beside, find_media=lambda source: shown.append(source))
    assert "`<i>`" in beside
    assert "<b> ![code]" in beside.replace("!\\[", "![")
    assert "http://x.org" not in beside
    assert "/etc/passwd" not in beside
    assert not {"https://x.org/r.png", "gone.png"} & set(shown)


def test_pictures_in_texts_are_named_from_where_the_guide_lies(tmp_path: Path) -> None:
    folder = write_example("rate", tmp_path / "study")
    with (folder / "study.yaml").open("a") as file:
        file.write("instructions: See ![u](input/e1.png).\n")
    guide = guide_of(folder)
    assert "See ![u](<input/e1.png>)." in guide_markdown(guide)
    elsewhere = guide_markdown(guide, base=tmp_path / "out")
    assert "See ![u](<../study/input/e1.png>)." in elsewhere


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_key_of_the_form_is_in_the_guide(tmp_path: Path, name: str) -> None:
    folder = write_example(name, tmp_path)
    study = load_study(folder)
    told = {part for key in guide_of(folder).keys for part in key.key.split()}
    if "…" in told:
        told |= set("0123456789") if told & {"0", "1"} else set()
        told |= set("abcdefgh") if "a" in told else set()
    form = make_form(study, places={"compare": 2, "rank": 3}.get(study.protocol, 1))
    pressed = {
        option.key
        for question in form.questions
        if question.kind != "slider"
        for option in (*question.options, *question.severities)
        if option.key is not None
    }
    assert pressed <= told
    if study.protocol == "mark":
        assert {"←", "→", "Shift", "Enter", "0", "Esc"} <= told
    if study.protocol == "rank":
        assert {"=", "Backspace"} & told
        assert "n" not in told  # b chooses the second output


@pytest.mark.parametrize(
    ("language", "html", "markdown"),
    [
        ("en", "<strong>Offensive</strong>: you do not", "**Offensive**: you do not"),
        ("fr", "<strong>Choquant</strong>\u202f: vous ne", "**Choquant**\u202f: vous ne"),
        ("zh", "<strong>令人反感</strong>：您", "**令人反感**：您"),
    ],
)
def test_a_colon_is_set_as_the_language_sets_it(
    tmp_path: Path, language: str, html: str, markdown: str
) -> None:
    folder = write_example("compare", tmp_path)
    with (folder / "study.yaml").open("a") as file:
        file.write(f"\nlanguage: {language}\n")
    guide = guide_of(folder)
    assert html in guide_html(guide)
    assert markdown in guide_markdown(guide)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("mushra", "en"),
        ("imagenhub/text-guided-editing", "en"),
        *(("ab-rubric", language) for language in languages()),
    ],
)
def test_on_the_page_each_key_that_can_be_changed_is_marked_with_its_command(
    name: str, language: str, tmp_path: Path
) -> None:
    folder = write_template(name, tmp_path / "study")
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(f"{text}\nlanguage: {language}\n", encoding="utf-8")
    guide = guide_of(folder)
    html = guide_fragment(guide, find_media=lambda source: None)
    marked = re.findall(r'<kbd data-key="(\w+)">(.)</kbd>', html)
    listed = [
        pair
        for key in guide.keys
        for pair in zip(key.commands, key.key.split() if key.commands else (), strict=True)
    ]
    assert ("skip", "s") in listed
    assert marked == [("skip", "s"), *listed]  # the first is in the words about skipping
