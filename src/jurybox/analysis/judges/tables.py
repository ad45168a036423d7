"""Judges beside people in tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jurybox.analysis.context import Context, between, bounds, interval_column
from jurybox.analysis.finding import CellKind, Column, Table
from jurybox.analysis.measure.by_rater_kind import PEOPLE, SystemSeenBy
from jurybox.stats.judges.agreement import NAMES, JudgeAgreement
from jurybox.stats.judges.alternative_annotator import AlternativeAnnotatorTest

__all__ = [
    "FIGURES",
    "Figure",
    "agreement_table",
    "annotator_table",
    "by_kind_table",
    "confusion_table",
    "strata_table",
]

AGAINST = {"person": "each person", "consensus": "consensus of the others"}
PANEL = (
    "A panel is made of the judges' answers and is no rater of its own; what judges are weighted "
    "by comes from other items than those the panel is looked at on."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What systems are seen by, by people and by each judge."""

    heading: str
    kind: CellKind = "percent"
    explained: str = ""
    """A sentence below the table."""
    table: str = ""
    """What tells the table from another of the criterion."""

    @property
    def column(self) -> str:
        """The name of its column."""
        return self.heading.lower().replace(" ", "_")


FIGURES: dict[str, Figure] = {
    "ratings": Figure(heading="Mean score", kind="number"),
    "votes": Figure(heading="Win rate", explained="A tie counts as half a win."),
    "detections": Figure(heading="Taken for real"),
    "spans": Figure(
        heading="Error points",
        kind="number",
        explained="Error points of an output; fewer are better.",
    ),
    "firsts": Figure(
        heading="Ranked first",
        explained="Ranked first: in how many of its rankings; tied firsts share the place.",
    ),
    "picks": Figure(heading="Share picked", explained="Picked: of the choices that it is in."),
    "rankings": Figure(
        heading="Ranked above",
        explained="Ranked above: how many of the other outputs in its rankings; ties count half.",
        table="above",
    ),
}


def by_kind_table(
    context: Context, criterion: str, figure: Figure, rows: Sequence[SystemSeenBy]
) -> Table:
    """Every system as people and as each judge see it."""
    apart = f", {figure.heading.lower()}" if figure.table else ""
    return Table(
        id="/".join(["by_rater_kind", criterion, *([figure.table] if figure.table else [])]),
        title=f"Systems by people and by judges{apart}: {criterion}",
        columns=(
            Column(name="system", heading="System"),
            Column(name="rater_kind", heading="By"),
            Column(name=figure.column, heading=figure.heading, kind=figure.kind),
            interval_column(context),
            Column(name="responses", heading="Answers", kind="count"),
        ),
        rows=tuple(
            (
                row.system,
                row.by,
                row.result.estimate,
                bounds(row.result.interval),
                row.result.n_responses,
            )
            for row in rows
        ),
        caption=f"On the outputs that {PEOPLE} and every judge answered, so that two figures of a "
        "system differ by who answered alone. "
        + " ".join(f"Intervals of {who} hold for {to}." for who, to in _claims(rows))
        + (f" {figure.explained}" if figure.explained else ""),
    )


def _claims(rows: Sequence[SystemSeenBy]) -> Iterator[tuple[str, str]]:
    """Whom intervals speak for: people's, and those of all judges, each of whom is one."""
    for who, own in (("people", True), ("a judge", False)):
        held = [row.result.interval for row in rows if (row.by == PEOPLE) == own]
        to = next((interval.generalizes_to for interval in held if interval), None)
        if to is not None:
            yield who, to if own else to.replace("rater", "judge")


def agreement_table(context: Context, criterion: str, rows: Sequence[JudgeAgreement]) -> Table:
    """One statistic of every judge beside the ceiling."""
    crowd = any(row.against == "consensus" for row in rows)
    against = (Column(name="against", heading="Against"),) if crowd else ()
    return Table(
        id=f"judges/{criterion}/{rows[0].statistic}",
        title=f"Judges beside people: {criterion}, {NAMES[rows[0].statistic]}",
        columns=(
            Column(name="judge", heading="Judge"),
            *against,
            *_beside_columns(context, rows),
            Column(name="unusable", heading="Unusable replies", kind="count"),
        ),
        rows=tuple(
            (
                row.judge,
                *((AGAINST[row.against],) if crowd else ()),
                *_beside_cells(row),
                None if row.panel_of else row.n_unusable,
            )
            for row in rows
        ),
        caption="On the units that the judge and two people answered, each counting once. A "
        "judge's two orders of one trial are one answer, and of its repeats the first counts. "
        + ("The consensus of the others leaves one person out at a time. " if crowd else "")
        + ("" if not any(row.panel_of for row in rows) else PANEL),
    )


def _beside_columns(context: Context, rows: Sequence[JudgeAgreement]) -> tuple[Column, ...]:
    shares = all(row.as_percent for row in rows)
    kind: CellKind = "percent" if shares else "number"
    return (
        Column(name="agreement", heading="Judge and people", kind=kind),
        interval_column(context, "agreement_interval"),
        Column(name="ceiling", heading="Two people", kind=kind),
        interval_column(context, "ceiling_interval"),
        Column(name="difference", heading="Difference, points", kind="points")
        if shares
        else Column(name="difference", heading="Difference", kind="number"),
        interval_column(context, "difference_interval"),
        Column(name="units", heading="Units", kind="count"),
    )


def _beside_cells(row: JudgeAgreement) -> tuple[object, ...]:
    return (
        row.estimate,
        bounds(row.interval),
        row.ceiling,
        between(row.ceiling_low, row.ceiling_high),
        row.difference,
        between(row.difference_low, row.difference_high),
        row.n_units,
    )


def annotator_table(
    context: Context, criterion: str, rows: Sequence[AlternativeAnnotatorTest]
) -> Table:
    """The alternative-annotator test of every judge."""
    return Table(
        id=f"alternative_annotator/{criterion}",
        title=f"Alternative-annotator test: {criterion}",
        columns=(
            Column(name="judge", heading="Judge"),
            Column(name="epsilon", heading="ε", kind="number"),
            Column(name="winning_rate", heading="Winning rate", kind="percent"),
            interval_column(context, "winning_rate_interval"),
            Column(name="verdict", heading="Verdict"),
            Column(name="at_zero", heading="At ε = 0", kind="percent"),
            Column(name="advantage", heading="Mean advantage", kind="percent"),
            interval_column(context, "advantage_interval"),
            Column(name="tested", heading="People tested", kind="count"),
        ),
        rows=tuple(
            (
                row.judge,
                row.epsilon,
                row.estimate,
                bounds(row.interval),
                _verdict(row),
                row.at_zero,
                row.advantage,
                between(row.advantage_low, row.advantage_high),
                len(row.raters),
            )
            for row in rows
        ),
        caption="Winning rate: for how many people the judge is closer to the other people than "
        "that person is, less ε, by one-sided t tests over items, Benjamini and Yekutieli at 5%; "
        "one half passes. Mean advantage: how often it is at least as close.",
    )


def _verdict(row: AlternativeAnnotatorTest) -> str:
    if row.undefined:
        return "not tested"  # a sentence says why
    return "passes" if row.passes else "does not pass"


def strata_table(context: Context, criterion: str, rows: Sequence[JudgeAgreement]) -> Table:
    """Every judge beside the ceiling within categories and lengths."""
    kind: CellKind = "points" if all(row.as_percent for row in rows) else "number"
    return Table(
        id=f"judge_strata/{criterion}",
        title=f"Where judges differ: {criterion}",
        columns=(
            Column(name="judge", heading="Judge"),
            Column(name="where", heading="Where"),
            *_beside_columns(context, rows),
            Column(name="contrast", heading="Than elsewhere", kind=kind),
            Column(name="p", heading="Adjusted p", kind="p"),
        ),
        rows=tuple(
            (
                row.judge,
                row.stratum,
                *_beside_cells(row),
                row.contrast,
                row.claimed_p,
            )
            for row in rows
        ),
        caption="Exploratory. Length: the thirds of the units by the letters of their outputs. "
        "Than elsewhere: the difference here less that on all other units; p is adjusted by "
        "Benjamini and Hochberg over all judges, parts and trends of the criterion.",
    )


def confusion_table(row: JudgeAgreement) -> Table:
    """How often the judge said this where a person said that."""
    said = (*row.judge_values, *row.person_values)
    return Table(
        id=f"confusion/{row.criterion}/{row.judge}",
        title=f"What {row.judge} says (rows) where people say (columns): {row.criterion}",
        columns=(
            Column(name="judge_says", heading=row.judge),
            *(
                Column(name=f"person_{k}", heading=value, kind="count")
                for k, value in enumerate(row.person_values)
            ),
        ),
        rows=tuple(
            (value, *counts) for value, counts in zip(row.judge_values, row.confusion, strict=True)
        ),
        caption="Each person's answer to a unit of the judge counts once."
        + (" First and second: the systems in alphabetical order." if "first" in said else ""),
    )
