"""The human-evaluation datasheet: its questions, answered as far as study and data can.

The questions are those of the Human Evaluation Datasheet, version 3.0 (Belz and Thomson 2025,
https://aclanthology.org/2025.gem-1.6), in words of our own and under their numbers. What only the
author can know stays open and is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.report.asked import shown_fields
from jurybox.report.blocks import Block, Section, Shown, Words
from jurybox.report.methods import joined, picks_best
from jurybox.report.preregistration import plan_hash
from jurybox.report.words import rules, with_reason
from jurybox.results import format_count, format_number, format_percent
from jurybox.study.model import Criterion, Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork

__all__ = ["OPEN", "datasheet_section"]

OPEN = "for the author"
"""What stands where only the author can answer."""

Answer = tuple[str, str, str]
"""The number of a question, the question, and its answer."""

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
    parts = {
        "1 and 2: Resources and systems": [
            *_resources(),
            *_systems(analysis, study, fieldwork),
        ],
        "3.1 and 3.2: Sample and evaluators": [
            *_sample(analysis, study, fieldwork),
            *_evaluators(analysis, study),
        ],
        "3.3: Conduct": [*_conduct(analysis, study, fieldwork)],
        **{
            f"4: Criterion {name}": [*_quality(analysis, study, name, criterion)]
            for name, criterion in study.criteria.items()
        },
        "5: Ethics": [*_ethics(study)],
    }
    answers = [answer for part in parts.values() for answer in part]
    blocks: list[Block] = [
        Words(
            text="The Human Evaluation Datasheet, HEDS 3.0 (Belz and Thomson 2025, "
            f"aclanthology.org/2025.gem-1.6), with its questions shortened. {_open(answers)}"
        ),
        *(Shown(table=_table(title, part), folded=True) for title, part in parts.items()),
        Shown(table=_snapshot(analysis, study, fieldwork, versions)),
    ]
    return Section(id="datasheet", title="Datasheet", blocks=tuple(blocks))


def _open(answers: list[Answer]) -> str:
    """How many questions are answered, and the numbers of those that the author has to answer."""
    left = [number for number, _, answer in answers if OPEN in answer]
    known = f"{len(answers) - len(left)} of {len(answers)} answers come from the study and its data"
    if not left:
        return f"{known}."
    named = joined(dict.fromkeys(left))
    return f"{known}; {len(left)} are open, {OPEN} to give: those to questions {named}."


def _table(title: str, answers: list[Answer]) -> Table:
    return Table(
        id=f"datasheet/{title.partition(':')[0]}{title.partition('Criterion')[2]}",
        title=f"Datasheet, {title}",
        columns=(
            Column(name="number", heading="No."),
            Column(name="question", heading="Question"),
            Column(name="answer", heading="Answer"),
        ),
        rows=tuple(answers),
    )


def _resources() -> Iterator[Answer]:
    yield "1.1.1", "Where is the experiment described?", OPEN
    yield "1.1.2", "Which experiment of that text is this?", OPEN
    yield "1.2", "Where are the resources: outputs, forms, data, code?", OPEN
    yield "1.3.1", "Who is the contact: name, affiliation, address?", OPEN
    yield "1.3.2", "Who filled in this sheet?", OPEN


def _systems(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    of_items = _item_fields(fieldwork)
    shown = dict(zip(study.show, shown_fields(study), strict=True))
    given = [said for name, said in shown.items() if name in of_items]
    made = [said for name, said in shown.items() if name not in of_items]
    saw = f"{analysis.rater_noun}s saw"
    known = f"{saw} {joined(given)}; whether it is all is {OPEN} to say" if given else OPEN
    yield "2.1", "What goes into the systems?", known
    yield "2.2", "What comes out of them?", f"{saw} {joined(made)}" if made else OPEN
    yield "2.3", "Which task do the systems perform?", OPEN
    yield "2.4", "In which languages is the input?", OPEN
    yield "2.5", "In which languages is the output?", OPEN


def _item_fields(fieldwork: Fieldwork | None) -> set[str]:
    """The fields that the items bring along, which are the same for every system."""
    items = () if fieldwork is None else fieldwork.material.items.values()
    return {name for item in items for name in item.fields}


def _sample(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    yield (
        "3.1.1",
        "How many outputs of each system are evaluated?",
        f"{format_count(analysis.n_items, 'item')}, of "
        f"{format_count(len(analysis.systems), 'system')} each at most one output",
    )
    design = study.design
    how = f"all items of the study; how these were found is {OPEN} to say"
    if design.items is not None:
        how = f"{design.items:,} drawn at random by a script, seed {design.seed}"
        if design.stratify:
            how += f", in strata of {joined(design.stratify)} ({design.allocation})"
    yield "3.1.2", "How were they chosen?", how
    made = None if fieldwork is None else fieldwork.preregistration
    power = None if made is None else made.power
    way = "none was stated" if power is None else f"{power.assumed}; see the preregistration"
    found = "none was stated"
    if power is not None:
        found = (
            f"{format_percent(power.power, 0)} for a difference of {format_number(power.effect)}"
        )
    yield "3.1.3.1", "By which method was the size chosen (power analysis)?", way
    yield "3.1.3.2", "What is the power of the sample?", found
    code = "none" if power is None else "jurybox preregister --detect"
    yield "3.1.3.3", "Where is the code of the power analysis?", code


def _evaluators(analysis: Analysis, study: Study) -> Iterator[Answer]:
    yield "3.2.1", "How many evaluators are there?", f"{analysis.n_raters:,}"
    yield "3.2.2.1", "Are they experts of the domain?", OPEN
    paid = OPEN if study.access.payment is None else study.words(study.access.payment)
    yield "3.2.2.2", "Were they paid?", paid
    yield "3.2.2.3", "Did the authors know any of them?", OPEN
    yield "3.2.2.4", "Are authors among them?", OPEN
    access = study.access
    how = OPEN
    if access.prolific is not None:
        how = "through Prolific"
    elif access.mturk:
        how = "through Mechanical Turk"
    elif access.invited or access.listed:
        how = f"invited or listed by the organizer; how they were found is {OPEN} to say"
    yield "3.2.3", "How were they recruited?", how
    given = ["a guide with the task, the criteria and their anchors"]
    if study.quality.practice is not None:
        given.append("practice trials with feedback")
    if study.quality.calibration is not None:
        given.append("a calibration round with discussion")
    yield "3.2.4", "What training or practice came before?", joined(given)
    asked = ", ".join(study.survey)
    known = f"asked in the survey: {asked}" if asked else OPEN
    yield "3.2.5", "What else is known of them?", known


def _conduct(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    made = None if fieldwork is None else fieldwork.preregistration
    fixed = "no preregistration is stored" if made is None else f"yes, {made.when}, {made.digest}"
    yield "3.3.1", "Was the design preregistered?", fixed
    imported = 0 if analysis.collected is None else analysis.collected.n_imported
    how = "web pages served by jurybox" if not imported else "jurybox, and imported tables"
    yield "3.3.2", "By which medium were responses collected?", how
    kinds = _assured(study)
    yield "3.3.3.1", "Which kinds of quality assurance?", joined(kinds) if kinds else "none"
    exactly = " ".join(filter(None, kinds.values()))
    yield "3.3.3.2", "Which methods exactly?", exactly or "none"
    yield "3.3.4.1", "Where can the form be seen?", "in this report, under Design"
    shown = joined(shown_fields(study))
    yield "3.3.4.2", "What do evaluators see?", f"{shown}, the questions and their anchors"
    free = f"free; a booklet is made for {format_number(study.session.minutes, 0)} minutes"
    if study.session.break_every is not None:
        free += f", with a break offered every {study.session.break_every:g}"
    yield "3.3.5", "How free are they in when and how fast they answer?", free
    yield "3.3.6", "May they ask questions or give feedback?", "a comment field on every trial"
    yield "3.3.7", "Under which conditions do they work?", OPEN
    yield "3.3.8", "How far do the conditions vary?", OPEN


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
        size = criterion.scale.describe() if criterion.scale.step else f"{len(points):,} values"
        anchors = (f"{v.value:g} {study.words(v.anchor).rstrip('.')}".strip() for v in points)
        return f"{size} ({criterion.scale.level})", "; ".join(anchors) or size
    if criterion.choices is not None:
        return f"{len(criterion.choices)} choices", ", ".join(criterion.choices)
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
    yield "4.1.1", "Which type of quality (correctness, goodness, feature)?", OPEN
    yield "4.1.2", "Which aspect (form, content, both)?", OPEN
    yield "4.1.3", "Judged against what (itself, input, outside)?", OPEN
    yield "4.2.1", "Objective or subjective?", f"subjective: {analysis.rater_noun}s' judgment"
    yield "4.2.2", "Absolute or relative?", f"{kind}: {how}"
    yield "4.2.3", "Intrinsic or extrinsic?", OPEN
    yield "4.3.1", "Its name for evaluators", name
    yield "4.3.2", "Its definition", study.words(criterion.question) or OPEN
    listed = _size_and_values(study, criterion)
    size, values = listed or ("not applicable", "not applicable")
    yield "4.3.3", "Size of the scale", size
    yield "4.3.4", "Its values", values
    yield "4.3.5", "How the scale is shown", "as drawn under Design"
    task = how if listed is None else "not applicable: 4.3.4 lists the answers"
    yield "4.3.6", "The task, if there is no scale", task
    yield "4.3.7", "The question word for word", study.words(criterion.question) or OPEN
    yield "4.3.8", "Form of elicitation", how
    by = AGGREGATED["rate" if is_scored else study.protocol]
    yield "4.3.9", "How answers are aggregated", f"{by}; see Methods"
    yield "4.3.10", "Effect size and significance", "see Methods and Results"
    ids = (f"agreement/{name}", f"span_agreement/{name}")
    agreed = next((f for f in analysis.findings if f.id in ids), None)
    way = "not measured" if agreed is None else "as 4.3.11.2 names it"
    yield "4.3.11.1", "How agreement between evaluators was measured", way
    said = "not measured" if agreed is None else with_reason(agreed)
    yield "4.3.11.2", "Agreement between evaluators", said
    again = next((f for f in analysis.findings if f.id == f"retest/{name}"), None)
    same = "not measured" if again is None else with_reason(again)
    yield (
        "4.3.12.1",
        "How agreement with oneself was measured",
        ("not measured" if again is None else "trials shown twice"),
    )
    yield "4.3.12.2", "Agreement with oneself", same


def _ethics(study: Study) -> Iterator[Answer]:
    consent = "" if study.consent is None else " (raters were asked for consent)"
    yield "5.1", f"Which body approved the study{consent}?", OPEN
    personal = "the survey's answers" if study.survey else "no survey was asked"
    yield "5.2", "Do outputs or answers hold personal data?", f"{personal}; the rest {OPEN}"
    yield "5.3", "Do they hold special categories of personal data?", OPEN
    yield "5.4", "Was an impact assessment made?", OPEN


def _snapshot(
    analysis: Analysis,
    study: Study,
    fieldwork: Fieldwork | None,
    versions: Mapping[str, str],
) -> Table:
    rows = [("Study", study.hash())]
    if fieldwork is not None:
        rows.append(("Items, outputs and media", fieldwork.material.hash()))
        if fieldwork.plan is not None:
            rows.append(("Plan", plan_hash(fieldwork.plan)))
        if fieldwork.preregistration is not None:
            rows.append(("Preregistration", fieldwork.preregistration.digest))
    rows += [
        ("Seed of the plan", str(study.design.seed)),
        ("Seed of the analysis", str(analysis.seed)),
    ]
    rows += [(name, version) for name, version in versions.items()]
    return Table(
        id="snapshot",
        title="Snapshot: SHA-256 hashes, seeds and versions",
        columns=(Column(name="part", heading="Part"), Column(name="value", heading="Value")),
        rows=tuple(rows),
    )
