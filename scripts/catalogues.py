"""Bring the languages' catalogues up to date with the words that templates, scripts and code mark.

What is new has an empty translation, which a test finds; what is gone is left out.
"""

from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "jurybox"
FOLDER = SOURCE / "study" / "languages"
# The organizer's pages and the command line speak English.
METHODS = [
    ("web/templates/organizer.html", "ignore"),
    ("web/templates/organizer-*.html", "ignore"),
    ("web/templates/*.html", "jinja2"),
    ("screen/templates/*.html", "jinja2"),
    ("web/static/words.js", "javascript"),
    ("study/*.py", "python"),
    ("screen/*.py", "python"),
    ("web/*.py", "python"),
    ("store/raters.py", "python"),
]
KEYWORDS: dict[str, tuple[int, ...] | None] = {
    "_": None,
    "gettext": None,
    "later": None,
    "ngettext": (1, 2),
    "RaterError": (1,),
    "Denied": (2,),
}


def extracted() -> Catalog:
    """Every marked message, with the files it stands in."""
    found = Catalog(charset="utf-8")
    messages = extract_from_dir(str(SOURCE), METHODS, keywords=KEYWORDS, comment_tags=("Note:",))
    for file, _, message, comments, _ in sorted(messages, key=lambda one: (one[0], one[1])):
        found.add(message, locations=[(file, 0)], auto_comments=comments)
    return found


def main() -> None:
    template = extracted()
    for path in sorted(FOLDER.glob("*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=path.stem)
        catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
        with path.open("wb") as file:
            write_po(file, catalogue, width=100, ignore_obsolete=True, include_lineno=False)
        empty = sum(not all(_forms(one.string)) for one in catalogue if one.id)
        print(f"{path.name}: {len(catalogue)} messages, {empty} to translate.")


def _forms(string: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (string or "",) if isinstance(string, str | None) else tuple(string)


if __name__ == "__main__":
    main()
