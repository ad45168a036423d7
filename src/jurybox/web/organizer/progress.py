"""How far the study is: by round, group, system, rater and trial, and when it may end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from jurybox.store import Progress
from jurybox.study.groups import groups_of
from jurybox.web.access import site_of
from jurybox.web.groups import places_taken
from jurybox.web.names import hidden_names
from jurybox.web.organizer.charts import draw_hours
from jurybox.web.organizer.pace import by_hour, find_pace
from jurybox.web.organizer.part import PATIENCE, read_progress, watched
from jurybox.web.organizer.problems import count_open, read_problems
from jurybox.web.organizer.raters import state_of
from jurybox.web.organizer.responses import asked_in
from jurybox.web.site import Site

__all__ = ["router"]

router = APIRouter()

MOST_OPEN = 12
"""How many of the trials with most to do are named; the others are on the trials' page."""


@router.get("/progress")
def progress(request: Request) -> Response:
    """How far the study is; who looks at that is likely to ask for numbers next."""
    prepare = site_of(request).offers.prepare
    if prepare is not None:
        prepare()
    return watched(request, "progress", _values)


def _values(site: Site) -> dict[str, Any]:
    now = site.now()
    found = read_progress(site, patience=PATIENCE)
    left = found.planned - found.answered
    slowest = sorted(found.trials, key=lambda one: (one.answered - one.planned, one.trial))
    to_do = [one for one in slowest if one.answered < one.planned]
    names = hidden_names(site)
    people = [one for one in found.raters if one.kind == "person"]
    numbers = {system: number for number, system in enumerate(names)}
    systems = sorted(found.systems, key=lambda one: (numbers.get(one.system, 0), one.system))
    calibrates = site.study.quality.calibration is not None
    return {
        "progress": found,
        "behind": site.behind,
        "systems": systems,
        "raters": sorted(people, key=lambda one: one.active_at, reverse=True),
        "judges": [one for one in found.raters if one.kind == "judge"],
        "open_trials": to_do[:MOST_OPEN],
        "asked": {one.item: asked_in(site, one.item) for one in to_do[:MOST_OPEN]},
        "n_open": len(to_do),
        "left": left,
        "pace": find_pace(found.recent, left=left, now=now),
        "hours": draw_hours(by_hour(found.recent, now=now)),
        "groups": list(_group_rows(site, found)),
        "calibration": read_progress(site, round="calibration", patience=PATIENCE)
        if calibrates
        else None,
        "n_problems": count_open(read_problems(site)),
        "n_paused": sum(state_of(rater) == "paused" for rater in site.store.raters()),
    }


def _group_rows(site: Site, found: Progress) -> Iterator[dict[str, Any]]:
    """The study's rater groups with their places and answers."""
    taken = places_taken(site)
    known = {one.group: one for one in found.groups}
    for name, group in groups_of(site.study).items():
        yield {
            "name": name,
            "taken": taken.get(name, 0),
            "quota": group.quota,
            "done": known.get(name),
        }
