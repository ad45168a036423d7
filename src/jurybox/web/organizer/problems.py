"""The problems that raters reported: open until somebody notes what was done about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from jurybox.design.plan import TrialId
from jurybox.errors import RaterError
from jurybox.store import Event
from jurybox.study.model import RaterId
from jurybox.web.access import site_of
from jurybox.web.guard import Denied
from jurybox.web.site import Site

__all__ = ["Problem", "count_open", "latest", "read_problems", "router"]

router = APIRouter()

REPORTED = "problem"
DONE = {"handle": "problem handled", "reopen": "problem opened again"}
"""What is recorded for each action."""
LATEST = 30
"""How many problems the page of a trial or a rater shows."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rater reported, and what became of it."""

    reported: Event
    done: tuple[Event, ...]
    """Every time that it was handled or opened again, the oldest first."""

    @property
    def is_open(self) -> bool:
        """Whether it needs a look."""
        return not self.done or self.done[-1].kind != DONE["handle"]


def read_problems(
    site: Site, *, trial: TrialId | None = None, rater: RaterId | None = None
) -> list[Problem]:
    """What was reported of a trial, by a rater or at all, the oldest first."""
    done: defaultdict[int, list[Event]] = defaultdict(list)
    for kind in DONE.values():
        for event in site.store.events(kind, trial=trial):
            done[event.detail["problem"]].append(event)
    return [
        Problem(event, tuple(sorted(done[event.id], key=lambda one: one.id)))
        for event in site.store.events(REPORTED, trial=trial, rater=rater)
    ]


def count_open(problems: Sequence[Problem]) -> int:
    """How many of them need a look."""
    return sum(one.is_open for one in problems)


def latest(problems: Sequence[Problem]) -> list[Problem]:
    """As many as a page shows: the open ones first, and of these the newest."""
    return sorted(problems, key=lambda one: (not one.is_open, -one.reported.id))[:LATEST]


class Change(BaseModel):
    """What became of a problem, and who says so."""

    model_config = ConfigDict(extra="forbid")

    problem: int
    action: Literal["handle", "reopen"]
    earlier: bool = False
    """Whether the trial's open problems that were reported before it are handled with it."""
    note: Annotated[str, Field(max_length=1000)] = ""
    by: Annotated[str, Field(max_length=200)] = ""


@router.post("/problems")
def change_problem(request: Request, body: Change) -> dict[str, str]:
    """Mark a problem as handled, or open it again; recorded, and nothing of it is lost."""
    site = site_of(request)
    every = {one.reported.id: one for one in read_problems(site)}
    found = every.get(body.problem)
    if found is None:
        raise Denied(404, f"There is no problem {body.problem} in this study.")
    detail = _signed(body)
    handles = body.action == "handle"
    if found.is_open != handles:  # somebody else may have done so a moment ago
        what = "is marked as handled already" if handles else "is open already"
        raise RaterError(f"This problem {what}; look at the page again.")
    meant = [found]
    if handles and body.earlier:
        meant = [one for one in every.values() if one.is_open and _is_before(one, found)] + meant
    for one in meant:
        # About the trial: who reported it did nothing here.
        noted = {"problem": one.reported.id, **detail}
        site.store.event(DONE[body.action], trial=one.reported.trial, detail=noted, now=site.now())
    return {"said": DONE[body.action]}


def _is_before(one: Problem, other: Problem) -> bool:
    """Whether it was reported earlier, of the same trial."""
    return one.reported.trial == other.reported.trial and one.reported.id < other.reported.id


def _signed(body: Change) -> dict[str, Any]:
    by, note = body.by.strip(), body.note.strip()
    if not by or not note:
        raise RaterError("Give your name and a note; both are kept with the study.")
    return {"by": by, "note": note}
