"""What a column seems to hold, told from its values."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jurybox.study.criteria import Medium
from jurybox.study.files import is_url

__all__ = ["Column", "describe_column", "media_of_name"]

SUFFIXES: dict[str, Medium] = {
    **dict.fromkeys((".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif"), "image"),
    **dict.fromkeys((".wav", ".flac", ".mp3", ".opus", ".ogg", ".aac", ".m4a"), "audio"),
    **dict.fromkeys((".mp4", ".webm"), "video"),
    **dict.fromkeys((".txt",), "text"),
    **dict.fromkeys((".md",), "markdown"),
}
MARKDOWN = re.compile(r"^(#{1,6} |[-*] |\d+\. |```|> )|\*\*\S|\[[^\]]+\]\([^)]+\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Column:
    """A column's medium, and whether a rater should see it."""

    medium: Medium
    shown: bool


def media_of_name(name: str) -> Medium | None:
    """The medium that a file's suffix stands for."""
    return SUFFIXES.get(Path(name).suffix.casefold())


def describe_column(values: Sequence[Any]) -> Column:
    """Tell media, chat, Markdown and text; numbers and short categories are kept, not shown."""
    there = [value for value in values if value not in (None, "")]
    if not there or len(there) < len(values):
        return Column("text", shown=False)
    if all(_is_chat(value) for value in there):
        return Column("chat", shown=True)
    lists = [value if isinstance(value, list) else str(value).split("|") for value in there]
    media = {media_of_name(part) if _is_path(part) else None for parts in lists for part in parts}
    if len(media) == 1 and (medium := media.pop()) in {"image", "audio", "video"}:
        if medium == "image" and any(len(parts) > 1 for parts in lists):
            return Column("images", shown=True)
        return Column(medium, shown=True)
    if not all(isinstance(value, str) for value in there) or all(_is_number(v) for v in there):
        return Column("text", shown=False)
    marked = sum(bool(MARKDOWN.search(value)) for value in there)
    medium = "markdown" if marked >= max(1, len(there) / 5) else "text"
    return Column(medium, shown=not _is_category(there))


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and not is_url(value) and "\n" not in value and len(value) < 300


def _is_number(value: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?[\d.,]+([eE][-+]?\d+)?%?\s*", value))


def _is_category(values: list[str]) -> bool:
    """Few different short words, each standing several times."""
    different = set(values)
    short = all(len(value) <= 30 and "\n" not in value for value in different)
    return short and len(values) >= 4 and len(different) <= len(values) / 2


def _is_chat(value: Any) -> bool:
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return False
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(turn, dict) and "role" in turn for turn in value)
    )
