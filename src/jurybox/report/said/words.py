"""The sentences of a report that are made from the whole analysis: counts, limits, rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from jurybox.analysis.finding import Analysis, Finding
from jurybox.formats import format_confidence, joined
from jurybox.results import Interval, format_count, format_number
from jurybox.stats.clusters import HOLDS_FOR, TWO_WAY
from jurybox.study.model import Study

__all__ = [
    "ONE_THING",
    "changed",
    "colophon",
    "counts",
    "groups",
    "is_answered",
    "is_fixed",
    "missing",
    "more_data",
    "note",
    "open_findings",
    "rater_noun",
    "raters",
    "rules",
    "say",
    "told_apart",
    "with_reason",
    "within_margin",
]

ONE_THING = re.compile(
    r"(p [=<] [0-9.]+[0-9]|[ακ] (?:= )?−?[0-9.]+[0-9]|χ²\([0-9]+\) = [0-9.]+[0-9]|max-t"
    r"|\b[0-9]+–[0-9]+\b"
    r"|\b[0-9][0-9,]* (?:raters?|items?|systems?|ratings?|votes?|rankings?|detections?|answers?)\b)"
)
"""What is one thing to the eye, and is never broken into two lines; ``report.typ`` has it too."""
RESPONSES = {
    "rate": ("rating", "ratings"),
    "compare": ("vote", "votes"),
    "rank": ("ranking", "rankings"),
    "detect": ("detection", "detections"),
    "mark": ("marked output", "marked outputs"),
}


NO_ORDER = ("circle", "fit")
"""The kinds of findings that say so where no one order of the systems holds."""


def counts(analysis: Analysis) -> str:
    """The line of numbers under the title."""
    one, many = RESPONSES.get(analysis.protocol, RESPONSES["mark"])
    given = format_count(analysis.n_responses, one, many)
    # A table has no title but its number of answers, which need not stand there twice.
    is_title = analysis.title.partition(" ")[0] == given.partition(" ")[0]
    return " · ".join([
        *([] if is_title else [given]),
        _known(analysis, analysis.n_raters, rater_noun(analysis)),
        _known(analysis, analysis.n_items, "item"),
        format_count(len(analysis.systems), "system"),
    ])  # fmt: skip


def rater_noun(analysis: Analysis) -> str:
    """What raters are where they are counted: a reader must not take programs for people."""
    collected = analysis.collected
    is_rehearsal = collected is not None and collected.simulated == "all"
    return f"simulated {analysis.rater_noun}" if is_rehearsal else analysis.rater_noun


def _known(analysis: Analysis, count: int, noun: str) -> str:
    """A count; of what answered and yet has no name, that it has none."""
    if count == 0 and analysis.n_responses:
        return f"{noun}s not named"
    return format_count(count, noun)


def say(analysis: Analysis) -> str:
    """The answer; where there is none, that there is none, and why."""
    if analysis.n_responses == 0:
        if analysis.headline is not None:
            return f"{analysis.headline.sentence} So nothing can be said."
        return "There are no responses yet, so nothing can be said."
    if analysis.headline is None:
        return "The responses allow no statistic, so nothing can be said."
    return with_reason(analysis.headline)


def with_reason(finding: Finding) -> str:
    """A finding's sentence; where its number is missing, with the reason verbatim."""
    reason = finding.result.undefined
    is_lack = finding.result.estimate is None or finding.result.has_interval
    if reason is None or reason in finding.sentence or not is_lack:
        return finding.sentence
    what = "Undefined" if finding.result.estimate is None else "No interval"
    return f"{finding.sentence.rstrip()} {what}: {reason.rstrip('.')}."


def note(analysis: Analysis) -> str:
    """What the answer's interval speaks for, and how narrow a larger study would make it."""
    headline = analysis.headline
    if headline is None:
        return ""
    result = headline.result
    # How a variance was computed is for the methods, and nothing to a reader with two minutes.
    notes = tuple(note for note in result.notes if not note.startswith(TWO_WAY))
    alike, more = within_margin(analysis), more_data(analysis)
    parts = [] if alike is None else [alike.sentence]
    if result.interval is not None:
        said = f"{_interval(result.interval)} It holds for {result.interval.generalizes_to}."
        parts.append(analysis.called(said))
        notes = tuple(note for note in notes if not note.startswith(HOLDS_FOR))
    if more is not None:
        parts.append(more.sentence if result.interval is None else more.of_answer)
    who = f"these {analysis.rater_noun}s"
    if result.these_raters is not None and who not in headline.sentence:
        low, high = result.format(result.these_raters.low), result.format(result.these_raters.high)
        parts.append(f"For {who} only: {low} to {high}.")
    return " ".join([*parts, *(_sentence(analysis.called(note)) for note in notes)])


def within_margin(analysis: Analysis) -> Finding | None:
    """What is shown of the systems of the answer within the study's margin."""
    return _beside_answer(analysis, "equivalence")


def more_data(analysis: Analysis) -> Finding | None:
    """The finding that says what twice the raters or items would do to the answer's interval."""
    return _beside_answer(analysis, "more_data")


def _beside_answer(analysis: Analysis, kind: str) -> Finding | None:
    headline = analysis.headline
    if headline is None:
        return None
    about = (headline.criterion, headline.systems)
    return next(
        (
            finding
            for finding in analysis.findings
            if finding.kind == kind
            and finding.told
            and (finding.criterion, finding.systems or headline.systems) == about
        ),
        None,
    )


def _sentence(note: str) -> str:
    """A note, which may be a bare clause, as a sentence.

    >>> _sentence("only 4 raters carry the interval")
    'Only 4 raters carry the interval.'
    """
    return note[:1].upper() + note[1:].rstrip(".") + "."


def _interval(interval: Interval) -> str:
    percent = format_confidence(interval.confidence)
    return f"{percent} interval: {interval.method}."


def changed(analysis: Analysis) -> tuple[str, ...]:
    """Where the study's files now differ from what raters answered."""
    return () if analysis.collected is None else analysis.collected.changes


def is_fixed(analysis: Analysis) -> bool:
    """Whether rules and the primary comparison are known to be older than every answer.

    Nobody knows it of a table: answers that were imported may be older than the study.
    """
    return analysis.collected is not None and analysis.collected.n_imported == 0


def open_findings(analysis: Analysis) -> tuple[Finding, ...]:
    """What the data leave open, beside the answer."""
    headline = analysis.headline
    # What did not move since another round, and what is not known of judges, has its own section.
    beside = ("against", "judge")
    untold = [f for f in analysis.untold if f is not headline and f.standing not in beside]
    if analysis.n_raters == 1:
        # That there is one rater says already that nobody agrees with anybody.
        untold = [f for f in untold if f.kind != "agreement"]
    apart = told_apart(analysis)
    untold = [f for f in untold if not is_answered(f, apart)]
    # What belongs to the answer's own criterion comes first; the order is otherwise the analysis'.
    untold.sort(key=lambda f: headline is not None and f.criterion != headline.criterion)
    return (*_disordered(analysis), *untold)


def _disordered(analysis: Analysis) -> tuple[Finding, ...]:
    """What speaks against any order of the systems: the first table has one."""
    return tuple(f for f in analysis.findings if f.kind in NO_ORDER and f.standing == "quality")


def told_apart(analysis: Analysis) -> set[tuple[str | None, frozenset[str]]]:
    """The pairs of systems, each with its criterion, of which the better one is known."""
    told = (f for f in analysis.findings if f.told and _of_two(f))
    return {(f.criterion, frozenset(f.systems)) for f in told}


def is_answered(finding: Finding, apart: set[tuple[str | None, frozenset[str]]]) -> bool:
    """Whether two systems lack equivalence because they differ, which is no open question."""
    pair = (finding.criterion, frozenset(finding.systems))
    return finding.kind == "equivalence" and not finding.told and pair in apart


def _of_two(finding: Finding) -> bool:
    """Whether it compares two systems, or one with real outputs."""
    return finding.kind in ("acceptance", "difference", "win_rate")


def missing(analysis: Analysis) -> Iterable[str]:
    """What a study of this size cannot say."""
    if analysis.n_responses == 0:
        stored = "counts" if analysis.findings else "has been stored"
        yield f"No response {stored}; the page shows what was planned."
        return
    if analysis.of_judges:
        yield "All answers are judges': nothing here is known of what people would say."
    elif analysis.n_raters == 1:
        yield "There is one rater: nothing here is known of other raters, nor how far people agree."
    if len(analysis.systems) == 1:
        yield "There is one system: it cannot be compared with anything."
    if analysis.n_items == 1:
        yield "There is one item: nothing here is known of other items."


def raters(analysis: Analysis) -> str:
    """How many answered, how much."""
    if analysis.n_responses == 0:
        return "No answer counts." if analysis.findings else "Nobody has answered yet."
    one, many = RESPONSES.get(analysis.protocol, RESPONSES["mark"])
    if analysis.n_raters == 0:
        given = format_count(analysis.n_responses, one, many)
        return f"The data hold {given} and do not name who gave them."
    each = analysis.n_responses / max(analysis.n_raters, 1)
    given = f"gave the {format_count(analysis.n_responses, one, many)}"
    if analysis.protocol == "mark":
        given = f"marked the {format_count(analysis.n_responses, 'output')}"
    text = f"{format_count(analysis.n_raters, rater_noun(analysis))} {given} analyzed here"
    text += f", on average {format_number(each, 0)} each." if analysis.n_raters > 1 else "."
    if analysis.excluded:
        left = sum(e.n_responses for e in analysis.excluded)
        people = format_count(len({e.rater for e in analysis.excluded}), "more rater")
        text += f" {people} and {format_count(left, 'response')} were left out."
    return text


def groups(analysis: Analysis) -> list[str]:
    """How many raters each group has."""
    each = [f"{name} ({format_count(n, 'rater')})" for name, n in analysis.facts.rater_groups]
    return [f"Rater groups: {joined(each)}."] if each else []


def rules(study: Study) -> tuple[str, ...]:
    """The study's exclusion rules as sentences."""
    e = study.quality.exclude
    said: list[tuple[object, str]] = [
        (e.gold_below, f"gold_below: fewer than {_share(e.gold_below)} of the gold trials "
                       "answered right."),
        (e.practice_failed or None, "practice_failed: the practice trials were not passed."),
        (e.attention_failed, f"attention_failed: {e.attention_failed} or more attention checks "
                             "failed."),
        (e.faster_than, f"faster_than: a median of less than {_stated(e.faster_than)} s per "
                        "trial."),
        (e.straight_line, f"straight_line: one value makes up more than "
                          f"{_share(e.straight_line)} of the answers to a criterion."),
        (e.hidden_reference_missed,
         "hidden_reference_missed: the hidden reference below 90% of the scale in more than "
         f"{_share(e.hidden_reference_missed)} of its trials."),
        (e.agreement_below, f"agreement_below: agreement with the others below "
                            f"{_stated(e.agreement_below)} (circular: it raises agreement by "
                            "construction)."),
    ]  # fmt: skip
    return tuple(sentence for value, sentence in said if value is not None)


def _stated(value: float | None) -> str:
    """A threshold as a study states it: 2, not 2.0."""
    return f"{value or 0.0:g}".replace("-", "−")


def _share(share: float | None) -> str:
    """A share as a study states it: 15%, not 15.0%."""
    return f"{100 * (share or 0.0):g}%"


def colophon(analysis: Analysis, versions: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What is needed to make the page again."""
    confidence = ("Confidence", format_confidence(analysis.confidence))
    return (("Seed of the analysis", str(analysis.seed)), confidence, *versions.items())
