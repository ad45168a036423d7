"""The items in the report: systems by category of item, and outputs to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis
from jurybox.analysis.items import EXTREMES
from jurybox.report.blocks import Block, Section, Shown
from jurybox.report.charts.pictures import WHOLE, colored, drawn_above
from jurybox.report.fieldwork.gallery import draw_gallery
from jurybox.report.said.criteria import criteria_of, criterion_of

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.report.fieldwork.thumbnails import Thumbnails
    from jurybox.study.model import Study

__all__ = ["OF_ITEMS", "items_section"]

OF_ITEMS = ("categories", EXTREMES)
"""The kinds of tables that look at items."""


def items_section(
    analysis: Analysis, study: Study | None, fieldwork: Fieldwork | None, pictures: Thumbnails
) -> Section | None:
    """The criterion of the answer first: by category, then its ends, which alone lie open."""
    tables = [table for table in analysis.tables if table.kind in OF_ITEMS]
    ends = [table.about for table in tables if table.kind == EXTREMES]
    asked = None if analysis.headline is None else analysis.headline.criterion
    known = criteria_of(analysis)
    tables.sort(key=lambda table: criterion_of(table, known) != asked)
    is_open = asked if asked in ends else next(iter(ends), None)
    blocks: list[Block] = []
    for table in tables:
        if not table.id.startswith(EXTREMES):
            blocks += drawn_above(table, colored(analysis), most=WHOLE)
            continue
        gallery = None
        if study is not None and fieldwork is not None:
            folded = table.about != is_open
            gallery = draw_gallery(table, study, fieldwork, analysis, pictures, folded=folded)
        if gallery is not None:
            blocks.append(gallery)
        # The outputs themselves say more than their ids.
        blocks.append(Shown(table=table, folded=gallery is not None))
    return Section(id="items", title="Items", blocks=tuple(blocks)) if blocks else None
