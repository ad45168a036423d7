"""What judges say beside people: how far each may be trusted, and where not."""

from jurybox.analysis.judges.chapter import judge_chapter

__all__ = ["judge_chapter"]
