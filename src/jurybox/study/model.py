"""The study as a value: what `study.yaml` says, short forms already written out.

Names here are the names in the file. A study is frozen and knows nothing of tables or databases;
``rules`` says which combinations make sense and ``read`` finds the line of every mistake.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, Self

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from jurybox.errors import Problem, SpecError
from jurybox.study import breach
from jurybox.study.criteria import Case, Criterion, Derived, Medium, Shown, ShownField
from jurybox.study.defaults import complete_criteria
from jurybox.study.groups import RaterGroup, RaterGroups
from jurybox.study.languages import catalogue
from jurybox.study.parts import Language, Name, Part, Text, by_shape, listed, sequence, short, tag
from jurybox.study.scales import Scale, ScaleValue
from jurybox.study.settings import (
    Access,
    AnalysisChoices,
    BaselinePairs,
    Calibration,
    Design,
    Exclude,
    Judge,
    OutputTable,
    Primary,
    Prolific,
    Quality,
    RandomPairs,
    Session,
    SurveyQuestion,
    SurveyQuestionField,
    System,
    SystemField,
)

__all__ = [
    "Access",
    "AnalysisChoices",
    "BaselinePairs",
    "Calibration",
    "Case",
    "Criterion",
    "Derived",
    "Design",
    "Exclude",
    "ItemId",
    "Judge",
    "Medium",
    "OutputTable",
    "Primary",
    "Prolific",
    "Protocol",
    "Quality",
    "RandomPairs",
    "RaterGroup",
    "RaterGroups",
    "RaterId",
    "Session",
    "Shown",
    "Study",
    "SurveyQuestion",
    "System",
    "SystemId",
    "Text",
]

ItemId = NewType("ItemId", str)
SystemId = NewType("SystemId", str)
RaterId = NewType("RaterId", str)

Protocol = Literal["rate", "compare", "rank", "detect", "mark"]

Outputs = Annotated[
    Annotated[str, Field(min_length=1), tag("path")] | Annotated[OutputTable, tag("table")],
    by_shape(
        {str: "path", (dict, OutputTable): "table"},
        "must be a table, a pattern as `images/{system}/{item}.png`, or `{table: …, columns: …}`",
    ),
]


def _systems(value: Any) -> Any:
    names = isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)
    return {name: {} for name in value} if names else value


class Study(Part):
    """A whole study. ``jurybox.load_study`` reads one; ``save`` writes one.

    Give the same names as in ``study.yaml``, short forms included. What is wrong is said in a
    ``SpecError``, all at once.

    >>> import jurybox as jb
    >>> study = jb.Study(
    ...     title="Which is better?",
    ...     protocol="compare",
    ...     outputs="answers/{system}.jsonl",
    ...     show={"answer": "markdown"},
    ... )
    >>> study.criteria["preference"].choices
    ('a', 'b', 'tie')
    """

    title: Text
    """The name of the study, shown to raters."""
    protocol: Protocol
    """How raters judge: rate, compare, rank, detect or mark."""
    language: Language = "en"
    """The language of the pages, such as `en` or `de`."""
    description: Text | None = None
    """What the study is for; not shown to raters."""
    instructions: Text | None = None
    """What raters read before the first trial."""
    look_for: Annotated[tuple[Text, ...], short(listed, Text | list[Text])] = ()
    """What to attend to, one line each."""
    cases: Annotated[tuple[Case, ...], short(sequence, list[Case])] = ()
    """Worked cases for the guide."""
    items: str | None = None
    """The table of items."""
    outputs: Outputs
    """The table of outputs, or a path pattern with {system} and {item}."""
    systems: Annotated[
        dict[Name, SystemField] | None, short(_systems, list[str] | dict[str, str | System])
    ] = None
    """The systems, with what is known of them; by default those found in the outputs."""
    real: Annotated[tuple[str, ...], short(listed, str | list[str])] = ()
    """In detect: the systems that are not generated."""
    show: Annotated[dict[str, ShownField], Field(min_length=1)]
    """The fields raters see, in this order, each with its medium."""
    criteria: dict[Name, Criterion] = Field(default_factory=dict)
    """What is asked; by default one criterion that suits the protocol."""
    derived: dict[Name, Derived] = Field(default_factory=dict)
    """Criteria computed from others."""
    design: Design = Design()
    quality: Quality = Quality()
    session: Session = Session()
    access: Access = Access()
    consent: Text | None = None
    """What raters agree to before they begin."""
    survey: dict[Name, SurveyQuestionField] = Field(default_factory=dict)
    """Questions about the rater, asked once."""
    raters: RaterGroups | None = None
    """The groups that raters belong to, such as experts and crowd, with quotas."""
    judges: dict[Name, Judge] = Field(default_factory=dict)
    """Models that rate the same trials."""
    analysis: AnalysisChoices = AnalysisChoices()

    _directory: Path | None = PrivateAttr(default=None)

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            found = breach.breaches_of(error)
        else:
            from jurybox.study.rules import find_breaches

            found = tuple(one for one in find_breaches(self) if one.severity == "error")
        if found:
            raise SpecError([Problem(message=str(one)) for one in found])

    @model_validator(mode="after")
    def _complete(self) -> Self:
        filled = complete_criteria(self.protocol, self.criteria, self.show, self.language)
        object.__setattr__(self, "criteria", filled)
        return self

    def __eq__(self, other: object) -> bool:
        """Two studies are equal when they say the same, wherever they were read from."""
        return isinstance(other, Study) and self.__dict__ == other.__dict__

    @property
    def directory(self) -> Path | None:
        """The folder it was read from, or saved to."""
        return self._directory

    @property
    def baseline(self) -> str | None:
        """The system that the others are compared with, if one is named."""
        marked = (name for name, system in (self.systems or {}).items() if system.baseline)
        return self.analysis.baseline or next(marked, None)

    def words(self, text: Text | None) -> str:
        """Give the text in the study's language; a name ending in ``.md`` is read from its file."""
        if text is None:
            return ""
        chosen = _in_language(text, self.language) if isinstance(text, dict) else text
        if self._directory is not None and is_file_name(chosen):
            path = self._directory / chosen
            try:
                return path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                message = f"cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}."
                raise SpecError([Problem(message=f"{chosen} {message}", file=str(path))]) from None
        return chosen

    def anchor(self, scale: Scale, value: ScaleValue) -> str:
        """Give the words of a scale's value; those of a named scale are the program's own."""
        words = self.words(value.anchor)
        named = scale.name is not None and isinstance(value.anchor, str)
        return catalogue(self.language).gettext(words) if named else words

    def hash(self) -> str:
        """Give the SHA-256 of what raters see and what is analyzed, in hexadecimal."""
        unseen = {"session", "access", "description", "judges"}
        seen = {key: part for key, part in self.plain_data().items() if key not in unseen}
        text = json.dumps(seen, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def plain_data(self) -> dict[str, Any]:
        """Give everything the study says as JSON data, its ``.md`` files read."""
        data = self._texts_read(self.model_dump(mode="json", by_alias=True))
        return dict(data)

    def _texts_read(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._texts_read(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self._texts_read(part) for part in value]
        if isinstance(value, str) and is_file_name(value):
            return self.words(value)
        return value

    def to_yaml(self) -> str:
        """Give the study as the text of a ``study.yaml``, in its short forms."""
        from jurybox.study.write import study_to_yaml

        return study_to_yaml(self)

    def save(self, directory: str | Path) -> Path:
        """Write ``study.yaml`` into a folder, which is made if need be, and give its path."""
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "study.yaml"
        path.write_text(self.to_yaml(), encoding="utf-8")
        self._directory = folder.resolve()
        return path


def is_file_name(text: str) -> bool:
    """Whether a text is the name of a Markdown file rather than words."""
    return text.endswith(".md") and len(text) < 300 and "\n" not in text


def _in_language(texts: dict[str, str], language: str) -> str:
    for wanted in (language, language.partition("-")[0], "en"):
        if wanted in texts:
            return texts[wanted]
    return next(iter(texts.values()))
