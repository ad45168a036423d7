"""The gate: conditions on systems, each shown, shown false, or left open by the responses.

A condition passes only if the whole one-sided interval lies on its right side. The bounds are the
ends of the two-sided interval at 1 − 2α/m from the statistics of ``analyze``, with m the number of
conditions (Bonferroni): all sentences of one gate hold at once with the stated confidence. The
max-t distribution of a family is two-sided, so it gives no one-sided level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jurybox.analysis import measure
from jurybox.analysis.context import kind_of_words
from jurybox.analysis.counted import Counted, counted
from jurybox.analysis.gate_condition import Condition, Verdict, verdict_sentence
from jurybox.analysis.measure.turn import turn, turn_share
from jurybox.analysis.sentences import called, told_of
from jurybox.errors import AnalysisError, InputError, OptionError
from jurybox.formats import joined
from jurybox.results import SCHEMA_VERSION, Result, to_plain
from jurybox.stats.clusters import ALL_RATERS, Cluster, Generalize
from jurybox.tally.ratings import are_numbers, are_yes_no, first_scores
from jurybox.tally.responses import Responses

if TYPE_CHECKING:
    from jurybox.analysis.measure.spans import Weights
    from jurybox.study import Study

__all__ = ["Gate", "Judged", "judge"]

EXIT_CODES: dict[Verdict, int] = {"shown": 0, "shown false": 1, "undecided": 3, "undefined": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A condition with its verdict, the sentence that says it, and the result it rests on."""

    condition: Condition
    verdict: Verdict
    sentence: str
    result: Result
    bound: float
    """The value that the interval had to leave behind."""

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON."""
        asked = self.condition
        return {
            "condition": asked.kind,
            "names": list(asked.names),
            "side": asked.side,
            "threshold": asked.threshold,
            "bound": self.bound,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "result": self.result.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Every condition judged at once."""

    conditions: tuple[Judged, ...]
    confidence: float
    """One-sided, of all conditions together."""
    each: float
    """One-sided, of each condition."""
    excluded: tuple[str, ...] = ()
    """Who was left out by a rule, a sentence each."""
    warnings: tuple[str, ...] = ()
    took: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """`shown` if every condition is, `shown false` if one is; else what is open."""
        found = [each.verdict for each in self.conditions]
        worst: tuple[Verdict, ...] = ("shown false", "undefined", "undecided")
        return next((each for each in worst if each in found), "shown")

    @property
    def exit_code(self) -> int:
        """0 shown, 1 shown false, 3 undecided or undefined."""
        return EXIT_CODES[self.verdict]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON with ``kind`` and the schema's version."""
        return {
            "kind": "Gate",
            "version": SCHEMA_VERSION,
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "confidence": self.confidence,
            "confidence_each": self.each,
            "conditions": [each.to_dict() for each in self.conditions],
            "excluded": to_plain(self.excluded),
            "warnings": to_plain(self.warnings),
            "took": to_plain(self.took),
        }


def judge(
    source: Any,
    conditions: Sequence[Condition],
    *,
    study: Study | None = None,
    criterion: str | None = None,
    confidence: float | None = None,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    database: str | None = None,
    seed: int = 0,
) -> Gate:
    r"""Judge conditions on the responses of a study or a table, all at once.

    With confidence 1 − α and m conditions, a condition `above b` is shown if the lower end of the
    two-sided interval with confidence :math:`1 - 2\alpha/m` is above b, and shown false if its
    upper end is not. The probability that any condition is shown which is false, or shown false
    which is true, is at most α each (Bonferroni). An interval that speaks for less than was asked
    (one rater; a table that names no raters) decides nothing.

    Raises
    ------
    InputError
        If a system, a criterion or responses of that kind are not there.
    AnalysisError
        If there are no responses that count.

    Examples
    --------
    >>> votes = {
    ...     "item": [i for i in range(20) for _ in range(10)],
    ...     "system_a": ["new"] * 200,
    ...     "system_b": ["old"] * 200,
    ...     "rater": [f"r{r}" for _ in range(20) for r in range(10)],
    ...     "winner": ["b" if (i * r) % 4 == 3 else "a" for i in range(20) for r in range(10)],
    ... }
    >>> above = Condition(kind="win-rate", names=("new", "old"), side="above", threshold=0.5)
    >>> judge(votes, [above]).verdict
    'shown'
    """
    if not conditions:
        raise OptionError("a gate needs a condition, such as --win-rate new old --above 0.5")
    with counted(
        source,
        study=study,
        confidence=confidence,
        cluster=cluster,
        generalize=generalize,
        database=database,
        seed=seed,
    ) as found:
        whole = found.context.confidence
        if whole <= 0.5:
            raise OptionError(f"a gate needs a confidence above 0.5; got {whole:g}")
        each = 1 - (1 - whole) / len(conditions)
        # Rounded, so that 95% one-sided is 90% two-sided and not a hair less.
        options = replace(found.context.options, confidence=round(2 * each - 1, 12))
        found = replace(found, context=replace(found.context, options=options))
        if not sum(part.count()[0] for part in found.parts):
            raise AnalysisError("every response is excluded by a rule, so nothing is shown")
        narrow = cluster == "both" and generalize == "raters+items"
        with told_of(found.rater_noun):
            judged = tuple(
                _judge(found, condition, criterion, each, must_generalize=narrow)
                for condition in conditions
            )
        return Gate(
            conditions=judged,
            confidence=whole,
            each=each,
            excluded=tuple(one.sentence for one in found.excluded),
            warnings=found.changes,
            took=found.took,
        )


def _judge(
    found: Counted,
    condition: Condition,
    criterion: str | None,
    confidence: float,
    *,
    must_generalize: bool,
) -> Judged:
    part = _part(found, condition, condition.criterion or criterion)
    result = MEASURES[condition.kind](found, part, condition)
    of_marks = part.shape.name == "spans"  # of error points fewer are better
    higher = found.context.asked.criterion(condition.criterion or "").higher and not of_marks
    bound, above = _bound(condition, higher=higher)
    interval = result.interval
    why = None
    verdict: Verdict = "undecided"
    if interval is None:
        verdict, why = "undefined", result.undefined or "there is no interval"
    elif must_generalize and interval.generalizes_to != ALL_RATERS:
        whom = called(interval.generalizes_to).removesuffix(" only")
        why = (
            f"the responses speak only for {whom}, "
            "which is less than the gate asks for (--generalize items or --cluster asks for less)"
        )
    elif (interval.low > bound) if above else (interval.high < bound):
        verdict = "shown"
    elif (interval.high <= bound) if above else (interval.low >= bound):
        verdict = "shown false"
    sentence = verdict_sentence(
        condition, result, verdict, bound, confidence, above=above, why=why, of_marks=of_marks
    )
    return Judged(
        condition=condition, verdict=verdict, sentence=sentence, result=result, bound=bound
    )


def _bound(condition: Condition, *, higher: bool) -> tuple[float, bool]:
    """The value to leave behind, and whether the interval must lie above it."""
    if condition.side != "non-inferior":
        return condition.threshold, condition.side == "above"
    if condition.kind == "win-rate":
        return 0.5 - condition.threshold, True
    return (-condition.threshold, True) if higher else (condition.threshold, False)


def _part(found: Counted, condition: Condition, criterion: str | None) -> Responses:
    """The responses that the condition is about; refuse what is not there, listing what is."""
    kind = condition.kind
    if kind == "win-rate":
        whole, noun = found.of_shape("votes", "rankings"), "votes or rankings"
    elif kind == "fooling-rate":
        whole, noun = found.of_shape("detections"), "detections"
    else:
        whole, noun = found.of_shape("ratings"), "ratings"
        if kind != "pass-rate":
            marked, noun = found.of_shape("spans"), "ratings or marked errors"
            if marked is not None and (whole is None or criterion in marked.criteria):
                whole = marked
    if whole is None:
        there = joined(part.shape.name for part in found.parts)
        raise InputError(f"--{kind} needs {noun}, and there are {there}")
    known = whole.criteria
    if criterion is None and len(known) > 1:
        raise InputError(
            f"--{kind}: there are several criteria ({', '.join(known)}): choose with --criterion"
        )
    if criterion is not None and criterion not in known:
        raise InputError(
            f"--{kind}: there is no criterion {criterion!r}; there are {', '.join(known)}"
        )
    part = whole.of_criterion(criterion or known[0])
    systems = part.systems
    for system in condition.systems:
        if system not in systems:
            on = f" on {criterion}" if criterion is not None and len(known) > 1 else ""
            raise InputError(
                f"--{kind}: there is no system {system!r}{on}; there are {', '.join(systems)}"
            )
    if part.shape.name != "ratings":
        return part
    if not are_numbers(part):
        are = kind_of_words(found.context, criterion or known[0])
        raise InputError(
            f"--{kind}: the answers to {criterion or known[0]!r} are {are}: they have no mean"
        )
    return first_scores(part)


def _win_rate(found: Counted, part: Responses, condition: Condition) -> Result:
    options = found.context.options
    one, two = condition.systems
    if part.shape.name == "rankings":
        from jurybox.analysis.measure.pairs import pair_shares
        from jurybox.tally.rankings import above_rows

        pairs = pair_shares(part, above_rows(), options, alone=(one, two))
    else:
        pairs = list(measure.win_rates(part, options).pairs)
    for row in pairs:
        if {row.system, row.other} == {one, two}:
            return row if row.system == one else turn_share(row)
    return Result(estimate=None, undefined=f"{one} and {two} never met")


def _mean(found: Counted, part: Responses, condition: Condition) -> Result:
    criterion = condition.criterion or ""
    if part.shape.name == "spans":
        weights = _weights(found, criterion)
        rows = measure.points(part, found.context.options, criterion=criterion, weights=weights)
    else:
        rows = measure.means(part, found.context.options, criterion=criterion)
    return next(row for row in rows if row.system == condition.names[0])


def _pass_rate(found: Counted, part: Responses, condition: Condition) -> Result:
    criterion = condition.criterion or ""
    asked = found.context.asked.criterion(criterion)
    mark = asked.pass_mark
    if mark is None:
        if not are_yes_no(part):
            raise InputError(
                f"--pass-rate: nothing says from which score on {criterion!r} passes: give the "
                "criterion a 'pass' mark in its study, or the table scores of 0 and 1"
            )
        mark = 1.0
    rows = measure.pass_rates(
        part, found.context.options, criterion=criterion, mark=mark, higher=asked.higher
    )
    return next(row for row in rows if row.system == condition.names[0])


def _fooling_rate(found: Counted, part: Responses, condition: Condition) -> Result:
    test = measure.turing(part, found.context.options)
    (system,) = condition.names
    for row in test.rows:
        if row.system == system:
            return row
    raise InputError(f"--fooling-rate: no output of {system!r} is generated; all are real")


def _difference(found: Counted, part: Responses, condition: Condition) -> Result:
    one, two, criterion = condition.names
    if part.shape.name == "spans":
        part = measure.point_scores(part, weights=_weights(found, criterion))
    rows = measure.compare({criterion: part}, found.context.options, details=False).rows
    row = next(row for row in rows if {row.system, row.other} == {one, two})
    return row if row.system == one else turn(row)


def _weights(found: Counted, criterion: str) -> Weights:
    """What an error costs; the chapter of spans is only imported where there are some."""
    from jurybox.analysis.spans import weights_of

    return weights_of(found.context, criterion)


MEASURES = {
    "win-rate": _win_rate,
    "mean": _mean,
    "pass-rate": _pass_rate,
    "fooling-rate": _fooling_rate,
    "difference": _difference,
}
