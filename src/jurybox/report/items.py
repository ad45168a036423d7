"""The items in the report: systems by category of item, and outputs to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.analysis.finding import Analysis
from jurybox.analysis.items import EXTREMES
from jurybox.report.blocks import Block, Heading, Section, Shown
from jurybox.report.gallery import draw_gallery
from jurybox.report.pictures import drawn_above

if TYPE_CHECKING:
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.report.thumbnails import Thumbnails
    from jurybox.study.model import Study

__all__ = ["OF_ITEMS", "items_section"]

OF_ITEMS = ("categories", EXTREMES)
"""The kinds of tables that look at items."""


def items_section(
    analysis: Analysis, study: Study | None, fieldwork: Fieldwork | None, pictures: Thumbnails
) -> Section | None:
    """By category first, then the ends of every criterion."""
    tables = [table for table in analysis.tables if table.id.split("/")[0] in OF_ITEMS]
    blocks: list[Block] = []
    for table in tables:
        if not table.id.startswith(EXTREMES):
            blocks += drawn_above(table, analysis.systems)
            continue
        gallery = None
        if study is not None and fieldwork is not None:
            gallery = draw_gallery(table, study, fieldwork, analysis, pictures)
        if gallery is not None:
            about = table.id.partition("/")[2]
            ends = "Best and worst outputs"
            if analysis.protocol == "detect":
                ends = "Outputs most and least often called real"
            blocks += [Heading(text=f"{ends}: {about}"), gallery]
        blocks.append(Shown(table=table))
    return Section(id="items", title="Items", blocks=tuple(blocks)) if blocks else None
