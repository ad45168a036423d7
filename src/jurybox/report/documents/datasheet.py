"""The human-evaluation datasheet: its questions, answered as far as study and data can.

What only the author can know stays open and is listed. An answer that the author gives stands
behind what the study knows, or in its place where both choose one option of the form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from jurybox.analysis.finding import Analysis, Column, Standing, Table
from jurybox.formats import joined
from jurybox.report.blocks import Block, Section, Shown, Words
from jurybox.report.documents.authored import FILE
from jurybox.report.documents.heds import NEITHER, NOT_APPLICABLE, OTHER, QUESTIONS
from jurybox.report.documents.snapshot import snapshot_table
from jurybox.report.fieldwork.survey import survey_table
from jurybox.report.methods.judges_asked import judges_asked
from jurybox.report.methods.references import uses
from jurybox.report.methods.tested import agreement_measures, significance
from jurybox.report.said.plain import choices_of, shown_fields, shown_value, values_of
from jurybox.report.said.words import groups, rules, with_reason
from jurybox.results import format_count, format_number, format_percent
from jurybox.screen.form import title_of
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.raters import Retest
from jurybox.study.criteria import Medium
from jurybox.study.guide import AnswerForm, form_of
from jurybox.study.model import Criterion, Study

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork

__all__ = ["FORMS", "OPEN", "datasheet_section"]

OPEN = "for the author"
"""What stands where only the author can answer."""


class Answer(NamedTuple):
    """What study and data say to a question."""

    number: str
    known: str = ""
    picked: tuple[str, ...] = ()
    """The options of the form that this is, where it has options."""
    lacking: str = ""
    """What else is asked that only the author can say."""

    def is_open(self, given: str) -> bool:
        """Whether the author still has to answer, who has given this."""
        asked = QUESTIONS[self.number]
        if asked.options:
            return not self._is_chosen(given) or bool(self.lacking and not given)
        return not given and (not self._known or bool(self.lacking))

    def _is_chosen(self, given: str) -> bool:
        return bool(self.picked) or QUESTIONS[self.number].names_option(given)

    @property
    def _known(self) -> str:
        return ": ".join(filter(None, [joined(self.picked), self.known]))

    def _gives_way(self, given: str) -> bool:
        """Whether what the author gives contradicts what is picked here, and so replaces it."""
        asked = QUESTIONS[self.number]
        if self.picked == (NOT_APPLICABLE,):
            return True
        alone = not asked.several or self.picked == (NEITHER,)
        return bool(self.picked) and alone and asked.names_option(given)

    def text(self, given: str) -> str:
        """The answer with what its author adds."""
        parts = [given] if given and self._gives_way(given) else [self._known, given]
        if self.is_open(given):
            lacks = self.lacking if not given else ""
            choices = "" if self._is_chosen(given) else QUESTIONS[self.number].choices
            whose = f"{lacks} is {OPEN}" if lacks else OPEN
            parts.append(f"{whose} ({choices})" if choices else whose + " to say" * bool(lacks))
        return "; ".join(filter(None, parts))


Row = tuple[Answer, str]
"""An answer with what its author adds."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the datasheet says of questions that are answered in one way."""

    did: str
    """What evaluators do."""
    elicited: str
    """The option of 4.3.8."""
    shown_as: str
    """The option of 4.3.5."""
    aggregated: str


RELATIVE = "relative quality estimation"
MEANS = "the mean of a system's ratings, each with the same weight, and differences within items"
WINS = "win rates"
RANKS = "how often one of two systems is ranked above the other"
FORMS: dict[AnswerForm, Form] = {
    "scale": Form("each output is scored", "direct quality estimation", "multiple choice", MEANS),
    "slider": Form("each output is scored", "direct quality estimation", "slider", MEANS),
    "choice": Form("two outputs are compared", RELATIVE, "multiple choice", WINS),
    "graded": Form(
        "two outputs are compared by degrees",
        RELATIVE,
        "multiple choice",
        f"{WINS}, and mean grades",
    ),
    "order": Form("the outputs of an item are put in order", RELATIVE, NOT_APPLICABLE, RANKS),
    "best": Form("the best output of an item is picked", RELATIVE, "multiple choice", RANKS),
    "origin": Form(
        "each output is called real or generated",
        "classification or labeling",
        "multiple choice",
        "shares of answers, and d′",
    ),
    "spans": Form(
        "errors are marked in each output",
        "post-editing or annotation",
        NOT_APPLICABLE,
        "error points, summed over an output's marks and averaged over outputs",
    ),
}
"""By how a question is answered."""


def datasheet_section(
    analysis: Analysis,
    study: Study | None,
    fieldwork: Fieldwork | None,
    versions: Mapping[str, str],
    *,
    is_drawn: bool = False,
) -> Section | None:
    """The questions with their answers, the open ones listed, and the snapshot with its hashes.

    ``is_drawn``: whether the report shows a trial as raters see it.
    """
    if study is None:
        return None
    told = {} if fieldwork is None else fieldwork.authored
    rows = {
        title: [
            (each, told.get((criterion, each.number)) or told.get(("", each.number), ""))
            for each in asked
        ]
        for title, criterion, asked in _parts(analysis, study, fieldwork, is_drawn=is_drawn)
    }
    opened = _open(row for part in rows.values() for row in part)
    blocks: list[Block] = [
        Words(
            text="The Human Evaluation Datasheet, HEDS 3.0 (Belz and Thomson 2025, "
            f"aclanthology.org/2025.gem-1.6), with its questions shortened. {opened}"
            f"{_of_whom(analysis)}"
        ),
        *(Shown(table=_table(title, part), folded=True) for title, part in rows.items()),
        Shown(table=snapshot_table(analysis, study, fieldwork, versions)),
    ]
    return Section(id="datasheet", title="Datasheet", blocks=tuple(blocks))


def _of_whom(analysis: Analysis) -> str:
    """Who the evaluators are, where they are not people alone."""
    collected = analysis.collected
    said = ""
    if collected is not None and collected.simulated == "all":
        said += (
            " All evaluators are simulated: what is said of their work is what the study plans "
            "for people."
        )
    if not analysis.of_judges and any(f.standing == "judge" for f in analysis.findings):
        said += " Judges are not among the evaluators."
    return said


def _parts(
    analysis: Analysis, study: Study, fieldwork: Fieldwork | None, *, is_drawn: bool
) -> Iterator[tuple[str, str, Iterator[Answer]]]:
    """Title and answers of each part, and the criterion that they are about, if it is one."""
    known = (analysis, study, fieldwork)
    yield "1 and 2: Resources and systems", "", chain(_resources(), _systems(study, fieldwork))
    yield "3.1 and 3.2: Sample and evaluators", "", chain(_sample(*known), _evaluators(*known))
    yield "3.3: Conduct", "", _conduct(*known, is_drawn=is_drawn)
    for name, criterion in study.criteria.items():
        yield f"4: Criterion {name}", name, _quality(analysis, study, name, criterion)
    yield "5: Ethics", "", _ethics(analysis, study)


def _open(rows: Iterable[Row]) -> str:
    """How many questions are answered, by whom, and the numbers of those that are still open."""
    rows = list(rows)
    left = [answer.number for answer, given in rows if answer.is_open(given)]
    given = sum(bool(given) and not answer.is_open(given) for answer, given in rows)
    known = len(rows) - len(left) - given
    text = f"{known} of {len(rows)} answers come from the study and its data"
    if given:
        text += f", {given} from the author"
    if not left:
        return f"{text}."
    named = joined(dict.fromkeys(left))
    are = "is" if len(left) == 1 else "are"
    those = f"that to question {named}" if len(left) == 1 else f"those to questions {named}"
    return f"{text}; {len(left)} {are} open, {OPEN} to give in {FILE}: {those}."


def _table(title: str, rows: list[Row]) -> Table:
    return Table(
        id=f"datasheet/{title.partition(':')[0]}{title.partition('Criterion')[2]}",
        title=f"Datasheet, {title}",
        columns=(
            Column(name="number", heading="No."),
            Column(name="question", heading="Question"),
            Column(name="answer", heading="Answer"),
        ),
        rows=tuple(
            (each.number, QUESTIONS[each.number].asks, each.text(given)) for each, given in rows
        ),
    )


def _resources() -> Iterator[Answer]:
    yield from (Answer(number) for number in QUESTIONS if number.startswith("1."))


def _systems(study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    of_items = _item_fields(fieldwork)
    media: dict[str, Medium] = {}
    for name, shown in study.show.items():
        media[name] = shown.medium
        if shown.between is not None:  # sentences between the images of a series
            media.setdefault(shown.between, "text")
    said = {name: f"{name} ({medium})".replace("_", " ") for name, medium in media.items()}
    given = [said[name] for name in media if name in of_items]
    made = [name for name in media if name not in of_items]
    yield Answer("2.1", f"the study shows {joined(given)} beside the outputs" if given else "")
    picked = dict.fromkeys(KINDS[media[name]] for name in made if media[name] in KINDS)
    is_told = fieldwork is not None and all(media[name] in KINDS for name in made)
    known = f"the study shows {joined(said[name] for name in made)}" if made else ""
    yield Answer("2.2", known, tuple(picked) if is_told else ())
    yield from (Answer(number) for number in ("2.3", "2.4", "2.5"))


KINDS = {"image": "visual", "images": "visual", "video": "visual", "chat": "text (dialogue)"}
"""The option of 2.2 that a medium is; what kind of text or sound it is, only the author knows."""


def _item_fields(fieldwork: Fieldwork | None) -> set[str]:
    """The fields that the items bring along, which are the same for every system."""
    items = () if fieldwork is None else fieldwork.material.items.values()
    return {name for item in items for name in item.fields}


def _sample(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    yield Answer("3.1.1", _outputs(analysis, fieldwork))
    yield _chosen(study, fieldwork)
    made = None if fieldwork is None else fieldwork.preregistration
    power = None if made is None else made.power
    if power is None:
        none = ("3.1.3.1", "3.1.3.2", "3.1.3.3")
        yield from (Answer(n, "none is preregistered", (NOT_APPLICABLE,)) for n in none)
        return
    found = f"{format_percent(power.power, 0)} for a difference of {format_number(power.effect)}"
    yield Answer("3.1.3.1", f"{power.assumed}; see the preregistration")
    yield Answer("3.1.3.2", found)
    yield Answer("3.1.3.3", "jurybox preregister --detect")


def _chosen(study: Study, fieldwork: Fieldwork | None) -> Answer:
    """How the items were chosen, of which each system has its outputs."""
    design = study.design
    there = None if fieldwork is None else len(fieldwork.material.items)
    if design.items is None or design.items == there:
        return Answer("3.1.2", "all items of the study", lacking="how these were found")
    of = f" of {there:,}" if there else ""
    how = f"{design.items:,}{of} items drawn by a script, seed {design.seed}"
    if not design.stratify:
        return Answer("3.1.2", how, ("simple random",))
    strata = f", in strata of {joined(design.stratify)} ({design.allocation})"
    return Answer("3.1.2", how + strata, ("stratified random",))


def _outputs(analysis: Analysis, fieldwork: Fieldwork | None) -> str:
    """How many outputs of each system somebody judged; those in the plan where some did not."""
    systems = format_count(len(analysis.systems), "system")
    if fieldwork is None or fieldwork.plan is None:
        on = format_count(analysis.n_items, "item")
        return f"at most {analysis.n_items:,} of each of {systems}, on {on}"
    asked = {slot.trial for slot in fieldwork.plan.slots}
    main = [
        trial
        for trial in fieldwork.plan.trials
        if trial.kind == "main" and (analysis.of_judges or trial.id in asked)
    ]
    shown = {(trial.item, system) for trial in main for system in trial.systems}
    counts = Counter(system for _, system in shown).values()
    if not counts:
        return f"none, of {systems}"
    least, most = min(counts), max(counts)
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    items = format_count(len({item for item, _ in shown}), "item")
    text = f"{each} of each of {systems}, on {items}"
    if analysis.of_judges or analysis.collected is None:
        return f"{text}, as planned"
    missing = len(main) - analysis.collected.n_trials
    if missing <= 0:
        return text
    return f"{text}, as planned; {missing:,} of {format_count(len(main), 'trial')} not answered"


def _evaluators(analysis: Analysis, study: Study, fieldwork: Fieldwork | None) -> Iterator[Answer]:
    n = f"{analysis.n_raters:,}"
    if analysis.of_judges:
        n += ", all of them judges, that is models"
    elif analysis.collected is not None and analysis.collected.simulated != "no":
        n += f", {analysis.collected.simulated} of them simulated"
    if analysis.excluded:
        gone = len({each.rater for each in analysis.excluded})
        n += f", and {gone:,} more who {'was' if gone == 1 else 'were'} left out by rule"
    if analysis.n_responses and not analysis.n_raters:
        yield Answer("3.2.1", "the data do not name them", lacking="how many there are")
    else:
        yield Answer("3.2.1", n)
    people = ("3.2.2.1", "3.2.2.2", "3.2.2.3", "3.2.2.4", "3.2.3", "3.2.4")
    if analysis.of_judges:
        yield from (_of_models(number) for number in people)
        yield Answer("3.2.5", " ".join(judges_asked(analysis, study)))
        return
    payment = "" if study.access.payment is None else study.words(study.access.payment)
    yield Answer("3.2.2.1")
    yield Answer("3.2.2.2", payment.rstrip("."))
    yield Answer("3.2.2.3")
    yield Answer("3.2.2.4")
    yield _recruited(study)
    yield _served(analysis, Answer("3.2.4", "; ".join(_trained(study))))
    known = [each.rstrip(".") for each in groups(analysis)]
    if study.survey:
        counted = survey_table(analysis, study, fieldwork.survey) if fieldwork else None
        under = "" if counted is None else "; the answers are counted under Raters"
        known.append(f"asked in the survey: {', '.join(study.survey)}{under}")
    yield Answer("3.2.5", "; ".join(known))


def _of_models(number: str) -> Answer:
    """The answer to a question on people where no person is among the evaluators."""
    return Answer(number, "the evaluators are models", (NOT_APPLICABLE,))


def _served(analysis: Analysis, answer: Answer) -> Answer:
    """An answer that holds of what jurybox showed: how imported answers were given is unknown."""
    collected = analysis.collected
    if collected is None or not collected.n_imported:
        return answer
    if collected.n_imported == collected.n_answers:
        return Answer(answer.number, "the answers were imported", lacking="how it was")
    said = f"how it was for the {format_count(collected.n_imported, 'imported answer')}"
    return answer._replace(lacking=joined(filter(None, [answer.lacking, said])))


def _recruited(study: Study) -> Answer:
    """By which way raters came to the study, and what is left to say of it."""
    access = study.access
    if access.prolific is not None:
        return Answer("3.2.3", "through Prolific")
    if access.mturk:
        return Answer("3.2.3", "through Mechanical Turk")
    if access.invited or access.listed:
        known = "invited or listed by the organizer"
        return Answer("3.2.3", known, lacking="how they were found")
    return Answer("3.2.3")


def _trained(study: Study) -> Iterator[str]:
    """What raters were given before the first trial that counts."""
    yield "a guide with the task, the questions and what each answer means"
    if study.session.headphones:
        yield "a test of headphones"
    if study.quality.practice is not None:
        yield "practice trials with feedback"
    if study.quality.calibration is not None:
        yield "a calibration round"


def _conduct(
    analysis: Analysis, study: Study, fieldwork: Fieldwork | None, *, is_drawn: bool
) -> Iterator[Answer]:
    yield _preregistered(analysis, fieldwork)
    seen = Answer("3.3.4.1", "in this report, under Design" if is_drawn else "")
    shown = joined(shown_fields(study))
    what = Answer("3.3.4.2", f"{shown}, the questions, and what each answer means")
    if analysis.of_judges:
        yield Answer("3.3.2", "replies of models to prompts")
        yield Answer("3.3.3.1")
        yield Answer("3.3.3.2")
        yield seen
        yield what
        yield Answer("3.3.5", "the evaluators are models", (NEITHER,))
        yield Answer("3.3.6", "the evaluators are models", (NEITHER,))
        yield Answer("3.3.7", "the evaluators are models", (OTHER,))
        yield _of_models("3.3.8")
        return
    web = "web pages of jurybox, or its spreadsheets where such were given out"
    yield _served(analysis, Answer("3.3.2", web))
    options = QUESTIONS["3.3.3.1"].options
    assured = sorted(_assured(study), key=lambda done: options.index(done[0]))
    picked = dict.fromkeys(kind for kind, _, _ in assured)
    names = joined(dict.fromkeys(name for _, name, _ in assured))
    yield _served(analysis, Answer("3.3.3.1", names, tuple(picked)))
    yield _served(analysis, Answer("3.3.3.2", " ".join(said for _, _, said in assured)))
    yield _served(analysis, seen)
    yield _served(analysis, what)
    free = "raters may stop and come back; a booklet is made for "
    free += f"{format_number(study.session.minutes, 0)} minutes"
    if study.session.break_every is not None:
        free += f", with a break offered every {study.session.break_every:g}"
    yield _served(analysis, Answer("3.3.5", free, (NEITHER,)))
    comments = "a field for comments on every trial"
    told = "whether they were told that they may ask questions"
    yield _served(analysis, Answer("3.3.6", comments, (OTHER,), told))
    yield Answer("3.3.7")
    yield Answer("3.3.8")


def _preregistered(analysis: Analysis, fieldwork: Fieldwork | None) -> Answer:
    made = None if fieldwork is None else fieldwork.preregistration
    if made is None:
        return Answer("3.3.1", "none is stored with the study")
    known = f"fixed {made.when}, {made.digest}"
    if analysis.facts.deviates:
        known += "; what is otherwise stands under Preregistration"
    return Answer("3.3.1", known, lacking="whether it was deposited, and where,")


def _assured(study: Study) -> Iterator[tuple[str, str, str]]:
    """What was done for the quality of answers: the form's option, its name and a sentence."""
    quality = study.quality
    if quality.practice is not None:
        passed = format_percent(quality.practice_pass, 0)
        said = f"Practice with feedback comes first; {passed} right passes it."
        yield OTHER, "practice trials", said
    if quality.calibration is not None:
        target = format_number(quality.calibration.target, 2)
        first = f"Everybody first rates {format_count(quality.calibration.items, 'item')}"
        yield OTHER, "a calibration round", f"{first}; the agreement aimed at is {target}."
    if study.session.headphones:
        said = "Raters set their volume and take a test of headphones."
        yield OTHER, "a test of headphones", said
    if quality.gold is not None:
        said = "Trials with a known answer are hidden among the others."
        yield "automatic checks", "gold trials", said
    if quality.attention is not None:
        said = "Attention checks are hidden among the others."
        yield "automatic checks", "attention trials", said
    for rule in rules(study):
        yield "evaluators excluded", "exclusion by rule", rule


def _quality(analysis: Analysis, study: Study, name: str, criterion: Criterion) -> Iterator[Answer]:
    way = form_of(study.protocol, criterion)
    form = FORMS[way]
    about = _only(analysis, study, name, "primary", "secondary")
    yield from (Answer(number) for number in ("4.1.1", "4.1.2", "4.1.3"))
    yield Answer("4.2.1", f"{analysis.rater_noun}s' judgment", ("subjective",))
    together = study.protocol in ("compare", "rank") or _at_once(study) not in (None, 1)
    screen = "of several systems" if together else "of one system"
    shown = f"{form.did}; a screen shows outputs {screen}"
    yield Answer("4.2.2", shown, ("relative" if together else "absolute",))
    yield Answer("4.2.3")
    yield Answer("4.3.1.1", title_of(name, study.language))
    yield Answer("4.3.1.2")
    question, meaning = study.words(criterion.question), study.words(criterion.look_for)
    yield Answer("4.3.2", meaning or f"none beside the question: {question}")
    size, values = _size_and_values(analysis, study, criterion, way)
    yield Answer("4.3.3", size)
    yield Answer("4.3.4", values)
    yield _presented(analysis, criterion, form)
    has_scale = form.shown_as != NOT_APPLICABLE
    task = NOT_APPLICABLE if has_scale else f"{form.did}{_recorded(criterion)}"
    yield Answer("4.3.6", task)
    yield Answer("4.3.7", question)
    yield Answer("4.3.8", form.did, (_elicited(study, criterion, form),))
    yield Answer("4.3.9", f"{_aggregated(about, criterion, form)}; see Methods")
    tests = " ".join(significance(about))
    yield Answer("4.3.10", tests or "none")
    yield from _agreed(_only(analysis, study, name, "quality"), name)


def _only(analysis: Analysis, study: Study, criterion: str, *standings: Standing) -> Analysis:
    """The analysis of one criterion alone, as far as it is of such a standing."""
    # Where there is but one criterion, a finding need not name it.
    of = {criterion} if len(study.criteria) > 1 else {criterion, None}
    found = (f for f in analysis.findings if f.criterion in of and f.standing in standings)
    return replace(analysis, findings=tuple(found))


def _at_once(study: Study) -> int | str | None:
    """The outputs of how many systems stand on one screen, where the study says so."""
    return study.design.outputs_per_trial


def _presented(analysis: Analysis, criterion: Criterion, form: Form) -> Answer:
    """How evaluators see the scale."""
    shown_as = form.shown_as
    if shown_as == NOT_APPLICABLE:
        return Answer("4.3.5", "there is no scale", (shown_as,))
    if analysis.of_judges:
        return Answer("4.3.5", "in the words of a prompt", (OTHER,))
    if criterion.scale is not None and criterion.scale.step is not None:
        shown_as = "slider"
    return _served(analysis, Answer("4.3.5", picked=(shown_as,)))


def _elicited(study: Study, criterion: Criterion, form: Form) -> str:
    """The form's name for how the question is put."""
    scale = criterion.scale
    if scale is None or form.elicited != "direct quality estimation":
        return form.elicited
    anchors = " ".join(study.anchor(scale, value) for value in scale.values)
    if scale.name == "likert" or "disagree" in anchors.casefold():
        return "agreement with a statement"
    if criterion.level == "nominal" and len(scale.values) > 2:
        return "classification or labeling"
    return form.elicited


def _aggregated(about: Analysis, criterion: Criterion, form: Form) -> str:
    """How answers become the figures of a system."""
    if form.aggregated == MEANS and criterion.level == "nominal":
        return "the share of each answer, and differences within items"
    has_strengths = uses(about, "Strengths") or uses(about, "Strengths from rankings")
    has_ties = not {"tie", "both_bad"}.isdisjoint(criterion.choices or ())
    text = form.aggregated + ", in which a tie counts half" * (has_ties or criterion.graded)
    if not has_strengths:
        return text
    return f"{text}{',' * (',' in text)} and strengths"


def _size_and_values(
    analysis: Analysis, study: Study, criterion: Criterion, way: AnswerForm
) -> tuple[str, str]:
    """How many values may be answered, and which."""
    scale = criterion.scale
    if scale is not None:
        anchors = "; ".join(
            f"{shown_value(v.value)} {study.anchor(scale, v).rstrip('.')}".strip()
            for v in scale.values
        )
        if scale.step is None:
            return f"{len(scale.values):,} ({scale.level})", anchors
        size = round((scale.high - scale.low) / scale.step) + 1
        return f"{size:,} ({scale.level})", f"{values_of(scale)}; anchors: {anchors}"
    if way == "choice" and criterion.choices is not None:
        return f"{len(criterion.choices)}", choices_of(criterion.choices)
    if way == "origin":
        return "2", "real, generated"
    if way == "best":
        shown = _at_once(study)
        size = shown if isinstance(shown, int) else len(analysis.systems)
        return f"{size:,}", "the outputs on the screen"
    return NOT_APPLICABLE, NOT_APPLICABLE


def _recorded(criterion: Criterion) -> str:
    """What is recorded of an answer that is no value of a scale."""
    if criterion.categories is None:
        return ", ties allowed" if criterion.ties else ""
    parts = [f"each with a category ({', '.join(criterion.all_categories)})"]
    if criterion.severities:
        parts.append(f"a severity ({', '.join(criterion.severities)})")
    return f", {joined(parts)}"


def _agreed(about: Analysis, name: str) -> Iterator[Answer]:
    """How far raters agree on a criterion with one another, and with themselves."""
    between = (f"agreement/{name}", f"span_agreement/{name}")
    found = next((f for f in about.findings if f.id in between), None)
    measured = agreement_measures(about)
    if not measured and found is not None and isinstance(found.result, Agreement):
        measured = [found.result.statistic]
    yield Answer("4.3.11.1", joined(measured) or "not assessed")
    yield Answer("4.3.11.2", with_reason(found) if found else "not assessed")
    again = next((f for f in about.findings if f.id == f"retest/{name}"), None)
    how = "not assessed"
    if again is not None:
        how = "the share of trials shown twice that got the same answer"
        if isinstance(again.result, Retest) and again.result.kappa is not None:
            how += ", and Cohen's kappa"
    yield Answer("4.3.12.1", how)
    yield Answer("4.3.12.2", with_reason(again) if again else "not assessed")


def _ethics(analysis: Analysis, study: Study) -> Iterator[Answer]:
    asked = "" if study.consent is None else "the study asks raters for consent"
    yield Answer("5.1", asked, lacking="which committee approved it" if asked else "")
    survey = ["the survey's answers"] if study.survey else []
    held = [] if analysis.of_judges else [_ids(study), *survey, "comments"]
    yield Answer("5.2", f"stored: {joined(held)}" if held else "")
    yield Answer("5.3")
    yield Answer("5.4")


def _ids(study: Study) -> str:
    """By what raters are known."""
    if study.access.prolific is not None:
        return "raters' ids of Prolific"
    return "raters' ids of Mechanical Turk" if study.access.mturk else "raters' ids"
