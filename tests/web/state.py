"""What a state of a page is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.web.serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

Reach = Callable[["Page", str, Served], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One page in one state."""

    name: str
    study: str
    reach: Reach
    templates: tuple[str, ...] = ()
    """Templates that are drawn here."""
    expect: tuple[str, ...] = ()
    """Console messages that belong to the state, such as those of a dead network."""
