"""Bring the languages' catalogues up to date with the words that templates, scripts and code mark.

What is new has an empty translation, which a test finds; what is gone is left out.
"""

from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
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
    "Changed": (2,),
    "Denied": (2,),
}


@cache
def extracted() -> Catalog:
    """Every marked message, with the files it stands in, in an order that no rearranging moves."""
    found = Catalog(charset="utf-8")
    messages = extract_from_dir(str(SOURCE), METHODS, keywords=KEYWORDS, comment_tags=("Note:",))
    for file, _, message, comments, _ in sorted(messages, key=lambda one: (one[0], str(one[2]))):
        found.add(message, locations=[(file, 0)], auto_comments=comments)
    return found


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


def updated(path: Path) -> bytes:
    """A catalogue as it is once it has every message and no other."""
    catalogue, written = read(path), BytesIO()
    catalogue.update(extracted(), no_fuzzy_matching=True, update_creation_date=False)
    write_po(written, catalogue, width=100, ignore_obsolete=True, include_lineno=False)
    lines = written.getvalue().splitlines(keepends=True)
    # Another version of Babel is no other catalogue.
    return b"".join(line for line in lines if not line.startswith(b'"Generated-By:'))


def forms(message: Message) -> tuple[str, ...]:
    """Every translation of a message: one, or one per plural form."""
    string = message.string
    return (string or "",) if isinstance(string, str | None) else tuple(string)


def main() -> None:
    for path in sorted(FOLDER.glob("*.po")):
        path.write_bytes(updated(path))
        messages = [one for one in read(path) if one.id]
        empty = sum(not all(forms(one)) for one in messages)
        print(f"{path.name}: {len(messages)} messages, {empty} to translate.")


if __name__ == "__main__":
    main()
