"""What a judge has answered so far, and which of it a later prompt has set aside.

For each trial, order and repeat the answer that was stored last counts. A judge that goes back to
an earlier prompt is not asked again what it answered then: the answers are stated once more, and so
count again. What the study no longer asks for is answered by a row that says so, and so counts no
more.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from jurybox.store.values import Submission
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.judges.calls import Calls
    from jurybox.store import Store

__all__ = ["Kept", "find_kept"]


NO_LONGER_ASKED = "no longer asked"


@dataclass(frozen=True, slots=True)
class Kept:
    """The stored answers of one judge, by the key of the call."""

    statuses: dict[str, str]
    reasons: dict[str, str | None]
    """Why an answer is unusable."""
    aside: dict[str, Submission]
    """Those that do not count, since another prompt was answered later."""
    unasked: dict[str, Submission]
    """Those that count, although the study asks for their trial, order or repeat no more."""
    times: Counter[str]

    def restated(self, key: str, *, at: datetime) -> Submission | None:
        """The answer to a call once more, if it was set aside."""
        found = self.aside.get(key)
        return None if found is None else replace(found, id=self._next(key), at=at)

    def set_aside(self, *, at: datetime) -> list[Submission]:
        """Rows after which what is no longer asked counts no more."""
        nothing: dict[str, Any] = {"answers": (), "ms": None, "timing": {}, "comment": None}
        return [
            replace(
                sent,
                id=self._next(key),
                at=at,
                status="skipped",
                reason=NO_LONGER_ASKED,
                **nothing,
            )
            for key, sent in self.unasked.items()
        ]

    def _next(self, key: str) -> str:
        return f"{key}-{self.times[key] + 1}"


def find_kept(store: Store, calls: Calls) -> Kept:
    """Every answer of the judge in the store."""
    kept = Kept({}, {}, {}, {}, Counter())
    asked = set(calls.places())
    for one in store.submissions(rater=RaterId(calls.name)):  # newest first
        sent = one.submission
        key = sent.id.partition("-")[0]
        kept.times[key] += 1
        if sent.status == "skipped" or key in kept.statuses:
            continue
        kept.statuses[key] = sent.status
        kept.reasons[key] = sent.reason
        # What was imported from elsewhere was never asked by a call.
        called = "call" in (sent.timing or {})
        if one.status == "superseded":
            kept.aside[key] = sent
        elif called and (sent.trial, sent.order, sent.repeat) not in asked:
            kept.unasked[key] = sent
    return kept
