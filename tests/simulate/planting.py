"""Which planted case holds which statistic and which rule: names to tests.

``@plants("krippendorff_alpha")`` says that a test plants something in simulated raters and that
``jb.krippendorff_alpha`` finds it; ``test_every_statistic`` fails for a name that nothing plants.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

__all__ = ["CASES", "plants"]

Case = TypeVar("Case", bound=Callable[..., None])
CASES: dict[str, list[Callable[..., None]]] = {}


def plants(*names: str) -> Callable[[Case], Case]:
    """Enter a test for these names; one that is not run, or does not use a name, is a mistake."""

    def enter(case: Case) -> Case:
        source = inspect.getsource(case)
        if not case.__name__.startswith("test_"):
            raise AssertionError(f"{case.__name__} is not run: its name does not begin with test_")
        for name in names:
            # Its own mention here is the first one.
            used = f"jb.{name}" in source or source.count(name) > 1
            if not used:
                raise AssertionError(f"{case.__name__} plants {name}, and never uses it")
            CASES.setdefault(name, []).append(case)
        return case

    return enter
