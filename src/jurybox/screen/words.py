"""Templates that speak the study's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.study.languages import catalogue

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["install_words"]


def install_words(environment: Environment, language: str) -> None:
    """Give the templates a language: words, also of the scripts, numbers, direction."""
    words = catalogue(language)
    # The extension adds this method when it is loaded.
    environment.install_gettext_translations(words.translations, newstyle=True)  # type: ignore[attr-defined]
    environment.globals |= {"direction": words.direction, "of_scripts": words.of_scripts}
    environment.filters |= {"value": words.number, "percent": words.percent}
