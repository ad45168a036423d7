"""What raters see of items and outputs, as texts and as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.study.criteria import TEXTUAL

if TYPE_CHECKING:
    from jurybox.design.set_checks.check import Facts
    from jurybox.study import Study

__all__ = ["contents_of", "files_in", "media_fields", "text_fields", "text_in"]


def text_fields(study: Study, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The shown fields of these rows that hold text: text, Markdown, code, chat, and sentences."""
    textual = [name for name, shown in study.show.items() if shown.medium in (*TEXTUAL, "chat")]
    textual += [shown.between for shown in study.show.values() if shown.between]
    return _present(textual, rows)


def media_fields(study: Study, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The shown fields of these rows that hold media files."""
    media = ("image", "images", "audio", "video")
    return _present([name for name, shown in study.show.items() if shown.medium in media], rows)


def _present(names: list[str], rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    left = dict.fromkeys(names)
    rows = list(rows)
    return tuple(name for name in left if any(row.get(name) is not None for row in rows))


def text_in(value: Any) -> str:
    """The text of a field; the turns of a chat one below the other."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Mapping):
        return text_in(value.get("text"))
    if isinstance(value, tuple | list):
        return "\n".join(map(text_in, value))
    return "" if value is None else str(value).strip()


def files_in(value: Any) -> tuple[Path, ...]:
    """The files of a field: one, or those of a series."""
    parts = value if isinstance(value, tuple | list) else (value,)
    return tuple(Path(part) for part in parts if part is not None)


def contents_of(
    study: Study, rows: Sequence[Mapping[str, Any]], facts: Facts
) -> list[dict[str, Any]]:
    """Each row's shown fields by what is in them: equal contents are equal, whatever a file's name.

    A field that a row does not have is absent.
    """
    texts, media = text_fields(study, rows), media_fields(study, rows)
    found = []
    for row in rows:
        content: dict[str, Any] = {
            name: text_in(row[name]) for name in texts if row.get(name) is not None
        }
        for name in media:
            if row.get(name) is not None:
                files = files_in(row[name])
                content[name] = tuple(facts.get(file, {}).get("content", file) for file in files)
        found.append(content)
    return found
