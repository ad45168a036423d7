"""`import jurybox as jb` is the map: complete, sorted, lazy."""

from __future__ import annotations

import subprocess
import sys

import pytest

import jurybox as jb


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


def test_importing_costs_nothing() -> None:
    heavy = ("numpy", "scipy", "duckdb", "pydantic", "sqlalchemy", "altair", "pandas", "fastapi")
    code = f"import sys, jurybox; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
