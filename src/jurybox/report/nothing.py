"""A study that nobody has answered yet, as an analysis: the page still says what was planned."""

from __future__ import annotations

from jurybox.analysis.finding import Analysis
from jurybox.study.material import Material
from jurybox.study.model import Study

__all__ = ["nothing_yet"]


def nothing_yet(study: Study, material: Material) -> Analysis:
    """An analysis without a finding, of a study without a response."""
    return Analysis(
        title=study.words(study.title),
        protocol=study.protocol,
        took=(),
        n_responses=0,
        n_raters=0,
        n_items=len(material.items),
        systems=material.systems,
        findings=(),
        tables=(),
        confidence=study.analysis.confidence,
    )
