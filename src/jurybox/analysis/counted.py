"""The responses that count, by the rules of ``analyze``: who is left out, what is derived."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jurybox.analysis.context import Context
from jurybox.analysis.finding import Collected, Excluded
from jurybox.analysis.gather import gather, with_stated
from jurybox.analysis.options import Options
from jurybox.analysis.raters import excluded_raters, read_checks
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.stats.distributions import check_confidence
from jurybox.tally.derived import add_derived
from jurybox.tally.raters import marked_raters
from jurybox.tally.responses import Responses, read
from jurybox.tally.shapes import ALL_OF_JUDGES, ShapeName

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["Counted", "counted", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The responses that count, shape by shape, with what was asked."""

    context: Context
    parts: tuple[Responses, ...]
    excluded: tuple[Excluded, ...] = ()
    took: tuple[str, ...] = ()
    collected: Collected | None = None

    def of_shape(self, *shapes: ShapeName) -> Responses | None:
        """The responses of the first of these shapes that is there."""
        found = {part.shape.name: part for part in self.parts}
        return next((found[shape] for shape in shapes if shape in found), None)

    @property
    def rater_noun(self) -> str:
        """What who answered is called: a rater, or a judge where no person is among them."""
        return "judge" if any(ALL_OF_JUDGES in said for said in self.took) else "rater"

    @property
    def changes(self) -> tuple[str, ...]:
        """What the study's files say otherwise than what raters answered."""
        return () if self.collected is None else self.collected.changes


@contextmanager
def counted(
    source: Any,
    *,
    study: Study | None = None,
    confidence: float | None = None,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    database: str | None = None,
    seed: int = 0,
) -> Iterator[Counted]:
    """Read a table or a study as ``analyze`` does, and leave out whom its rules leave out."""
    gathered = gather(source, study=study, database=database)
    asked = gathered.asked
    options = Options(
        confidence=check_confidence(asked.confidence if confidence is None else confidence),
        cluster=cluster,
        generalize=generalize,
        seed=seed,
    )
    opened: list[Responses] = []
    try:
        for shape, table in gathered.tables:
            opened.append(read(table, shape=shape, keep_excluded=True, by=gathered.by))
        context = Context(asked=with_stated(asked, opened), options=options)
        for responses in opened:
            if responses.shape.name == "ratings":
                for name, rule in context.asked.derived.items():
                    add_derived(responses, name, rule.rule, rule.weights)
        # What was computed from responses is no response of its own.
        given = opened[0].without_criteria(tuple(context.asked.derived))
        checks = read_checks(gathered.checks)
        excluded = excluded_raters(context, given, checks, marked_raters(given))
        yield Counted(
            context=context,
            parts=tuple(kept(responses, excluded) for responses in opened),
            excluded=excluded,
            took=(*gathered.took, *(said for each in opened for said in each.took)),
            collected=gathered.collected,
        )
    finally:
        for responses in opened:
            responses.close()


def kept(responses: Responses, excluded: tuple[Excluded, ...]) -> Responses:
    """The responses without whom a rule leaves out, and without those that carry a mark."""
    others = responses.without([each.rater for each in excluded])
    return others.where("excluded_by IS NULL") if "excluded_by" in responses.columns else others
