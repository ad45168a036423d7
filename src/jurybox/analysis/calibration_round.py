"""A calibration round: how far its raters agree, criterion by criterion, with an interval."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jurybox.analysis.agreement import level_of
from jurybox.analysis.context import Context
from jurybox.analysis.gather import gather
from jurybox.analysis.kept import StoreView
from jurybox.analysis.measure.agreement import agreement, concordance
from jurybox.analysis.options import Options
from jurybox.results import Result
from jurybox.tally.reading import read

if TYPE_CHECKING:
    from jurybox.analysis.kept import TableStore
    from jurybox.design.plan import Round
    from jurybox.study import Study

__all__ = ["CriterionAgreement", "RoundStore", "round_agreement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAgreement:
    """How far the raters of a round agree on one criterion."""

    criterion: str
    result: Result


@dataclass(frozen=True, slots=True)
class RoundStore(StoreView):
    """A store in which there is one round only."""

    round: Round

    def table(
        self,
        shape: Any,
        /,
        *,
        round: Any = "main",
        retests: bool = False,
        columns: Collection[str] | None = None,
    ) -> dict[str, list[Any]]:
        """A shape's rows of the round, which stands where the main one would."""
        found: dict[str, list[Any]] = self.store.table(
            shape,
            round=self.round if round == "main" else round,
            retests=retests,
            columns=columns,
        )
        return found

    def load_plan(self) -> Any:
        """The round's plan."""
        return self.store.load_plan(self.round)


def round_agreement(
    store: TableStore, *, study: Study | None = None
) -> tuple[CriterionAgreement, ...]:
    """Krippendorff's alpha of each criterion; of rankings, Kendall's W.

    Excluded raters are left out. ``AnalysisError`` says that nothing is answered yet.
    """
    gathered = gather(store, study=study)
    context = Context(asked=gathered.asked, options=Options(confidence=gathered.asked.confidence))
    found = []
    for shape, table in gathered.tables:
        responses = read(table, shape=shape)
        try:
            if shape == "spans":
                continue
            for criterion in responses.criteria:
                part = responses.of_criterion(criterion)
                result: Result
                if shape == "rankings":
                    result = concordance(part, context.options)
                else:
                    level, _ = level_of(context, part, criterion)
                    result = agreement(part, context.options, "alpha", level=level)
                found.append(CriterionAgreement(criterion=criterion, result=result))
        finally:
            responses.close()
    return tuple(found)
