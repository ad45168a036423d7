"""`import jurybox as jb` is the map: complete, sorted, lazy."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import jurybox as jb
from tests.patience import PATIENCE


def test_names_are_sorted_and_all_exist() -> None:
    assert jb.__all__ == sorted(jb.__all__)
    for name in jb.__all__:
        assert callable(getattr(jb, name)), name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'krippendorf'"):
        _ = jb.krippendorf


def test_every_public_function_says_what_it_gives() -> None:
    for name in jb.__all__:
        document = getattr(jb, name).__doc__
        assert document, name
        assert document.strip(), name


@pytest.mark.parametrize("name", jb.__all__)
def test_an_example_runs_where_it_is_pasted(name: str) -> None:
    document = inspect.getdoc(getattr(jb, name)) or ""
    assert ">>> import jurybox as jb" in document
    example = doctest.DocTestParser().get_doctest(document, {}, name, None, 0)
    said: list[str] = []
    assert doctest.DocTestRunner().run(example, out=said.append).failed == 0, "".join(said)


NO_STATISTICS = ("Study", "analyze", "load_study", "mapped", "preview")


@pytest.mark.parametrize("name", [name for name in jb.__all__ if name not in NO_STATISTICS])
def test_every_statistic_says_how_it_is_made_and_checked(name: str) -> None:
    document = inspect.getdoc(getattr(jb, name)) or ""
    sections = ["Parameters", "Returns", "Notes", "References", "Examples"]
    found = re.findall(r"^(\w+)\n-{4,}$", document, flags=re.MULTILINE)
    assert found == sections
    body = dict(
        zip(found, re.split(r"^\w+\n-{4,}$", document, flags=re.MULTILINE)[1:], strict=True)
    )
    assert document.splitlines()[0].endswith(".")
    assert "math:" in body["Notes"]
    assert "*Degenerate input.*" in body["Notes"]
    assert "*Checked against*" in body["Notes"]
    assert re.search(r"\(\d{4}\)", body["References"])
    # Elo's source is a book.
    assert "doi:10." in body["References"] or name == "elo"
    assert ">>> " in body["Examples"]
    signature = inspect.signature(getattr(jb, name))
    for parameter in signature.parameters:
        assert re.search(rf"^[\w, ]*\b{parameter}\b[\w, ]*$", body["Parameters"], re.MULTILINE), (
            parameter
        )


def test_importing_costs_nothing() -> None:
    heavy = ("numpy", "scipy", "duckdb", "pydantic", "sqlalchemy", "altair", "pandas", "fastapi")
    code = f"import sys, jurybox; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert done.stdout.strip() == "[]"


ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("src/**/*.py")])


def test_every_full_name_that_a_page_or_a_comment_gives_exists() -> None:
    for page in PAGES:
        for name in re.findall(r"`(jurybox(?:\.\w+)+)`", page.read_text()):
            try:
                pkgutil.resolve_name(name)
            except (ImportError, AttributeError):
                pytest.fail(f"{page.relative_to(ROOT)}: there is no {name}")
