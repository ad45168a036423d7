"""Which calls a judge makes: trials, orders and repeats, each under a key of its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jurybox.judges.prompt import Prompt, Prompter

if TYPE_CHECKING:
    from jurybox.design.plan import Plan, Trial
    from jurybox.study.material import Material
    from jurybox.study.model import Study
    from jurybox.study.settings import Judge

__all__ = ["Call", "Calls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to one judge: a trial, the order its outputs are shown in, and which repeat."""

    judge: str
    trial: Trial
    order: tuple[int, ...]
    repeat: int
    seed: int | None
    """What the endpoint is given: each repeat has its own, or all would say the same."""
    prompt: Prompt
    key: str
    """What is asked, whom, and how: the same key is never paid for twice."""


class Calls:
    """Every call of one judge, made one by one, so that prompts are not all held at once."""

    def __init__(
        self, name: str, judge: Judge, study: Study, material: Material, plan: Plan
    ) -> None:
        self.name = name
        self.judge = judge
        self._prompter = Prompter(study, material, judge)
        self._seed = plan.seed
        main = [trial for trial in plan.trials if trial.kind == "main"]
        self.trials = tuple(trial for trial in main if self._is_asked(trial))

    def _is_asked(self, trial: Trial) -> bool:
        wanted = self.judge.trials
        if wanted == "all":
            return True
        if isinstance(wanted, int | float):
            # The same trials for every judge and every run.
            return _chance(f"{self._seed}\n{trial.id}") < wanted
        return trial.item in wanted

    def __len__(self) -> int:
        each = sum(len(self._orders(trial)) for trial in self.trials)
        return each * self.judge.repeats

    def __iter__(self) -> Iterator[Call]:
        for trial, order, repeat in self._asked():
            yield self._call(trial, order, repeat)

    def places(self) -> Iterator[tuple[str, tuple[int, ...], int]]:
        """What is asked, whatever the prompt: each trial, order and repeat."""
        for trial, order, repeat in self._asked():
            yield trial.id, order, repeat

    def _asked(self) -> Iterator[tuple[Trial, tuple[int, ...], int]]:
        for repeat in range(self.judge.repeats):
            for trial in self.trials:
                for order in self._orders(trial):
                    yield trial, order, repeat

    def _orders(self, trial: Trial) -> tuple[tuple[int, ...], ...]:
        places = tuple(range(len(trial.systems)))
        if len(places) == 1 or self.judge.order == "fixed":
            return (places,)
        if self.judge.order == "both":
            return (places, places[::-1])
        shuffled = sorted(places, key=lambda place: _chance(f"{self._seed}\n{trial.id}\n{place}"))
        return (tuple(shuffled),)

    def _call(self, trial: Trial, order: tuple[int, ...], repeat: int) -> Call:
        prompt = self._prompter.make(trial, order)
        judge = self.judge
        # Two systems may give the same output, and are then asked about in the same words.
        asked = [self.name, trial.id, judge.model, judge.temperature, judge.seed]
        asked += [judge.max_tokens, prompt.hash, order, repeat]
        key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:40]
        return Call(
            judge=self.name,
            trial=trial,
            order=order,
            repeat=repeat,
            seed=None if judge.seed is None else judge.seed + repeat,
            prompt=prompt,
            key=key,
        )


def _chance(text: str) -> float:
    """A number from 0 up to 1 that depends on the text alone."""
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
