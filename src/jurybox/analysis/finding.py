"""Findings: a result with its sentence, and the tables that reports show.

``analyze`` gives an ``Analysis``; every report format is written from it and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from jurybox.analysis.display import as_html, as_text
from jurybox.analysis.table import CellKind, Column, Table, format_cells, format_rows, table_lines
from jurybox.formats import joined
from jurybox.results import SCHEMA_VERSION, Result, format_count, show_text, to_plain

__all__ = [
    "Analysis",
    "CellKind",
    "Chapter",
    "Collected",
    "Column",
    "Excluded",
    "Facts",
    "Finding",
    "Simulated",
    "Table",
    "Together",
    "format_cells",
    "format_rows",
    "headline_of",
]

Simulated = Literal["no", "some", "all"]
Standing = Literal["primary", "secondary", "exploratory", "quality", "judge", "set", "against"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """How findings of one kind are said in one sentence, where they differ in a name alone.

    >>> lost = [Together(before="The ratings of ", of=name, after=" are lost.") for name in "ab"]
    >>> lost[0].said([each.of for each in lost])
    'The ratings of a and b are lost.'
    """

    before: str
    """What stands before the names in the sentence on several."""
    of: str
    """What this finding is named by."""
    after: str
    """What stands behind them."""
    further: str = ""
    """What its own sentence adds, which may differ from finding to finding."""

    def said(self, names: Iterable[str]) -> str:
        """The sentence on all of them, each named once."""
        return f"{self.before}{joined(dict.fromkeys(names))}{self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One claim: the sentence, the result it rests on, and what it is about.

    ``told`` is false where the data do not decide: the sentence then belongs under
    "what cannot be said".
    """

    id: str
    """Stable and unique within the analysis, e.g. ``win_rate/preference/new/old``."""
    sentence: str
    result: Result
    standing: Standing = "secondary"
    told: bool = True
    criterion: str | None = None
    systems: tuple[str, ...] = ()
    of_answer: str = field(default="", compare=False, repr=False)
    """Its sentence right behind the answer, whose interval it speaks of; in no JSON."""
    figure: str | None = field(default=None, compare=False, repr=False)
    """What its number is called, where its result alone cannot tell; in no JSON."""
    together: Together | None = field(default=None, compare=False, repr=False)
    """How a report says it beside others like it; in no JSON."""

    @property
    def kind(self) -> str:
        """What it claims, as ``win_rate``: its id up to the first slash."""
        return self.id.partition("/")[0]

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON."""
        return {
            "id": self.id,
            "sentence": self.sentence,
            "standing": self.standing,
            "told": self.told,
            "criterion": self.criterion,
            "systems": list(self.systems),
            "result": self.result.to_dict(),
        }


def headline_of(findings: Sequence[Finding]) -> Finding | None:
    """The finding that answers the question: the primary one, else the first of the responses."""
    primary = [finding for finding in findings if finding.standing == "primary"]
    beside = ("judge", "set", "against")
    of_responses = (finding for finding in findings if finding.standing not in beside)
    return next(iter(primary or of_responses), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """A rater left out by a rule that was stated before the data."""

    rater: str
    rule: str
    sentence: str
    """What was seen, for every broken rule."""
    n_responses: int
    also: tuple[str, ...] = ()
    """The further rules that the rater breaks."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Every broken rule, in the order in which the study states them."""
        return (self.rule, *self.also)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """How the answers of a study came in: people's, before anybody is left out by a rule."""

    version: int | None
    """The version of the study that the analysis follows; ``None`` where none is kept."""
    changes: tuple[str, ...] = ()
    """What the study's files say otherwise than that version."""
    n_answers: int
    """Trials answered, counted for each rater."""
    n_imported: int = 0
    """How many of them came from a table, so that jurybox did not show the trial."""
    simulated: Simulated = "no"
    """Whether the raters are programs that drew their answers, as in a rehearsal."""
    n_trials: int
    """Trials that somebody answered."""
    n_planned: int | None = None
    """Trials in the plan."""
    raters_per_trial: tuple[int, float, int] | None = None
    """The fewest, the median and the most raters of an answered trial."""
    n_asked: int | None = None
    """Answers to those trials in the plan, without repeats."""
    checked: tuple[tuple[str, int], ...] = ()
    """How many raters answered practice, gold and attention trials, where somebody did."""
    rounds: tuple[tuple[str, int, int], ...] = ()
    """The other rounds that people answered, with raters and answers; no figure counts them."""

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON."""
        data = {each.name: to_plain(getattr(self, each.name)) for each in fields(self)}
        rounds = {name: {"n_raters": who, "n_answers": n} for name, who, n in self.rounds}
        return {**data, "checked": dict(self.checked), "rounds": rounds}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What ``took`` says in sentences, as values for other sentences; they are in no JSON."""

    no_people: bool = False
    """Whether every response is a judge's."""
    rater_groups: tuple[tuple[str, int], ...] = ()
    """The groups by which results are told apart, with the raters of each."""
    derived: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """Criteria that were computed from others: ``overall``, ``geometric mean``, and of which."""
    signatures: tuple[tuple[str, str], ...] = ()
    """Metrics with how they were computed."""
    metrics_alone: str | None = None
    """Why metrics are not compared with people, where there are such that are not."""
    deviates: bool = False
    """Whether anything is otherwise than preregistered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """What one part of an analysis adds to it."""

    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    took: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    rater_groups: tuple[tuple[str, int], ...] = ()
    metrics_alone: str | None = None
    """As in the ``Facts``."""

    @classmethod
    def joined(cls, parts: Sequence[Chapter]) -> Chapter:
        """The parts one after the other; a sentence that several say is said once."""
        return cls(
            findings=tuple(finding for part in parts for finding in part.findings),
            tables=tuple(table for part in parts for table in part.tables),
            took=tuple(dict.fromkeys(said for part in parts for said in part.took)),
            warnings=tuple(dict.fromkeys(said for part in parts for said in part.warnings)),
            rater_groups=next((part.rater_groups for part in parts if part.rater_groups), ()),
            metrics_alone=next((p.metrics_alone for p in parts if p.metrics_alone), None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything that can be said of a set of responses, and what cannot."""

    title: str
    protocol: str
    took: tuple[str, ...]
    """What was taken for what: one sentence per decision made in reading the data."""
    n_responses: int
    n_raters: int
    n_items: int
    systems: tuple[str, ...]
    findings: tuple[Finding, ...]
    tables: tuple[Table, ...]
    excluded: tuple[Excluded, ...] = ()
    warnings: tuple[str, ...] = ()
    seed: int = 0
    confidence: float = 0.95
    collected: Collected | None = None
    """How the answers came in, where a study's store was analyzed."""
    facts: Facts = field(default_factory=Facts, repr=False)

    @property
    def headline(self) -> Finding | None:
        """The finding that answers the study's question: the primary one, else the first."""
        return headline_of(self.findings)

    @property
    def untold(self) -> tuple[Finding, ...]:
        """The findings that say what the data do not decide."""
        return tuple(f for f in self.findings if not f.told)

    @property
    def of_judges(self) -> bool:
        """Whether no person is among the raters."""
        return self.facts.no_people

    @property
    def rater_noun(self) -> str:
        """The noun for those who answered: rater, or judge where no person is among them."""
        return "judge" if self.of_judges else "rater"

    def called(self, words: str) -> str:
        """The words of a statistic about raters, with the noun for those who answered."""
        return words.replace("rater", self.rater_noun)

    def table(self, id: str) -> Table | None:
        """The table with this id, if there is one."""
        return next((table for table in self.tables if table.id == id), None)

    def __repr__(self) -> str:
        found, tables = format_count(len(self.findings), "finding"), len(self.tables)
        return show_text(f"Analysis({self.title}: {found}, {format_count(tables, 'table')})")

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def to_markdown(self) -> str:
        """The sentences, the tables and what cannot be said, as Markdown."""
        headline = self.headline
        lines = [f"# {self.title}", ""]
        lines += [f"**{headline.sentence}**", ""] if headline is not None else []
        told = [f for f in self.findings if f.told and f is not headline]
        lines += [f"- {finding.sentence}" for finding in told]
        for table in self.tables:
            lines += ["", f"## {table.title}", "", *table_lines(table)]
        for heading, said in (
            ("What cannot be said", [f.sentence for f in self.untold]),
            ("Left out", [each.sentence for each in self.excluded]),
            ("Keep in mind", list(self.warnings)),
            ("What was taken for what", list(self.took)),
        ):
            if said:
                lines += ["", f"## {heading}", "", *(f"- {sentence}" for sentence in said)]
        return show_text("\n".join(lines) + "\n")

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON with ``kind`` and the schema's version; the headline is named by its id."""
        headline = self.headline
        data: dict[str, Any] = {
            "kind": "Analysis",
            "version": SCHEMA_VERSION,
            "headline": None if headline is None else headline.id,
        }
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "facts":
                continue
            if each.name in ("findings", "tables"):
                value = [part.to_dict() for part in value]
            elif each.name == "excluded":
                value = [
                    {f.name: to_plain(getattr(part, f.name)) for f in fields(part)}
                    for part in value
                ]
            elif isinstance(value, Collected):
                value = value.to_dict()
            data[each.name] = to_plain(value)
        return data
