"""How long a server asks its callers to wait, as its headers say."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

__all__ = ["asked_wait", "reset_wait"]


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """The wait after a call that was turned away: seconds, milliseconds or a date.

    >>> asked_wait({"retry-after": "2.5"}), asked_wait({"retry-after-ms": "10"}), asked_wait({})
    (2.5, 0.01, None)
    """
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


def reset_wait(headers: Mapping[str, str]) -> float | None:
    """The wait after an answer that says that nothing is left for the next call.

    >>> reset_wait({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"})
    360.0
    """
    waits = [
        duration(headers.get(f"x-ratelimit-reset-{kind}", ""))
        for kind in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{kind}") == "0"
    ]
    return max((1.0 if wait is None else wait for wait in waits), default=None)


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def duration(text: str) -> float | None:
    """A duration such as `6m0s`, `88ms` or `1.5` in seconds.

    >>> duration("6m0s"), duration("88ms"), duration("1.5"), duration("soon")
    (360.0, 0.088, 1.5, None)
    """
    plain = _number(text)
    if plain is not None:
        return plain
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    if not parts or "".join(a + b for a, b in parts) != text:
        return None
    return sum(float(value) * _UNITS[unit] for value, unit in parts)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None
