"""Whether a criterion has one scale in two rounds: scores of two scales have no difference."""

from __future__ import annotations

from jurybox.analysis.asked import Asked
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses

__all__ = ["costs_apart", "marks_apart", "scales_apart"]

Ends = tuple[float, float]
FAR = 4
"""Where no scale is stated: how many times larger scores are that look like another scale's."""

MOST_LISTED = 7


def scales_apart(
    criterion: str, asked: tuple[Asked, Asked], both: tuple[Responses, Responses], name: str
) -> str | None:
    """Why the scores of two rounds, the old one first, are not on one scale, as far as is known."""
    if not all(are_numbers(part) for part in both):
        return None
    was, now = (each.ends(criterion) for each in asked)
    before, after = (each.criterion(criterion) for each in asked)
    if was is not None and now is not None:
        if was != now or before.values != after.values:
            then = _scale(was, before.values)
            return f"its scale is {then} in {name} and {_scale(now, after.values)} here"
        return None if before.higher == after.higher else f"what is better in {name} is worse here"
    old, new = (_given(part) for part in both)
    if was is not None and not was[0] <= new[0] <= new[1] <= was[1]:
        return f"its scale is {_scale(was)} in {name}, and scores go from {_scale(new)} here"
    if now is not None and not now[0] <= old[0] <= old[1] <= now[1]:
        return f"scores go from {_scale(old)} in {name}, and its scale is {_scale(now)} here"
    small, large = sorted(max(map(abs, scores)) for scores in (old, new))
    if was is None and now is None and 0 < FAR * small < large:
        return (
            f"scores go from {_scale(old)} in {name} and from {_scale(new)} here, which look like "
            "two scales (--scale says if it is one)"
        )
    return None


def marks_apart(criterion: str, asked: tuple[Asked, Asked], name: str) -> str | None:
    """That the rounds have different pass marks; the new round's is used for both."""
    was, now = (each.criterion(criterion).pass_mark for each in asked)
    if was is None or now is None or was == now:
        return None
    said = f"the pass mark is {_number(was)} in {name} and {_number(now)} here"
    return f"{said}, and the pass rates of both rounds are by the latter"


def costs_apart(criterion: str, asked: tuple[Asked, Asked], name: str) -> str | None:
    """That errors cost something else in either round; the new round's costs are used for both."""
    was, now = (each.criterion(criterion) for each in asked)
    if (was.severities, was.weights) == (now.severities, now.weights):
        return None
    return f"errors count otherwise in {name}; the points of both rounds are by what they count now"


def _given(responses: Responses) -> Ends:
    ((low, high),) = responses.query("SELECT min(score), max(score) FROM {r}")
    return float(low), float(high)


def _scale(ends: Ends, values: tuple[float, ...] | None = None) -> str:
    if values is None or len(values) > MOST_LISTED:
        return " to ".join(map(_number, ends))
    return ", ".join(map(_number, values))


def _number(value: float) -> str:
    return f"{value:g}".replace("-", "−")
