"""Text made safe, and cut into words with code points."""

from __future__ import annotations

import html
import re
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.screen.prose import Media, draw_markdown, draw_words, split_words


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](javascript:alert(1))",
        "![x](https://elsewhere.example/pixel.png)",
        '<a href="https://elsewhere.example" onclick="x()">x</a>',
        "<style>*{display:none}</style>",
        "<svg onload=alert(1)>",
        "<iframe src=//elsewhere.example></iframe>",
        "[x]: javascript:alert(1)\n\n[x]",
        "<https://elsewhere.example>",
    ],
)
def test_markdown_brings_no_element_or_address_into_the_page(attack: str) -> None:
    drawn = str(draw_markdown(attack))
    opened = {tag.lower() for tag in re.findall(r"<([a-zA-Z]+)", drawn)}
    assert opened <= {"p", "span"}
    assert not re.search(r"<[^>]*\b(src|href|on\w+|style)\s*=", drawn)


def test_markdown_keeps_what_a_reader_needs() -> None:
    drawn = str(draw_markdown("# One\n\n**b** *i* `c` ~~s~~\n\n- x\n\n|a|\n|-|\n|1|"))
    for piece in [
        "<h2>One</h2>",
        "<strong>b</strong>",
        "<em>i</em>",
        "<code>c</code>",
        "<td>1</td>",
    ]:
        assert piece in drawn


def test_a_link_shows_its_address_in_words_once() -> None:
    assert "(https://a.example/b)" in draw_markdown("[source](https://a.example/b)")
    assert draw_markdown("<https://a.example/b>").count("a.example/b") == 1


def test_a_picture_is_shown_only_where_the_caller_knows_it() -> None:
    found = {"m/2.png": Media("media/abc")}
    assert '<img src="media/abc" alt="two">' in draw_markdown(
        "![two](m/2.png)", find_media=found.get
    )
    assert "<img" not in draw_markdown("![three](m/3.png)", find_media=found.get)


@pytest.mark.parametrize("kind", ["audio", "video"])
def test_sound_and_film_are_played_not_shown_as_broken_pictures(
    kind: Literal["audio", "video"],
) -> None:
    drawn = draw_markdown('![one "two"](m/1)', find_media=lambda source: Media("media/a&b", kind))
    expected = {"controls": "", "src": "media/a&b", "aria-label": 'one "two"'}
    found = re.fullmatch(rf"<p><{kind}((?: [^>]*)?)></{kind}></p>\n", str(drawn))
    assert found
    told = {
        name: html.unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', found[1])
    }
    assert told == expected | ({"playsinline": ""} if kind == "video" else {})


def test_words_with_emoji_accents_and_arabic_keep_together() -> None:
    text = "It's 👩‍🔬 e\u0301te\u0301 👍🏽! مرحبا 中文"
    assert [word.text for word in split_words(text)] == [
        *("It's", "👩‍🔬", "e\u0301te\u0301", "👍🏽", "!", "مرحبا", "中", "文")
    ]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_words_are_code_points_of_the_text_in_order(text: str) -> None:
    words = split_words(text)
    for word in words:
        assert text[word.start : word.end] == word.text
        assert word.text.strip()
    for one, next_one in pairwise(words):
        assert one.end <= next_one.start
    covered = {place for word in words for place in range(word.start, word.end)}
    assert all(text[place].isspace() for place in set(range(len(text))) - covered)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_drawn_words_read_as_the_text(text: str) -> None:
    drawn = re.sub(r"<[^>]*>", "", str(draw_words(text, name="w")))
    assert html.unescape(drawn) == text
