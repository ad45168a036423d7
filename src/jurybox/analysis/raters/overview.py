"""What the analysis knows of each rater, without the rest of it: for a page often looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jurybox.analysis.context import Context
from jurybox.analysis.counted import only_named
from jurybox.analysis.finding import Excluded, Table
from jurybox.analysis.gather import Gathered, gather_raters
from jurybox.analysis.measure.raters import Known
from jurybox.analysis.options import Options
from jurybox.analysis.raters.rows import rater_chapter
from jurybox.analysis.raters.rules import excluded_raters, read_checks
from jurybox.tally.raters import marked_raters
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses

if TYPE_CHECKING:
    from jurybox.store import Store
    from jurybox.study import Material, Study

__all__ = ["RaterOverview", "find_broken_rules", "look_at_raters"]


@dataclass(frozen=True, kw_only=True)
class RaterOverview:
    """The raters' tables of an analysis, and who is left out."""

    tables: tuple[Table, ...]
    """``raters``, and ``raters/CRITERION`` for each."""
    excluded: tuple[Excluded, ...]

    @property
    def looked_for(self) -> str:
        """By which thresholds a rater is worth a look; empty where there are none."""
        return self.tables[0].caption

    def numbers(self, rater: str) -> dict[str, dict[str, Any]]:
        """What each table says of one rater, by the table's id and the column's name."""
        return self._cells.get(rater, {})

    @cached_property
    def _cells(self) -> dict[str, dict[str, dict[str, Any]]]:
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for table in self.tables:
            names = table.names
            for row in table.rows:
                found.setdefault(row[0], {})[table.id] = dict(zip(names, row, strict=True))
        return found


def find_broken_rules(source: Store, *, study: Study | None = None) -> dict[str, str]:
    """The first of the study's rules that each rater breaks, of those who break one."""
    gathered = gather_raters(source, study=study)
    if not gathered.asked.exclude:
        return {}
    with _opened(gathered) as (context, responses):
        excluded = excluded_raters(context, responses, read_checks(gathered.checks), {})
    return {one.rater: one.rule for one in excluded}


def look_at_raters(
    source: Store, *, study: Study | None = None, material: Material | None = None
) -> RaterOverview:
    """The raters of a study's store, in the numbers that ``analyze`` gives."""
    gathered = gather_raters(source, study=study, material=material)
    known = Known(checks=read_checks(gathered.checks), expected=gathered.expected)
    with _opened(gathered) as (context, responses):
        excluded = excluded_raters(context, responses, known.checks, marked_raters(responses))
        chapter = rater_chapter(context, responses, known, excluded)
    return RaterOverview(tables=chapter.tables, excluded=excluded)


@contextmanager
def _opened(gathered: Gathered) -> Iterator[tuple[Context, Responses]]:
    """The first table of answers, which is that of the study's own protocol."""
    shape, table = gathered.tables[0]
    responses = read(table, shape=shape, keep_excluded=True)
    try:
        options = Options(confidence=gathered.asked.confidence)
        yield Context(asked=gathered.asked, options=options), only_named(gathered.asked, responses)
    finally:
        responses.close()
