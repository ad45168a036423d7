"""Findings into pages: every format from one ``Analysis``."""

from jurybox.report.formats.html import html
from jurybox.report.formats.known import Report
from jurybox.report.formats.markdown import markdown
from jurybox.report.write import write_report

__all__ = ["Report", "html", "markdown", "write_report"]
