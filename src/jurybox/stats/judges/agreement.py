"""How far a judge agrees with people, beside how far people agree with each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from jurybox.results import Interval, Result, ResultTable
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.agreement.patterns import ONE_UNIT, RATERS, check_generalize
from jurybox.stats.clusters import ALL_RATERS, HOLDS_FOR, THESE_RATERS, THIS_RATER, Generalize
from jurybox.stats.distributions import check_confidence
from jurybox.stats.judges.beside import (
    AnsweredUnits,
    Beside,
    Sides,
    kappa,
    lay_beside,
    pearson,
    percent,
    weighted_kappa,
)
from jurybox.stats.judges.likeness import Likeness
from jurybox.stats.shares import wilson
from jurybox.stats.two_way import LOGIT, PLAIN, Made, Scale, fisher, item_interval, two_way_interval

__all__ = [
    "Against",
    "JudgeAgreement",
    "JudgeAgreements",
    "JudgePercentAgreement",
    "JudgeStatistic",
    "LengthTrend",
    "Measured",
    "confusion_of",
    "judge_agreements",
    "statistics_of",
]

Array = NDArray[np.float64]
Against = Literal["person", "consensus"]
JudgeStatistic = Literal["percent", "kappa", "weighted_kappa", "pearson", "tau", "f1"]
VALUES: dict[JudgeStatistic, Callable[[Array], Array]] = {
    "percent": percent,
    "kappa": kappa,
    "weighted_kappa": weighted_kappa,
    "pearson": pearson,
    "tau": percent,
    "f1": percent,
}
NAMES: dict[JudgeStatistic, str] = {
    "percent": "percent agreement",
    "kappa": "kappa",
    "weighted_kappa": "kappa with quadratic weights",
    "pearson": "Pearson's r",
    "tau": "mean Kendall's tau-b",
    "f1": "mean character F1",
}
SHARES = ("percent", "f1")
"""Those that lie between 0 and 1."""
PAIRS: dict[Against, tuple[Sides, Sides]] = {
    "person": ("judge_person", "people"),
    "consensus": ("judge_consensus", "person_consensus"),
}
NO_UNIT = "no unit has an answer of the judge and of a person"
NO_ANSWER = "the judge has no usable answer"
NO_PAIR = "no unit of the judge has two people's answers"
ALIKE = "the answers do not vary"
UNKNOWN: dict[JudgeStatistic, str] = {
    "tau": "where two people ranked, they tie everything",
    "f1": "no two markings of an output say where all their marks stand",
}
"""Why there is no figure where answers cannot be compared."""
CONSTANT = "the judge gives one answer only"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement(Result):
    """How far a judge agrees with people, and people with each other on the same units.

    ``estimate`` and ``interval`` are the judge's, ``ceiling`` is people's.
    """

    label: ClassVar[str] = "agreement of a judge"

    judge: str
    statistic: JudgeStatistic
    against: Against = "person"
    """Each person, or the consensus of all people but one."""
    criterion: str | None = None
    answers: str | None = None
    """What is agreed on where it was made of what raters gave, as ``error points``."""
    level: str | None = None
    panel_of: tuple[str, ...] = ()
    """The judges that a panel is made of; empty for a single judge."""
    stratum: str | None = None
    """The part of the units that it is about, as ``category: code`` or ``length: short``."""
    contrast: float | None = None
    """Of a part: the difference here less that on all other units; ``p`` is about it."""
    contrast_low: float | None = None
    contrast_high: float | None = None
    p_adjusted: float | None = None
    adjusted_by: str | None = None
    ceiling: float | None = None
    ceiling_low: float | None = None
    ceiling_high: float | None = None
    difference: float | None = None
    """The judge's less the ceiling."""
    difference_low: float | None = None
    difference_high: float | None = None
    no_ceiling: str | None = None
    """Why there is no ceiling, or no interval of the difference."""
    n_units: int = 0
    n_unusable: int = 0
    """Replies of the judge that could not be used, of so many."""
    n_replies: int = 0
    n_contradicted: int = 0
    """Units without an answer because the judge's two orders, or half a panel, contradict."""
    judge_values: tuple[str, ...] = ()
    person_values: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()
    """How often the judge gave the value of the row where a person gave that of the column."""

    @property
    def name(self) -> str:
        """The judge, and where it is about a part of the units, which."""
        what = f"{self.judge}, {NAMES[self.statistic]} with "
        what += "a person" if self.against == "person" else "the consensus"
        return what if self.stratum is None else f"{what}, {self.stratum}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePercentAgreement(JudgeAgreement):
    """The share of answers that are alike, a judge's and a person's, and two people's."""

    as_percent: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthTrend(Result):
    """How the gap between a judge's agreement and people's own changes where outputs get longer.

    ``estimate``: per doubling of the length; negative where the judge falls behind.
    """

    label: ClassVar[str] = "trend with length"
    neutral: ClassVar[float | None] = 0.0

    judge: str
    statistic: JudgeStatistic
    criterion: str | None = None
    answers: str | None = None
    """What answers are where they were made of what raters gave, as ``error points``."""
    panel_of: tuple[str, ...] = ()
    p_adjusted: float | None = None
    adjusted_by: str | None = None

    @property
    def name(self) -> str:
        """The judge."""
        return self.judge


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgeAgreements(ResultTable):
    """Every judge beside the ceiling."""

    label: ClassVar[str] = "judges beside people"

    rows: tuple[JudgeAgreement, ...]
    trends: tuple[LengthTrend, ...] = ()
    confidence: float = 0.95

    def of(self, judge: str, statistic: str, against: Against = "person") -> JudgeAgreement:
        """The row of a judge over all units."""
        return next(
            row
            for row in self.rows
            if (row.judge, row.statistic, row.against, row.stratum)
            == (judge, statistic, against, None)
        )


def statistics_of(level: Level, likeness: Likeness | None = None) -> tuple[JudgeStatistic, ...]:
    """What is usual for a level of measurement, or answers of that likeness; the first leads."""
    if likeness is not None:
        return (likeness.statistic,)
    return ("percent", "kappa") if level == "nominal" else ("weighted_kappa", "pearson")


def judge_agreements(
    people: AnsweredUnits,
    judge: Array,
    /,
    *,
    statistics: tuple[JudgeStatistic, ...],
    against: tuple[Against, ...] = ("person", "consensus"),
    generalize: Generalize = "raters+items",
    confidence: float = 0.95,
    n_unusable: int = 0,
    n_replies: int = 0,
    **told: Any,
) -> list[JudgeAgreement]:
    """A judge's agreement with people beside people's own, on the units that both answered.

    ``judge``: its answer to each unit, NaN without. ``told``: what else the results say. Of
    rankings and marks there is no consensus.
    """
    check_confidence(confidence)
    check_generalize(generalize)
    beside = lay_beside(people, judge)
    alone = beside is None
    if beside is None:
        beside = lay_beside(people, judge, least=1)
    rows: list[JudgeAgreement] = []
    against = against if people.likeness is None else ("person",)
    for side in against:
        for statistic in statistics:
            kind = JudgePercentAgreement if statistic == "percent" else JudgeAgreement
            base = {"statistic": statistic, "against": side, **told}
            base |= {"n_unusable": n_unusable, "n_replies": n_replies}
            if beside is None:
                silent = np.isnan(judge).all() and n_replies <= n_unusable
                why = NO_ANSWER if silent else NO_UNIT
                rows.append(kind(estimate=None, undefined=why, no_ceiling=why, **base))
                continue
            measured = Measured(beside, statistic, generalize, confidence, alone)
            rows.append(measured.result(kind, side, _constant(judge), base))
    return rows


def _constant(judge: Array) -> tuple[str, ...]:
    known = judge[~np.isnan(judge)]
    return (CONSTANT,) if len(known) > 1 and np.ptp(known) == 0 else ()


@dataclass(frozen=True, slots=True)
class Measured:
    """One statistic of one judge's units."""

    beside: Beside
    statistic: JudgeStatistic
    generalize: Generalize
    confidence: float
    alone: bool
    """Whether no unit has two people's answers."""

    def result(
        self,
        kind: type[JudgeAgreement],
        side: Against,
        notes: tuple[str, ...],
        base: dict[str, Any],
    ) -> JudgeAgreement:
        """The judge's side, the ceiling, and what lies between them."""
        beside, (own, ceiling) = self.beside, PAIRS[side]
        base |= {
            "n_units": int((beside.each[:, 0] > 0).sum()),
            "n_items": beside.n_items,
            "n_raters": beside.n_raters,
            "n_responses": len(beside.unit),
        }
        if self.alone and side == "consensus":
            return kind(estimate=None, undefined=NO_PAIR, no_ceiling=NO_PAIR, **base)
        if len(beside.item) == 1 and self.statistic in ("kappa", "weighted_kappa"):
            return kind(estimate=None, undefined=ONE_UNIT, no_ceiling=ONE_UNIT, **base)
        value = VALUES[self.statistic]
        scale = LOGIT if self.statistic in SHARES else fisher(2)
        judge, made = self.figure(lambda sums: value(beside.of(own, sums)), scale)
        made_notes = (*notes, *made.notes, *self._whose())
        if judge is None:
            why = UNKNOWN.get(self.statistic, ALIKE)
            return kind(estimate=None, undefined=why, no_ceiling=why, notes=notes, **base)
        row = kind(
            estimate=judge,
            interval=made.interval,
            undefined=made.why if made.interval is None else None,
            notes=made_notes,
            **base,
        )
        if self.alone:
            return replace(row, no_ceiling=NO_PAIR)
        people, of_people = self.figure(lambda sums: value(beside.of(ceiling, sums)), scale)
        if people is None:
            return replace(row, no_ceiling=f"people: {ALIKE}")
        widest = 1.0 if self.statistic in SHARES else 2.0
        gap, of_gap = self.figure(
            lambda sums: value(beside.of(own, sums)) - value(beside.of(ceiling, sums)),
            replace(PLAIN, low=-widest, high=widest),
        )
        low, high = _ends(of_people.interval)
        gap_low, gap_high = _ends(of_gap.interval)
        return replace(
            row,
            ceiling=people,
            ceiling_low=low,
            ceiling_high=high,
            difference=gap,
            difference_low=gap_low,
            difference_high=gap_high,
            no_ceiling=of_gap.why if of_gap.interval is None else None,
        )

    def _whose(self) -> tuple[str, ...]:
        return (f"{HOLDS_FOR}this rater only",) if self.beside.n_raters == 1 else ()

    def figure(self, value: Callable[[Array], Array], scale: Scale) -> tuple[float | None, Made]:
        """A function of the sums with its interval; ``None`` where it does not exist."""
        beside = self.beside
        estimate = float(value(beside.total))
        if np.isnan(estimate):
            return None, Made(None, ALIKE)
        items = beside.without_items(value)
        wide = beside.n_raters >= RATERS and self.generalize == "raters+items"
        if wide:
            made = two_way_interval(
                estimate,
                item=items,
                rater=beside.without_raters(value),
                cell=beside.without_cells(value),
                scale=scale,
                confidence=self.confidence,
            )
            n, holds = min(beside.n_items, beside.n_raters), ALL_RATERS
        else:
            made = item_interval(estimate, items, scale=scale, confidence=self.confidence)
            n = beside.n_items
            holds = THIS_RATER if beside.n_raters == 1 else THESE_RATERS
        if made.interval is None and scale is LOGIT and n > 1:
            made = Made(wilson(estimate, n, self.confidence, holds), None, made.notes)
        if made.interval is not None:
            made = replace(made, interval=replace(made.interval, generalizes_to=holds))
        return estimate, made


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def confusion_of(people: AnsweredUnits, judge: Array) -> tuple[Array, Array, NDArray[np.int64]]:
    """The judge's values, people's values, and how often they met on a unit."""
    own = judge[people.unit]
    there = ~np.isnan(own)
    rows, row = np.unique(own[there], return_inverse=True)
    columns, column = np.unique(people.answer[there], return_inverse=True)
    size = len(rows) * len(columns)
    met = np.bincount(row.ravel() * max(len(columns), 1) + column.ravel(), minlength=size)
    return rows, columns, met.reshape(len(rows), len(columns))
