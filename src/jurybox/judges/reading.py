"""From replies to the row that is stored: the same replies always give the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from jurybox.design.answers import turn_back
from jurybox.judges.budget import price
from jurybox.judges.calls import Call
from jurybox.judges.journal import Said
from jurybox.judges.reply import UnusableReply, read_reply
from jurybox.store.values import Submission
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.design.answers import Answer
    from jurybox.study.material import Material
    from jurybox.study.model import Study
    from jurybox.study.settings import Judge

__all__ = ["AskAgain", "Reader"]

TRIES = 2
"""A reply that cannot be used is asked for once more."""


@dataclass(frozen=True, slots=True)
class AskAgain:
    """The last reply cannot be used; ``why`` is what the judge is told."""

    why: str


class Reader:
    """Reads the replies of one judge."""

    def __init__(self, judge: Judge, study: Study, material: Material, *, version: int) -> None:
        self._judge = judge
        self._study = study
        self._material = material
        self._version = version
        criteria = study.criteria.values()
        self._marked = sorted({one.field for one in criteria if one.categories and one.field})

    def read(self, call: Call, said: Sequence[Said], *, at: datetime) -> Submission | AskAgain:
        """What the replies to a call come to."""
        last, texts = said[-1], self._texts(call)
        try:
            if last.finish == "length":
                raise UnusableReply("The reply was cut off because it was too long; be brief.")
            reply = read_reply(self._study, call.trial, last.text, texts=texts)
        except UnusableReply as error:
            if len(said) < TRIES:
                return AskAgain(str(error))
            return self.unusable(call, said, str(error), at=at)
        answers = turn_back(self._study, call.trial, call.order, reply.shown, texts=texts)
        return self._row(call, said, at=at, answers=answers, comment=reply.reasons)

    def unusable(self, call: Call, said: Sequence[Said], why: str, *, at: datetime) -> Submission:
        """The row of a call that came to nothing, with the reply as it was."""
        raw = said[-1].text if said else None
        return self._row(call, said, at=at, status="unusable", reason=why, comment=raw)

    def _row(
        self,
        call: Call,
        said: Sequence[Said],
        *,
        at: datetime,
        answers: tuple[Answer, ...] = (),
        **values: Any,
    ) -> Submission:
        judge = self._judge
        tokens_in = sum(one.tokens_in for one in said)
        tokens_out = sum(one.tokens_out for one in said)
        without = said[-1].without if said else ()
        details = {
            "prompt": call.prompt.hash,
            "model": said[-1].model if said else judge.model,
            "temperature": None if "temperature" in without else judge.temperature,
            "seed": None if "seed" in without else call.seed,
            "tries": len(said),
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cost": price(judge, tokens_in, tokens_out),
        }
        return Submission(
            id=call.key,
            rater=RaterId(call.judge),
            rater_kind="judge",
            trial=call.trial.id,
            study_version=self._version,
            at=at,
            answers=answers,
            order=call.order,
            repeat=call.repeat,
            ms=sum(one.ms for one in said) or None,
            timing={"call": details},
            **values,
        )

    def _texts(self, call: Call) -> dict[tuple[str, int], str]:
        """The texts that errors are marked in, by field and place."""
        if not self._marked:
            return {}
        trial = call.trial
        outputs = [
            self._material.output_fields(trial.item, trial.systems[index]) for index in call.order
        ]
        return {
            (field, place): str(output[field])
            for place, output in enumerate(outputs)
            for field in self._marked
            if field in output
        }
