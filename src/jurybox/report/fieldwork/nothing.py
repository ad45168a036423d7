"""A study without an answer that counts, as an analysis: the page still says what was planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jurybox.analysis.finding import Analysis, Excluded, Finding
from jurybox.errors import NoResponseError
from jurybox.formats import joined
from jurybox.results import Result, format_count
from jurybox.study.material import Material
from jurybox.study.model import Study

__all__ = ["analyzed_or_nothing", "is_answered", "nothing_yet", "why_nothing"]

REASONS = 3
"""Reasons for skipping that are named, the most frequent first."""
OWN = {"main", "pilot"}
"""The rounds whose answers count; a calibration round is reported on its own."""


def analyzed_or_nothing(
    analyze: Callable[[], Analysis],
    study: Study,
    material: Material,
    *,
    sent: Mapping[str, Sequence[Any]],
    left_out: Callable[[], tuple[Excluded, ...]],
) -> Analysis:
    """The analysis where an answer counts, else what was planned and why none does.

    ``sent`` are all submissions; ``left_out`` says whom the rules leave out.
    """
    if not is_answered(sent):
        return nothing_yet(study, material, why=why_nothing(sent))
    try:
        return analyze()
    except NoResponseError:
        pass
    # Whom the rules leave out stands on the page all the same.
    out = left_out()
    return nothing_yet(study, material, why=why_nothing(sent, out), excluded=out)


def is_answered(sent: Mapping[str, Sequence[Any]]) -> bool:
    """Whether somebody answered a trial of the study's own; practice and checks are none."""
    return any(status == "answered" for status, *_ in _own(sent))


def why_nothing(sent: Mapping[str, Sequence[Any]], excluded: Sequence[Excluded] = ()) -> str | None:
    """Why no answer counts although some were sent; ``None`` where none was."""
    if excluded:
        rules = joined(dict.fromkeys(rule for e in excluded for rule in e.rules))
        who = format_count(len(excluded), "rater")
        return f"Nobody is left to speak for the study: all {who} are left out by rule ({rules})."
    found = _own(sent)
    if not found:
        return None
    people = [row for row in found if row[3] == "person"]
    noun, found = ("rater", people) if people else ("judge", found)
    reasons = Counter(str(reason) for _, _, reason, _ in found if reason)
    named = ", ".join(f"{reason}: {n:,}" for reason, n in reasons.most_common(REASONS))
    skipped = sum(status == "skipped" for status, *_ in found)
    what = "skipped" if skipped == len(found) else "skipped, late or unusable"
    raters = format_count(len({rater for _, rater, *_ in found}), noun)
    because = f" ({named})" if named else ""
    return f"{raters} opened trials, and all {len(found):,} were {what}{because}."


def _own(sent: Mapping[str, Sequence[Any]]) -> list[tuple[str, str, Any, str]]:
    """Status, rater, reason and kind of rater of every submission to the study's own trials."""
    names = ("status", "rater", "reason", "rater_kind", "kind", "round")
    return [
        (status, rater, reason, who)
        for status, rater, reason, who, kind, round_ in zip(*(sent[n] for n in names), strict=True)
        if kind == "main" and round_ in OWN and status != "superseded"
    ]


def nothing_yet(
    study: Study,
    material: Material,
    *,
    why: str | None = None,
    excluded: tuple[Excluded, ...] = (),
) -> Analysis:
    """An analysis of a study without a response, with the reason as its only finding."""
    findings: tuple[Finding, ...] = ()
    if why is not None:
        none = Result(estimate=None, undefined="no answer counts")
        findings = (Finding(id="nothing", sentence=why, result=none, told=False),)
    return Analysis(
        title=study.words(study.title),
        protocol=study.protocol,
        took=(),
        n_responses=0,
        n_raters=0,
        n_items=len(material.items),
        systems=material.systems,
        findings=findings,
        tables=(),
        excluded=excluded,
        confidence=study.analysis.confidence,
    )
