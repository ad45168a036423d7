"""Findings into pages: HTML, Markdown, JSON and CSV, all from one ``Analysis``."""

from jurybox.report.html import html
from jurybox.report.markdown import markdown
from jurybox.report.write import write_report

__all__ = ["html", "markdown", "write_report"]
