"""The trials: found among thousands, shown as raters see them, with every response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from jurybox.design.plan import Plan, Trial, TrialId
from jurybox.store import TrialProgress
from jurybox.web.names import hidden_names
from jurybox.web.organizer.part import PATIENCE, first_of_page, read_progress, watched
from jurybox.web.organizer.problems import Problem, count_open, latest, read_problems
from jurybox.web.organizer.responses import (
    asked_in,
    fields_of,
    find_trial,
    in_sight,
    plans_of,
    responses_of,
)
from jurybox.web.site import Site

__all__ = ["router"]

router = APIRouter()

PAGE = 50

State = Literal["all", "open", "complete", "none", "skipped", "problem", "handled", "check"]


@router.get("/trials")
def trials(
    request: Request,
    start: Annotated[int, Query(ge=0)] = 0,
    q: Annotated[str, Query(max_length=200)] = "",
    state: State = "all",
) -> Response:
    """The trials that fit, a page of them."""
    return watched(request, "trials", lambda site: _found(site, start=start, q=q, state=state))


def _found(site: Site, *, start: int, q: str, state: State) -> dict[str, Any]:
    progress = {row.trial: row for row in read_progress(site, patience=PATIENCE).trials}
    problems: dict[TrialId | None, list[Problem]] = {}
    for problem in read_problems(site):
        problems.setdefault(problem.reported.trial, []).append(problem)
    words = q.casefold().split()
    fitting = [
        trial
        for trial in _candidates(site, state)
        if _is_in(state, trial, progress.get(trial.id), problems.get(trial.id, ()))
        and all(word in _text(site, trial) for word in words)
    ]
    start = first_of_page(start, len(fitting), PAGE)
    names = hidden_names(site)
    shown = fitting[start : start + PAGE]
    return {
        "trials": shown,
        "systems": {one.id: [names.get(s, s) for s in in_sight(one, names)] for one in shown},
        "asked": {one.item: asked_in(site, one.item) for one in shown},
        "n_skipped": sum(progress[one.id].skipped for one in shown if one.id in progress),
        "progress": progress,
        "problems": {one.id: latest(problems.get(one.id, ())) for one in shown},
        "n_open": {one.id: count_open(problems.get(one.id, ())) for one in shown},
        "start": start,
        "page": PAGE,
        "total": len(fitting),
        "q": q,
        "state": state,
    }


def _candidates(site: Site, state: State) -> list[Trial]:
    """The main round's trials; raters report problems of practice and calibration trials too."""
    if state not in ("problem", "handled"):
        return _listed(site, site.plan)
    every = {one.id: one for plan in plans_of(site) for one in plan.trials}
    return _sorted(site, list(every.values()))


def _listed(site: Site, plan: Plan) -> list[Trial]:
    """The trials of a plan without those of practice."""
    return [trial for trial in _sorted(site, plan.trials) if trial.kind != "practice"]


def _sorted(site: Site, trials: Sequence[Trial]) -> list[Trial]:
    """The trials item by item, in an order that says nothing about hidden names."""
    names = hidden_names(site)
    items: dict[str, int] = {}
    for trial in trials:
        items.setdefault(trial.item, len(items))
    return sorted(
        trials, key=lambda one: (items[one.item], sorted(names.get(s, s) for s in one.systems))
    )


def _text(site: Site, trial: Trial) -> str:
    """What a trial is found by: its id, its item, and the item's own words; never its systems."""
    texts = [value for value in fields_of(site, trial.item).values() if isinstance(value, str)]
    return "\n".join([trial.id, trial.item, *texts]).casefold()


def _is_in(
    state: State, trial: Trial, row: TrialProgress | None, problems: Sequence[Problem]
) -> bool:
    if state in ("problem", "handled"):
        return any(one.is_open == (state == "problem") for one in problems)
    if state == "check":
        return trial.kind != "main"
    if row is None:
        return state == "all"
    return {
        "all": True,
        "open": row.answered < row.planned,
        "complete": row.answered >= row.planned,
        "none": row.answered == 0,
        "skipped": row.skipped > 0,
    }[state]


@router.get("/trials/{trial}")
def one_trial(request: Request, trial: str) -> Response:
    """One trial as raters see it, with every response to it."""
    return watched(request, "trial", lambda site: _values(site, TrialId(trial)))


def _values(site: Site, id: TrialId) -> dict[str, Any]:
    plan, found = find_trial(site, id)
    ids = [trial.id for trial in _listed(site, plan)]
    place = ids.index(id) if id in ids else None
    systems = in_sight(found, hidden_names(site))
    order = tuple(found.systems.index(system) for system in systems)
    problems = read_problems(site, trial=id)
    return {
        "trial": found,
        "systems": systems,
        "picture": site.draw(found, order, with_form=False),
        "responses": list(responses_of(site, found, systems)),
        "problems": latest(problems),
        "n_problems": len(problems),
        "open_problems": [one.reported.id for one in problems if one.is_open],
        "before": ids[place - 1] if place else None,
        "after": ids[place + 1] if place is not None and place + 1 < len(ids) else None,
    }
