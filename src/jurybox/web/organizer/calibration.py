"""The calibration round: how far raters agree, where they do not, and the way to the main one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from jurybox.design.hidden import hide_systems
from jurybox.design.plan import TrialId
from jurybox.errors import AnalysisError, InputError, RaterError
from jurybox.screen.form import title_of
from jurybox.store import Shape
from jurybox.web.access import site_of
from jurybox.web.names import hidden_names
from jurybox.web.organizer.part import PATIENCE, answers_state, read_progress, remember, watched
from jurybox.web.rounds import OPENED, main_opened
from jurybox.web.site import Site

__all__ = ["Disagreement", "find_disagreements", "router"]

router = APIRouter()

ANSWERS: tuple[tuple[Shape, str], ...] = (
    ("ratings", "score"),
    ("votes", "winner"),
    ("rankings", "rank"),
    ("detections", "answer"),
)
"""The column of every table that holds the answer."""
MOST = 20
"""How many disagreements a group has the patience to talk about …"""
ENDS = 12
"""… and of how many answers at each end of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What one rater answered."""

    rater: str
    value: Any
    """A number, a word, or the system that is preferred, under the name that is seen."""
    comment: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """The answers to one criterion of one output, side by side."""

    trial: TrialId
    item: str
    system: str | None
    criterion: str
    spread: float
    """0: all the same; 1: as far apart as the scale allows, or no two the same."""
    given: tuple[Given, ...]
    """From the lowest to the highest; of very many, those at both ends."""
    n_more: int


@router.get("/calibration")
def calibration(request: Request) -> Response:
    """How the calibration goes."""
    return watched(request, "calibration", _values)


def _values(site: Site) -> dict[str, Any]:
    asked = site.study.quality.calibration
    if asked is None:
        return {"asked": None}
    agreed, problem = _agreed(site, patience=PATIENCE)
    state = (answers_state(site, round="calibration"), tuple(hidden_names(site).items()))
    found = remember(
        site, "disagreements", state, lambda: find_disagreements(site), patience=PATIENCE
    )
    return {
        "asked": asked,
        "progress": read_progress(site, round="calibration", patience=PATIENCE),
        "agreed": agreed,
        "short": _below(agreed, asked.target),
        "problem": problem,
        "talks": _by_trial(found[:MOST]),
        "n_shown": min(MOST, len(found)),
        "total": len(found),
        "opened": main_opened(site),
    }


def _agreed(site: Site, *, patience: float = 0.0) -> tuple[tuple[Any, ...], str | None]:
    """The agreement on each criterion, or why there is none yet."""
    agree = site.offers.calibration
    if agree is None:
        return (), "This server was started without an analysis."
    try:
        state = answers_state(site, round="calibration")
        found = remember(site, "calibration", state, lambda: tuple(agree()), patience=patience)
        return found, None if found else "There is no statistic of agreement on marked errors."
    except AnalysisError:
        return (), None
    except InputError:  # what is left of the table is empty
        return (), "Everybody who has answered is left out."


def _by_trial(found: Iterable[Disagreement]) -> dict[TrialId, list[Disagreement]]:
    """Disagreements by the trial that a group looks at, in the order of its widest."""
    talks: dict[TrialId, list[Disagreement]] = {}
    for one in found:
        talks.setdefault(one.trial, []).append(one)
    return talks


def _below(agreed: tuple[Any, ...], target: float) -> list[str]:
    """The criteria whose agreement is below the target, or not known."""
    found = [(one.criterion, one.result.estimate) for one in agreed]
    return [criterion for criterion, value in found if value is None or value < target]


def find_disagreements(site: Site) -> tuple[Disagreement, ...]:
    """Every output and criterion of the calibration with answers that differ, the widest first."""
    names = hidden_names(site)
    rows: defaultdict[tuple[Any, ...], list[Given]] = defaultdict(list)
    for shape, value in ANSWERS:
        read = site.store.table(shape, round="calibration")
        table = hide_systems(read, names)
        systems = table.get("system", [None] * len(table["rater"]))
        for trial, item, system, criterion, rater, given, comment in zip(
            *(table["trial"], table["item"], systems, table["criterion"]),
            *(table["rater"], _told(table, value), table["comment"]),
            strict=True,
        ):
            key = (TrialId(trial), item, system, criterion)
            rows[key].append(Given(rater=rater, value=given, comment=comment))
    found = []
    for (trial, item, system, criterion), given in rows.items():
        given.sort(key=lambda one: (one.value, one.rater))
        shown = given if len(given) <= 2 * ENDS else given[:ENDS] + given[-ENDS:]
        found.append(
            Disagreement(
                trial=trial, item=item, system=system, criterion=criterion,
                spread=_spread(site, criterion, [one.value for one in given]),
                given=tuple(shown), n_more=len(given) - len(shown),
            )
        )  # fmt: skip
    apart = [one for one in found if one.spread > 0]
    return tuple(sorted(apart, key=lambda one: (-one.spread, one.trial, one.criterion)))


def _told(table: Mapping[str, list[Any]], value: str) -> list[Any]:
    """What was answered; of a vote the system, as a letter means another one on another page."""
    if value != "winner":
        return [title_of(one) if isinstance(one, str) else one for one in table[value]]
    rows = zip(table["winner"], table["system_a"], table["system_b"], strict=True)
    return [{"a": a, "b": b}.get(winner) or title_of(winner) for winner, a, b in rows]


def _spread(site: Site, criterion: str, values: list[Any]) -> float:
    if any(isinstance(value, str) for value in values):
        most = max(map(values.count, set(values)))
        return (len(values) - most) / max(len(values) - 1, 1)
    scale = site.study.criteria[criterion].scale
    width = scale.high - scale.low if scale is not None else max(len(values) - 1, 1)
    return float(max(values) - min(values)) / (width or 1.0)


class Opening(BaseModel):
    """Who opens the main round."""

    model_config = ConfigDict(extra="forbid")

    by: Annotated[str, Field(max_length=200)]


@router.post("/calibration/open")
def open_main(request: Request, body: Opening) -> dict[str, str]:
    """Open the main round; who did it, and the agreement then, are kept."""
    site = site_of(request)
    asked = site.study.quality.calibration
    if asked is None:
        raise RaterError("This study has no calibration round; its main round is open.")
    by = body.by.strip()
    if not by:
        raise RaterError("Give your name; it is kept with the study.")
    agreed, _ = _agreed(site)
    short = _below(agreed, asked.target)
    if asked.gate == "block" and (short or not agreed):
        what = ", ".join(short) or "any criterion"
        raise RaterError(
            f"The study keeps its main round closed until agreement reaches {asked.target:g}, and "
            f"it does not on {what} (quality.calibration.gate: block)."
        )
    if main_opened(site) is None:
        reached = {one.criterion: one.result.estimate for one in agreed}
        detail = {"by": by, "target": asked.target, "agreement": reached}
        site.store.event(OPENED, detail=detail, now=site.now())
    return {"said": OPENED}
