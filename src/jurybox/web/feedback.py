"""A practice answer beside the right one, both in the words of the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jurybox.design.answers.forms import find_form
from jurybox.design.answers.known import rights
from jurybox.screen.form import letter, title_of
from jurybox.study.languages import Catalogue, catalogue, later

if TYPE_CHECKING:
    from jurybox.design.answers import Answer
    from jurybox.study.material import Known
    from jurybox.study.model import Criterion, Study

__all__ = ["Checked", "check_answers"]

_WORDS = {
    "a": later("A is better"),
    "b": later("B is better"),
    "tie": later("Tie"),
    "both_bad": later("Both bad"),
    "real": later("Real"),
    "generated": later("Generated"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One criterion of a practice trial: what was answered, and what would have been right."""

    name: str
    place: int | None
    """Of the output that it is about; none where it is about the trial."""
    is_right: bool
    given: str
    right: str


def check_answers(
    study: Study, known: Known, answers: Sequence[Answer], *, texts: Mapping[str, str]
) -> tuple[Checked, ...]:
    """Every checked criterion of the trial.

    A practice trial shows its outputs in the order of its row, so the row's first output is A.
    ``texts`` are the marked texts by field.
    """
    right = rights(study, known, answers)
    made = []
    for column, accepted in known.answers.items():
        name, place = known.about(column, study.criteria)
        criterion, title = study.criteria[name], title_of(name, study.language)
        words = _Words(study=study, criterion=criterion, text=texts.get(criterion.field or "", ""))
        system = None if place is None else known.systems[place]
        rows = [one for one in answers if one.criterion == name and system in (None, one.system)]
        checked = Checked(
            name=title if place is None else f"{title} · {letter(place)}",
            place=place,
            is_right=right[column],
            given=words.say(words.value_of(rows, known)) if rows else "",
            right=words.say_all(accepted),
        )
        made.append(checked)
    return tuple(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """How answers to one criterion are said."""

    study: Study
    criterion: Criterion
    text: str

    @property
    def own(self) -> Catalogue:
        """The program's words in the study's language."""
        return catalogue(self.study.language)

    def value_of(self, rows: Sequence[Answer], known: Known) -> Any:
        """Give stored rows as a known-answer table has them."""
        first = rows[0]
        match find_form(self.study, self.criterion):
            case "graded":
                strength = first.strength or 0.0
                return -strength if first.winner == "a" else strength
            case "choice":
                return first.winner
            case "answer":
                return first.answer
            case "ranks":
                ranks = {row.system: row.rank for row in rows}
                return tuple(ranks.get(system) for system in known.systems)
            case "spans":
                spans = ((row.start, row.end, row.category, row.severity) for row in rows)
                return tuple(span for span in spans if span[0] is not None)
        return first.score

    def say_all(self, accepted: Sequence[Any]) -> str:
        """Say every accepted answer; a stretch of a slider by its ends."""
        scale = self.criterion.scale
        if scale is not None and scale.step is not None and len(accepted) > 2:
            low, high = min(accepted), max(accepted)
            if len(set(accepted)) == round((high - low) / scale.step) + 1:
                return f"{self.own.number(low)}–{self.own.number(high)}"
        either = f" {self.own.gettext('or')} "
        return either.join(self.say(one) for one in accepted)

    def say(self, value: Any) -> str:
        """Say a value in the words of the form."""
        _ = self.own.gettext
        match find_form(self.study, self.criterion):
            case "score" | "graded" as form if self.criterion.scale is not None:
                scale = self.criterion.scale
                anchors = {v.value: self.study.anchor(scale, v) for v in scale.values}
                words, shown = anchors.get(float(value), ""), self.own.number(value)
                if form == "graded" and words:  # its buttons do not print the value
                    return words
                meant = words.rstrip(".。")  # within brackets it is no sentence
                return f"{shown} ({meant})" if words and words != shown else shown
            case "ranks":
                groups = _in_order(value)
                return groups[0] if self.criterion.answer == "best" else " > ".join(groups)
            case "spans":
                return "; ".join(self._quote(*span) for span in value) or _("No error")
        return _(_WORDS[str(value)])

    def _quote(self, start: int, end: int, category: str, severity: str | None) -> str:
        titles = (title_of(one, self.study.language) for one in (category, severity) if one)
        return self.own.gettext(
            # Note: words of a text, then what is wrong with them
            "“%(words)s” (%(kind)s)",
            words=self.text[start:end],
            kind=self.own.gettext(", ").join(titles),
        )


def _in_order(ranks: tuple[Any, ...]) -> list[str]:
    """Ranks by place as letters, best first: (2, 1, 2) is B, then A = C."""
    return [
        " = ".join(letter(place) for place, rank in enumerate(ranks) if rank == value)
        for value in sorted(set(ranks))
    ]
