"""Files of a study: found inside its folder only, never fetched, never outside."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from jurybox.study.breach import nearest, show_value

__all__ = ["FileProblem", "Files", "is_url"]


class FileProblem(ValueError):
    """Why a file cannot be used, as a phrase."""


def is_url(text: str) -> bool:
    """Whether a text names something to fetch."""
    return bool(re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://|data:|www\.", text))


class Files:
    """Finds files inside a study's folder. Folders are looked up once."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._inside: dict[str, bool] = {}
        self._hints = 20  # looking for a near name costs time; the first few show the pattern

    def find(self, name: str) -> Path:
        """Give the absolute path of a file; ``FileProblem`` says why there is none."""
        path = self.place(name)
        try:
            status = os.lstat(path)
            linked = stat.S_ISLNK(status.st_mode)
            if linked:
                status = os.stat(path)
        except FileNotFoundError:
            raise FileProblem(f"{show_value(name)} does not exist{self._near(path)}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "the name is not allowed"
            raise FileProblem(f"{show_value(name)} cannot be read: {reason}") from None
        if not self._is_inside(path, linked=linked):
            raise FileProblem(f"{show_value(name)} is a link that leaves the study's folder")
        if not stat.S_ISREG(status.st_mode):
            what = "a folder, not a file" if stat.S_ISDIR(status.st_mode) else "no ordinary file"
            raise FileProblem(f"{show_value(name)} is {what}")
        if status.st_size == 0:
            raise FileProblem(f"{show_value(name)} is an empty file")
        return Path(path)

    def place(self, name: str) -> str:
        """Where a relative name lies, checked to be inside the folder by its spelling."""
        if is_url(name):
            raise FileProblem(
                f"{show_value(name)} is a URL; nothing is fetched, so save the file in the"
                " study's folder and give its path"
            )
        if not name.strip() or "\0" in name:
            raise FileProblem("the file name is empty")
        if os.path.isabs(name) or re.match(r"[a-zA-Z]:[\\/]|~", name):
            raise FileProblem(
                f"{show_value(name)} is not relative; give the path from the study's folder"
            )
        path = os.path.normpath(os.path.join(self.root, name))
        if not path.startswith(str(self.root).rstrip(os.sep) + os.sep):
            raise FileProblem(f"{show_value(name)} leaves the study's folder")
        return path

    def read_text(self, name: str) -> str:
        """Give a text file's content."""
        try:
            return self.find(name).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            message = f"{show_value(name)}: the byte at offset {error.start} is not UTF-8"
            raise FileProblem(message) from None
        except OSError as error:
            raise FileProblem(f"{show_value(name)} cannot be read: {error.strerror}") from None

    def _is_inside(self, path: str, *, linked: bool) -> bool:
        if linked:
            return Path(os.path.realpath(path)).is_relative_to(self.root)
        folder = os.path.dirname(path)
        if folder not in self._inside:
            self._inside[folder] = Path(os.path.realpath(folder)).is_relative_to(self.root)
        return self._inside[folder]

    def _near(self, path: str) -> str:
        if self._hints == 0:
            return ""
        self._hints -= 1
        folder = os.path.dirname(path)
        try:
            names = sorted(os.listdir(folder))[:500]
        except OSError:
            there = os.path.relpath(folder, self.root)
            return f"; there is no folder {show_value(there)}"
        return nearest(os.path.basename(path), names)
