"""Outputs to look at: those at the ends of each system, and one trial as raters see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jurybox.analysis.finding import Analysis, Table, format_cells
from jurybox.design.plan import Trial
from jurybox.errors import InputError
from jurybox.report.blocks import Exhibit, Gallery, Part, Remark, Screen
from jurybox.report.fieldwork import Comment, Fieldwork, Marked
from jurybox.report.fieldwork.thumbnails import Thumbnails
from jurybox.report.said.plain import plain_text
from jurybox.results import format_count
from jurybox.screen.form import make_form
from jurybox.screen.trial import TrialContent, draw_trial
from jurybox.study.material import Material
from jurybox.study.model import Study

__all__ = ["draw_gallery", "draw_screen"]

LETTERS = 320
"""Letters of a text that are shown; how many there are is said where it is cut."""
COMMENTS = 3
MARKS = 6
SYSTEMS = 6
SMALL, LARGE = 260, 520
"""The longer side of a picture, in px: in a gallery, and in a trial."""
PLAYED = {"audio": "a recording", "video": "a film"}
"""What a page that plays nothing shows of an output."""
ENDS = "Best and worst outputs"
NOTHING = "data:,"


def draw_gallery(
    table: Table,
    study: Study,
    fieldwork: Fieldwork,
    analysis: Analysis,
    pictures: Thumbnails,
    *,
    folded: bool = False,
) -> Gallery | None:
    """The best and the worst output of each system, from a table ``extremes/…``."""
    shown: dict[tuple[str, str], tuple[Any, ...]] = {}
    for row in table.rows:
        shown.setdefault((row[1], row[0]), row)
    systems = list(dict.fromkeys(system for system, _ in shown))[:SYSTEMS]
    left_out = {excluded.rater for excluded in analysis.excluded}
    exhibits = [
        _exhibit(table, row, study, fieldwork, left_out, pictures)
        for (system, _), row in shown.items()
        if system in systems
    ]
    found = tuple(exhibit for exhibit in exhibits if exhibit is not None)
    if not any(map(_is_seen, found)):
        return None
    is_asked_for_truth = analysis.protocol == "detect"
    ends = "Outputs most and least often called real" if is_asked_for_truth else ENDS
    return Gallery(title=f"{ends}: {table.about}", exhibits=found, folded=folded)


def _is_seen(exhibit: Exhibit) -> bool:
    """Whether it shows more than that there is something to play."""
    unplayed = (part.pictures or part.text not in PLAYED.values() for part in exhibit.parts)
    return bool(exhibit.comments) or any(unplayed)


def _exhibit(
    table: Table,
    row: tuple[Any, ...],
    study: Study,
    fieldwork: Fieldwork,
    left_out: set[str],
    pictures: Thumbnails,
) -> Exhibit | None:
    end, system, item, _, n = row
    material = fieldwork.material
    try:
        fields = {**material.item_fields(item), **material.output_fields(item, system)}
    except InputError:
        # The files may have changed since raters answered.
        return None
    noun = table.columns[4].heading.lower().removesuffix("s")
    figure = f"{table.columns[3].heading.lower()} {format_cells(table, row)[3]}"
    asked = {name for name, criterion in study.criteria.items() if criterion.categories}
    return Exhibit(
        title=f"{system}, {end}: {item}",
        value=f"{figure}, {format_count(n, noun)}",
        parts=tuple(_parts(study, fields, pictures)),
        # A score beside the marks has its reasons in them.
        marked=_marked(
            [
                mark
                for mark in fieldwork.marked
                if (mark.item, mark.system) == (item, system)
                and (mark.criterion == table.about or table.about not in asked)
                and mark.rater not in left_out
            ],
            fields,
        )
        or ("nothing",) * bool(asked and fieldwork.marked),
        comments=(*_remarks(fieldwork.comments, item, system, table.about, left_out),)[:COMMENTS],
    )


def _remarks(
    comments: Sequence[Comment], item: str, system: str, criterion: str, left_out: set[str]
) -> Iterator[Remark]:
    """What was written of an output, each once: a trial's comment may be told as a reason, too."""
    told = set()
    for comment in comments:
        is_of_it = comment.item == item and system in comment.systems
        is_new = (comment.rater, comment.text) not in told and comment.rater not in left_out
        if is_of_it and is_new and comment.criterion in (None, criterion):
            told.add((comment.rater, comment.text))
            yield Remark(text=_cut(comment.text), answered=comment.answered)


def _marked(marks: Sequence[Marked], fields: Mapping[str, Any]) -> tuple[str, ...]:
    """What was marked, most raters first: ``“arrives”: accuracy, major (2 raters)``."""
    raters: dict[tuple[str, str], set[str]] = {}
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        words = _cut(str(fields.get(mark.field, ""))[mark.start : mark.end])
        raters.setdefault((words, mark.called), set()).add(mark.rater)
    found = sorted(raters.items(), key=lambda pair: -len(pair[1]))
    said = [
        f"{_quoted(words)}{': ' * bool(called)}{called} ({format_count(len(by), 'rater')})"
        for (words, called), by in found[:MARKS]
    ]
    more = len(found) - len(said)
    return (*said, *[f"{more} more"] * bool(more))


def _quoted(words: str) -> str:
    """What was marked; of a space nothing is left to quote."""
    return f"“{words}”" if words.strip() else "a space"


def _parts(study: Study, fields: Mapping[str, Any], pictures: Thumbnails) -> list[Part]:
    parts = []
    for name, shown in study.show.items():
        if fields.get(name) is not None:
            caption = study.words(shown.caption) or _called(name)
            parts.append(_part(caption, shown.medium, fields[name], pictures))
        between = shown.between
        if between is not None and between not in study.show and fields.get(between) is not None:
            said = _cut(_sentences(fields[between]))
            parts.append(Part(caption=_called(between), text=said))
    return parts


def _called(field: str) -> str:
    """What a field without a caption is called."""
    return field[:1].upper() + field[1:].replace("_", " ")


def _sentences(value: Any) -> str:
    """What stands between the pictures of a series, as one text."""
    return value if isinstance(value, str) else "\n".join(map(str, value))


def _part(caption: str, medium: str, value: Any, pictures: Thumbnails) -> Part:
    if medium in ("image", "images"):
        paths = [value] if medium == "image" else list(value)
        made = [pictures.of(Path(path), side=SMALL) for path in paths]
        there = tuple(uri for uri in made if uri is not None)
        missing = len(made) - len(there)
        said = f"{format_count(missing, 'picture')} not shown here." if missing else ""
        return Part(caption=caption, text=said, pictures=there)
    if medium in PLAYED:
        return Part(caption=caption, text=PLAYED[medium])
    if medium == "chat":
        turns = "\n".join(f"{turn['role']}: {turn['text']}" for turn in value)
        return Part(caption=caption, text=_cut(turns))
    if medium == "markdown":
        return Part(caption=caption, text=_cut(plain_text(str(value))))
    return Part(caption=caption, text=_cut(str(value)))


def _cut(text: str) -> str:
    """A text that is not too long; how much is left out is said.

    >>> _cut("short")
    'short'
    >>> _cut("word " * 100)[-38:]
    'word word … (320 of 499 letters shown)'
    """
    lines = (" ".join(line.split()) for line in text.splitlines())
    text = "\n".join(line for line in lines if line)
    if len(text) <= LETTERS:
        return text
    kept = text[:LETTERS].rstrip()
    return f"{kept} … ({LETTERS} of {len(text):,} letters shown)"


def draw_screen(study: Study, fieldwork: Fieldwork, pictures: Thumbnails) -> Screen | None:
    """The first main trial of the first booklet, as its rater saw it."""
    content = _first_trial(fieldwork)
    if content is None:
        return None

    def small(path: Path) -> str:
        return pictures.of(path, side=LARGE) or NOTHING

    drawn = draw_trial(study, content, media_url=small, name="drawn")
    form = make_form(study, places=len(content.outputs))
    whole = [(question.name, question.words) for question in form.questions]
    # One question that is asked of every output is told once, without the output's letter.
    once = list(dict.fromkeys((name.partition(" · ")[0], words) for name, words in whole))
    asked = once if len(once) < len(whole) else whole
    return Screen(
        html=str(drawn),
        caption="One trial as raters see it. Systems have no name there"
        + ("; outputs are known by their place." if len(content.outputs) > 1 else ".")
        + _unlike(study),
        parts=tuple(_shown_parts(study, content, pictures)),
        asked=tuple(": ".join(filter(None, question)) for question in asked),
    )


def _unlike(study: Study) -> str:
    """How it differs from what raters see."""
    media = {shown.medium for shown in study.show.values()}
    said = " Pictures are smaller here." if media & {"image", "images"} else ""
    return said + (" Nothing plays here." if media & PLAYED.keys() else "")


def _shown_parts(study: Study, content: TrialContent, pictures: Thumbnails) -> Iterator[Part]:
    """The item, then every output; of several outputs each says which it is."""
    yield from _parts(study, content.item, pictures)
    for number, fields in enumerate(content.outputs, start=1):
        own = {name: value for name, value in fields.items() if name not in content.item}
        for part in _parts(study, own, pictures):
            several = f" {number}" if len(content.outputs) > 1 else ""
            yield replace(part, caption=f"{part.caption}{several}")


def _first_trial(fieldwork: Fieldwork) -> TrialContent | None:
    plan, material = fieldwork.plan, fieldwork.material
    if plan is None or not plan.booklets:
        return None
    slots = {slot.id: slot for slot in plan.slots}
    for id in plan.booklets[0].slots:
        slot = slots[id]
        trial = plan.trial(slot.trial)
        if trial.kind == "main" and _is_there(material, trial):
            outputs = [material.output_fields(trial.item, trial.systems[k]) for k in slot.order]
            return TrialContent(item=material.item_fields(trial.item), outputs=outputs)
    return None


def _is_there(material: Material, trial: Trial) -> bool:
    """Whether the files still hold the trial's item and outputs."""
    outputs = all((trial.item, system) in material.outputs for system in trial.systems)
    return trial.item in material.items and outputs
