"""Meaning: which statistic answers which question, and the sentence that says so."""

from jurybox.analysis.finding import Analysis, Column, Excluded, Finding, Table
from jurybox.analysis.run import analyze, main_findings

__all__ = ["Analysis", "Column", "Excluded", "Finding", "Table", "analyze", "main_findings"]
