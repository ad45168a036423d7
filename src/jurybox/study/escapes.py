"""Escapes in JSON that stand for no character."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["refuse_half_characters"]

HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a character outside the basic plane; two in a row are a whole one."""


def refuse_half_characters(text: str, values: Any) -> None:
    r"""Raise ``ValueError`` if the JSON text read as these values holds half of a character.

    UTF-8 has none, so that it could be neither hashed nor stored nor shown.

    >>> refuse_half_characters(r'"\ud83d\ude00"', "\U0001f600")
    >>> refuse_half_characters(r'"\ud83d"', "\ud83d")
    Traceback (most recent call last):
    ValueError: an escape such as \ud83d is half of a character
    """
    if HALF.search(text):
        try:
            json.dumps(values, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError(r"an escape such as \ud83d is half of a character") from None
