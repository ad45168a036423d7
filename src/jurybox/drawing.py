"""How results draw themselves: Altair is imported when somebody draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["draw_curve", "draw_intervals"]


def draw_intervals(
    points: Sequence[dict[str, Any]], title: str, *, percent: bool, neutral: float | None
) -> Any:
    """Estimates as points on their intervals; each has a name, an estimate, a low and a high."""
    import altair as alt

    axis = alt.Axis(format="%") if percent else alt.Axis()
    base = alt.Chart({"values": points}, title=title).encode(
        y=alt.Y("name:N", sort=None, title=None)
    )
    point = base.mark_point(filled=True, size=70).encode(
        x=alt.X("estimate:Q", title=None, axis=axis, scale=alt.Scale(zero=False))
    )
    bar = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    if neutral is None:
        return bar + point
    line = alt.Chart({"values": [{"x": neutral}]}).mark_rule(strokeDash=[3, 4], opacity=0.4)
    return line.encode(x="x:Q") + bar + point


def draw_curve(points: Sequence[tuple[float, float]], title: str, *, x: str, y: str) -> Any:
    """Points joined by a line, with what the axes count."""
    import altair as alt

    base = alt.Chart({"values": [{"x": one, "y": two} for one, two in points]}, title=title)
    return base.mark_line(point=True).encode(
        x=alt.X("x:Q", title=x), y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=False))
    )
