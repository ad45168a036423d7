"""The versions a report was made with."""

from __future__ import annotations

import platform
from importlib.metadata import version

__all__ = ["package_versions"]

PACKAGES = ("jurybox", "numpy", "scipy", "duckdb")


def package_versions() -> dict[str, str]:
    """The versions of Python and of the packages that the numbers depend on."""
    return {"Python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
