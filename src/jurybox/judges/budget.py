"""What calls cost, and the hard stop before they cost too much."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jurybox.judges.journal import Journal, Said
    from jurybox.judges.prompt import Prompt
    from jurybox.study.settings import Judge

__all__ = ["Budget", "Estimate", "Promise", "estimate", "longest_reply", "text_tokens"]

BYTES_PER_TOKEN = 4
"""English and code as most models cut them. Other scripts have more bytes to the letter, and need
about so many more tokens."""
TOKENS_PER_PICTURE = 1000
TOKENS_PER_ANSWER = 60
"""One entry of a reply: a sentence and a value."""
LONGEST_ANSWER = 400
"""The most that one entry may take; a reply that needs more is cut off and unusable."""
MARGIN = 1.5
"""How much worse a prompt may be than the worst of the prompts before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What calls are expected to take; ``cost`` is missing where no price is given."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def text_tokens(text: str) -> int:
    """About how many tokens a text has.

    >>> text_tokens("twelve bytes"), text_tokens("十二")
    (3, 2)
    """
    return round(len(text.encode()) / BYTES_PER_TOKEN)


def tokens_of(prompt: Prompt, said: Sequence[Said] = ()) -> int:
    """About how many tokens a prompt has, and what is asked again after these replies."""
    again = sum(text_tokens(one.text) + TOKENS_PER_ANSWER for one in said)
    return text_tokens(prompt.text) + TOKENS_PER_PICTURE * prompt.pictures + again


def longest_reply(judge: Judge, *, answers: int) -> int:
    """The most tokens that a reply with so many entries may have."""
    return judge.max_tokens or 200 + LONGEST_ANSWER * answers


def estimate(judge: Judge, prompts: Sequence[int], *, answers: int, journal: Journal) -> Estimate:
    """What calls with so many tokens each take; replies there are show what theirs take."""
    calls = len(prompts)
    tokens_in, tokens_out = sum(prompts), TOKENS_PER_ANSWER * answers * calls
    if journal.asked:
        tokens_in = round(journal.tokens_in / journal.asked * calls)
        tokens_out = round(journal.tokens_out / journal.asked * calls)
    cost = price(judge, tokens_in, tokens_out)
    return Estimate(calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)


def price(judge: Judge, tokens_in: int, tokens_out: int) -> float | None:
    """What tokens cost; nothing is known of it without both prices."""
    if judge.price_in is None or judge.price_out is None:
        return None
    return (tokens_in * judge.price_in + tokens_out * judge.price_out) / 1e6


@dataclass(frozen=True, slots=True)
class Promise:
    """What is kept back for a call on its way: its tokens as estimated, the most it may cost."""

    tokens: int
    money: float


class Budget:
    """Spent and promised; a call is allowed only if its worst case still fits."""

    def __init__(self, judge: Judge, *, answers: int, journal: Journal) -> None:
        self._judge = judge
        self._longest = longest_reply(judge, answers=answers)
        self._promised = 0.0
        self._on_the_way = 0
        self._settled = asyncio.Event()
        self._counted = 0.0
        """The most tokens that an endpoint counted for one that was estimated."""
        self._journal = journal

    @property
    def spent(self) -> float | None:
        """What all replies so far have cost, those of earlier runs included."""
        return price(self._judge, self._journal.tokens_in, self._journal.tokens_out)

    async def allow(self, tokens: int) -> Promise | None:
        """Promise the worst case of a call; ``None`` when it does not fit any more.

        Calls on the way mostly cost less than was promised for them, so they are waited for first.
        """
        while True:
            promise = Promise(tokens, self._worst(tokens))
            limit = self._judge.budget
            if limit is None or (self.spent or 0.0) + self._promised + promise.money <= limit:
                self._promised += promise.money
                self._on_the_way += 1
                return promise
            if not self._on_the_way:
                return None
            self._settled.clear()
            await self._settled.wait()

    def _worst(self, tokens: int) -> float:
        # No token is less than a byte; once the endpoint has counted some, they tell more.
        most = MARGIN * self._counted or BYTES_PER_TOKEN
        return price(self._judge, round(most * tokens), self._longest) or 0.0

    def settle(self, promise: Promise, said: Said | None) -> None:
        """Take back what was promised for a call, now that the journal has what it took."""
        self._on_the_way -= 1
        self._promised = self._promised - promise.money if self._on_the_way else 0.0
        if said is not None:
            self._counted = max(self._counted, said.tokens_in / max(1, promise.tokens))
        self._settled.set()
