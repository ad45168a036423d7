"""What a judge's verdicts depend on besides the outputs, in sentences and one table.

A look at biases is exploratory: each is described with its interval and a p that is adjusted for
how many biases were looked for, and none is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from jurybox.analysis.context import Context, bounds, in_hundredths, interval_column
from jurybox.analysis.finding import Chapter, Column, Finding, Table, Together
from jurybox.analysis.judges.findings import interval_name
from jurybox.analysis.looks import looked_for
from jurybox.analysis.measure.judge_biases import LOOKED_FOR, JudgeFacts, biases_of
from jurybox.analysis.sentences import points
from jurybox.results import format_number, format_p, format_percent
from jurybox.stats.judges.biases import BIASES, JudgeBias
from jurybox.stats.judges.shifts import LESS_APART
from jurybox.tally.judge_replies import JudgeReplies

__all__ = ["bias_chapters", "bias_rows"]

WITH_SIDE = ("leniency", "compression", "verbosity", "self_preference")
"""Those whose sentence says which way, and then how far."""
CAPTION = (
    "Exploratory; 0 is no bias. Position and wording: verdicts that differ between two orders, or "
    "two wordings, less those that differ between repeats of one call (of scores, how far they are "
    "apart). First-shown advantage: wins beyond one half, or points for being shown first. "
    "Verbosity, self-preference and leniency: what the judge gives more than people on the same "
    "outputs; verbosity of votes in log-odds for an output twice as long. Compression: by how much "
    "its scores spread less than a person's."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """How answers of a shape are spoken of."""

    scores: str = "scores"
    more: tuple[str, str] = ("higher", "lower")
    gives: str = "scores"
    answers: str = "answers otherwise"
    wins: str = "wins"
    win: str = "win"
    to_win: str = "to win"
    caption: str = ""


WORDS: dict[str, _Words] = {
    "spans": _Words(
        scores="error points",
        more=("more error points", "fewer error points"),
        gives="gives",
        caption=" Points are error points, of which more are worse.",
    ),
    "rankings": _Words(
        answers="orders two outputs otherwise",
        wins="is ranked above the other in",
        win="are ranked above the other output",
        to_win="to be ranked above another",
        caption=" A ranking is taken as a verdict on every two of its outputs, and to win is to be "
        "ranked above.",
    ),
}
ADJUSTED = " p: {}; repeats that differ are chance, and have none."


def bias_rows(
    context: Context, replies: JudgeReplies, criterion: str, facts: JudgeFacts
) -> tuple[JudgeBias, ...]:
    """Every bias of every judge on one criterion, each with a p of its own."""
    # A judge of the study that has not answered yet has no wording to compare.
    there = [pair for pair in facts.wordings if set(pair) <= set(replies.judges)]
    facts = replace(facts, wordings=tuple(there))
    return biases_of(replies, criterion, facts, context.options).rows


def bias_chapters(
    context: Context, found: Mapping[str, Sequence[JudgeBias]], shape: str
) -> list[Chapter]:
    """Every bias of every judge by criterion, adjusted for how many there are on all of them.

    ``shape``: of the answers, as they were given.
    """
    words = WORDS.get(shape, _Words())
    rows = looked_for([row for own in found.values() for row in own], LOOKED_FOR)
    made = []
    for criterion, own in found.items():
        mine, rows = rows[: len(own)], rows[len(own) :]
        findings = _findings(mine, criterion, words)
        table = _table(context, criterion, mine, words)
        made.append(Chapter(findings=tuple(findings), tables=(table,)))
    return made


def _findings(rows: Sequence[JudgeBias], criterion: str, words: _Words) -> list[Finding]:
    """A sentence for each bias that the data can tell, and one per judge for what they cannot."""
    found = [
        Finding(
            id=f"judge_bias/{criterion}/{row.judge}/{row.bias}{_against(row)}",
            sentence=f"{_sentence(row, words)}.",
            result=row,
            standing="judge",
            criterion=criterion,
        )
        for row in rows
        if row.estimate is not None
    ]
    for judge in dict.fromkeys(row.judge for row in rows):
        unknown = [row for row in rows if row.judge == judge and row.estimate is None]
        if unknown:
            together = Together(
                before="Not known of ", of=judge, after=f" on {criterion}: {_reasons(unknown)}."
            )
            found.append(
                Finding(
                    id=f"judge_bias/{criterion}/{judge}/unknown",
                    sentence=together.said([judge]),
                    result=unknown[0],
                    standing="judge",
                    told=False,
                    criterion=criterion,
                    together=together,
                )
            )
    return found


def _against(row: JudgeBias) -> str:
    return "" if row.against in (None, "people") else f"/{row.against}"


def _reasons(rows: Iterable[JudgeBias]) -> str:
    """The biases of each reason, once."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        by_reason.setdefault(row.undefined or "", []).append(BIASES[row.bias])
    return "; ".join(
        f"{', '.join(dict.fromkeys(names))} ({why})" for why, names in by_reason.items()
    )


def _sentence(row: JudgeBias, words: _Words) -> str:
    """One bias in plain words, with its interval."""
    on = f" on {row.criterion}"
    if row.bias in ("position", "wording"):
        return _beyond_chance(row, on, words)
    if row.bias == "repeats":
        how = "in" if row.as_percent else "by"
        return f"Asked the same again{on}, {row.judge} {words.answers} {how} {_size(row)}"
    if row.bias == "first_shown":
        if row.as_percent:
            won = format_percent(0.5 + (row.estimate or 0.0))
            return (
                f"With {row.judge} the output shown first {words.wins} {won}{on}: {_size(row)} "
                "beyond one half"
            )
        return f"Being shown first moves the {words.scores} of {row.judge}{on} by {_size(row)}"
    if row.bias == "compression":
        side = "less" if (row.estimate or 0.0) >= 0 else "more"
        return (
            f"The {words.scores} of {row.judge}{on} spread "
            f"{format_percent(abs(row.estimate or 0.0))} {side} than a person's {_interval(row)}"
        )
    if row.bias == "leniency":
        higher = _higher(row, words)
        return f"{row.judge} {words.gives} {higher} than people on the same outputs{on}"
    return _more_than(row, on, words)


def _beyond_chance(row: JudgeBias, on: str, words: _Words) -> str:
    if row.bias == "position":
        head = f"Shown in the other order, {row.judge} {words.answers}{on}"
    else:
        head = f"Asked in the words of {row.against}, {row.judge} {words.answers}{on}"
    if row.as_percent:
        seen = f"in {format_percent(row.observed)}, asked the same again in "
        seen += format_percent(row.chance)
    else:
        seen = f"by {row.format(row.observed)} on average, asked the same again by "
        seen += row.format(row.chance)
    return f"{head} {seen}: {_size(row)} beyond chance"


def _more_than(row: JudgeBias, on: str, words: _Words) -> str:
    """Verbosity and self-preference: what the judge gives more than others do."""
    whom = row.against or "people"
    if row.bias == "self_preference":
        mind = f"; mind that {LESS_APART}" if LESS_APART in row.notes else ""
        if row.as_percent:
            return (
                f"Outputs of its own family {words.win} {_more(row)} often with {row.judge}{on} "
                f"than with {whom}{mind}"
            )
        higher = _higher(row, words)
        return f"{row.judge} {words.gives} its own family {higher}{on} than {whom} do{mind}"
    if row.interval is not None and row.unit == "log-odds":
        odds, low, high = (
            _odds(end) for end in (row.estimate or 0.0, row.interval.low, row.interval.high)
        )
        return (
            f"An output twice as long has {odds} times the odds {words.to_win} with {row.judge}"
            f"{on} that it has with {whom} ({interval_name(row.interval)} {low} to {high}{_p(row)})"
        )
    return f"For an output twice as long {row.judge} gives {_higher(row, words)}{on} than {whom} do"


def _odds(log_odds: float) -> str:
    """Odds in two digits, as far as these say anything.

    >>> _odds(0.0), _odds(-9.0), _odds(28.2)
    ('1.00', 'less than 0.01', 'more than 1,000')
    """
    if log_odds < math.log(0.01):
        return "less than 0.01"
    return "more than 1,000" if log_odds > math.log(1000) else format_number(math.exp(log_odds), 2)


def _size(row: JudgeBias) -> str:
    shown = points(row.estimate or 0.0) if _is_gap(row) else row.format(row.estimate)
    return f"{shown} {_interval(row)}"


def _is_gap(row: JudgeBias) -> bool:
    """Whether a share is a difference of two shares, and so in percentage points."""
    return row.as_percent and row.bias != "repeats"


def _higher(row: JudgeBias, words: _Words) -> str:
    side = words.more[0 if (row.estimate or 0.0) >= 0 else 1]
    return f"{row.format(abs(row.estimate or 0.0))} {side} {_interval(row)}"


def _more(row: JudgeBias) -> str:
    side = "more" if (row.estimate or 0.0) >= 0 else "less"
    return f"{points(abs(row.estimate or 0.0))} {_interval(row)} {side}"


def _interval(row: JudgeBias) -> str:
    if row.interval is None:
        return f"(no interval: {row.undefined})"
    ends = row.ends(row.interval)
    if row.bias in WITH_SIDE and (row.estimate or 0.0) < 0:
        # The sentence names the other direction, and so do the ends.
        flipped = replace(row.interval, low=-row.interval.high, high=-row.interval.low)
        ends = row.ends(flipped)
    return f"({interval_name(row.interval)} {ends}{_p(row)})"


def _p(row: JudgeBias) -> str:
    """The p of a look, and what it is adjusted by."""
    if row.p_adjusted is not None:
        return f"; {format_p(row.p_adjusted)} by {row.adjusted_by}"
    return "" if row.p is None else f"; {format_p(row.p)}"


def _cells(row: JudgeBias) -> tuple[object, ...]:
    """The unit, and the estimate and interval in it, as the sentence has them."""
    if not row.as_percent:
        return (row.unit, row.estimate, bounds(row.interval))
    is_gap = _is_gap(row) and row.bias != "compression"
    return ("percentage points" if is_gap else "percent", *in_hundredths(row))


def _differs(row: JudgeBias) -> tuple[float | None, ...]:
    """How often its answers differ, and those to one call, in the same unit."""
    times = 100 if row.as_percent else 1
    return tuple(None if v is None else times * v for v in (row.observed, row.chance))


def _table(context: Context, criterion: str, rows: Sequence[JudgeBias], words: _Words) -> Table:
    """Every bias of every judge, or why it is not known."""
    adjusted = next((row.adjusted_by for row in rows if row.adjusted_by), None)
    return Table(
        id=f"judge_biases/{criterion}",
        title=f"Biases of judges: {criterion}",
        columns=(
            Column(name="judge", heading="Judge"),
            Column(name="bias", heading="Bias"),
            Column(name="against", heading="Against"),
            Column(name="unit", heading="In"),
            Column(name="estimate", heading="Estimate", kind="number"),
            interval_column(context),
            Column(name="p", heading="p (adjusted)" if adjusted else "p", kind="p"),
            Column(name="observed", heading="Differs", kind="number"),
            Column(name="chance", heading="Repeats differ", kind="number"),
            Column(name="items", heading="Items", kind="count"),
            Column(name="undefined", heading="Not known because"),
        ),
        rows=tuple(
            (
                row.judge,
                BIASES[row.bias],
                row.against or "",
                *_cells(row),
                row.claimed_p,
                *_differs(row),
                row.n_items,
                row.undefined or "",
            )
            for row in rows
        ),
        caption=CAPTION + words.caption + (ADJUSTED.format(adjusted) if adjusted else ""),
    )
