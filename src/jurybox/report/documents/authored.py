"""``datasheet.yaml``: what only the author of a study can answer, kept beside the study.

A report is written again and again; an answer that was given once stands in each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from jurybox.errors import InputError
from jurybox.study.positions import Document, read_yaml

__all__ = ["FILE", "Authored", "read_authored"]

FILE = "datasheet.yaml"

QUESTIONS = (
    *("1.1.1", "1.1.2", "1.2", "1.3.1", "1.3.2"),
    *("2.1", "2.2", "2.3", "2.4", "2.5"),
    *("3.1.1", "3.1.2", "3.1.3.1", "3.1.3.2", "3.1.3.3"),
    *("3.2.1", "3.2.2.1", "3.2.2.2", "3.2.2.3", "3.2.2.4", "3.2.3", "3.2.4", "3.2.5"),
    *("3.3.1", "3.3.2", "3.3.3.1", "3.3.3.2", "3.3.4.1", "3.3.4.2"),
    *("3.3.5", "3.3.6", "3.3.7", "3.3.8"),
    *("4.1.1", "4.1.2", "4.1.3", "4.2.1", "4.2.2", "4.2.3"),
    *("4.3.1", "4.3.2", "4.3.3", "4.3.4", "4.3.5", "4.3.6", "4.3.7", "4.3.8", "4.3.9", "4.3.10"),
    *("4.3.11.1", "4.3.11.2", "4.3.12.1", "4.3.12.2"),
    *("5.1", "5.2", "5.3", "5.4"),
)
"""The questions of HEDS 3.0; those of part 4 are asked of every criterion."""

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
    known = [each for each in QUESTIONS if not criterion or each.startswith("4.")]
    if number not in known:
        what = "a question on a criterion" if criterion else "a question or a criterion"
        message = f"{number} is not {what} of the datasheet; the report lists them."
        document.problem(message, document.place(path, on_key=True))
    elif isinstance(answer, dict | list) or not str(answer).strip():
        document.problem(f"The answer to {number} must be one text.", document.place(path))
    else:
        found["".join(criterion), number] = str(answer).strip()
