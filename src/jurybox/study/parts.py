"""What every part of the study file shares: closed, frozen, and wrong in our own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import core_schema

from jurybox.study import breach

__all__ = ["Count", "Name", "Part", "Positive", "Share", "Text", "Words", "by_shape", "listed"]


class Part(BaseModel):
    """A piece of the study file: frozen, and closed to unknown keys."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        populate_by_name=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )

    @model_validator(mode="wrap")
    @classmethod
    def _in_our_words(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(value)
        except ValidationError as error:
            breach.reraise(error, cls)


def tag(name: str) -> Tag:
    """Name one form of a value; the mark keeps it apart from every key of a file."""
    return Tag(breach.TAG + name)


class OneOf:
    """Choose among the forms of a value; ``message`` says what is allowed when none fits."""

    def __init__(self, choose: Callable[[Any], str | None], message: str) -> None:
        self._choose = choose
        self._message = message

    def _form(self, value: Any) -> str | None:
        form = self._choose(value)
        return None if form is None else breach.TAG + form

    def _check(self, value: Any) -> Any:
        if self._choose(value) is None:
            raise breach.wrong(f"{self._message}, got {breach.show_value(value)}")
        return value

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        chosen = Discriminator(self._form).__get_pydantic_core_schema__(source, handler)
        return core_schema.no_info_before_validator_function(self._check, chosen)


def by_shape(shapes: dict[type | tuple[type, ...], str], message: str) -> OneOf:
    """Choose among the forms of a value by its Python type."""

    def choose(value: Any) -> str | None:
        if isinstance(value, bool):
            return None
        return next((form for kinds, form in shapes.items() if isinstance(value, kinds)), None)

    return OneOf(choose, message)


def listed(value: Any) -> Any:
    """Let one entry stand for a list of one, and a list for a tuple."""
    if isinstance(value, list):
        return tuple(value)
    return (value,) if isinstance(value, str | dict) else value


def sequence(value: Any) -> Any:
    """Let a list stand for a tuple."""
    return tuple(value) if isinstance(value, list) else value


def short(expand: Callable[[Any], Any], schema: Any = Any) -> BeforeValidator:
    """Accept a short form; ``schema`` is the type that editors are told."""
    return BeforeValidator(expand, json_schema_input_type=schema)


Words = Annotated[str, Field(min_length=1)]
Text = Annotated[
    Annotated[Words, tag("text")]
    | Annotated[dict[str, Words], Field(min_length=1), tag("languages")],
    by_shape({str: "text", dict: "languages"}, "must be text, or a map as `{en: …, de: …}`"),
]
"""Words for a person: one text, a file name ending in ``.md``, or one text per language."""

Name = Annotated[str, Field(pattern=r"^[^\s/\\|<>]([^/\\|<>]*[^\s/\\|<>])?$", max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
