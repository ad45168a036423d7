"""Errors in a text: those that are there, and those that a rater marks.

An output has its errors whoever looks. A careful rater finds each of them with the planted chance,
and marks as many others as were missed on average: how many errors are marked follows the output's
quality, and how far two raters mark the same follows the chance of finding them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jurybox.design.answers import ShownSpan
from jurybox.study.model import Criterion

__all__ = ["MOST_ERRORS", "expected_errors", "find_errors", "mark_errors"]

MOST_ERRORS = 5.0
"""How many errors an output of quality 0 has on average; one of quality 1 has none."""
LONGEST = 12
"""Characters of the longest error."""


def expected_errors(quality: float) -> float:
    """How many errors an output of this quality has on average.

    >>> expected_errors(0.0), expected_errors(0.8), expected_errors(1.2)
    (5.0, 0.9999999999999998, 0.0)
    """
    return MOST_ERRORS * min(max(1 - quality, 0.0), 1.0)


def find_errors(
    criterion: Criterion, text: str, expected: float, rng: np.random.Generator
) -> tuple[ShownSpan, ...]:
    """About so many errors at random places of a text."""
    if not text:
        return ()
    categories, severities = list(criterion.all_categories), list(criterion.severities or {})
    spans = []
    for _ in range(int(rng.poisson(expected))):
        start = int(rng.integers(len(text)))
        end = min(len(text), start + 1 + int(rng.integers(LONGEST)))
        category = categories[int(rng.integers(len(categories)))]
        severity = severities[int(rng.integers(len(severities)))]
        spans.append(ShownSpan(start=start, end=end, category=category, severity=severity))
    return _in_order(spans)


def mark_errors(
    there: Sequence[ShownSpan],
    others: Sequence[ShownSpan],
    found: float,
    rng: np.random.Generator,
) -> tuple[ShownSpan, ...]:
    """What a rater marks: each error that is there with the chance ``found``, and the others."""
    kept = rng.random(len(there)) < found
    return _in_order(
        [*(span for span, is_kept in zip(there, kept, strict=True) if is_kept), *others]
    )


def _in_order(spans: Sequence[ShownSpan]) -> tuple[ShownSpan, ...]:
    return tuple(sorted(set(spans), key=lambda span: (span.start, span.end)))
