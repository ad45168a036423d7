"""The human-evaluation datasheet: its questions, answered as far as study and data can.

The questions are those of the Human Evaluation Datasheet, version 3.0 (Belz and Thomson 2025,
https://aclanthology.org/2025.gem-1.6), in words of our own and under their numbers. What only the
author can know stays open and is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.formats import joined
from jurybox.report.blocks import Block, Section, Shown, Words
from jurybox.report.documents.authored import FILE
from jurybox.report.documents.preregistration import differs
from jurybox.report.documents.snapshot import snapshot_table
from jurybox.report.fieldwork.survey import survey_table
from jurybox.report.methods.paragraph import picks_best
from jurybox.report.said.plain import choices_of, shown_fields, shown_value, values_of
from jurybox.report.said.words import rules, with_reason
from jurybox.results import format_count, format_number, format_percent
from jurybox.study.model import Criterion, Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork

__all__ = ["OPEN", "datasheet_section"]

OPEN = "for the author"
"""What stands where only the author can answer."""


class Answer(NamedTuple):
    """A question, and what study and data say to it."""

    number: str
    question: str
    known: str = ""
    lacking: str = ""
    """What else is asked that only the author can say."""

    @property
    def is_open(self) -> bool:
        return not self.known or bool(self.lacking)

    def text(self, given: str = "") -> str:
        """The answer with what its author adds."""
        if given:
            return f"{self.known}; {given}" if self.known else given
        if self.lacking:
            return f"{self.known}; {self.lacking} is {OPEN} to say"
        return self.known or OPEN


Row = tuple[Answer, str]
"""A question with what its author adds."""

PROTOCOLS = {
    "rate": ("absolute", "each output is scored by itself"),
    "compare": ("relative", "two outputs are compared"),
    "rank": ("relative", "the outputs of an item are put in order"),
    "detect": ("absolute", "each output is called real or generated"),
    "mark": ("absolute", "errors are marked in each output"),
}
PICKED = "the best output of an item is picked"
AGGREGATED = {
    "rate": "means over ratings, and differences within items",
    "compare": "win rates, in which a tie counts half, and strengths",
    "rank": "win rates of every two systems, and strengths",
    "detect": "shares of answers, and d′",
    "mark": "error points, summed over an output's marks and averaged over outputs",
}


def datasheet_section(
    analysis: Analysis,
    study: Study | None,
    fieldwork: Fieldwork | None,
    versions: Mapping[str, str],
) -> Section | None:
    """The questions with their answers, the open ones listed, and the snapshot with its hashes."""
    if study is None:
        return None
    told = {} if fieldwork is None else fieldwork.authored
    rows = {
        title: [
            (each, told.get((criterion, each.number)) or told.get(("", each.number), ""))
            for each in asked
        ]
        for title, criterion, asked in _parts(analysis, study, fieldwork)
    }
    opened = _open(row for part in rows.values() for row in part)
    blocks: list[Block] = [
        Words(
            text="The Human Evaluation Datasheet, HEDS 3.0 (Belz and Thomson 2025, "
            f"aclanthology.org/2025.gem-1.6), with its questions shortened. {opened}"
        ),
        *(Shown(table=_table(title, part), folded=True) for title, part in rows.items()),
        Shown(table=snapshot_table(analysis, study, fieldwork, versions)),
    ]
    return Section(id="datasheet", title="Datasheet", blocks=tuple(blocks))


def _parts(
    analysis: Analysis, study: Study, fieldwork: Fieldwork | None
) -> Iterator[tuple[str, str, Iterator[Answer]]]:
    """Title and questions of each part, and the criterion that they are about, if it is one."""
    known = (analysis, study, fieldwork)
    yield "1 and 2: Resources and systems", "", chain(_resources(), _systems(*known))
    yield "3.1 and 3.2: Sample and evaluators", "", chain(_sample(*known), _evaluators(*known))
    yield "3.3: Conduct", "", _conduct(*known)
    for name, criterion in study.criteria.items():
        yield f"4: Criterion {name}", name, _quality(analysis, study, name, criterion)
    yield "5: Ethics", "", _ethics(study)


def _open(rows: Iterable[Row]) -> str:
    """How many questions are answered, by whom, and the numbers of those that are still open."""
    rows = list(rows)
    given = sum(bool(given) for _, given in rows)
    left = [answer.number for answer, given in rows if answer.is_open and not given]
    known = len(rows) - len(left) - given
    text = f"{known} of {len(rows)} answers come from the study and its data"
    if given:
        text += f", {given} from the author"
    if not left:
        return f"{text}."
    named = joined(dict.fromkeys(left))
    return f"{text}; {len(left)} are open, {OPEN} to give in {FILE}: those to questions {named}."


def _table(title: str, rows: list[Row]) -> Table:
    return Table(
        id=f"datasheet/{title.partition(':')[0]}{title.partition('Criterion')[2]}",
        title=f"Datasheet, {title}",
        columns=(
            Column(name="number", heading="No."),
            Column(name="question", heading="Question"),
            Column(name="answer", heading="Answer"),
        ),
        rows=tuple((each.number, each.question, each.text(given)) for each, given in rows),
    )


def _resources() -> Iterator[Answer]:
    yield Answer("1.1.1", "Where is the experiment described?")
    yield Answer("1.1.2", "Which experiment of that text is this?")
    yield Answer("1.2", "Where are the resources: outputs, forms, data, code?")
    yield Answer("1.3.1", "Who is the contact: name, affiliation, address?")
    yield Answer("1.3.2", "Who filled in this sheet?")


def _systems(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    of_items = _item_fields(fieldwork)
    shown = dict(zip(study.show, shown_fields(study), strict=True))
    given = [said for name, said in shown.items() if name in of_items]
    made = [said for name, said in shown.items() if name not in of_items]
    saw = f"{analysis.rater_noun}s saw"
    known = (f"{saw} {joined(given)}", "whether it is all") if given else ()
    yield Answer("2.1", "What goes into the systems?", *known)
    yield Answer("2.2", "What comes out of them?", f"{saw} {joined(made)}" if made else "")
    yield Answer("2.3", "Which task do the systems perform?")
    yield Answer("2.4", "In which languages is the input?")
    yield Answer("2.5", "In which languages is the output?")


def _item_fields(fieldwork: Fieldwork | None) -> set[str]:
    """The fields that the items bring along, which are the same for every system."""
    items = () if fieldwork is None else fieldwork.material.items.values()
    return {name for item in items for name in item.fields}


def _sample(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    yield Answer(
        "3.1.1", "How many outputs of each system are evaluated?", _outputs(analysis, fieldwork)
    )
    yield Answer("3.1.2", "How were they chosen?", *_chosen(study))
    made = None if fieldwork is None else fieldwork.preregistration
    power = None if made is None else made.power
    way = "none was stated" if power is None else f"{power.assumed}; see the preregistration"
    found = "none was stated"
    if power is not None:
        found = (
            f"{format_percent(power.power, 0)} for a difference of {format_number(power.effect)}"
        )
    yield Answer("3.1.3.1", "By which method was the size chosen (power analysis)?", way)
    yield Answer("3.1.3.2", "What is the power of the sample?", found)
    code = "none" if power is None else "jurybox preregister --detect"
    yield Answer("3.1.3.3", "Where is the code of the power analysis?", code)


def _chosen(study: Study) -> tuple[str, str]:
    """How the items were chosen, and what is left to say of it."""
    design = study.design
    if design.items is None:
        return "all items of the study", "how these were found"
    how = f"{design.items:,} drawn at random by a script, seed {design.seed}"
    if design.stratify:
        how += f", in strata of {joined(design.stratify)} ({design.allocation})"
    return how, ""


def _outputs(analysis: Analysis, fieldwork: Fieldwork | None) -> str:
    """How many outputs each system has in the plan."""
    items = format_count(analysis.n_items, "item")
    systems = format_count(len(analysis.systems), "system")
    if fieldwork is None or fieldwork.plan is None:
        return f"{items}, of {systems} each at most one output"
    main = [trial for trial in fieldwork.plan.trials if trial.kind == "main"]
    shown = {(trial.item, system) for trial in main for system in trial.systems}
    counts = Counter(system for _, system in shown).values()
    if not counts:
        return f"none, of {systems}"
    least, most = min(counts), max(counts)
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{each} of each of {systems}, as planned; on {items}"


def _evaluators(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    n = f"{analysis.n_raters:,}"
    if analysis.collected is not None and analysis.collected.simulated != "no":
        n += f", {analysis.collected.simulated} of them simulated"
    if analysis.excluded:
        gone = len({each.rater for each in analysis.excluded})
        n += f", and {gone:,} more who {'was' if gone == 1 else 'were'} left out by rule"
    yield Answer("3.2.1", "How many evaluators are there?", n)
    yield Answer("3.2.2.1", "Are they experts of the domain?")
    paid = "" if study.access.payment is None else study.words(study.access.payment)
    yield Answer("3.2.2.2", "Were they paid?", paid)
    yield Answer("3.2.2.3", "Did the authors know any of them?")
    yield Answer("3.2.2.4", "Are authors among them?")
    yield Answer("3.2.3", "How were they recruited?", *_recruited(study))
    yield Answer("3.2.4", "What training or practice came before?", joined(_trained(study)))
    asked = ", ".join(study.survey)
    known = f"asked in the survey: {asked}" if asked else ""
    if fieldwork is not None and survey_table(analysis, study, fieldwork.survey) is not None:
        known += "; the answers are counted under Raters"
    yield Answer("3.2.5", "What else is known of them?", known)


def _recruited(study: Study) -> tuple[str, str]:
    """By which way raters came to the study, and what is left to say of it."""
    access = study.access
    if access.prolific is not None:
        return "through Prolific", ""
    if access.mturk:
        return "through Mechanical Turk", ""
    if access.invited or access.listed:
        return "invited or listed by the organizer", "how they were found"
    return "", ""


def _trained(study: Study) -> Iterator[str]:
    """What raters were given before the first trial that counts."""
    yield "a guide with the task, the criteria and their anchors"
    if study.quality.practice is not None:
        yield "practice trials with feedback"
    if study.quality.calibration is not None:
        yield "a calibration round with discussion"


def _conduct(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    made = None if fieldwork is None else fieldwork.preregistration
    fixed = "no preregistration is stored" if made is None else f"yes, {made.when}, {made.digest}"
    if made is not None and differs(analysis):
        fixed += "; what is otherwise stands under Preregistration"
    yield Answer("3.3.1", "Was the design preregistered?", fixed)
    imported = 0 if analysis.collected is None else analysis.collected.n_imported
    how = "web pages served by jurybox" if not imported else "jurybox, and imported tables"
    yield Answer("3.3.2", "By which medium were responses collected?", how)
    kinds = _assured(study)
    yield Answer("3.3.3.1", "Which kinds of quality assurance?", joined(kinds) if kinds else "none")
    exactly = " ".join(filter(None, kinds.values()))
    yield Answer("3.3.3.2", "Which methods exactly?", exactly or "none")
    yield Answer("3.3.4.1", "Where can the form be seen?", "in this report, under Design")
    shown = joined(shown_fields(study))
    yield Answer("3.3.4.2", "What do evaluators see?", f"{shown}, the questions and their anchors")
    free = f"free; a booklet is made for {format_number(study.session.minutes, 0)} minutes"
    if study.session.break_every is not None:
        free += f", with a break offered every {study.session.break_every:g}"
    yield Answer("3.3.5", "How free are they in when and how fast they answer?", free)
    yield Answer(
        "3.3.6", "May they ask questions or give feedback?", "a comment field on every trial"
    )
    yield Answer("3.3.7", "Under which conditions do they work?")
    yield Answer("3.3.8", "How far do the conditions vary?")


def _assured(study: Study) -> dict[str, str]:
    """Each kind of quality assurance, and what was done in sentences."""
    quality = study.quality
    kinds = {}
    if quality.practice is not None:
        passed = format_percent(quality.practice_pass, 0)
        kinds["practice trials"] = f"Practice with feedback comes first; {passed} right passes it."
    if quality.gold is not None:
        kinds["gold trials"] = "Trials with a known answer are hidden among the others."
    if quality.attention is not None:
        kinds["attention trials"] = "Attention checks are hidden among the others."
    if quality.calibration is not None:
        target = format_number(quality.calibration.target, 2)
        kinds["a calibration round"] = (
            f"Everybody first rates {format_count(quality.calibration.items, 'item')}; the "
            f"agreement aimed at is {target}."
        )
    if study.session.headphones:
        kinds["a test of headphones"] = "Raters set their volume and take a test of headphones."
    if rules(study):
        kinds["exclusion by rule"] = " ".join(rules(study))
    return kinds


def _size_and_values(study: Study, criterion: Criterion) -> tuple[str, str] | None:
    """How many values may be answered, and which; ``None`` where there is no such list."""
    if criterion.scale is not None:
        points = criterion.scale.values
        size = values_of(criterion.scale) if criterion.scale.step else f"{len(points):,} values"
        anchors = (
            f"{shown_value(v.value)} {study.words(v.anchor).rstrip('.')}".strip() for v in points
        )
        return f"{size} ({criterion.scale.level})", "; ".join(anchors) or size
    if criterion.choices is not None:
        return f"{len(criterion.choices)} choices", choices_of(criterion.choices)
    if criterion.severities is not None:
        kinds, severities = criterion.all_categories, criterion.severities
        size = f"{format_count(len(kinds), 'category', 'categories')} and "
        size += format_count(len(severities), "severity", "severities")
        return size, f"{', '.join(kinds)}; {', '.join(severities)}"
    if study.protocol == "detect":
        return "2 answers", "real, generated"
    return None


def _quality(analysis: Analysis, study: Study, name: str, criterion: Criterion) -> Iterator[Answer]:
    is_scored = criterion.scale is not None and criterion.per == "output"
    kind, how = PROTOCOLS["rate" if is_scored else study.protocol]
    if picks_best(study):
        how = PICKED
    yield Answer("4.1.1", "Which type of quality (correctness, goodness, feature)?")
    yield Answer("4.1.2", "Which aspect (form, content, both)?")
    yield Answer("4.1.3", "Judged against what (itself, input, outside)?")
    yield Answer(
        "4.2.1", "Objective or subjective?", f"subjective: {analysis.rater_noun}s' judgment"
    )
    yield Answer("4.2.2", "Absolute or relative?", f"{kind}: {how}")
    yield Answer("4.2.3", "Intrinsic or extrinsic?")
    yield Answer("4.3.1", "Its name for evaluators", name)
    yield Answer("4.3.2", "Its definition", study.words(criterion.question))
    listed = _size_and_values(study, criterion)
    size, values = listed or ("not applicable", "not applicable")
    yield Answer("4.3.3", "Size of the scale", size)
    yield Answer("4.3.4", "Its values", values)
    yield Answer("4.3.5", "How the scale is shown", "as drawn under Design")
    task = how if listed is None else "not applicable: 4.3.4 lists the answers"
    yield Answer("4.3.6", "The task, if there is no scale", task)
    yield Answer("4.3.7", "The question word for word", study.words(criterion.question))
    yield Answer("4.3.8", "Form of elicitation", how)
    by = AGGREGATED["rate" if is_scored else study.protocol]
    yield Answer("4.3.9", "How answers are aggregated", f"{by}; see Methods")
    yield Answer("4.3.10", "Effect size and significance", "see Methods and Results")
    yield from _agreed(analysis, name)


def _agreed(analysis: Analysis, name: str) -> Iterator[Answer]:
    """How far raters agree on a criterion with one another, and with themselves."""
    sources = (
        ("4.3.11", "between evaluators", ("agreement", "span_agreement"), "as 4.3.11.2 names it"),
        ("4.3.12", "with oneself", ("retest",), "trials shown twice"),
    )
    for number, whom, kinds, way in sources:
        ids = [f"{kind}/{name}" for kind in kinds]
        found = next((f for f in analysis.findings if f.id in ids), None)
        how, said = ("not measured",) * 2 if found is None else (way, with_reason(found))
        yield Answer(f"{number}.1", f"How agreement {whom} was measured", how)
        yield Answer(f"{number}.2", f"Agreement {whom}", said)


def _ethics(study: Study) -> Iterator[Answer]:
    consent = "" if study.consent is None else " (raters were asked for consent)"
    yield Answer("5.1", f"Which body approved the study{consent}?")
    personal = "the survey's answers" if study.survey else "no survey was asked"
    yield Answer("5.2", "Do outputs or answers hold personal data?", personal, "the rest")
    yield Answer("5.3", "Do they hold special categories of personal data?")
    yield Answer("5.4", "Was an impact assessment made?")
