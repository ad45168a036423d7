"""The trials: found among thousands, shown as raters see them, with every response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from jurybox.design.answers import Answer
from jurybox.design.plan import Plan, Trial, TrialId
from jurybox.screen.form import letter
from jurybox.store import TrialProgress
from jurybox.study.model import SystemId
from jurybox.web.guard import Denied
from jurybox.web.names import hidden_names
from jurybox.web.organizer.part import PATIENCE, first_of_page, read_progress, watched
from jurybox.web.organizer.problems import Problem, count_open, latest, read_problems
from jurybox.web.site import Site

__all__ = ["responses_of", "router"]

router = APIRouter()

PAGE = 50
LONGEST_MARK = 60
"""How many letters of a marked piece of text it shows."""

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
        "systems": {one.id: [names.get(s, s) for s in _in_sight(one, names)] for one in shown},
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
    every = {one.id: one for plan in _plans(site) for one in plan.trials}
    return _sorted(site, list(every.values()))


def _plans(site: Site) -> list[Plan]:
    """The main round's plan, and the calibration's."""
    return [plan for plan in (site.plan, site.calibration) if plan is not None]


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


def _in_sight(trial: Trial, names: Mapping[str, str]) -> tuple[SystemId, ...]:
    """A trial's systems by the names that are seen: its own order is that of the true ones."""
    return tuple(sorted(trial.systems, key=lambda system: names.get(system, system)))


def _text(site: Site, trial: Trial) -> str:
    """What a trial is found by: its id, its item, and the item's own words; never its systems."""
    fields = site.material.item_fields(trial.item)
    texts = [value for value in fields.values() if isinstance(value, str)]
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
    systems = _in_sight(found, hidden_names(site))
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


def find_trial(site: Site, id: TrialId) -> tuple[Plan, Trial]:
    """A trial with its plan: the main round's, else the calibration's."""
    for plan in _plans(site):
        found = next((one for one in plan.trials if one.id == id), None)
        if found is not None:
            return plan, found
    raise Denied(404, f"There is no trial '{id}' in this study.")


def responses_of(
    site: Site, trial: Trial, systems: Sequence[SystemId]
) -> Iterator[Mapping[str, Any]]:
    """Every response to a trial, the oldest first, its outputs by the letters of ``systems``."""
    letters = {system: letter(place) for place, system in enumerate(systems)}
    turned = tuple(systems) != trial.systems
    for one in reversed(site.store.submissions(trial=trial.id)):
        sent = one.submission
        seen = [letters[trial.systems[index]] for index in sent.order]
        yield {
            "rater": sent.rater,
            "kind": sent.rater_kind,
            "status": one.status,
            "reason": sent.reason,
            "comment": sent.comment,
            "seconds": None if sent.ms is None else sent.ms / 1000,
            "at": sent.at,
            "shown": ", ".join(seen) if len(seen) > 1 else "",
            "answers": _ranked(
                site,
                (
                    _answer(answer, letters, turned=turned) | _marked(site, trial, answer)
                    for answer in _in_order(sent.answers, systems)
                ),
            ),
        }


def _in_order(answers: Sequence[Answer], systems: Sequence[SystemId]) -> list[Answer]:
    """Answers criterion by criterion, the outputs as on the page.

    They are kept in the plan's order, which goes by the true names and would tell them.
    """
    criteria = list(dict.fromkeys(answer.criterion for answer in answers))
    places = {system: place for place, system in enumerate(systems, start=1)}

    def place(answer: Answer) -> tuple[int, int]:
        output = 0 if answer.system is None else places[answer.system]
        return criteria.index(answer.criterion), output

    return sorted(answers, key=place)


def _answer(answer: Answer, letters: Mapping[SystemId, str], *, turned: bool) -> dict[str, Any]:
    given = {name: getattr(answer, name) for name in _VALUES}
    if given["winner"] in ("a", "b") and turned:
        given["winner"] = "b" if given["winner"] == "a" else "a"
    if given["system"] is not None and len(letters) > 1:
        given["letter"] = letters[given["system"]]
    return {name: value for name, value in given.items() if value is not None}


def _marked(site: Site, trial: Trial, answer: Answer) -> dict[str, str]:
    """The words that a rater marked, as far as they fit into a line."""
    if answer.start is None or answer.system is None or answer.field is None:
        return {}
    text = str(site.material.output_fields(trial.item, answer.system).get(answer.field, ""))
    return {"words": shorten(text[answer.start : answer.end])}


def shorten(words: str) -> str:
    """Give words, or as many letters of them as fit into a line.

    >>> shorten("a bicycle"), shorten("bicycle " * 20)
    ('a bicycle', 'bicycle bicycle bicycle bicycle bicycle bicycle bicycle bic…')
    """
    return words if len(words) <= LONGEST_MARK else f"{words[: LONGEST_MARK - 1]}…"


def _ranked(site: Site, answers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same answers, in which the ranks of a criterion are one order, from best to worst.

    Where only the best was asked for, nothing is told of the others.
    """
    told: list[dict[str, Any]] = []
    for (_, is_rank), some in groupby(answers, lambda one: (one["criterion"], "rank" in one)):
        group = list(some)
        if is_rank:
            group.sort(key=itemgetter("rank", "letter"))
            order = [
                " = ".join(one["letter"] for one in tied)
                for _, tied in groupby(group, itemgetter("rank"))
            ]
            letterless = {name: value for name, value in group[0].items() if name != "letter"}
            only_best = site.study.criteria[group[0]["criterion"]].answer == "best"
            group = [{**letterless, **({"best": order[0]} if only_best else {"order": order})}]
        told += group
    return told


_VALUES = (
    *("criterion", "system", "score", "winner", "strength", "rank", "answer", "confidence"),
    *("reason_given", "start", "end", "category", "severity"),
)
