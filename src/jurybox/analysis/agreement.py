"""How far raters agree, in numbers and in the words of named scales."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Finding, Table, Together
from jurybox.analysis.measure.agreement import (
    agreement,
    intraclass,
    means_within_systems,
    patterns_of,
)
from jurybox.analysis.ranking_agreement import ranking_agreement
from jurybox.analysis.rater_pairs import pair_tables
from jurybox.analysis.rating_tables import YES_NO
from jurybox.analysis.sentences import (
    ALPHA_WORDS,
    KAPPA_ACTIONS,
    KAPPA_WORDS,
    between_words,
    called,
    evidence,
    rater_noun,
    said_of,
    word_for,
)
from jurybox.results import Result, format_number, format_percent, listed
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.agreement.gwet import AgreementWeights
from jurybox.stats.agreement.patterns import Agreement, unit_counts
from jurybox.tally.patterns import AnswerPatterns
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses

if TYPE_CHECKING:
    from jurybox.stats.agreement.icc import Intraclass

__all__ = ["agreement_chapter", "kappa_action", "level_of"]

ANSWERS = {"ratings": "scores", "votes": "votes", "detections": "real or generated"}
"""What raters agree on, where a study asks for several kinds of answers."""

FEW_VALUES = 12
"""Values up to which a kappa that only tells same from different is usual."""
FEW = "With fewer than five raters the intervals hold for these raters alone."
UNNAMED = "Raters are not named, so that the intervals hold for these raters alone."
POOLED = "“All systems” includes the differences between systems, which raise it."
ANSWERED = {"0": "no", "1": "yes"}
"""What the values of a scale of yes and no are called in a sentence."""
CIRCULAR = (
    " Some of them were left out for their agreement with the others, which raises it by "
    "construction."
)


def level_of(context: Context, part: Responses, criterion: str) -> tuple[Level, str | None]:
    """The level of measurement of a criterion, and the sentence where it had to be assumed."""
    asked = context.asked.criterion(criterion).level
    if part.shape.name != "ratings":
        return "nominal", None
    if not are_numbers(part):
        if asked == "nominal":
            return "nominal", None
        return "nominal", f"{criterion}: the answers are words and taken as nominal"
    if asked is not None:
        return asked, None
    if criterion in context.asked.derived:
        return "ordinal", None
    return "ordinal", f"{criterion}: the level is not stated; numbers are taken as ordinal"


def agreement_chapter(
    context: Context, responses: Responses, everybody: Responses | None = None
) -> Chapter:
    """Agreement on every criterion, pooled and within systems.

    ``everybody``: the responses before raters were left out by a rule, if some were; what they say
    comes first.
    """
    shape = responses.shape.name
    if shape == "spans":
        return Chapter()
    if not responses.has_item:
        return Chapter(
            warnings=("without a column 'item' no two responses share a unit: no agreement",)
        )
    if shape == "rankings":
        return ranking_agreement(context, responses, everybody)
    findings: list[Finding] = []
    took: list[str] = []
    rows: list[tuple[object, ...]] = []
    tables: list[Table] = []
    notes: list[str] = []
    few = False
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        level, assumed = level_of(context, part, criterion)
        took += [assumed] if assumed else []
        if everybody is not None:
            findings.append(_before(context, everybody.of_criterion(criterion), criterion, level))
        found = _measure(context, part, criterion, level)
        findings += _findings(context, found, left_out=everybody is not None)
        rows += _rows(found)
        notes += _notes(found)
        few |= said_of(found.alpha) != evidence(found.alpha)
        tables += _pairs(context, part, found, level)
    return Chapter(
        findings=tuple(findings),
        tables=(_table(context, shape, rows, _read(responses, notes, few=few)), *tables),
        took=tuple(took),
    )


def _pairs(context: Context, part: Responses, found: _Measured, level: Level) -> tuple[Table, ...]:
    """Every two raters, where all of them agree to some number."""
    if not found.is_defined:
        return ()
    return pair_tables(context, part, found.criterion, level, same=found.percent is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """Every coefficient of one criterion that is usual for its level."""

    criterion: str
    alpha: Agreement
    percent: Agreement | None
    """How often two answers are the same; of a slider nothing that anybody asks for."""
    within: tuple[tuple[Agreement, Agreement | None], ...] = ()
    """Alpha and Fleiss' kappa within each system."""
    mean: tuple[Agreement | None, Agreement | None] = (None, None)
    """Both averaged over systems."""
    fleiss: Agreement | None = None
    cohen: tuple[Agreement, ...] = ()
    ac: Agreement | None = None
    commonest: tuple[str, float] | None = None
    """The most common answer and its share, where one is so common that kappas suffer."""
    icc: tuple[Intraclass, ...] = ()

    @property
    def is_defined(self) -> bool:
        return self.alpha.estimate is not None


def _measure(context: Context, part: Responses, criterion: str, level: Level) -> _Measured:
    options = context.options
    patterns = patterns_of(part, options)
    alpha = agreement(part, options, "alpha", level=level, patterns=patterns)
    alpha = replace(alpha, criterion=criterion)
    percent = agreement(part, options, "percent", patterns=patterns)
    percent = replace(percent, criterion=criterion)
    few = len(patterns.values) <= FEW_VALUES
    shown = percent if few else None
    within = _within(context, part, level, few=few)
    mean = means_within_systems(part, options, level=level) if within else (None, None)
    if not alpha.n_units or alpha.estimate is None:
        return _Measured(criterion=criterion, alpha=alpha, percent=shown, within=within, mean=mean)
    numbers = part.shape.name == "ratings" and level != "nominal"
    two = patterns.n_raters == 2
    weights: tuple[AgreementWeights, ...] = (None, "quadratic") if numbers else (None,)
    prevails = (percent.estimate or 0) >= 0.8 and alpha.estimate < 0.4
    scale = context.asked.criterion(criterion).values
    return _Measured(
        criterion=criterion,
        alpha=alpha,
        percent=shown,
        within=within,
        mean=mean,
        fleiss=agreement(part, options, "fleiss", patterns=patterns) if few else None,
        cohen=tuple(
            agreement(part, options, "cohen", weights=each)
            for each in (weights if two and few else ())
        ),
        ac=agreement(part, options, "gwet", values=scale, patterns=patterns) if prevails else None,
        commonest=_commonest(patterns) if prevails else None,
        icc=_icc(context, part) if level in ("interval", "ratio") else (),
    )


def _within(
    context: Context, part: Responses, level: Level, *, few: bool
) -> tuple[tuple[Agreement, Agreement | None], ...]:
    """Alpha and Fleiss' kappa within each system that has two outputs, where there are several."""
    if part.shape.name == "votes" or len(part.systems) < 2:
        return ()
    found = []
    for system in part.systems:
        own = part.of_system(system)
        patterns = patterns_of(own, context.options)
        alpha = agreement(own, context.options, "alpha", level=level, patterns=patterns)
        # On one output what is expected by chance is what was seen: 0 whatever the answers are.
        if alpha.n_units == 1:
            continue
        kappa = agreement(own, context.options, "fleiss", patterns=patterns) if few else None
        found.append((replace(alpha, system=system), kappa))
    return tuple(found)


def _commonest(patterns: AnswerPatterns) -> tuple[str, float]:
    counts = unit_counts(patterns) @ patterns.patterns
    most = int(counts.argmax())
    value = patterns.values[most]
    shown = (
        value if isinstance(value, str) else format_number(value, 0 if value == int(value) else 2)
    )
    return shown, float(counts[most] / counts.sum())


def _icc(context: Context, part: Responses) -> tuple[Intraclass, ...]:
    """Of one rater and of the mean of all; where raters are nested in items, the one-way forms."""
    single = intraclass(part, context.options, "ICC(2,1)")
    if single.estimate is None:
        one = intraclass(part, context.options, "ICC(1,1)")
        if one.estimate is None:
            return (single,)
        return one, intraclass(part, context.options, "ICC(1,k)")
    return single, intraclass(part, context.options, "ICC(2,k)")


def _before(context: Context, part: Responses, criterion: str, level: Level) -> Finding:
    """Agreement of all raters, which is reported before anybody is left out."""
    patterns = patterns_of(part, context.options)
    alpha = agreement(part, context.options, "alpha", level=level, patterns=patterns)
    alpha = replace(alpha, criterion=criterion)
    name, who = f"agreement_before/{criterion}", "Before exclusion, agreement"
    if alpha.estimate is None:
        return _undefined(name, who, alpha, criterion)
    sentence = (
        f"{who} on {criterion} is {between_words(alpha, ALPHA_WORDS)} "
        f"(Krippendorff's words): α = {alpha.format(alpha.estimate)} {said_of(alpha)}."
    )
    together = Together(before=who, of=criterion, after="")
    return _finding(name, sentence, alpha, criterion, together)


def _finding(
    name: str, sentence: str, result: Result, criterion: str, together: Together | None = None
) -> Finding:
    return Finding(
        id=name,
        sentence=sentence,
        result=result,
        standing="quality",
        told=result.estimate is not None,
        criterion=criterion,
        together=together,
    )


def _undefined(name: str, who: str, result: Result, criterion: str) -> Finding:
    """That there is no such coefficient on a criterion, and why."""
    why = called(str(result.undefined))
    together = Together(before=f"{who} on ", of=criterion, after=f" is undefined: {why}.")
    return _finding(name, together.said([criterion]), result, criterion, together)


def _findings(context: Context, found: _Measured, *, left_out: bool) -> list[Finding]:
    criterion, alpha = found.criterion, found.alpha
    who = "Without the excluded raters, agreement" if left_out else "Agreement"
    name = f"agreement/{criterion}"
    if alpha.estimate is None:
        return [_undefined(name, who, alpha, criterion)]
    sentence = (
        f"{who} on {criterion} is {between_words(alpha, ALPHA_WORDS)} (Krippendorff's words): "
        f"α = {alpha.format(alpha.estimate)} {said_of(alpha)}"
    )
    if found.percent is not None:
        percent = format_percent(found.percent.estimate)
        sentence += f"; two {rater_noun()}s agree in {percent} of cases"
    sentence += "."
    mean = found.mean[0]
    if mean is not None and mean.estimate is not None:
        average = alpha.format(mean.estimate)
        sentence += f" Within systems α is {average} on average {said_of(mean, noun=None)}."
    if found.commonest is not None:
        word, share = found.commonest
        if context.asked.criterion(criterion).values == YES_NO:
            word = ANSWERED.get(word, word)
        sentence += (
            " The low α beside many equal answers is prevalence: "
            f"{format_percent(share)} of the answers are {word!r}."
        )
    circular = left_out and "agreement_below" in context.asked.exclude
    sentence += CIRCULAR * circular
    together = Together(before=who, of=criterion, after=CIRCULAR * circular)
    # What is said of prevalence is of this criterion alone.
    alone = found.commonest is not None
    made = [_finding(name, sentence, alpha, criterion, None if alone else together)]
    # Of two raters Cohen's kappa is the usual one; Fleiss' stands in the table.
    kappas = [("cohen", each) for each in found.cohen]
    if not kappas and found.fleiss is not None:
        kappas = [("fleiss", found.fleiss)]
    made += [_kappa_finding(kind, kappa, criterion) for kind, kappa in kappas]
    if found.ac is not None:
        made.append(_plain_finding("ac1", found.ac, criterion, "chance apart from prevalence"))
    made += [_plain_finding(each.form, each, criterion, _share_of(each)) for each in found.icc]
    return made


def _share_of(found: Intraclass) -> str:
    """What an intraclass correlation is the share of."""
    if found.form.endswith(",1)") or found.k is None:
        return "the share of variance between outputs"
    raters = f"the mean of {format_number(found.k, 1).removesuffix('.0')} {rater_noun()}s"
    return f"the share of the variance of {raters} that is between outputs"


def _kappa_finding(kind: str, kappa: Agreement, criterion: str) -> Finding:
    kappa = replace(kappa, criterion=criterion)
    weighted = "/quadratic" if "quadratic" in kappa.statistic else ""
    name = f"{kind}{weighted}/{criterion}"
    if kappa.estimate is None:
        return _undefined(name, kappa.statistic, kappa, criterion)
    sentence = (
        f"{kappa.statistic} on {criterion} is {between_words(kappa, KAPPA_WORDS)} (Landis and "
        f"Koch's words): κ = {kappa.format(kappa.estimate)} {said_of(kappa)}. What to do: "
        f"{kappa_action(kappa)}."
    )
    together = Together(before=kappa.statistic, of=criterion, after="")
    return _finding(name, sentence, kappa, criterion, together)


def kappa_action(kappa: Result) -> str:
    """What to do about a kappa, by the lower end: what the upper one would allow is not shown."""
    shown = kappa.estimate if kappa.interval is None else kappa.interval.low
    return called(word_for(shown or 0.0, KAPPA_ACTIONS))


def _plain_finding(kind: str, result: Any, criterion: str, what: str) -> Finding:
    result = replace(result, criterion=criterion)
    title = getattr(result, "statistic", result.name)
    name = f"{kind.replace('(', '').replace(')', '').replace(',', '_').lower()}/{criterion}"
    if result.estimate is None:
        return _undefined(name, title, result, criterion)
    value = result.format(result.estimate)
    sentence = f"{title} on {criterion}, {what}, is {value} {said_of(result)}."
    return _finding(name, sentence, result, criterion)


def _rows(found: _Measured) -> list[tuple[object, ...]]:
    rows = [_row(found.criterion, "all systems", found.alpha, found.fleiss, found.percent)]
    rows += [
        _row(found.criterion, alpha.system or "", alpha, kappa, None)
        for alpha, kappa in found.within
    ]
    mean, kappa = found.mean
    if mean is not None:
        kappa = kappa if found.fleiss is not None else None
        rows.append(_row(found.criterion, "mean within systems", mean, kappa, None))
    return rows


def _row(
    criterion: str,
    system: str,
    alpha: Agreement,
    kappa: Agreement | None,
    percent: Agreement | None,
) -> tuple[object, ...]:
    return (
        criterion,
        system,
        alpha.estimate,
        bounds(alpha.interval),
        alpha.level,
        None if kappa is None else kappa.estimate,
        None if kappa is None else bounds(kappa.interval),
        None if percent is None else percent.estimate,
        alpha.n_units,
    )


def _notes(found: _Measured) -> Iterator[str]:
    """What the dashes of the rows of single systems mean."""
    if found.within and found.percent is not None:
        yield "The share of same answers is counted over all systems."
    reasons: dict[str, list[str]] = {}
    for alpha, _ in found.within:
        if alpha.undefined is not None and alpha.estimate is None:
            reasons.setdefault(called(alpha.undefined.rstrip(".")), []).append(alpha.system or "")
    for reason, systems in reasons.items():
        yield f"No alpha of {listed(systems)} on {found.criterion}: {reason}."


def _read(responses: Responses, notes: Iterable[str], *, few: bool) -> list[str]:
    """How the table is read, and last for whom its intervals speak if these raters are all."""
    said = ["Krippendorff's alpha.", *([POOLED] if len(responses.systems) > 1 else [])]
    of_these = [called(FEW if responses.has_rater else UNNAMED)] if few else []
    return [*said, *dict.fromkeys(notes), *of_these]


def _table(
    context: Context, shape: str, rows: list[tuple[object, ...]], said: Sequence[str]
) -> Table:
    return Table(
        id=f"agreement/{shape}",
        title=f"Agreement among raters: {ANSWERS[shape]}",
        columns=(
            Column(name="criterion", heading="Criterion"),
            Column(name="system", heading="System"),
            Column(name="alpha", heading="Alpha", kind="number"),
            interval_column(context),
            Column(name="level", heading="Level"),
            Column(name="kappa", heading="Fleiss' kappa", kind="number"),
            interval_column(context, "kappa_interval"),
            Column(name="percent", heading="Same answer", kind="percent"),
            Column(name="units", heading="Units", kind="count"),
        ),
        rows=tuple(rows),
        caption=" ".join(said),
        claims=tuple(each for each in said if each in (called(FEW), called(UNNAMED))),
    )
