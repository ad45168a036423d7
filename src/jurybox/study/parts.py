"""What every part of the study file shares: closed, frozen, and wrong in our own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    Tag,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
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

    advice: ClassVar[Mapping[str, str]] = {}
    """What to do instead, for keys that people may expect and the file does not have."""

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


def short(expand: Callable[[Any], Any], schema: Any = Any) -> WrapValidator:
    """Accept a short form; ``schema`` is the type that editors are told.

    What is wrong in the long form is said of the short one, where that is all there is.
    """

    def validate(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(expand(value))
        except ValidationError as error:
            if isinstance(value, dict | list | tuple):
                raise
            breach.raise_all(replace(found, path=()) for found in breach.breaches_of(error))

    return WrapValidator(validate, json_schema_input_type=schema)


LANGUAGE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
Language = Annotated[str, Field(pattern=LANGUAGE)]
Words = Annotated[str, Field(min_length=1)]
Text = Annotated[
    Annotated[Words, tag("text")]
    | Annotated[dict[Language, Words], Field(min_length=1), tag("languages")],
    by_shape({str: "text", dict: "languages"}, "must be text, or a map as `{en: …, de: …}`"),
]
"""Words for a person: one text, a file name ending in ``.md``, or one text per language."""

Name = Annotated[str, Field(pattern=r"^[^\s/\\|<>]([^/\\|<>]*[^\s/\\|<>])?$", max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
