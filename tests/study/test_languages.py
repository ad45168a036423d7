"""Catalogues: complete, with the same placeholders everywhere, and a form for every number."""

from __future__ import annotations

import ast
import re
from gettext import c2py
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog
from hypothesis import given
from hypothesis import strategies as st

import jurybox
from jurybox.study import languages as room
from jurybox.study.languages import catalogue, languages
from scripts.catalogues import extracted, forms, read, updated

TRANSLATED = ("ar", "de", "es", "fr", "zh")
FORMS = {"ar": 6, "de": 2, "es": 2, "fr": 2, "zh": 1}
SOURCE = Path(str(jurybox.__file__)).parent


def file_of(language: str) -> Path:
    return room.FOLDER / f"{language}.po"


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"%\(\w+\)s", text))


def numbers_of(messages: Catalog) -> dict[int, set[int]]:
    """Which of the numbers to 200 each plural form is for, by the file's own rule."""
    choose = c2py(messages.plural_expr)
    chosen: dict[int, set[int]] = {}
    for n in range(201):
        chosen.setdefault(choose(n), set()).add(n)
    return chosen


def test_the_pages_speak_six_languages() -> None:
    assert languages() == ("ar", "de", "en", "es", "fr", "zh")


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogues_are_up_to_date(language: str) -> None:
    path = file_of(language)
    assert updated(path) == path.read_bytes(), "run make catalogues, then translate what is empty"
    assert not read(path).obsolete


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated(language: str) -> None:
    messages = [message for message in read(file_of(language)) if message.id]
    assert len(messages) == len(extracted())
    assert [one.id for one in messages if one.fuzzy or not all(map(str.strip, forms(one)))] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_plural_has_the_forms_of_its_language(language: str) -> None:
    """As Unicode has them, which the pages' scripts choose by."""
    messages = read(file_of(language))
    of_number = Locale.parse(language).plural_form
    kinds = {n: of_number(n) for n in range(201)}
    chosen = numbers_of(messages)
    assert len(chosen) == messages.num_plurals == FORMS[language]
    for numbers in chosen.values():
        assert len({kinds[n] for n in numbers}) == 1
    for message in messages:
        if isinstance(message.id, tuple):
            assert len(forms(message)) == FORMS[language], message.id


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_form_has_the_placeholders_of_its_message(language: str) -> None:
    messages = read(file_of(language))
    chosen = numbers_of(messages)
    for message in messages:
        if not message.id:
            continue
        source = message.id if isinstance(message.id, str) else message.id[1]
        wanted = placeholders(source)
        for form, text in enumerate(forms(message)):
            # One and two may be written out, as may none.
            out = isinstance(message.id, tuple) and (len(chosen[form]) == 1 or 1 in chosen[form])
            without = [one for one in wanted if one != "%(num)s"]
            assert placeholders(text) in ((wanted, without) if out else (wanted,)), text


@pytest.mark.parametrize("language", TRANSLATED)
def test_percent_signs_are_doubled_where_values_are_filled_in(language: str) -> None:
    for message in read(file_of(language)):
        for text in forms(message) if message.id else ():
            assert "%" not in re.sub(r"%\(\w+\)s|%%", "", text), text


@pytest.mark.parametrize("language", TRANSLATED)
def test_keys_and_marks_stay_what_they_are(language: str) -> None:
    for message in read(file_of(language)):
        if isinstance(message.id, str) and message.id:
            for kept in re.findall(r"`s`|✓|\bEnter\b|\bEscape\b|\bShift\b", message.id):
                assert kept in forms(message)[0], message.id


def test_arabic_words_after_a_latin_letter_still_run_from_right_to_left() -> None:
    """`dir=auto` goes by the first letter, so a mark stands before a Latin one."""
    for message in read(file_of("ar")):
        for text in forms(message) if message.id else ():
            assert not re.match("[A-Za-z]", text), text


def test_french_has_its_spaces_and_chinese_its_marks() -> None:
    for message in read(file_of("fr")):
        for text in forms(message) if message.id else ():
            assert not re.search("[^\u202f\u00a0][;:!?](\\s|$)", text), text
            assert not re.search("[\u202f\u00a0 ]$", text) or text == ", ", text
    for message in read(file_of("zh")):
        for text in forms(message) if message.id else ():
            assert not re.search("[\u4e00-\u9fff][,.;:!?](\\s|$)", text), text


def test_a_language_falls_back_to_its_base_and_then_to_english() -> None:
    assert catalogue("de-AT").language == "de"
    assert catalogue("zh-CN").language == "zh"
    assert catalogue("fi").language == "en"
    assert catalogue("fi").gettext("Submit") == "Submit"
    assert catalogue("ar").direction == "rtl"
    assert {catalogue(one).direction for one in ("de", "es", "fr", "zh")} == {"ltr"}


def test_arabic_has_a_form_for_every_kind_of_number() -> None:
    one, many = "One trial done.", "%(num)s trials done."
    said = {n: catalogue("ar").ngettext(one, many, n) for n in (1, 2, 3, 11)}
    assert said == {
        1: "أُنجزت مهمة واحدة.",
        2: "أُنجزت مهمتان.",
        3: "أُنجزت 3 مهام.",
        11: "أُنجزت 11 مهمة.",
    }
    # Behind a number that the page writes itself, the dual would say two twice.
    assert catalogue("ar").ngettext("trial", "trials", 2) == "من المهام"


# Numbers


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ["2", "0.5", "−3", "1200", "80%", "67%"]),
        ("de", ["2", "0,5", "−3", "1200", "80\xa0%", "67\xa0%"]),
        ("de-AT", ["2", "0,5", "−3", "1200", "80\xa0%", "67\xa0%"]),
        ("fr", ["2", "0,5", "−3", "1200", "80\xa0%", "67\xa0%"]),
        ("zh", ["2", "0.5", "−3", "1200", "80%", "67%"]),
        ("ar", ["2", "0.5", "\u200e−3", "1200", "80%", "67%"]),
        ("fi", ["2", "0.5", "−3", "1200", "80%", "67%"]),  # in English, as the words around it
    ],
)
def test_numbers_are_written_as_the_language_does_in_digits_of_the_keyboard(
    language: str, written: list[str]
) -> None:
    words = catalogue(language)
    numbers = [words.number(value) for value in (2.0, 0.5, -3.0, 1200)]
    assert [*numbers, *(words.percent(share) for share in (0.8, 2 / 3))] == written


@given(st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 6)))
def test_no_digit_of_a_number_is_lost(value: float) -> None:
    for language in languages():
        written = catalogue(language).number(value).replace("\u200e", "")
        assert float(written.replace("−", "-").replace(",", ".")) == value


def test_no_error_for_raters_is_put_together_out_of_reach_of_the_catalogues() -> None:
    """An f-string is never extracted; the values belong behind the text."""
    for file in (SOURCE / "web").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = getattr(getattr(node, "func", None), "id", "")
            if isinstance(node, ast.Call) and name in ("RaterError", "Denied", "Changed"):
                place = f"{file.name}:{node.lineno}"
                assert not any(isinstance(one, ast.JoinedStr) for one in node.args), place


def test_the_organizers_pages_are_not_translated() -> None:
    places = {str(place) for message in extracted() for place, _ in message.locations}
    assert not any("organizer" in place for place in places)
    assert {"web/static/words.js", "web/templates/about.html", "screen/form.py"} <= places
