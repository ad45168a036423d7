"""One rater beside the others: leniency, noise, agreement, habits, pace and retest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from jurybox.results import (
    Result,
    ResultTable,
    format_count,
    format_number,
    format_percent,
)
from jurybox.stats.shares import SINGLE, Share, wilson
from jurybox.stats.trends import Trend

__all__ = [
    "RaterQualities",
    "RaterQuality",
    "Retest",
    "Usual",
    "flags_of_rater",
    "looked_for",
    "median_of",
    "own_share",
    "retest_kappa",
    "worth_a_look",
]

FAR = 0.5
"""Leniency and drift are worth a look from this many standard deviations of all scores."""
NOISY = 1.5
"""Noise is worth a look from this multiple of the raters' median."""
STRAIGHT = 0.9
"""One answer in more than this share of responses is worth a look …"""
BEYOND_OTHERS = 0.25
"""… if it is this much more than among all raters …"""
ENOUGH = 10
"""… and there are at least so many responses."""
APART = 0.2
"""Agreement below 0 is worth a look if it is this much below the raters' median."""
FAST = 1 / 3
"""A pace below this multiple of what is expected is worth a look."""
GOLD = 0.6
"""Gold trials right below this share are worth a look, from five on."""
SIDED = 0.15
"""Choosing the first shown this far from half of the votes is worth a look."""
DISTANT = f" beyond {FAR:g} standard deviations of all answers whose interval leaves out 0"
CRITERIA = {
    "estimate": f"leniency or severity{DISTANT}",
    "drift": f"drift from the first trial to the last{DISTANT}",
    "noise": f"noise from {NOISY:g} times the median",
    "agreement": f"agreement below 0 and {APART:g} below the median",
    "most_used_share": f"one answer in more than {STRAIGHT:.0%} of at least {ENOUGH} responses, "
    f"{100 * BEYOND_OTHERS:.0f} percentage points above its share among all raters",
    "pace": "a pace below a third of what is expected",
    "gold": f"fewer than {GOLD:.0%} of five or more gold trials right",
    "first_shown": f"the first shown chosen {100 * SIDED:.0f} percentage points more or less often "
    "than half the time, with an interval that leaves out half",
}
"""Every threshold in words, by what it is held against; fixed here, and no result changes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retest(Result):
    """How often raters give the same answer to the same output once more."""

    label: ClassVar[str] = "same answer twice"
    as_percent: ClassVar[bool] = True

    kappa: float | None = None
    """Agreement of the first with the second answer beyond chance (Cohen, unweighted)."""
    distance: float | None = None
    """The mean absolute difference, where answers are numbers."""
    criterion: str | None = None
    rater: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterQuality(Result):
    """One rater on one criterion. ``estimate`` is the leniency, with its interval."""

    label: ClassVar[str] = "leniency"
    neutral: ClassVar[float | None] = 0.0

    rater: str
    criterion: str
    noise: float | None = None
    """Standard deviation of the distances from the others' mean on the same outputs."""
    agreement: float | None = None
    """With the others, in units of alpha; of rankings, Kendall's tau."""
    most_used: str | None = None
    most_used_share: float | None = None
    longest_run: int | None = None
    """The most equal answers in a row."""
    seconds: float | None = None
    """Median time per trial."""
    pace: float | None = None
    """That time as a multiple of what is expected."""
    tie_rate: float | None = None
    gold: Share | None = None
    first_shown: Share | None = None
    drift: Trend | None = None
    retest: Retest | None = None
    flags: tuple[str, ...] = ()
    """What is worth a look; it leaves nobody out."""

    @property
    def name(self) -> str:
        """The rater."""
        return self.rater


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RaterQualities(ResultTable):
    """Every rater on every criterion, by name."""

    label: ClassVar[str] = "leniency"

    rows: tuple[RaterQuality, ...]
    confidence: float = 0.95


def own_share(right: int, n: int, confidence: float, *, what: str) -> Share | None:
    """A share of one rater's own trials, with Wilson's interval; ``None`` without any.

    A single trial has no share.

    >>> found = own_share(8, 10, 0.95, what="gold right")
    >>> round(found.interval.low, 3), round(found.interval.high, 3)
    (0.49, 0.943)
    """
    if not n:
        return None
    if n == 1:
        return Share(estimate=None, undefined=SINGLE, n_responses=n, what=what)
    interval = wilson(right / n, n, confidence, to="trials like these, answered by this rater")
    return Share(
        estimate=right / n,
        interval=replace(interval, method=f"Wilson with n = {n} trials"),
        n_responses=n,
        what=what,
    )


def retest_kappa(met: Sequence[tuple[str, str, int]]) -> float | None:
    r"""Cohen's kappa of first and second answers; ``None`` where all are the same answer.

    .. math:: \kappa = (p_o - p_e) / (1 - p_e)

    Six of eight equal, margins 4:4 and 4:4, so :math:`p_e = 1/2`:

    >>> retest_kappa([("yes", "yes", 3), ("yes", "no", 1), ("no", "no", 3), ("no", "yes", 1)])
    0.5
    """
    n = sum(count for _, _, count in met)
    if not n:
        return None
    words = {word for one, two, _ in met for word in (one, two)}
    same = sum(count for one, two, count in met if one == two) / n
    chance = sum(
        sum(c for one, _, c in met if one == word) * sum(c for _, two, c in met if two == word)
        for word in words
    ) / (n * n)
    return None if chance >= 1 else (same - chance) / (1 - chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """What is usual among the raters of a criterion."""

    sd: float | None = None
    """Of all scores."""
    noise: float | None = None
    """The median."""
    agreement: float | None = None
    """The median."""
    share: float | None = None
    """Of the rater's most used answer, among all raters."""
    answer: str | None = None
    """The answer that a mean is the share of, as “real” or “yes”; none where answers are scores."""
    marks: bool = False
    """Whether scores are error points."""


def looked_for(rows: Iterable[RaterQuality]) -> str:
    """The thresholds that these rows are held against, as a sentence; empty if there are none.

    >>> ann = RaterQuality(estimate=None, undefined="alone", rater="ann", criterion="a", pace=1.1)
    >>> looked_for([ann])
    'Nobody stands out by these marks: a pace below a third of what is expected.'
    """
    known = list(rows)
    held = [
        said
        for name, said in CRITERIA.items()
        if any(getattr(row, name) is not None for row in known)
    ]
    opening = "Nobody stands out by these marks"
    if any(row.flags for row in known):
        opening = "Worth a look, though nobody is left out for it"
    return f"{opening}: {'; '.join(held)}." if held else ""


def flags_of_rater(row: RaterQuality) -> tuple[str, ...]:
    """Those of its flags that belong to the rater and not to the criterion: gold and time."""
    return tuple(said for said in (_gold(row), _pace(row)) if said)


def worth_a_look(row: RaterQuality, usual: Usual) -> tuple[str, ...]:
    """What stands out in a rater's row, by the thresholds above, a sentence each.

    What tells of little care comes first, what may be a habit or a taste last.
    """
    return flags_of_rater(row) + tuple(
        said
        for said in (
            _straight(row, usual),
            _sided(row),
            _agreement(row, usual),
            _noise(row, usual),
            _leniency(row, usual),
            _drift(row, usual),
        )
        if said
    )


def _leniency(row: RaterQuality, usual: Usual) -> str:
    if not _is_far(row, usual.sd):
        return ""
    if usual.answer:
        return f"answers “{usual.answer}” {_more_often(row.estimate)} than the others"
    is_above, apart = (row.estimate or 0) > 0, row.format(abs(row.estimate or 0))
    if usual.marks:
        return f"gives {apart} {'more' if is_above else 'fewer'} error points than the others"
    return f"scores {apart} {'higher' if is_above else 'lower'} than the others"


def _noise(row: RaterQuality, usual: Usual) -> str:
    if row.noise is None or not usual.noise or row.noise < NOISY * usual.noise:
        return ""
    return f"noise is {format_number(row.noise / usual.noise, 1)} times the median"


def _agreement(row: RaterQuality, usual: Usual) -> str:
    if row.agreement is None or usual.agreement is None:
        return ""
    if row.agreement >= 0 or row.agreement > usual.agreement - APART:
        return ""
    return f"agreement of {format_number(row.agreement, 2)} is no better than chance"


def _straight(row: RaterQuality, usual: Usual) -> str:
    share = row.most_used_share
    if share is None or usual.share is None or (row.n_responses or 0) < ENOUGH:
        return ""
    if share <= STRAIGHT or share - usual.share < BEYOND_OTHERS:
        return ""
    return f"{format_percent(share, 0)} of answers are {row.most_used}"


def _pace(row: RaterQuality) -> str:
    if row.pace is None or row.pace >= FAST:
        return ""
    return f"takes {format_percent(row.pace, 0)} of the time expected"


def _gold(row: RaterQuality) -> str:
    n = 0 if row.gold is None else row.gold.n_responses or 0
    if row.gold is None or n < 5 or (row.gold.estimate or 0) >= GOLD:
        return ""
    return f"{format_percent(row.gold.estimate, 0)} of {format_count(n, 'gold trial')} right"


def _sided(row: RaterQuality) -> str:
    first = row.first_shown
    if first is None or abs((first.estimate or 0.0) - 0.5) < SIDED or not _leaves_out(first, 0.5):
        return ""
    return f"chooses the first shown in {format_percent(first.estimate, 0)} of votes"


def _drift(row: RaterQuality, usual: Usual) -> str:
    if row.drift is None or not _is_far(row.drift, usual.sd):
        return ""
    if usual.answer:
        often = _more_often(row.drift.estimate)
        return f"answers “{usual.answer}” {often} at the last trial than the first"
    return f"drifts by {row.drift.format(row.drift.estimate)} from the first trial to the last"


def _more_often(share: float | None) -> str:
    """A difference of shares in words: `40 percentage points more often`.

    A straight line through few answers may leave what shares can differ by.
    """
    way = "more" if (share or 0) > 0 else "less"
    return f"{format_number(100 * min(1, abs(share or 0)), 0)} percentage points {way} often"


def _leaves_out(row: Result, value: float) -> bool:
    return row.interval is not None and not row.interval.low <= value <= row.interval.high


def _is_far(row: Result, sd: float | None) -> bool:
    return sd is not None and abs(row.estimate or 0.0) >= FAR * sd > 0 and _leaves_out(row, 0.0)


def median_of(values: Mapping[str, float | None]) -> float | None:
    """The median of those that are known."""
    known = sorted(value for value in values.values() if value is not None)
    if not known:
        return None
    middle = len(known) // 2
    return known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2
