"""Templates that speak the study's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.study.languages import catalogue

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["templates_in"]


def templates_in(language: str, *packages: str) -> Environment:
    """The templates of these packages in one language: its words, numbers and direction.

    Every value is escaped, and one that is missing is an error.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    words = catalogue(language)
    # The extension adds this method when it is loaded.
    environment.install_gettext_translations(words.translations, newstyle=True)  # type: ignore[attr-defined]
    environment.globals |= {"direction": words.direction, "of_scripts": words.of_scripts}
    environment.filters |= {"value": words.number, "percent": words.percent}
    return environment
