"""The raters: what each did, who is left out by a rule, and what that changes."""

from jurybox.analysis.raters.everybody import everybody_chapter
from jurybox.analysis.raters.rows import rater_chapter
from jurybox.analysis.raters.rules import excluded_raters, read_checks

__all__ = ["everybody_chapter", "excluded_raters", "rater_chapter", "read_checks"]
