"""What was sent, in the words of the page: every response to a trial, and a rater's latest ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from jurybox.design.answers import Answer
from jurybox.design.plan import Plan, Trial, TrialId
from jurybox.errors import InputError
from jurybox.screen.form import letter
from jurybox.store import Recorded
from jurybox.study.criteria import TEXTUAL
from jurybox.study.model import ItemId, RaterId, SystemId
from jurybox.web.guard import Denied
from jurybox.web.names import hidden_names
from jurybox.web.site import Site

__all__ = [
    "asked_in",
    "fields_of",
    "find_trial",
    "in_sight",
    "latest_of",
    "plans_of",
    "responses_of",
]

LONGEST = 60
"""How many letters of a text a line of the page shows."""
LATEST = 30
"""How many of a rater's latest answers their page shows."""


def plans_of(site: Site) -> list[Plan]:
    """The main round's plan, and the calibration's."""
    return [plan for plan in (site.plan, site.calibration) if plan is not None]


def find_trial(site: Site, id: TrialId) -> tuple[Plan, Trial]:
    """A trial with its plan: the main round's, else the calibration's."""
    for plan in plans_of(site):
        found = next((one for one in plan.trials if one.id == id), None)
        if found is not None:
            return plan, found
    raise Denied(404, f"There is no trial '{id}' in this study.")


def in_sight(trial: Trial, names: Mapping[str, str]) -> tuple[SystemId, ...]:
    """A trial's systems by the names that are seen: its own order is that of the true ones."""
    return tuple(sorted(trial.systems, key=lambda system: names.get(system, system)))


def fields_of(site: Site, item: ItemId) -> Mapping[str, Any]:
    """What an item holds; nothing where files that were changed have it no more."""
    try:
        return site.material.item_fields(item)
    except InputError:
        return {}


def asked_in(site: Site, item: ItemId) -> str:
    """The first text of an item that raters see, as far as it fits into a line."""
    fields = fields_of(site, item)
    for name, shown in site.study.show.items():
        if shown.medium in TEXTUAL and str(fields.get(name) or "").strip():
            return shorten(" ".join(str(fields[name]).split()))
    return ""


def responses_of(
    site: Site, trial: Trial, systems: Sequence[SystemId]
) -> Iterator[Mapping[str, Any]]:
    """Every response to a trial, the oldest first, its outputs by the letters of ``systems``."""
    for one in reversed(site.store.submissions(trial=trial.id)):
        yield _row(one) | _words(site, one, trial, systems)


def latest_of(site: Site, rater: RaterId) -> Iterator[Mapping[str, Any]]:
    """A rater's latest responses, the newest first, their outputs by the letters of their trials.

    What was asked in a trial that no plan has any more cannot be told; that it was sent can.
    """
    trials = {one.id: one for plan in plans_of(site) for one in plan.trials}
    for one in site.store.submissions(rater=rater, limit=LATEST):
        trial = trials.get(one.submission.trial)
        words: dict[str, Any] = {"item": None, "check": None, "answers": []}
        if trial is not None:
            words = _words(site, one, trial, in_sight(trial, hidden_names(site)))
        yield _row(one) | words


def _row(one: Recorded) -> dict[str, Any]:
    sent = one.submission
    return {
        "rater": sent.rater,
        "trial": sent.trial,
        "round": sent.round,
        "kind": sent.rater_kind,
        "status": one.status,
        "reason": sent.reason,
        "comment": sent.comment,
        "seconds": None if sent.ms is None else sent.ms / 1000,
        "at": sent.at,
        "correct": sent.correct,
    }


def _words(site: Site, one: Recorded, trial: Trial, systems: Sequence[SystemId]) -> dict[str, Any]:
    """What was answered, of which item, and how its outputs were shown."""
    letters = {system: letter(place) for place, system in enumerate(systems)}
    turned = tuple(systems) != trial.systems
    seen = [letters[trial.systems[index]] for index in one.submission.order]
    told = (
        _answer(answer, letters, turned=turned) | _marked(site, trial, answer)
        for answer in _in_order(one.submission.answers, systems)
    )
    return {
        "item": trial.item,
        "check": None if trial.kind == "main" else trial.kind,
        "shown": ", ".join(seen) if len(seen) > 1 else "",
        "answers": _ranked(site, told),
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
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


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
