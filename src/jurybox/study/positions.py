"""A YAML text as plain data, with the line and column of every key and value.

YAML 1.2: `yes`, `no`, `on` and `off` are words. Duplicate keys, tabs, tags, empty values and what
cannot be read are problems with a place; reading goes on where it can, so that all are listed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from jurybox.errors import Problem
from jurybox.study.breach import Path, dotted

__all__ = ["Document", "Place", "read_yaml"]

LARGEST = 50_000
"""So many values are read; a small file can unfold to any number of them through its aliases."""
DEEPEST = 100


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line and a column, from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Document:
    """What a YAML file says, and where it says it."""

    file: str
    data: Any = None
    problems: list[Problem] = field(default_factory=list)
    keys: dict[tuple[str, ...], Place] = field(default_factory=dict)
    values: dict[tuple[str, ...], Place] = field(default_factory=dict)
    empty: list[Path] = field(default_factory=list)
    """Where a key has no value; each is a problem already."""

    def place(self, path: Path, *, on_key: bool = False) -> Place:
        """The place of a path, or of the nearest thing around it that is written down."""
        parts = tuple(str(part) for part in path)
        while parts:
            first, second = (self.keys, self.values) if on_key else (self.values, self.keys)
            if found := first.get(parts) or second.get(parts):
                return found
            parts = parts[:-1]
        return self.values.get((), Place(1, 1))

    def problem(self, message: str, place: Place) -> None:
        """Note a problem at a place."""
        found = Problem(message=message, file=self.file, line=place.line, column=place.column)
        self.problems.append(found)


def read_yaml(content: bytes, file: str) -> Document:
    """Read a YAML file's bytes; what is wrong stands in ``problems``. A file of nothing is fine."""
    document = Document(file=file)
    text = _decode(content, document)
    if text is None:
        return document
    node = _compose(text, document)
    if document.problems:
        return document
    if node is not None:
        document.data = _Builder(document).build(node, ())
    return document


def _decode(content: bytes, document: Document) -> str | None:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Place(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        byte = f"0x{content[error.start]:02x}"
        document.problem(f"Byte {byte} is not UTF-8; save the file as UTF-8.", place)
        return None


def _compose(text: str, document: Document) -> Node | None:
    yaml = YAML(typ="safe", pure=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node: Node | None = yaml.compose(text)
            return node
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
        document.problem(_syntax_sentence(error, text, place), place)
    except ReaderError as error:
        before = text[: error.position] if isinstance(error.position, int) else ""
        place = Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
        code = error.character if isinstance(error.character, int) else ord(str(error.character)[0])
        document.problem(f"Character U+{code:04X} may not stand in YAML; take it out.", place)
    except RecursionError:
        document.problem("The file is nested too deeply to be a study.", Place(1, 1))
    except (YAMLError, ValueError) as error:
        document.problem(f"This is not YAML: {str(error).splitlines()[0]}.", Place(1, 1))
    return None


SYNTAX: Mapping[str, str] = {
    "could not find expected ':'": (
        "A key without its colon stands near here; write `key: value`."
    ),
    "expected <block end>, but found '<scalar>'": (
        "Text follows a closed quotation mark or bracket; put the whole value in quotes, or look "
        "above for a quotation mark that is missing."
    ),
    "expected <block end>, but found '[]}]'": "A bracket is closed here that was not opened.",
    "expected (<block end>|'<document start>')": "The indentation does not fit the lines above.",
    "expected ',' or .*':'": (
        "A list or map in brackets is not closed, a comma is missing, or text with a colon is not "
        "in quotes."
    ),
    "',' or": "A list or map in brackets is not closed, or a comma is missing.",
    "cannot start any token": "This character cannot begin a value; put the text in quotes.",
}
"""What the parser says, and what that means to the person who wrote the file."""


def _syntax_sentence(error: MarkedYAMLError, text: str, place: Place) -> str:
    lines = text.splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    problem = str(error.problem or error.context or "unreadable").strip()
    if "\\t" in problem or "\t" in line[: place.column]:
        return "A tab stands here; YAML indents with spaces."
    if "undefined alias" in problem:
        name = re.search(r"'([^']*)'", problem)
        return f"`*{name[1] if name else ''}` refers to an anchor that is not defined above."
    if "but found another document" in problem or "single document" in str(error.context):
        return "A second document begins here; a study is one document, without `---` inside."
    if "mapping values are not allowed" in problem:
        if re.fullmatch(r"\s*[\w-]+", line[: place.column - 1]):
            return "The line above lacks its colon, or this one is indented too far."
        return "A colon stands where none may; put text that contains `: ` in quotes."
    if "quoted scalar" in str(error.context) and "unexpected end" in problem:
        return f"A quotation mark is opened in line {error.context_mark.line + 1} and not closed."
    for sign, sentence in SYNTAX.items():
        if re.search(sign, problem):
            return sentence
    context = f" {error.context}" if error.context and error.problem else ""
    return f"This is not valid YAML{context}: {problem.removeprefix('while ')}."


class _Builder:
    """Makes plain data of a node tree and notes where each part stands."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._count = 0
        self._open: set[int] = set()

    def build(self, node: Node, path: tuple[Any, ...]) -> Any:
        self._count += 1
        place = _place(node)
        self._document.values.setdefault(_key(path), place)
        if self._count > LARGEST:
            if self._count == LARGEST + 1:
                self._document.problem("The file unfolds to too many values.", place)
            return None
        if id(node) in self._open or len(path) > DEEPEST:
            self._document.problem(f"{dotted(path) or 'The study'} contains itself.", place)
            return None
        if isinstance(node, ScalarNode):
            return self._scalar(node, path, place)
        self._open.add(id(node))
        try:
            if isinstance(node, MappingNode):
                return self._mapping(node, path)
            parts = enumerate(node.value)  # a list: YAML has no fourth kind of node
            return [self.build(part, (*path, number)) for number, part in parts]
        finally:
            self._open.discard(id(node))

    def _scalar(self, node: ScalarNode, path: tuple[Any, ...], place: Place) -> Any:
        tag = str(node.tag).removeprefix("tag:yaml.org,2002:")
        text = str(node.value)
        if tag == "null":
            place = self._document.keys.get(_key(path), place)
            message = "is empty; write a value or take the line out."
            self._document.problem(f"{dotted(path) or 'The study'} {message}", place)
            self._document.empty.append(path)
            return None
        if tag == "bool":
            return text.casefold() == "true"
        if tag in {"int", "float"}:
            return self._number(tag, text, path, place)
        if tag not in {"str", "timestamp"}:
            self._document.problem(f"The tag `!{tag}` is not used in a study; take it out.", place)
        return text

    def _number(self, tag: str, text: str, path: tuple[Any, ...], place: Place) -> Any:
        plain = text.replace("_", "").casefold()
        try:
            if tag == "int":
                base = {"0x": 16, "0o": 8}.get(plain.lstrip("+-")[:2], 10)
                return int(plain, base)
            return float(plain.replace(".inf", "inf").replace(".nan", "nan"))
        except ValueError:
            message = f"{dotted(path)} is a number that cannot be read; put text in quotes."
            self._document.problem(message, place)
            self._document.empty.append(path)
            return None

    def _mapping(self, node: MappingNode, path: tuple[Any, ...]) -> dict[Any, Any]:
        data: dict[Any, Any] = {}
        seen: dict[Any, Place] = {}
        merged: list[Node] = []
        for key_node, value_node in node.value:
            place = _place(key_node)
            if str(key_node.tag).endswith(":merge"):
                merged.append(value_node)
                continue
            key = self._key(key_node, path)
            if key is None:
                continue
            if key in seen:
                first = seen[key]
                message = (
                    f"{dotted((*path, key))} stands twice, first in line {first.line}; keep one."
                )
                self._document.problem(message, place)
                continue
            seen[key] = place
            self._document.keys.setdefault(_key((*path, key)), place)
            data[key] = self.build(value_node, (*path, key))
        for source in merged:
            self._merge(source, path, data)
        return {key: value for key, value in data.items() if value is not None}

    def _key(self, node: Node, path: tuple[Any, ...]) -> Any:
        place = _place(node)
        if not isinstance(node, ScalarNode):
            self._document.problem("A key must be a word or a number.", place)
            return None
        if str(node.tag).endswith(":null"):
            self._document.problem("A key is empty here; write `key: value`.", place)
            return None
        key = self._scalar(node, path, place)
        return str(node.value) if isinstance(key, bool) else key

    def _merge(self, node: Node, path: tuple[Any, ...], data: dict[Any, Any]) -> None:
        """Take over the keys of a `<<`; what the map itself says stays."""
        sources: Sequence[Node] = node.value if isinstance(node, SequenceNode) else [node]
        for source in sources:
            if not isinstance(source, MappingNode):
                self._document.problem("`<<` merges maps only, as `<<: *name`.", _place(source))
                continue
            taken = self.build(source, path)
            for key, value in (taken or {}).items():
                data.setdefault(key, value)


def _place(node: Node) -> Place:
    return Place(node.start_mark.line + 1, node.start_mark.column + 1)


def _key(path: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(str(part) for part in path)
