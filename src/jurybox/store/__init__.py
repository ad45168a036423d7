"""The store: a study's memory. The only room that knows the study's tables.

``Store`` is imported when it is first asked for, so that whoever needs only the values does not
wait for the database library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jurybox.store.values import (
    Assignment,
    Edition,
    Event,
    Exclusion,
    GroupProgress,
    Progress,
    Rater,
    RaterChanges,
    RaterProgress,
    Receipt,
    Recorded,
    ReusedId,
    Shape,
    Submission,
    SystemProgress,
    TrialProgress,
    Version,
    Work,
)

if TYPE_CHECKING:
    from jurybox.store.store import Store

__all__ = [
    "Assignment",
    "Edition",
    "Event",
    "Exclusion",
    "GroupProgress",
    "Progress",
    "Rater",
    "RaterChanges",
    "RaterProgress",
    "Receipt",
    "Recorded",
    "ReusedId",
    "Shape",
    "Store",
    "Submission",
    "SystemProgress",
    "TrialProgress",
    "Version",
    "Work",
]


def __getattr__(name: str) -> Any:
    if name == "Store":
        from jurybox.store.store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
