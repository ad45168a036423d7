"""In which ways intervals were made, and whom they hold for, for the methods."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from jurybox.analysis.finding import Analysis
from jurybox.formats import format_confidence, joined
from jurybox.report.methods.tested import named
from jurybox.results import Interval, format_count
from jurybox.results.interval import CUT
from jurybox.stats.clusters import TWO_WAY
from jurybox.stats.shares import Share

__all__ = ["intervals"]

COUNTED = re.compile(r"(?<=t\()\d+(?=\))|(?<=n = )\d+(?= cluster)")
"""What one way has of each interval: degrees of freedom, or clusters."""


@dataclass(slots=True)
class _Way:
    """How intervals of one figure were made: the same but for their counts."""

    counts: set[int] = field(default_factory=set)
    ends: set[bool] = field(default_factory=set)
    """Whether they were ended where the scale ends."""

    def said(self, method: str) -> str:
        """The method with the fewest and the most of what is counted."""
        least, most = min(self.counts, default=0), max(self.counts, default=0)
        shown = f"{least} to {most}" if least < most else str(most)
        cut = {True: f", {CUT}", False: ""}
        tail = f", some {CUT}" if len(self.ends) > 1 else cut[min(self.ends)]
        return method.replace("#", shown) + tail


def intervals(analysis: Analysis) -> list[str]:
    """Name every way in which intervals were made, by what they hold for."""
    ways: dict[tuple[str, str, str], _Way] = {}
    for finding in analysis.findings:
        interval = finding.result.interval
        if interval is None or interval.confidence != analysis.confidence:
            continue
        whom = analysis.called(interval.generalizes_to)
        plain, counts = _plain(interval)
        way = ways.setdefault((whom, named(finding), analysis.called(plain)), _Way())
        way.counts.update(counts)
        way.ends.add(interval.is_cut)
    if not ways:
        return []
    percent = format_confidence(analysis.confidence)
    first = _row(ways)
    return [
        f"Intervals have {percent} confidence. {first[0].upper()}{first[1:]}.",
        *_towards_half(analysis),
        *_one_way(analysis),
    ]


def _plain(interval: Interval) -> tuple[str, Iterable[int]]:
    """The method without its counts and ends, and its counts."""
    return COUNTED.sub("#", interval.way), map(int, COUNTED.findall(interval.way))


def _row(ways: dict[tuple[str, str, str], _Way]) -> str:
    """Every way with the figures whose intervals were made in it, by whom they hold for."""
    grouped: dict[str, dict[str, list[str]]] = {}
    for (whom, label, method), way in ways.items():
        grouped.setdefault(whom, {}).setdefault(way.said(method), []).append(label)
    said = []
    for whom, methods in grouped.items():
        each = [f"of the {joined(labels)} ({way})" for way, labels in methods.items()]
        said.append(f"those {joined(each)} hold for {whom}")
    return "; ".join(said)


def _towards_half(analysis: Analysis) -> list[str]:
    """What is added to the end of a share's interval, where there is such an interval."""
    shares = (f.result.interval for f in analysis.findings if isinstance(f.result, Share))
    if not any(interval is not None and interval.way.startswith("logit") for interval in shares):
        return []
    return [
        "Of a share q the end towards one half lies |1 − 2q|s² further out on the logit scale, "
        "where s is the standard error on it."
    ]


def _one_way(analysis: Analysis) -> list[str]:
    """That a variance by raters and items was too small to be true, where it was."""
    results = [f.result for f in analysis.findings if f.result.interval is not None]
    n = sum(any(note.startswith(TWO_WAY) for note in result.notes) for result in results)
    if not n:
        return []
    return [
        f"For {n:,} of {format_count(len(results), 'interval')} the variance by raters and items "
        "was below a quarter of that by raters or by items alone, the larger of which was used."
    ]
