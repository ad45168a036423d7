"""Who rates, in the numbers of the analysis; pausing, leaving out by a rule, and taking back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from jurybox.errors import AnalysisError, RaterError
from jurybox.store import Exclusion, Rater, RaterProgress
from jurybox.study.groups import groups_of
from jurybox.study.model import RaterId
from jurybox.web.access import site_of
from jurybox.web.guard import Denied
from jurybox.web.organizer.part import (
    PATIENCE,
    answers_state,
    first_of_page,
    read_progress,
    remember,
    watched,
)
from jurybox.web.organizer.problems import latest, read_problems
from jurybox.web.organizer.responses import latest_of
from jurybox.web.site import Site

__all__ = ["BY_HAND", "RaterRow", "broken_rules", "read_rows", "router", "rules_of", "state_of"]

router = APIRouter()

BY_HAND = "organizer"
"""The rule of a rater who is left out for a reason that the study did not state before the data."""
PAGE = 100
"""How many raters a page of them shows."""

HOLDABLE = r"^[^\x00]*$"
"""What every database can hold."""
Line = Annotated[str, Field(max_length=200, pattern=HOLDABLE)]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """One rater as the organizer sees them; a number that is not known is ``None``."""

    rater: RaterId
    group: str | None
    state: str
    paused: bool
    active_at: datetime
    answered: int
    planned: int
    skipped: int
    seconds: float | None
    """Median time for a trial."""
    pace: float | None
    """That time as a multiple of what is expected."""
    gold: float | None
    n_gold: int
    same: float | None
    """The share of the most frequent answer, of the criterion where it is largest."""
    agreement: float | None
    """With the others, the mean over the criteria."""
    flags: tuple[str, ...]
    """What is worth a look; it leaves nobody out."""
    broken: str | None
    """By which of the study's rules the analysis leaves them out, in words."""
    marks: tuple[Exclusion, ...]
    n_problems: int
    """Of those that they reported, how many are open."""


def rules_of(site: Site) -> tuple[str, ...]:
    """The rules by which a rater may be left out by hand: the study's, and one for all else."""
    stated = site.study.quality.exclude.model_dump(exclude_none=True)
    return (*(rule for rule, value in stated.items() if value is not False), BY_HAND)


State = Literal["all", "look", "rating", "paused", "finished", "stopped", "withdrawn"]


@router.get("/raters")
def raters(
    request: Request,
    rater: Annotated[str | None, Query(max_length=200)] = None,
    start: Annotated[int, Query(ge=0)] = 0,
    q: Annotated[str, Query(max_length=200)] = "",
    state: State = "all",
) -> Response:
    """Who rates: a page of those who fit, or one of them with everything that is known.

    The id is no part of the path, as browsers take some, like `..`, for a step in it.
    """
    if rater is not None:
        return watched(request, "rater", lambda site: _values(site, RaterId(rater)))
    return watched(request, "raters", lambda site: _found(site, start=start, q=q, state=state))


def _found(site: Site, *, start: int, q: str, state: State) -> dict[str, Any]:
    words = q.casefold().split()
    rows = read_rows(site, patience=PATIENCE)
    fitting = [
        row
        for row in rows
        if _is_in(state, row) and all(word in row.rater.casefold() for word in words)
    ]
    return {
        "rows": fitting[(start := first_of_page(start, len(fitting), PAGE)) :][:PAGE],
        "anybody": bool(rows),
        "looked_for": _looked_for(site) if any(row.flags for row in fitting) else "",
        "has_gold": bool(site.study.quality.gold) or any(row.n_gold for row in rows),
        "start": start,
        "page": PAGE,
        "total": len(fitting),
        "q": q,
        "state": state,
    }


def _is_in(state: State, row: RaterRow) -> bool:
    if state == "look":
        return bool(row.broken or row.flags or row.marks or row.n_problems)
    return state in ("all", row.state)


def _values(site: Site, rater: RaterId) -> dict[str, Any]:
    rows = {row.rater: row for row in read_rows(site, patience=PATIENCE)}
    if rater not in rows:
        raise Denied(404, f"There is no rater '{rater}' in this study.")
    store = site.store
    done = [event for event in store.events(rater=rater) if event.kind != "problem"]
    overview = _overview(site, patience=PATIENCE)
    numbers = overview.numbers(rater) if overview is not None else {}
    problems = read_problems(site, rater=rater)
    return {
        "row": rows[rater],
        "numbers": {
            id.removeprefix("raters/"): cells
            for id, cells in numbers.items()
            if id.startswith("raters/")
        },
        "looked_for": _looked_for(site),
        "rules": rules_of(site),
        "by_hand": BY_HAND,
        "history": [mark for mark in store.exclusions(history=True) if mark.rater == rater],
        "events": done[::-1],
        "problems": latest(problems),
        "n_problems": len(problems),
        "latest": list(latest_of(site, rater)),
    }


def _overview(site: Site, *, patience: float = 0.0) -> Any:
    """What the analysis knows of the raters; none without an analysis, or before any answer."""
    return remember(
        site, "raters", answers_state(site), lambda: _offered(site.offers.raters), patience=patience
    )


def _looked_for(site: Site) -> str:
    """The thresholds that flags follow, in a sentence; nothing before any answer."""
    overview = _overview(site, patience=PATIENCE)
    return "" if overview is None else str(overview.looked_for)


def broken_rules(site: Site) -> Mapping[str, str]:
    """The first of the study's rules that each rater breaks, of those who break one."""
    return remember(site, "rules", answers_state(site), lambda: _offered(site.offers.rules) or {})


def _offered(offer: Callable[[], T] | None) -> T | None:
    """What the analysis gives, if there is one and anything to count."""
    try:
        return None if offer is None else offer()
    except AnalysisError:
        return None


def read_rows(site: Site, *, patience: float = 0.0) -> list[RaterRow]:
    """Every person who rates, those first of whom there is something to say."""
    store, overview = site.store, _overview(site, patience=patience)
    progress = {row.rater: row for row in read_progress(site, patience=patience).raters}
    marks: dict[str, list[Exclusion]] = {}
    for mark in store.exclusions():
        marks.setdefault(mark.rater, []).append(mark)
    problems = Counter(one.reported.rater for one in read_problems(site) if one.is_open)
    broken = {} if overview is None else {one.rater: one.sentence for one in overview.excluded}
    grouped = bool(groups_of(site.study))
    rows = [
        _row(
            rater,
            progress.get(rater.id),
            {} if overview is None else overview.numbers(rater.id),
            state=state_of(rater, placed=rater.group is not None or not grouped),
            broken=broken.get(rater.id),
            marks=tuple(marks.get(rater.id, ())),
            n_problems=problems[rater.id],
        )
        for rater in store.raters()
        if rater.kind == "person"
    ]
    return sorted(rows, key=lambda row: (not row.broken, -len(row.flags), -row.n_problems))


def _row(
    rater: Rater,
    done: RaterProgress | None,
    numbers: dict[str, dict[str, Any]],
    *,
    state: str,
    broken: str | None,
    marks: tuple[Exclusion, ...],
    n_problems: int,
) -> RaterRow:
    whole = numbers.get("raters", {})
    each = [cells for id, cells in numbers.items() if id != "raters"]
    same = [cells["most_used_share"] for cells in each if cells.get("most_used_share") is not None]
    agreed = [cells["agreement"] for cells in each if cells.get("agreement") is not None]
    said = (broken or "").removeprefix(f"{rater.id}: ").split("; ")
    flags = str(whole.get("look") or "").split("; ")
    # A mark is shown as such already.
    broke = "; ".join(part for part in said if not part.startswith("marked as ")) or None
    return RaterRow(
        rater=rater.id,
        group=rater.group,
        state=state,
        paused=rater.paused,
        active_at=rater.active_at,
        answered=done.answered if done else 0,
        planned=done.planned if done else 0,
        skipped=done.skipped if done else 0,
        seconds=whole.get("seconds"),
        pace=whole.get("pace"),
        gold=whole.get("gold"),
        n_gold=whole.get("gold_trials") or 0,
        same=max(same, default=None),
        agreement=fmean(agreed) if agreed else None,
        # What breaks a rule is told with it.
        flags=tuple(flag for flag in flags if flag and not _is_told(flag, broke or "")),
        broken=broke,
        marks=marks,
        n_problems=n_problems,
    )


def _is_told(flag: str, broke: str) -> bool:
    """Whether the broken rules say the same, of whichever criterion.

    >>> _is_told("clear: 95% are 3", "95% are 3 (the rule allows 90%)")
    True
    >>> _is_told("0% of 6 gold trials right", "0 of 6 gold trials right (the rule asks for 60%)")
    True
    >>> _is_told("takes 4% of the time expected", "95% are 3 (the rule allows 90%)")
    False
    """
    words = flag.rpartition(": ")[2]
    return words in broke or ("gold trial" in words and "gold trial" in broke)


def state_of(rater: Rater, *, placed: bool = True) -> str:
    """Where a rater is: what has ended stays so, whatever is done with them afterwards."""
    if rater.withdrawn_at is not None:
        return "withdrawn"
    if rater.finished_at is not None:
        return "finished"
    if rater.stopped_at is not None:
        return "stopped"
    if rater.paused:
        return "paused"
    return "rating" if placed else "no place yet"


class Change(BaseModel):
    """What to do with a rater, who does it and why."""

    model_config = ConfigDict(extra="forbid")

    rater: Line
    action: Literal["pause", "resume", "exclude", "include"]
    rule: Line = ""
    why: Annotated[str, Field(max_length=1000, pattern=HOLDABLE)] = ""
    by: Line = ""


@router.post("/raters")
def change_rater(request: Request, body: Change) -> dict[str, str]:
    """Pause a rater or let them go on, leave them out by a rule or take them back; recorded."""
    site = site_of(request)
    rater, now = RaterId(body.rater), site.now()
    there = site.store.rater(rater)
    if there is None:
        raise Denied(404, f"There is no rater '{rater}' in this study.")
    if body.action in ("pause", "resume"):
        _pause(site, there, wanted=body.action == "pause")
        kind, detail = f"rater {body.action}d", {"by": body.by.strip()}
    elif body.action == "exclude":
        kind, detail = "rater excluded", _exclude(site, rater, body)
    else:
        kind, detail = "exclusion undone", {"rule": body.rule, **_signed(body)}
        _take_back(site, rater, body.rule)
    site.store.event(kind, rater=rater, detail=detail, now=now)
    return {"said": kind}


def _pause(site: Site, rater: Rater, *, wanted: bool) -> None:
    """Pause a rater or let them go on; somebody else may have done so a moment ago."""
    if rater.paused == wanted:
        what = "is paused already" if wanted else "is not paused any more"
        raise RaterError(f"'{rater.id}' {what}; look at the page again.")
    site.store.update_rater(rater.id, paused=wanted, now=site.now())


def _exclude(site: Site, rater: RaterId, body: Change) -> dict[str, str]:
    if body.rule not in rules_of(site):
        allowed = ", ".join(rules_of(site))
        raise RaterError(f"Choose the rule by which the rater is left out: {allowed}.")
    detail = {"rule": body.rule, **_signed(body)}
    if body.rule in _rules_against(site, rater):
        raise RaterError(f"'{rater}' is left out by {body.rule} already; look at the page again.")
    sentence = f"{detail['why']} ({detail['by']})"
    site.store.mark_excluded(rater, body.rule, sentence, now=site.now())
    return detail


def _take_back(site: Site, rater: RaterId, rule: str) -> None:
    """Undo a mark; somebody else may have done so a moment ago."""
    if rule not in _rules_against(site, rater):
        raise RaterError(f"'{rater}' is not left out by {rule} any more; look at the page again.")
    site.store.unmark_excluded(rater, rule, now=site.now())


def _rules_against(site: Site, rater: RaterId) -> set[str]:
    return {mark.rule for mark in site.store.exclusions() if mark.rater == rater}


def _signed(body: Change) -> dict[str, str]:
    by, why = body.by.strip(), body.why.strip()
    if not by or not why:
        raise RaterError("Give your name and the reason; both are kept with the study.")
    return {"by": by, "why": why}
