"""From what the rater saw to what is stored: answers by place become answers by system.

The browser, a sheet or a judge knows outputs only by the place they were shown at. ``turn_back``
checks such answers against the study and gives the rows that every response shape is made of;
``show_again`` goes the other way, for a rater who goes back.
"""

from __future__ import annotations

from jurybox.design.answers.known import is_right
from jurybox.design.answers.turn import WrongAnswer, find_wrong, show_again, turn_back
from jurybox.design.answers.values import Answer, ShownAnswer, ShownSpan, parse_shown

__all__ = [
    "Answer",
    "ShownAnswer",
    "ShownSpan",
    "WrongAnswer",
    "find_wrong",
    "is_right",
    "parse_shown",
    "show_again",
    "turn_back",
]
