"""Every figure of every EXPECTED.json, computed from the set's data and compared key by key.

A set has a function that builds what it finds in the shape of its EXPECTED.json. A key that one has
and the other lacks fails, so that no published number is left without its test; what says something
*about* the numbers is listed by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests import reference
from tests.figures.gengap_turing import gengap_turing
from tests.figures.imagenhub import imagenhub
from tests.figures.metrics import tifa_human, unieval_meta
from tests.figures.pandalm_pairwise import pandalm_pairwise
from tests.figures.small import evalica_toy, nflx_public_mos, wmt21_ted_mqm
from tests.figures.textbook import textbook

DESCRIPTIONS = (
    "*.computed_with",
    "*.published.where",
    "*.published.order",
    "*.mismatch",
    "gengap_turing.undefined_check",
    # Sphericity holds by itself where a factor has two levels.
    "gengap_turing.computed.mixed_anova.*.eps",
    "imagenhub.definitions",
    # How the file itself was checked by whoever made it, on all of the set's folders.
    "imagenhub.verification",
    "unieval_meta.verification",
    "pandalm_pairwise.note",
    "textbook.*.published.where",
    "textbook.krippendorff2011.note",
    "wmt21_ted_mqm.rule",
)
"""Words about figures; a star stands for one key."""
CONTRADICTED = ("pandalm_pairwise.published.pandalm_f1_over_gpt35_f1",)
"""Published figures that the released data do not give: held to differ."""
DIGITS = {
    "gengap_turing.published.overall_accuracy": 4,
    "gengap_turing.published.t_statistic_printed": 4,
    "imagenhub.published.values": 2,
    "pandalm_pairwise.published.cohen_kappa": 2,
    "textbook.krippendorff2011.published": 3,
    "textbook.fleiss1971.published": 2,
    "textbook.fleiss1971.computed.gwet": 5,
    "textbook.shrout_fleiss1979.published": 2,
    "textbook.shrout_fleiss1979.computed.*.CI95": 2,
    "textbook.agresti_baseball1987.published.model1_sorted": 2,
    "textbook.agresti_baseball1987.published.se_about": 1,
    "textbook.agresti_baseball1987.published.model2_abilities_sorted": 3,
    "textbook.agresti_baseball1987.published.home_advantage": 3,
    # Of a vignette, by a fit that stopped a little early.
    "textbook.davidson1970_pudding.published": 4,
    "wmt21_ted_mqm.published.ende": 2,
    "wmt21_ted_mqm.computed.ende.published": 2,
    "wmt21_ted_mqm.computed.ende.avg_file": 3,
}
"""Printed digits; all other figures are compared to 1e-6."""
RELATIVE = {
    "gengap_turing.published.p_printed": 1e-4,
    "gengap_turing.computed.proper_p": 1e-3,
    "gengap_turing.computed.mixed_anova.*.p_unc": 1e-4,
}
"""Figures so small that only their ratio to the found one says something."""


SETS: tuple[Callable[[], Any], ...] = (
    evalica_toy,
    gengap_turing,
    imagenhub,
    nflx_public_mos,
    pandalm_pairwise,
    textbook,
    tifa_human,
    unieval_meta,
    wmt21_ted_mqm,
)


def matches(path: str, pattern: str) -> bool:
    """Whether a path of keys begins with the pattern's, a star standing for any key.

    >>> matches("a.b.c", "*.b"), matches("a.b", "a.b.c")
    (True, False)
    """
    keys, wanted = path.split("."), pattern.split(".")
    return len(keys) >= len(wanted) and all(
        want in ("*", key) for key, want in zip(keys, wanted, strict=False)
    )


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every number, word or ``null`` with the path that leads to it."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{path}.{str(key).replace('.', '·')}")
    elif isinstance(value, list):
        # The notebook lists ImagenHub's raters as its file system did: 1, 3, 2 in one of the tasks.
        in_order = sorted(value) if matches(path, "imagenhub.published") else value
        for number, part in enumerate(in_order):
            yield from leaves(part, f"{path}.{number}")
    else:
        yield path, value


def is_close(path: str, found: Any, known: Any) -> bool:
    if known is None or isinstance(known, str | bool):
        return bool(found == known)
    for pattern, ratio in RELATIVE.items():
        if matches(path, pattern):
            return bool(found == pytest.approx(known, rel=ratio, abs=0))
    if isinstance(known, int) and float(found).is_integer():
        return bool(found == known)
    digits = next((n for pattern, n in DIGITS.items() if matches(path, pattern)), None)
    return bool(abs(found - known) <= (1e-6 if digits is None else 0.51 * 10**-digits))


def test_every_set_has_its_function() -> None:
    there = {path.parent.name for path in reference.DATA.glob("*/EXPECTED.json")}
    # What R fitted is no study's figure: tests/stats/ordinal_mixed holds it.
    assert {each.__name__ for each in SETS} == there - {"ordinal_models"}


@pytest.mark.parametrize("of", SETS, ids=lambda each: each.__name__)
def test_every_figure(of: Callable[[], Any]) -> None:
    name = of.__name__
    known = {
        path: value
        for path, value in leaves(reference.expected(name), name)
        if not any(matches(path, each) for each in DESCRIPTIONS)
    }
    found = dict(leaves(of(), name))
    assert found.keys() == known.keys()
    for path, value in known.items():
        contradicted = any(matches(path, each) for each in CONTRADICTED)
        assert is_close(path, found[path], value) is not contradicted, (path, found[path], value)


def test_every_description_is_there() -> None:
    paths = [
        path
        for each in SETS
        for path, _ in leaves(reference.expected(each.__name__), each.__name__)
    ]
    for pattern in (*DESCRIPTIONS, *CONTRADICTED, *DIGITS, *RELATIVE):
        assert any(matches(path, pattern) for path in paths), pattern
