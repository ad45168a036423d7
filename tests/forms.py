"""The cases of `make test`, and those that `make test-full` adds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["cases"]


def cases(short: Iterable[Any], long: Iterable[Any]) -> list[Any]:
    """Values of one parameter: those of the short form, then those of the long one alone."""
    return [*short, *(pytest.param(one, marks=pytest.mark.full) for one in long)]
