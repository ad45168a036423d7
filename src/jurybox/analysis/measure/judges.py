"""Judges beside people: every judge and the panel, on all units and within parts of them.

Of rankings a unit is an item with the outputs ranked together, and Kendall's tau says how alike two
are; best-of-N choices are words. Marks are looked at twice: by the points that they cost, as scores
are, and by the characters that two raters both marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.analysis.looks import looked_for
from jurybox.analysis.measure.spans import MQM, Weights
from jurybox.analysis.options import Options
from jurybox.errors import InputError
from jurybox.results import format_number
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.judges.agreement import (
    JudgeAgreement,
    JudgeAgreements,
    JudgeStatistic,
    LengthTrend,
    confusion_of,
    judge_agreements,
    statistics_of,
)
from jurybox.stats.judges.alternative_annotator import (
    AlternativeAnnotatorTest,
    AlternativeAnnotatorTests,
    alternative_annotator,
)
from jurybox.stats.judges.likeness import Marks, Rankings
from jurybox.stats.judges.panels import PanelRule, make_panel
from jurybox.stats.judges.strata import held_against_the_rest, length_trend
from jurybox.tally.judge_replies import NO_JUDGE
from jurybox.tally.judged_marks import beside_marks
from jurybox.tally.judged_rankings import beside_rankings
from jurybox.tally.judges import BesideJudges, beside_judges, judge_names
from jurybox.tally.responses import Responses
from jurybox.tally.single_answers import single_answers
from jurybox.tally.spans import severity_points

__all__ = ["JudgedCriterion", "Strata", "judged_criterion", "looks_at"]

Array = NDArray[np.float64]
MOST_VALUES = 12
"""Values up to which a table of confusion has a row for each."""
RANGES = 5
"""Equal ranges that more values are taken in."""
MOST_CATEGORIES = 20
MOST_WORDS = 300
"""Different words up to which their agreement is looked at: each has a column beside every unit."""
VOTES = {"a": "first", "b": "second", "tie": "tie", "both_bad": "both bad"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Strata:
    """Parts of the units within which judges are looked at."""

    categories: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By the name of a field, each item's value."""
    lengths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """The length of each output, by item and system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judge:
    name: str
    answers: Array
    panel_of: tuple[str, ...] = ()
    n_unusable: int = 0
    n_replies: int = 0
    n_contradicted: int = 0

    @property
    def told(self) -> dict[str, Any]:
        """What every result says of the judge."""
        return {"judge": self.name, "panel_of": self.panel_of}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JudgedCriterion:
    """People's and judges' answers to one criterion."""

    criterion: str
    level: Level
    beside: BesideJudges
    judges: tuple[_Judge, ...]
    options: Options
    answers: str | None = None
    """What answers are where they were made of what raters gave."""

    @property
    def statistics(self) -> tuple[JudgeStatistic, ...]:
        """What agreement is measured by; the first leads."""
        return statistics_of(self.level, self.beside.likeness)

    @property
    def no_scale(self) -> str | None:
        """Why nothing can be said, where there are words without end."""
        n = len(self.beside.values)
        if n <= MOST_WORDS:
            return None
        return (
            f"{self.criterion}: {n:,} different answers are no scale on which a judge can be set "
            f"beside people; {MOST_WORDS} are the most"
        )

    @property
    def _level(self) -> Level | None:
        """What is said of the answers; rankings and marks are on no scale."""
        return None if self.beside.likeness is not None else self.level

    def agreements(self, strata: Strata | None = None) -> JudgeAgreements:
        """Every judge's agreement beside the ceiling, on all units and within strata."""
        rows: list[JudgeAgreement] = []
        trends: list[LengthTrend] = []
        masks = [] if strata is None else list(self._strata(strata))
        lengths = None if strata is None else self._lengths(strata)
        first = self.statistics[0]
        common = self._common
        for judge in self.judges:
            told = {**judge.told, "criterion": self.criterion, "answers": self.answers}
            own = judge_agreements(
                self.beside,
                judge.answers,
                statistics=self.statistics,
                level=self._level,
                n_unusable=judge.n_unusable,
                n_replies=judge.n_replies,
                n_contradicted=judge.n_contradicted,
                **told,
                **common,
            )
            rows += [replace(own[0], **self._confusion(judge.answers)), *own[1:]]
            for name, mask in masks:
                (part,) = judge_agreements(
                    self.beside,
                    np.where(mask, judge.answers, np.nan),
                    statistics=(first,),
                    against=("person",),
                    level=self._level,
                    stratum=name,
                    **told,
                    **common,
                )
                rows.append(held_against_the_rest(part, self.beside, judge.answers, mask, **common))
            if lengths is not None:
                trends.append(
                    length_trend(
                        self.beside, judge.answers, lengths, statistic=first, **told, **common
                    )
                )
        looked = looked_for([*rows, *trends], "looks at where judges differ")
        return JudgeAgreements(
            rows=tuple(looked[: len(rows)]),
            trends=tuple(looked[len(rows) :]),
            confidence=self.options.confidence,
        )

    def tests(self, epsilon: float) -> AlternativeAnnotatorTests:
        """The alternative-annotator test of every judge."""
        rows: list[AlternativeAnnotatorTest] = [
            alternative_annotator(
                self.beside,
                judge.answers,
                self.beside.raters,
                epsilon=epsilon,
                confidence=self.options.confidence,
                criterion=self.criterion,
                answers=self.answers,
                **judge.told,
            )
            for judge in self.judges
        ]
        return AlternativeAnnotatorTests(rows=tuple(rows), confidence=self.options.confidence)

    @property
    def _common(self) -> dict[str, Any]:
        return {"generalize": self.options.generalize, "confidence": self.options.confidence}

    def _strata(self, strata: Strata) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """The units of each category, most units first, and of each third of the lengths."""
        for name, of_items in strata.categories.items():
            given = np.array([str(of_items.get(item, "")) for item in self.beside.items])
            own = given[self.beside.item]
            values, counts = np.unique(own[own != ""], return_counts=True)
            if len(values) < 2:
                continue
            for place in np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]:
                yield f"{name}: {values[place]}", own == values[place]
        lengths = self._lengths(strata)
        if lengths is None:
            return
        cuts = np.nanquantile(lengths, [1 / 3, 2 / 3])
        with np.errstate(invalid="ignore"):
            third = np.where(np.isnan(lengths), -1, np.searchsorted(cuts, lengths, side="left"))
        for place, word in enumerate(("short", "middle", "long")):
            if (third == place).any():
                yield f"length: {word}", third == place

    def _lengths(self, strata: Strata) -> Array | None:
        """How often each unit's outputs are twice as long as one letter, on average."""
        if not strata.lengths:
            return None
        names = [self.beside.items[k] for k in self.beside.item.tolist()]
        logs = [
            [np.log2(strata.lengths.get((item, system)) or np.nan) for system in systems]
            for item, systems in zip(names, self.beside.systems, strict=True)
        ]
        found = np.array([float(np.mean(each)) for each in logs])
        known = found[~np.isnan(found)]
        # What differs by less than the double says nothing of a doubling.
        return found if len(known) and np.ptp(known) >= 1 else None

    def _confusion(self, answers: Array) -> dict[str, Any]:
        if self.beside.likeness is not None:
            return {}
        judge, people, met = confusion_of(self.beside, answers)
        if self.beside.n_values is not None:
            votes = VOTES if self.beside.shape == "votes" else {}
            names = [_word(value, votes) for value in self.beside.values]
            one, two = ([names[int(k)] for k in own] for own in (judge, people))
            if votes:
                rows, columns = (sorted(range(len(own)), key=_on_form(own)) for own in (one, two))
                one, two = [one[k] for k in rows], [two[k] for k in columns]
                met = met[np.ix_(rows, columns)]
        elif max(len(judge), len(people)) <= MOST_VALUES:
            one, two = ([format(v, "g") for v in own] for own in (judge, people))
        else:
            one = two = _ranges(judge, people)
            met = _in_ranges(judge, people, met)
        return {
            "judge_values": tuple(one),
            "person_values": tuple(two),
            "confusion": tuple(tuple(int(n) for n in row) for row in met),
        }


def _word(value: Any, votes: Mapping[str, str]) -> str:
    return format(value, "g") if isinstance(value, float) else votes.get(value, str(value))


def _on_form(words: Sequence[str]) -> Callable[[int], int]:
    """The place of each of these votes among the choices of a form."""
    choices = list(VOTES.values())
    return lambda k: choices.index(words[k])


def _edges(judge: Array, people: Array) -> Array:
    every = np.concatenate([judge, people])
    return np.linspace(every.min(), every.max(), RANGES + 1)


def _ranges(judge: Array, people: Array) -> list[str]:
    edges = [format_number(edge, 1) for edge in _edges(judge, people)]
    return [f"{low} to {high}" for low, high in pairwise(edges)]


def _in_ranges(judge: Array, people: Array, met: NDArray[np.int64]) -> NDArray[np.int64]:
    inner = _edges(judge, people)[1:-1]
    found = np.zeros((RANGES, RANGES), dtype=np.int64)
    rows, columns = (np.searchsorted(inner, own, side="right") for own in (judge, people))
    np.add.at(found, (rows[:, None], columns[None, :]), met)
    return found


def looks_at(
    responses: Responses, criterion: str, options: Options, *, level: Level, **how: Any
) -> tuple[JudgedCriterion, ...]:
    """What people's answers and judges' are set side by side as; the first leads.

    Of marks their points, and where they have places the characters. ``how``: as of
    ``judged_criterion``.
    """
    if responses.shape.name != "spans":
        return (judged_criterion(responses, criterion, options, level=level, **how),)
    weights: Weights = how.get("weights", MQM)
    points = single_answers(responses, criterion, **weights.given)
    first = judged_criterion(points, criterion, options, level="ratio", **how)
    looks = [replace(first, answers="error points")]
    if {"start", "end"} <= responses.columns:
        counts = {
            each.name: (each.n_unusable, each.n_replies)
            for each in first.judges
            if not each.panel_of
        }
        looks.append(
            judged_criterion(
                responses, criterion, options, level=level, replies=counts, weights=weights
            )
        )
    return tuple(looks)


def _beside(responses: Responses, criterion: str, level: Level, weights: Weights) -> BesideJudges:
    if responses.shape.name == "rankings":
        ranked = beside_rankings(responses, criterion)
        return ranked if ranked.ranks is None else replace(ranked, likeness=Rankings(ranked.ranks))
    if responses.shape.name == "spans":
        severities = severity_points(weights.severities)
        marks = beside_marks(responses, criterion, severities=severities)
        return replace(marks.beside, likeness=Marks(marks.key, marks.score, marks.n))
    return beside_judges(responses, criterion, nominal=level == "nominal")


def judged_criterion(
    responses: Responses,
    criterion: str,
    options: Options,
    *,
    level: Level,
    panel: PanelRule | None = None,
    replies: Mapping[str, tuple[int, int]] | None = None,
    weights: Weights = MQM,
) -> JudgedCriterion:
    """People's answers to the criterion of the responses, and judges' and their panel's beside.

    ``replies``: how many of each judge's could not be used, and how many there are, where the table
    holds only what was answered. ``weights``: of marks, whose severest lies on top.
    """
    if not judge_names(responses):
        raise InputError(NO_JUDGE)
    beside = _beside(responses, criterion, level, weights)
    counts = dict(
        zip(beside.judges, zip(beside.unusable, beside.replies, strict=True), strict=True)
    )
    counts |= replies or {}
    judges = [
        _Judge(
            name=name,
            answers=answers,
            n_unusable=counts[name][0],
            n_replies=counts[name][1],
            n_contradicted=contradicted,
        )
        for name, answers, contradicted in zip(
            beside.judges, beside.given, beside.contradicted, strict=True
        )
    ]
    if panel is not None and len(beside.values) <= MOST_WORDS and beside.likeness is None:
        judges += _panel(beside, judges, panel, options.seed)
    # A judge of whom nothing could be used has no row among the answered ones.
    silent = np.full(len(beside.item), np.nan)
    judges += [
        _Judge(name=name, answers=silent, n_unusable=counts[name][0], n_replies=counts[name][1])
        for name in sorted(set(counts) - set(beside.judges))
    ]
    return JudgedCriterion(
        criterion=criterion, level=level, beside=beside, judges=tuple(judges), options=options
    )


def _panel(
    beside: BesideJudges, judges: Sequence[_Judge], rule: PanelRule, seed: int
) -> list[_Judge]:
    """The panel as one more judge; words have no mean, so that theirs is the majority."""
    if len(judges) < 2:
        raise InputError(f"a panel needs two judges, and there is {judges[0].name} alone")
    if rule == "mean" and beside.n_values is not None:
        rule = "majority"
    made = make_panel(beside, beside.given, rule, tie=beside.tie, seed=seed)
    name = f"panel ({rule})"
    while name in beside.judges:
        name += " of all"
    return [
        _Judge(
            name=name,
            answers=made.answers,
            panel_of=tuple(judge.name for judge in judges),
            n_contradicted=made.n_contradicted,
        )
    ]
