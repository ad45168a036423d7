"""The trial's fragment: what it shows, what it hides, and that nothing in it is trusted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from jurybox.screen.trial import TrialContent, draw_trial
from jurybox.study import Study

HOSTILE = "<img src=x onerror=alert(1)>\"'</script>"


def draw(study: Study, item: dict[str, Any], *outputs: dict[str, Any], **options: Any) -> str:
    content = TrialContent(item=item, outputs=outputs)
    return str(
        draw_trial(study, content, media_url=lambda path: f"media/{len(path.name)}", **options)
    )


def rate(show: dict[str, Any], **more: Any) -> Study:
    more.setdefault("criteria", {"overall": {"scale": "acr"}})
    return Study(title="T", protocol="rate", outputs="o/{system}.jsonl", show=show, **more)


def tags(html: str, name: str) -> list[str]:
    return re.findall(rf"<{name}\b[^>]*>", html)


def test_media_are_shown_by_their_opaque_address_alone() -> None:
    study = rate({"a": "image", "b": "audio", "c": "video", "d": "images"})
    output = {
        "a": Path("/x/secret.png"),
        "b": Path("/x/secret.wav"),
        "c": Path("/x/secret.mp4"),
        "d": (Path("/x/one.png"), Path("/x/three.png")),
    }
    html = draw(study, {}, output)
    assert "secret" not in html
    assert "/x/" not in html
    assert re.findall(r'src="([^"]+)"', html) == [
        *("media/10", "media/10", "media/10", "media/7", "media/9")
    ]


@pytest.mark.parametrize("medium", ["text", "markdown", "code"])
def test_hostile_text_is_shown_and_not_obeyed(medium: str) -> None:
    html = draw(rate({"a": medium}), {}, {"a": HOSTILE})
    assert not tags(html, "img")
    assert not tags(html, "script")
    assert "onerror=alert(1)&gt;" in html


def test_hostile_words_of_the_study_are_shown_and_not_obeyed() -> None:
    study = rate(
        {"a": {"as": "text", "caption": HOSTILE}, "b": "text"},
        criteria={
            "x": {
                "question": HOSTILE,
                "look_for": HOSTILE,
                "scale": {0: HOSTILE, 1: {"anchor": HOSTILE}},
            }
        },
    )
    html = draw(study, {}, {"a": "one", "b": "two"})
    assert not tags(html, "img")
    assert not re.search(r"<[^>]*\sonerror", html)


def test_no_style_and_no_script_stand_in_the_fragment() -> None:
    html = draw(rate({"a": "markdown"}), {}, {"a": "x"})
    assert not re.search(r"\sstyle=|<style|<script|\son\w+=", html)


def test_a_chat_shows_its_turns() -> None:
    talk = ({"role": "user", "text": "Hi <b>"}, {"role": "assistant", "text": "Hello"})
    html = draw(rate({"talk": "chat", "a": "text"}), {"talk": talk}, {"a": "x"})
    assert "Hi &lt;b&gt;" in html
    assert html.count('<li class="turn') == 2


def test_sentences_of_the_output_stand_between_the_items_images() -> None:
    study = rate({"steps": {"as": "images", "between": "story"}})
    item = {"steps": (Path("/1"), Path("/2"), Path("/3"))}
    html = draw(study, item, {"story": ("First.", "Second.")})
    series = re.sub(
        r"\s+", " ", re.sub(r"<(?!img)[^>]*>", "", html.split('<ol class="series">')[1])
    )
    places = [series.index(piece) for piece in ("<img", "First.", "Second.")]
    assert places == sorted(places)
    assert html.count('data-role="output"') == 1
    assert 'data-role="item"' not in html


def test_the_reference_is_leftmost_and_long_text_gets_a_tile() -> None:
    study = rate(
        {"long": "text", "short": "text", "ideal": {"as": "text", "reference": True}, "a": "text"}
    )
    item = {"long": "word " * 100, "short": "A question?", "ideal": "Right."}
    html = draw(study, item, {"a": "x"})
    assert re.findall(r'data-role="(\w+)"', html) == ["reference", "item", "output"]
    assert html.index("A question?") < html.index('class="tiles"')


def headings(html: str) -> list[str]:
    return re.findall(r"<h2>([^<]+)</h2>", html)


def test_outputs_are_letters_where_there_are_several_and_what_the_guide_says_alone() -> None:
    study = rate({"reply": "text"})
    one, two = {"reply": "x"}, {"reply": "y"}
    assert headings(draw(study, {}, one)) == ["Reply"]
    assert headings(draw(study, {}, one, two)) == ["A", "B"]
    named = rate({"reply": {"as": "text", "caption": "The answer"}})
    assert headings(draw(named, {}, one)) == ["The answer"]


def test_an_output_without_a_name_of_its_own_is_called_output_in_the_studys_language() -> None:
    german = rate({"output": "text"}, language="de")
    assert headings(draw(german, {}, {"output": "x"})) == ["Ausgabe"]
    several = rate({"answer": "text", "notes": "text"})
    assert headings(draw(several, {}, {"answer": "x", "notes": "y"})) == ["Output"]
    told = rate({"steps": {"as": "images", "between": "story"}})  # the pictures are the item's
    item = {"steps": (Path("/1"), Path("/2"))}
    assert headings(draw(told, item, {"story": ("First.",)})) == ["Output"]


def test_item_text_finds_its_own_direction() -> None:
    html = draw(rate({"p": "text", "a": "text", "c": "code"}), {"p": "x"}, {"a": "مرحبا", "c": "x"})
    assert len(re.findall(r'class="plain" dir="auto"', html)) == 2
    assert '<pre class="code" dir="ltr">' in html


def test_nothing_is_preselected_and_controls_are_native() -> None:
    study = rate({"a": "text"}, criteria={"x": {"scale": "acr"}, "y": {"scale": "0-100"}})
    html = draw(study, {}, {"a": "x"})
    assert "checked" not in html
    assert html.count('<input type="radio"') == 5
    assert html.count('<input type="range"') == 1
    assert "untouched" in html
    assert "disabled" not in html


def test_every_anchor_is_in_full_with_its_key() -> None:
    anchors = {0: "Instruction missed, or a new background", 0.5: "Partly done", 2: "As asked"}
    html = draw(rate({"a": "text"}, criteria={"x": {"scale": anchors}}), {}, {"a": "x"})
    for words in anchors.values():
        assert f'<span class="anchor" dir="auto">{words}</span>' in html
    assert re.findall(r'<kbd aria-hidden="true"[^>]*>(\d)</kbd>', html) == ["0", "5", "2"]


def test_long_words_at_the_ends_of_a_slider_have_a_line_of_their_own() -> None:
    anchors = {0: "Bad", 20: "Poor", 40: "Fair", 60: "Good", 80: "Excellent", 100: "As before"}
    html = draw(
        rate({"a": "text"}, criteria={"q": {"scale": {"anchors": anchors}}}), {}, {"a": "x"}
    )
    (ticks,), (ends,) = (
        re.findall(rf'<div class="{name}" aria-hidden="true">(.*?)</div>', html)
        for name in ("ticks", "ends")
    )
    assert re.findall(r"</b> ?([^<]*)", ticks) == ["Bad", "Poor", "Fair", "Good", "Excellent", ""]
    assert re.findall(r">([^<]*)</span>", ends) == ["", "As before"]
    plain = draw(rate({"a": "text"}, criteria={"q": {"scale": "0-100"}}), {}, {"a": "x"})
    assert 'class="ends"' not in plain


def test_words_of_a_marked_text_carry_their_code_points() -> None:
    study = Study(
        title="T",
        protocol="mark",
        outputs="o/{system}.jsonl",
        show={"a": "text"},
        criteria={"errors": {"categories": {"x": "X"}, "field": "a"}},
    )
    html = draw(study, {}, {"a": "Ok 👍🏽 <no>"})
    found = re.findall(r'data-start="(\d+)" data-end="(\d+)">([^<]+)<', html)
    assert found == [
        *(("0", "2", "Ok"), ("3", "5", "👍🏽"), ("6", "7", "&lt;"), ("7", "9", "no")),
        ("9", "10", "&gt;"),
    ]


@pytest.mark.parametrize("medium", ["text", "markdown", "code"])
def test_every_kind_of_text_can_be_marked(medium: str) -> None:
    study = Study(
        title="T",
        protocol="mark",
        outputs="o/{system}.jsonl",
        show={"a": medium},
        criteria={"errors": {"categories": {"x": "X"}, "field": "a"}},
    )
    html = draw(study, {}, {"a": "x = 1"})
    direction = "ltr" if medium == "code" else "auto"
    assert re.search(rf'words" dir="{direction}" tabindex="0" role="group" data-words="q0"', html)


def test_without_the_form_only_the_content_is_drawn() -> None:
    html = draw(rate({"a": "text"}), {}, {"a": "x"}, with_form=False)
    assert "<form" not in html
    assert "<input" not in html


def test_ids_differ_between_trials_of_one_page() -> None:
    study = rate({"a": "text"})
    one, two = (draw(study, {}, {"a": "x"}, name=name) for name in ("t1", "t2"))
    found = [set(re.findall(r'\s(?:id|name)="([^"]+)"', html)) for html in (one, two)]
    assert found[0]
    assert not found[0] & found[1]
