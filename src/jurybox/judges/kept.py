"""What a judge has answered so far, and which of it a later prompt has set aside.

For each trial, order and repeat the answer that was stored last counts. A judge that goes back to
an earlier prompt is not asked again what it answered then: the answers are stated once more, and so
count again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from jurybox.store.values import Submission
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.store import Store

__all__ = ["Kept", "find_kept"]


@dataclass(frozen=True, slots=True)
class Kept:
    """The stored answers of one judge, by the key of the call."""

    statuses: dict[str, str]
    aside: dict[str, Submission]
    """Those that do not count, since another prompt was answered later."""
    times: Counter[str]

    def restated(self, key: str, *, at: datetime) -> Submission | None:
        """The answer to a call once more, if it was set aside."""
        found = self.aside.get(key)
        return None if found is None else replace(found, id=f"{key}-{self.times[key] + 1}", at=at)


def find_kept(store: Store, judge: str) -> Kept:
    """Every answer of the judge in the store."""
    kept = Kept({}, {}, Counter())
    for one in store.submissions(rater=RaterId(judge)):  # newest first
        key = one.submission.id.partition("-")[0]
        kept.times[key] += 1
        if kept.times[key] > 1:
            continue
        kept.statuses[key] = one.submission.status
        if one.status == "superseded":
            kept.aside[key] = one.submission
    return kept
