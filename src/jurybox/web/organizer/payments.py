"""What each rater did, for whoever pays them: a suggestion with its rule, never a rejection."""

from __future__ import annotations

from typing import Any

from jurybox.formats import format_count
from jurybox.store import Rater, Work
from jurybox.web.organizer.raters import RaterRow, read_rows
from jurybox.web.site import Site
from jurybox.web.stages import code_of

__all__ = ["COLUMNS", "read_payments"]

COLUMNS = (
    *("rater", "group", "state", "sessions", "active_minutes", "trials", "skipped"),
    *("gold_score", "gold_trials", "code", "submission", "suggestion", "rule"),
)


def read_payments(site: Site) -> list[dict[str, Any]]:
    """A row for every person who rated, by id.

    Active minutes add up the time on each trial that was sent, practice and skipped ones too, as
    the page measured it: without the time in which it was hidden. ``submission`` is what Prolific
    or Mechanical Turk pays, by its own name.
    """
    done = site.store.work()
    people = {rater.id: rater for rater in site.store.raters()}
    rows = []
    for row in sorted(read_rows(site), key=lambda one: one.rater):
        work = done.get(row.rater, Work())
        suggestion, rule = _suggest(people[row.rater], row, work.trials)
        values = (
            *(row.rater, row.group, row.state, work.sessions),
            *(round(work.ms / 60_000, 1), work.trials, row.skipped),
            *(None if row.gold is None else round(row.gold, 3), row.n_gold),
            *(code_of(site, people[row.rater]), _submission(people[row.rater]), suggestion, rule),
        )
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def _submission(rater: Rater) -> str | None:
    given = rater.details.get("SESSION_ID") or rater.details.get("assignmentId")
    return None if given is None else str(given)


def _suggest(rater: Rater, row: RaterRow, trials: int) -> tuple[str, str]:
    """What to do, and by which rule; to look first is the most that is ever suggested."""
    if not trials:
        return "nothing to pay", "no trial was sent"
    if row.broken:
        return "look first", row.broken
    marks = [f"{mark.rule}: {mark.sentence}" for mark in row.marks if mark.rule != "withdrawn"]
    if marks:
        return "look first", "; ".join(marks)
    if rater.withdrawn_at is not None:
        return f"pay for {format_count(trials, 'trial')}", "withdrew; the work was done"
    if rater.finished_at is not None:
        return "pay", "finished, and no rule is broken"
    if rater.stopped_at is not None:
        return f"pay for {format_count(trials, 'trial')}", "stopped early"
    return "wait", "still rating"
