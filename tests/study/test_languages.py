"""Catalogues: complete, with the same placeholders everywhere, and a form for every number."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

import jurybox
from jurybox.study import languages as room
from jurybox.study.languages import catalogue, languages
from scripts.catalogues import extracted

TRANSLATED = ("ar", "de", "es", "fr", "zh")
FORMS = {"ar": 6, "de": 2, "es": 2, "fr": 2, "zh": 1}
SOURCE = Path(str(jurybox.__file__)).parent


def read(language: str) -> Catalog:
    with (room.FOLDER / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def forms(message: Message) -> tuple[str, ...]:
    """Every translation of a message: one, or one per plural form."""
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"%\(\w+\)s", text))


def test_the_pages_speak_six_languages() -> None:
    assert languages() == ("ar", "de", "en", "es", "fr", "zh")


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated_and_nothing_else_is_there(language: str) -> None:
    wanted = {message.id for message in extracted() if message.id}
    found = {message.id: message for message in read(language) if message.id}
    assert set(found) == wanted, "run make catalogues, then translate what is empty"
    empty = [id for id, message in found.items() if message.fuzzy or not all(forms(message))]
    assert empty == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_form_has_the_placeholders_of_its_message(language: str) -> None:
    for message in read(language):
        if not message.id:
            continue
        if isinstance(message.id, str):
            wanted = placeholders(message.id)
            assert placeholders(message.string) == wanted, message.id
            continue
        assert len(message.string) == FORMS[language], message.id
        for text in message.string:
            # A form for one or two may write the number out.
            assert placeholders(text) <= placeholders(message.id[1]), text
        assert placeholders(message.string[-1]) == placeholders(message.id[1]), message.id


@pytest.mark.parametrize("language", TRANSLATED)
def test_percent_signs_are_doubled_only_where_they_are_filled_in(language: str) -> None:
    for message in read(language):
        for text in forms(message) if message.id else ():
            bare = re.sub(r"%\(\w+\)s|%%", "", text)
            assert "%" not in bare, text


def test_french_has_its_spaces_and_chinese_its_marks() -> None:
    for message in read("fr"):
        for text in forms(message) if message.id else ():
            assert not re.search("[^\u202f\u00a0][;:!?](\\s|$)", text), text
            assert not re.search("[\u202f\u00a0 ]$", text) or text == ", ", text
    for message in read("zh"):
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
    said = [catalogue("ar").ngettext("trial", "trials", n) for n in (0, 1, 2, 3, 11, 100)]
    assert len(set(said)) > 2


def test_no_error_for_raters_is_put_together_out_of_reach_of_the_catalogues() -> None:
    """An f-string is never extracted; the values belong behind the text."""
    for file in (SOURCE / "web").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = getattr(getattr(node, "func", None), "id", "")
            if isinstance(node, ast.Call) and name in ("RaterError", "Denied"):
                place = f"{file.name}:{node.lineno}"
                assert not any(isinstance(one, ast.JoinedStr) for one in node.args), place


def test_the_organizers_pages_are_not_translated() -> None:
    places = {str(place) for message in extracted() for place, _ in message.locations}
    assert not any("organizer" in place for place in places)
    assert {"web/static/words.js", "web/templates/about.html", "screen/form.py"} <= places
