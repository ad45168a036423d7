"""Rater groups: who they are, how many of each are taken, and whether each sees every trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, StrictBool

from jurybox.study.parts import Count, Name, Part, short

if TYPE_CHECKING:
    from jurybox.study.model import Study

__all__ = ["RaterGroup", "RaterGroups", "groups_of"]


class RaterGroup(Part):
    """A group of raters: how many are taken, and how many of them answer each trial."""

    quota: Count | None = None
    """How many raters of the group are taken; by default everybody who comes."""
    overlap: Count | None = None
    """With `each`: how many of the group answer each trial; by default `design.overlap`."""


GroupField = Annotated[
    RaterGroup, short(lambda v: {"quota": v} if isinstance(v, int) else v, int | RaterGroup)
]


def _named(value: Any) -> Any:
    names = isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)
    return {name: {} for name in value} if names else value


class RaterGroups(Part):
    """The groups that raters belong to; results are also given by group."""

    by: str | None = None
    """The survey question that tells a rater's group; by default the list or the invitation."""
    groups: Annotated[
        dict[Name, GroupField],
        Field(default_factory=dict),
        short(_named, list[str] | dict[str, int | RaterGroup]),
    ]
    """The groups, with their quotas; by default every answer to the survey question."""
    each: StrictBool = False
    """Whether every trial is answered in each group, by `design.overlap` of its raters."""


def groups_of(study: Study) -> dict[str, RaterGroup]:
    """The study's rater groups by name; none where raters are not grouped.

    >>> from jurybox.study import Study
    >>> study = Study(title="t", protocol="rate", outputs="o.csv", show={"o": "text"},
    ...               survey={"language": {"question": "Yours?", "choices": ["en", "de"]}},
    ...               raters={"by": "language"})
    >>> list(groups_of(study))
    ['en', 'de']
    """
    asked = study.raters
    if asked is None:
        return {}
    if asked.groups or asked.by is None or asked.by not in study.survey:
        return dict(asked.groups)
    return {name: RaterGroup() for name in study.survey[asked.by].choices or ()}
