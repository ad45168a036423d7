"""One simulated rater: what they answer to a trial, in the form that a browser would send.

A careful rater answers by the planted truth. A speeder and a coin-flipper answer at random, a
straight-liner always the same; a drop-out is careful until leaving.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from jurybox.design.answers import Answer, ShownAnswer, ShownSpan, show_again
from jurybox.design.answers.forms import Form, find_form
from jurybox.design.plan import Trial
from jurybox.simulate.flaws import expected_errors, find_errors, mark_errors
from jurybox.simulate.truth import Kind, Truth, draw_effect, own_stream, scale_value
from jurybox.study.material import Known, Material
from jurybox.study.model import Criterion, ItemId, RaterId, Study, SystemId
from jurybox.study.scales import Scale

__all__ = ["SimulatedRater"]

CAREFUL: tuple[Kind, ...] = ("careful", "drop_out")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRater:
    """A rater with a character of their own: the same seed and id give the same one."""

    id: RaterId
    kind: Kind
    study: Study
    material: Material
    truth: Truth
    seed: int
    rng: np.random.Generator
    group: str | None = None
    lengths: Mapping[tuple[ItemId, SystemId], float] = field(default_factory=dict)
    """How many times twice as long as usual each output is; see ``lengths``."""

    def answer(
        self, trial: Trial, order: Sequence[int], *, tired: float = 0.0
    ) -> tuple[ShownAnswer, ...]:
        """Answer every criterion of a trial whose outputs are shown in this order.

        ``tired`` is 0 at the start of the sitting and 1 at its end.
        """
        shown = [trial.systems[index] for index in order]
        answers: list[ShownAnswer] = []
        for name, criterion in self.study.criteria.items():
            latents = self._latents(name, trial, shown, tired)
            if criterion.field is None:
                answers += self._answers(name, criterion, latents)
            else:
                answers += self._marks(name, criterion, trial, shown, latents)
        return tuple(answers)

    def answer_known(
        self, trial: Trial, order: Sequence[int], known: Known, *, tired: float = 0.0
    ) -> tuple[ShownAnswer, ...]:
        """Answer a trial whose right answer is known: a careful rater is mostly right."""
        given = self.answer(trial, order, tired=tired)
        if self.kind not in CAREFUL or self.rng.random() >= self.truth.known_right:
            return given
        right = show_again(self.study, trial, order, right_answers(self.study, known))
        checked = {(one.criterion, one.place): one for one in right}
        return tuple(_corrected(one, checked.get((one.criterion, one.place))) for one in given)

    def skips(self, trial: Trial) -> bool:
        """Whether the rater skips a trial, because of a system that it shows."""
        chance = max((self.truth.skips.get(system, 0.0) for system in trial.systems), default=0.0)
        return chance > 0 and self.kind in CAREFUL and self.rng.random() < chance

    def seconds(self, expected: float) -> float:
        """How long this rater looks at a trial that is expected to take so long."""
        median = self.truth.seconds or expected
        if self.kind == "speeder":
            median = min(1.2, 0.15 * median)
        return float(median * np.exp(0.35 * self.rng.standard_normal()))

    # How good an output looks to this rater now.

    def _latent(self, criterion: str, item: ItemId, system: SystemId, tired: float) -> float:
        if self.kind == "straight_liner":
            return 0.5
        if self.kind not in CAREFUL or system not in self.truth.quality[criterion]:
            return float(self.rng.random())  # a known trial may bring outputs of its own
        truth, seed = self.truth, self.seed
        if system in truth.recognized:
            return 1.0
        return (
            self._quality(criterion, item, system)
            + truth.rater_sd * draw_effect(seed, "rater", criterion, self.id)
            + truth.taste_sd * draw_effect(seed, "taste", criterion, self.id, system)
            + truth.noise_sd * (1 + truth.tiring * tired) * float(self.rng.standard_normal())
            + truth.drift * tired
            + truth.length_bias * self.lengths.get((item, system), 0.0)
            + truth.groups.get(self.group or "", {}).get(system, 0.0)
        )

    def _quality(self, criterion: str, item: ItemId, system: SystemId) -> float:
        """How good an output is, whoever looks."""
        truth, seed = self.truth, self.seed
        return (
            truth.of(criterion, system)
            + truth.item_sd * draw_effect(seed, "item", criterion, item)
            + truth.item_system_sd * draw_effect(seed, "item×system", criterion, item, system)
        )

    def _latents(
        self, name: str, trial: Trial, shown: Sequence[SystemId], tired: float
    ) -> list[float]:
        latents = [self._latent(name, trial.item, system, tired) for system in shown]
        if len(shown) > 1 and self.kind in CAREFUL:
            latents[0] += self.truth.position_bias
        return latents

    # From latents to answers, protocol by protocol.

    def _answers(self, name: str, criterion: Criterion, latents: list[float]) -> list[ShownAnswer]:
        form = find_form(self.study, criterion)
        extra = self._extra(criterion, latents)
        if form in ("score", "answer"):
            return [
                ShownAnswer(
                    criterion=name, place=place, **self._value(form, criterion, latent), **extra
                )
                for place, latent in enumerate(latents)
            ]
        if form == "ranks":
            value = {"ranks": tuple(self._ranks(criterion, latents))}
        else:
            value = self._preference(criterion, latents)
        return [ShownAnswer(criterion=name, **value, **extra)]

    def _marks(
        self,
        name: str,
        criterion: Criterion,
        trial: Trial,
        shown: Sequence[SystemId],
        latents: list[float],
    ) -> list[ShownAnswer]:
        """The spans marked in each output shown."""
        extra = self._extra(criterion, latents)
        return [
            ShownAnswer(
                criterion=name,
                place=place,
                spans=self._spans(name, criterion, trial.item, system, latent),
                **extra,
            )
            for place, (system, latent) in enumerate(zip(shown, latents, strict=True))
        ]

    def _value(self, form: Form, criterion: Criterion, latent: float) -> dict[str, Any]:
        """What is said of one output."""
        if form == "answer":
            real = self.kind != "straight_liner" and latent > 0.5
            return {"answer": "real" if real else "generated"}
        scale = criterion.scale
        return {} if scale is None else {"score": scale_value(scale, latent)}

    def _extra(self, criterion: Criterion, latents: list[float]) -> dict[str, Any]:
        extra: dict[str, Any] = {}
        if criterion.confidence is not None:
            spread = self.truth.spread or 1.0
            apart = abs(latents[0] - (latents[1] if len(latents) == 2 else 0.5)) / spread
            sure = (
                self.truth.boldness * apart / 3
                if self.kind in CAREFUL
                else float(self.rng.random())
            )
            extra["confidence"] = scale_value(criterion.confidence, min(sure, 0.999))
        if criterion.reason == "required":
            extra["reason"] = "It looked that way to me."
        return extra

    def _preference(self, criterion: Criterion, latents: list[float]) -> dict[str, Any]:
        first, second = latents
        if self.kind == "straight_liner":
            first = second + 1.0
        apart = second - first
        if criterion.scale is not None:
            return {"score": _graded(criterion.scale, apart, self.truth.tie_width)}
        choices = criterion.choices or ("a", "b")
        if "both_bad" in choices and max(latents) < self.truth.bad_below and self.kind in CAREFUL:
            return {"choice": "both_bad"}
        if "tie" in choices and abs(apart) < self.truth.tie_width:
            return {"choice": "tie"}
        return {"choice": "second" if apart > 0 else "first"}

    def _ranks(self, criterion: Criterion, latents: list[float]) -> list[int]:
        best_first = sorted(range(len(latents)), key=lambda place: -latents[place])
        if criterion.answer == "best":
            return [1 if place == best_first[0] else 2 for place in range(len(latents))]
        ranks, rank = [0] * len(latents), 1
        for position, place in enumerate(best_first):
            above = latents[best_first[position - 1]] if position else float("inf")
            near = above - latents[place] < self.truth.tie_width
            if not (criterion.ties and near):
                rank = position + 1
            ranks[place] = rank
        return ranks

    def _spans(
        self, name: str, criterion: Criterion, item: ItemId, system: SystemId, latent: float
    ) -> tuple[ShownSpan, ...]:
        """What is marked: errors that are there, and others as a stricter or milder rater sees."""
        if self.kind == "straight_liner":
            return ()
        fields = {
            **self.material.item_fields(item), **self.material.output_fields(item, system)
        }  # fmt: skip
        text, expected = str(fields[criterion.field or ""]), expected_errors(latent)
        if self.kind not in CAREFUL or system not in self.truth.quality[name]:
            return find_errors(criterion, text, expected, self.rng)
        found = self.truth.found
        quality = self._quality(name, item, system)
        own = own_stream(self.seed, "errors", name, item, system)
        there = find_errors(criterion, text, expected_errors(quality), own)
        others = find_errors(criterion, text, (1 - found) * expected, self.rng)
        return mark_errors(there, others, found, self.rng)


def _graded(scale: Scale, apart: float, tie_width: float) -> float:
    """A comparison on a scale around 0: half the latent scale apart is the largest value."""
    values = sorted(v.value for v in scale.values)
    if abs(apart) < tie_width and scale.allows(0):
        return 0.0
    wanted = min(max(apart / 0.5, -1.0), 1.0) * scale.high
    sided = [value for value in values if value * apart > 0]
    return min(sided or values, key=lambda value: abs(value - wanted))


def _corrected(given: ShownAnswer, right: ShownAnswer | None) -> ShownAnswer:
    """The answer with the right value; confidence and reason stay the rater's own."""
    if right is None:
        return given
    return right.model_copy(update={"confidence": given.confidence, "reason": given.reason})


def right_answers(study: Study, known: Known) -> list[Answer]:
    """The first accepted answer of every checked criterion, by system."""
    answers: list[Answer] = []
    for column, accepted in known.answers.items():
        name, systems = _checked(study, known, column)
        answers += _right(study, name, systems, accepted[0])
    return answers


def _checked(study: Study, known: Known, column: str) -> tuple[str, tuple[SystemId, ...]]:
    name, place = known.about(column, study.criteria)
    return name, known.systems if place is None else (known.systems[place],)


def _right(study: Study, name: str, systems: tuple[SystemId, ...], value: Any) -> list[Answer]:
    criterion = study.criteria[name]
    form = find_form(study, criterion)
    if form == "choice":
        return [Answer(criterion=name, winner=value, first="a")]
    if form == "graded":
        winner: Literal["a", "b", "tie"] = "a" if value < 0 else "b" if value > 0 else "tie"
        return [Answer(criterion=name, winner=winner, first="a", strength=abs(value))]
    if form == "ranks":
        ranks = zip(systems, value, strict=True)
        return [Answer(criterion=name, system=system, rank=rank) for system, rank in ranks]
    if form == "spans":
        free = Answer(criterion=name, system=systems[0], field=criterion.field)
        spans = [
            replace(free, start=start, end=end, category=category, severity=severity)
            for start, end, category, severity in value
        ]
        return spans or [free]
    if form == "answer":
        return [Answer(criterion=name, system=system, answer=value) for system in systems]
    return [Answer(criterion=name, system=system, score=value) for system in systems]
