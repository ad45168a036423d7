"""Cells into what is shown: text, chat turns, and files that lie inside the study's folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jurybox.study.breach import show_value
from jurybox.study.criteria import TEXTUAL, Shown
from jurybox.study.escapes import refuse_half_characters
from jurybox.study.files import FileProblem, Files

__all__ = ["FieldReader"]


class FieldReader:
    """Reads the fields that ``show`` names; other fields pass as they are."""

    def __init__(self, files: Files, show: Mapping[str, Shown]) -> None:
        self._files = files
        self._show = show
        self._between = {shown.between for shown in show.values() if shown.between}

    def read(self, name: str, value: Any, *, from_file: bool = False) -> Any:
        """Give a field's value; ``FileProblem`` says why it cannot be shown."""
        if name in self._between:
            return self._sentences(name, value)
        shown = self._show.get(name)
        if shown is None:
            return value
        if value is None or value == "" or (isinstance(value, str) and not value.strip()):
            raise FileProblem(f"{show_value(name)} is empty")
        if shown.medium in TEXTUAL:
            return self._text(name, value, from_file=from_file)
        if shown.medium == "chat":
            return self._chat(name, self._files.read_text(value) if from_file else value)
        if shown.medium == "images":
            return tuple(self._file(name, part) for part in _parts(name, value))
        return self._file(name, value)

    def _text(self, name: str, value: Any, *, from_file: bool) -> str:
        if from_file:
            text = self._files.read_text(value)
            if not text.strip():
                raise FileProblem(f"{show_value(value)} is empty")
            return text
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise FileProblem(f"{show_value(name)} must be text, got {show_value(value)}")
        return str(value)

    def _file(self, name: str, value: Any) -> Any:
        if not isinstance(value, str):
            raise FileProblem(f"{show_value(name)} must be a file's name, got {show_value(value)}")
        try:
            return self._files.find(value)
        except FileProblem as error:
            raise FileProblem(f"{show_value(name)}: {error}") from None

    def _chat(self, name: str, value: Any) -> tuple[dict[str, str], ...]:
        if isinstance(value, str):
            try:
                turns = json.loads(value)
                refuse_half_characters(value, turns)
            except (ValueError, RecursionError):
                raise FileProblem(f"{show_value(name)} must be a JSON list of turns") from None
            value = turns
        if not isinstance(value, list) or not value:
            got = "an empty one" if value == [] else show_value(value)
            raise FileProblem(f"{show_value(name)} must be a list of turns, got {got}")
        return tuple(_turn(name, place, turn) for place, turn in enumerate(value, start=1))

    def _sentences(self, name: str, value: Any) -> tuple[str, ...]:
        sentences = _parts(name, value) if value not in (None, "", []) else []
        for place, sentence in enumerate(sentences, start=1):
            if not isinstance(sentence, str) or not sentence.strip():
                raise FileProblem(f"{show_value(name)}: sentence {place} is empty or no text")
        return tuple(sentences)


def _parts(name: str, value: Any) -> list[Any]:
    """Entries of a list; in a cell they are separated by `|`."""
    if isinstance(value, str):
        return [part.strip() for part in value.split("|")]
    if isinstance(value, list) and value:
        return value
    got = "an empty one" if value == [] else show_value(value)
    raise FileProblem(f"{show_value(name)} must be a list, got {got}")


def _turn(name: str, place: int, turn: Any) -> dict[str, str]:
    if not isinstance(turn, dict):
        raise FileProblem(
            f"{show_value(name)}: turn {place} must be an object, got {show_value(turn)}"
        )
    role, text = turn.get("role"), turn.get("text", turn.get("content"))
    if not isinstance(role, str) or not role.strip():
        raise FileProblem(f"{show_value(name)}: turn {place} has no `role`")
    if not isinstance(text, str) or not text.strip():
        raise FileProblem(f"{show_value(name)}: turn {place} has no `text`")
    return {"role": role, "text": text}
