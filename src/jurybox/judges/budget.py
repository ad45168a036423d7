"""What calls cost, and the hard stop before they cost too much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jurybox.judges.journal import Said
    from jurybox.judges.prompt import Prompt
    from jurybox.study.settings import Judge

__all__ = ["Budget", "Estimate", "estimate"]

CHARACTERS_PER_TOKEN = 4.0
"""English text as most models cut it; other scripts need more tokens, so an estimate is one."""
TOKENS_PER_PICTURE = 1000
TOKENS_PER_ANSWER = 60
"""One entry of a reply: a sentence and a value."""
LONGEST_ANSWER = 400
"""The most that one entry may take; a reply that needs more is cut off and unusable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What calls are expected to take; ``cost`` is missing where no price is given."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def tokens_of(prompt: Prompt) -> int:
    """About how many tokens a prompt has."""
    text = prompt.characters / CHARACTERS_PER_TOKEN
    return round(text) + TOKENS_PER_PICTURE * prompt.pictures


def longest_reply(answers: int) -> int:
    """The most tokens that a reply with so many entries may have."""
    return 200 + LONGEST_ANSWER * answers


def estimate(judge: Judge, prompts: list[Prompt], *, calls: int, answers: int) -> Estimate:
    """What so many calls take, from some of their prompts."""
    each = sum(tokens_of(prompt) for prompt in prompts) / max(1, len(prompts))
    tokens_in, tokens_out = round(each * calls), TOKENS_PER_ANSWER * answers * calls
    cost = price(judge, tokens_in, tokens_out)
    return Estimate(calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)


def price(judge: Judge, tokens_in: int, tokens_out: int) -> float | None:
    """What tokens cost; nothing is known of it without both prices."""
    if judge.price_in is None or judge.price_out is None:
        return None
    return (tokens_in * judge.price_in + tokens_out * judge.price_out) / 1e6


class Budget:
    """Spent and promised; a call is allowed only if its worst case still fits."""

    def __init__(self, judge: Judge, *, answers: int, said: list[Said]) -> None:
        self._judge = judge
        self._answers = answers
        self._promised = 0.0
        self.calls = len(said)
        self.tokens_in = sum(one.tokens_in for one in said)
        self.tokens_out = sum(one.tokens_out for one in said)

    @property
    def spent(self) -> float | None:
        """What all replies so far have cost, those of earlier runs included."""
        return price(self._judge, self.tokens_in, self.tokens_out)

    def allow(self, prompt: Prompt) -> float | None:
        """Promise the worst case of one call; ``None`` when it does not fit any more."""
        limit = longest_reply(self._answers)
        # A prompt's tokens are estimated, so a half more is kept back for it.
        worst = price(self._judge, round(1.5 * tokens_of(prompt)), limit) or 0.0
        limit_money = self._judge.budget
        if limit_money is not None and (self.spent or 0.0) + self._promised + worst > limit_money:
            return None
        self._promised += worst
        return worst

    def settle(self, promised: float, said: Said | None) -> None:
        """Put what a call took in the place of what was promised for it."""
        self._promised = max(0.0, self._promised - promised)
        if said is not None:
            self.calls += 1
            self.tokens_in += said.tokens_in
            self.tokens_out += said.tokens_out
