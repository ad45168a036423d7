"""Every error and warning of jurybox, as one tree.

::

    JuryboxError                 a sentence for the person who can act on it
    ├── SpecError                study.yaml, its tables or its media are wrong; lists every problem
    ├── DesignError              no plan can satisfy the request
    ├── StoreError               the study's database cannot do what was asked
    ├── RaterError               a rater's request cannot be honored (unknown link, foreign slot)
    │   └── TakenError           the id belongs to another rater already
    ├── JudgeError               a judge could not be run
    ├── AnalysisError            the responses cannot be analyzed as asked
    └── InputError (ValueError)  an argument or a table from outside is wrong
        └── OptionError          an option has a value that it takes with no data

    JuryboxWarning               a likely mistake of the caller; the result is still right
    └── FewRatersWarning         fewer than ten raters carry the interval

The command line and the web pages print the sentence; a traceback is for bugs only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "AnalysisError",
    "DesignError",
    "FewRatersWarning",
    "InputError",
    "JudgeError",
    "JuryboxError",
    "JuryboxWarning",
    "NoResponseError",
    "OptionError",
    "Problem",
    "RaterError",
    "SpecError",
    "StoreError",
    "TakenError",
]


class JuryboxError(Exception):
    """A sentence that says what is wrong, where, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with a study, at a place a person can go to."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        return ": ".join([":".join(place), self.message]) if place else self.message


class SpecError(JuryboxError):
    """The study cannot be used; ``problems`` lists everything that is wrong, in file order."""

    def __init__(self, problems: list[Problem] | tuple[Problem, ...]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class DesignError(JuryboxError):
    """No plan can satisfy the request; the sentence says what to change."""


class StoreError(JuryboxError):
    """The study's database cannot do what was asked."""


class RaterError(JuryboxError):
    """A rater's request cannot be honored.

    ``text`` holds ``%(name)s`` for each of ``values``, so that the rater's page can say it in the
    study's language; the error itself is the English sentence.

    >>> str(RaterError("The id '%(rater)s' is taken.", rater="Ada"))
    "The id 'Ada' is taken."
    """

    def __init__(self, text: str, /, **values: object) -> None:
        self.text = text
        self.values = values
        super().__init__(text % values if values else text)


class TakenError(RaterError):
    """The id belongs to another rater already."""


class JudgeError(JuryboxError):
    """A judge could not be run."""


class AnalysisError(JuryboxError):
    """The responses cannot be analyzed as asked."""


class NoResponseError(AnalysisError):
    """No response counts, because rules leave out everybody who answered."""


class InputError(JuryboxError, ValueError):
    """An argument or a table from outside breaks a rule that the sentence names."""


class OptionError(InputError):
    """An option has a value that it takes with no data, or lacks another one that it goes with."""


class JuryboxWarning(UserWarning):
    """A likely mistake of the caller; the result is still right."""


class FewRatersWarning(JuryboxWarning):
    """Fewer than ten raters: the interval is honest but wide."""
