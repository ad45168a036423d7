"""The program's own words in the study's language: one gettext catalogue per language.

English is the source and needs no catalogue. A language without one falls back to its base, as
``de-AT`` to ``de``, and then to English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Literal

__all__ = ["Catalogue", "catalogue", "languages", "later"]

FOLDER = Path(__file__).parent
_EXAMPLES = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100}
"""A number of every kind that some language has a form for, by Unicode's names of the kinds."""
DIGITS: Final[Any] = {"numbering_system": "latn"}


def later(text: str) -> str:
    """Mark a text that is translated where it is used, such as one in a constant."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The words of one language.

    >>> english = catalogue("en")
    >>> english.gettext("Trial %(number)s of %(total)s", number=3, total=10)
    'Trial 3 of 10'
    >>> english.ngettext("One trial done", "%(num)s trials done", 4)
    '4 trials done'
    """

    language: str = "en"
    direction: Literal["ltr", "rtl"] = "ltr"
    translations: NullTranslations = field(default_factory=NullTranslations, repr=False)
    of_scripts: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict, repr=False)
    """What the pages' scripts say: a text, or its forms by the kind of number they go with."""

    def gettext(self, text: str, /, **values: Any) -> str:
        """Give the text in this language, its ``%(name)s`` filled in where values are given."""
        found = self.translations.gettext(text) if text else ""  # "" asks for the file's header
        return found % values if values else found

    def ngettext(self, one: str, many: str, number: int, /, **values: Any) -> str:
        """Give the form that goes with a number, which is ``%(num)s`` in it."""
        return self.translations.ngettext(one, many, number) % {"num": number, **values}

    def number(self, value: float) -> str:
        """Write a number as the language does, in the digits that stand on the keys.

        >>> [catalogue("de").number(value) for value in (2.0, 0.5, -3.0)]
        ['2', '0,5', '−3']
        """
        from babel.numbers import format_decimal

        written = format_decimal(value, "0.#", self.language, decimal_quantization=False, **DIGITS)
        # Between words that run from right to left, a sign stays before its number only by a mark.
        return written.replace("-", "\u200e−" if self.direction == "rtl" else "−")

    def percent(self, share: float) -> str:
        """Write a share in whole percent: ``80%``, in German ``80 %``."""
        from babel.numbers import format_percent

        return format_percent(share, locale=self.language, **DIGITS)


def languages() -> tuple[str, ...]:
    """The languages that the pages speak, English among them."""
    return tuple(sorted({"en", *(path.stem for path in FOLDER.glob("*.po"))}))


@cache
def catalogue(language: str) -> Catalogue:
    """Give the words of a language, of its base, or the English ones."""
    base = language.partition("-")[0]
    found = next((one for one in (language, base) if one in languages()), "en")
    return Catalogue() if found == "en" else _read(found)


def _read(language: str) -> Catalogue:
    from babel import Locale
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with (FOLDER / f"{language}.po").open("rb") as file:
        messages = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, messages)
    compiled.seek(0)
    translations = GNUTranslations(compiled)
    of_scripts: dict[str, str | Mapping[str, str]] = {}
    for message in messages:
        if not any(str(source).endswith(".js") for source, _ in message.locations):
            continue
        if isinstance(message.id, str):
            of_scripts[message.id] = translations.gettext(message.id)
        else:
            one, many = message.id
            of_scripts[one] = {
                kind: translations.ngettext(one, many, number) for kind, number in _EXAMPLES.items()
            }
    is_rtl = Locale.parse(language).text_direction == "rtl"
    return Catalogue(
        language=language,
        direction="rtl" if is_rtl else "ltr",
        translations=translations,
        of_scripts=of_scripts,
    )
