"""``datasheet.yaml``: what only the author of a study can answer, kept beside the study.

A report is written again and again; an answer that was given once stands in each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from jurybox.errors import InputError
from jurybox.formats import joined
from jurybox.report.documents.heds import QUESTIONS
from jurybox.study.positions import Document, read_yaml

__all__ = ["FILE", "Authored", "read_authored"]

FILE = "datasheet.yaml"

Authored = Mapping[tuple[str, str], str]
"""The author's answers, by criterion (no words: all of them, or none) and number of a question."""


def read_authored(path: Path, criteria: Collection[str]) -> Authored:
    """The answers in a file; none where there is no such file.

    An answer to a question of part 4 may stand under a criterion's name, for this criterion alone.
    """
    try:
        document = read_yaml(path.read_bytes(), path.name)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    found: dict[tuple[str, str], str] = {}
    if isinstance(document.data, dict):
        for key, value in document.data.items():
            if key not in criteria:
                _take(document, (key,), value, found)
            elif isinstance(value, dict):
                for number, answer in value.items():
                    _take(document, (key, number), answer, found)
            else:
                message = f"Answers about a criterion have numbers, as in `{key}: {{4.1.1: …}}`."
                document.problem(message, document.place((key,)))
    elif document.data is not None:
        message = "A datasheet is a map from the numbers of questions to answers, as in `2.4: en`."
        document.problem(message, document.place(()))
    if document.problems:
        raise InputError("\n".join(str(problem) for problem in document.problems))
    return found


def _take(
    document: Document, path: tuple[Any, ...], answer: Any, found: dict[tuple[str, str], str]
) -> None:
    """Keep an answer, or note why it is none."""
    *criterion, number = map(str, path)  # 2.1 is a number to YAML
    asked = QUESTIONS.get(number)
    if asked is None or (criterion and not number.startswith("4.")):
        what = "a question on a criterion" if criterion else "a question or a criterion"
        parts = [each for each in QUESTIONS if each.startswith(f"{number}.")]
        there = f"it has the parts {joined(parts)}" if parts else "the report lists them"
        message = f"{number} is not {what} of the datasheet; {there}."
        document.problem(message, document.place(path, on_key=True))
        return
    given = answer if isinstance(answer, list) and asked.several else [answer]
    if not given or any(isinstance(e, dict | list) or not str(e).strip() for e in given):
        form = "one text, or a list of texts" if asked.several else "one text"
        document.problem(f"The answer to {number} must be {form}.", document.place(path))
    else:
        found["".join(criterion), number] = joined(str(each).strip() for each in given)
