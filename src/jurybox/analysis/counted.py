"""Which responses count: what is derived from them, and who is left out by a rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jurybox.analysis.asked import Asked
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Collected, Excluded
from jurybox.analysis.gather import Gathered, gather, with_stated
from jurybox.analysis.measure.raters import Known
from jurybox.analysis.options import Options
from jurybox.analysis.raters import excluded_raters, read_checks
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.tally.derived import add_derived
from jurybox.tally.raters import marked_raters
from jurybox.tally.ratings import are_numbers, are_yes_no, as_words
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import ShapeName

if TYPE_CHECKING:
    from jurybox.study import Material, Study

__all__ = ["Counted", "Sorted", "counted", "derive", "only_named", "opened", "sort_out"]


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
        """The noun for those who answered: rater, or judge where no person is among them."""
        return "judge" if any(part.no_people for part in self.parts) else "rater"

    @property
    def changes(self) -> tuple[str, ...]:
        """Where the study's files now differ from what raters answered."""
        return () if self.collected is None else self.collected.changes


@contextmanager
def counted(
    source: Any,
    *,
    study: Study | None = None,
    material: Material | None = None,
    confidence: float | None = None,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    database: str | None = None,
    seed: int = 0,
) -> Iterator[Counted]:
    """Read a table or a study as ``analyze`` does, without the raters whom its rules leave out."""
    gathered = gather(source, study=study, material=material, database=database)
    asked = gathered.asked
    options = Options(
        confidence=asked.confidence if confidence is None else confidence,
        cluster=cluster,
        generalize=generalize,
        seed=seed,
    )
    with opened(gathered) as tables:
        context = Context(asked=with_stated(asked, tables), options=options)
        derive(context.asked, tables)
        found = sort_out(context, tables, gathered)
        yield Counted(
            context=context,
            parts=tuple(found.kept),
            excluded=found.excluded,
            took=(*gathered.took, *(said for each in tables for said in each.took)),
            collected=gathered.collected,
        )


def only_named(asked: Asked, responses: Responses) -> Responses:
    """The responses, in which numbers that only name are words: nominal answers have no mean.

    Zeros and ones have: a share of yes. What a pass mark divides, or another criterion is computed
    from, was given an order by the study.
    """
    if responses.shape.name != "ratings":
        return responses
    parts = {part for rule in asked.derived.values() for part in rule.weights}
    naming = [
        name
        for name in responses.criteria
        if (known := asked.criterion(name)).level == "nominal"
        and known.pass_mark is None
        and name not in parts
        and are_numbers(part := responses.of_criterion(name))
        and not are_yes_no(part)
    ]
    return as_words(responses, naming)


@contextmanager
def opened(gathered: Gathered) -> Iterator[list[Responses]]:
    """The responses of every table, read; they are closed afterwards."""
    found: list[Responses] = []
    try:
        for shape, table in gathered.tables:
            found.append(
                read(
                    table,
                    shape=shape,
                    keep_excluded=True,
                    by=gathered.by,
                    category=gathered.category,
                )
            )
        asked = with_stated(gathered.asked, found)
        found[:] = [only_named(asked, responses) for responses in found]
        yield found
    finally:
        for responses in found:
            responses.close()


def derive(asked: Asked, tables: Sequence[Responses]) -> list[str]:
    """Add the criteria that are computed from others; a sentence for each says from which."""
    said = []
    for responses in tables:
        if responses.shape.name != "ratings":
            continue
        for name, rule in asked.derived.items():
            made, partly = add_derived(responses, name, rule.rule, rule.weights)
            parts = ", ".join(rule.weights)
            sentence = f"{name}: {rule.rule.replace('_', ' ')} of {parts}, for each of {made:,} "
            sentence += "responses"
            said.append(sentence + (f"; {partly:,} are partly missing" if partly else ""))
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """The responses of everybody, who of them is left out, and the responses of the others."""

    given: Responses
    """Everybody's to the study's own protocol, without criteria computed from others."""
    known: Known
    excluded: tuple[Excluded, ...]
    kept: list[Responses]
    main: Responses
    """Of those that are kept, the same as ``given``."""


def sort_out(context: Context, tables: Sequence[Responses], gathered: Gathered) -> Sorted:
    """Whose responses count, by the study's rules and by the marks that responses carry."""
    known = Known(checks=read_checks(gathered.checks), expected=gathered.expected)
    # What was computed from responses is no response of its own.
    derived = tuple(context.asked.derived)
    given = tables[0].without_criteria(derived)
    excluded = excluded_raters(context, given, known.checks, marked_raters(given))
    kept = [_without(responses, excluded) for responses in tables]
    return Sorted(
        given=given,
        known=known,
        excluded=excluded,
        kept=kept,
        main=kept[0].without_criteria(derived),
    )


def _without(responses: Responses, excluded: tuple[Excluded, ...]) -> Responses:
    """The responses without whom a rule leaves out, and without those that carry a mark."""
    others = responses.without([each.rater for each in excluded])
    return others.where("excluded_by IS NULL") if "excluded_by" in responses.columns else others
