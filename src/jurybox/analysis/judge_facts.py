"""What a study says about its judges and systems, besides their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from jurybox.analysis.measure.judge_biases import JudgeFacts
from jurybox.design.people import people_share
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.settings import Judge

__all__ = ["facts_of", "say_unasked"]


def facts_of(study: Study, plan: Any, lengths: Mapping[tuple[str, str], float]) -> JudgeFacts:
    """Families, wordings, which judges were tuned, and the share of the items that people rate."""
    planned = plan is not None and study.design.people is not None
    systems = study.systems or {}
    return JudgeFacts(
        lengths=lengths,
        families={str(name): own.family for name, own in systems.items() if own.family},
        judge_families={name: own.family for name, own in study.judges.items() if own.family},
        wordings=tuple(
            (one, two)
            for one, two in combinations(sorted(study.judges), 2)
            if _differ_in_words(study.judges[one], study.judges[two])
        ),
        tuned=tuple(name for name, own in study.judges.items() if own.tuned),
        people_share=people_share(plan) if planned else None,
    )


def say_unasked(submissions: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """How many answers of each judge are left out, since the study does not ask for them now."""
    columns = (submissions[name] for name in ("rater", "rater_kind", "status"))
    # A judge skips nothing: such a row stands for what it was asked and no longer is.
    counts = Counter(
        str(rater) for rater, *what in zip(*columns, strict=True) if what == ["judge", "skipped"]
    )
    return tuple(
        f"{format_count(n, 'answer')} of {judge} left out: to an order, a repeat or a trial that "
        "the study no longer asks for"
        for judge, n in sorted(counts.items())
    )


def _differ_in_words(one: Judge, two: Judge) -> bool:
    """Whether two judges are one model that is asked in two ways."""
    same = ("model", "endpoint", "temperature", "seed")
    alike = all(getattr(one, name) == getattr(two, name) for name in same)
    return alike and one.template != two.template
