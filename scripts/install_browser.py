"""Find, or else install, what the browser tests need.

Debian's apt has a real Chromium. Ubuntu's is a stub that installs a snap, which Playwright cannot
drive, and without root there is no apt at all: in both cases Playwright brings its own.
"""

import ctypes
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

# The headless shell comes first: the same browser without windows, at two thirds of the cost.
COMMANDS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)

CHROMIUM = "Chromium"
FONTS = "fonts for Arabic and Chinese"
DRIVER = "the library that Playwright's driver loads"
PACKAGES = {
    CHROMIUM: ("chromium-headless-shell | chromium",),
    FONTS: ("fontconfig", "fonts-noto-core", "fonts-noto-cjk"),
    DRIVER: ("libatomic1",),
}

Command = tuple[str, ...]
APT: Command = ("apt-get", "satisfy", "--yes", "-qq")
PLAYWRIGHT: Command = (sys.executable, "-m", "playwright", "install")


def find_chromium(which: Callable[[str], str | None] = shutil.which) -> str | None:
    """Return the path of a Chromium that Playwright can drive: the machine's, else Playwright's."""
    for command in COMMANDS:
        path = which(command)
        if path and not is_snap(Path(path)):
            return path
    return find_playwright_chromium()


def is_snap(path: Path) -> bool:
    """Tell a snap, or the script that stands in for one, from a browser."""
    with path.open("rb") as file:
        return "/snap/" in str(path.resolve()) or b"/snap/" in file.read(4096)


def find_playwright_chromium() -> str | None:
    """Return the path of the Chromium that Playwright last installed for this user, if it did."""
    cache = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or cache / "ms-playwright")
    found = [
        *folder.glob("chromium-*/chrome-linux*/chrome"),
        *folder.glob("chromium-*/chrome-mac*/*.app/Contents/MacOS/*"),
    ]
    return str(max(found, key=lambda path: path.stat().st_mtime)) if found else None


def find_fonts() -> bool:
    """Tell whether the machine can draw Arabic and Chinese."""
    return shutil.which("fc-list") is not None and all(
        subprocess.run(["fc-list", f":lang={language}"], capture_output=True, check=True).stdout
        for language in ("ar", "zh")
    )


def find_driver_library() -> bool:
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:
        return False
    return True


def find_missing() -> list[str]:
    missing = [] if find_chromium() else [CHROMIUM]
    if sys.platform == "linux":  # other systems come with the rest
        missing += [] if find_fonts() else [FONTS]
        missing += [] if find_driver_library() else [DRIVER]
    return missing


def distribution(read: Callable[[], Mapping[str, str]] = platform.freedesktop_os_release) -> str:
    """Return "debian" where apt has a real Chromium, "ubuntu" where it has a stub, else ""."""
    try:
        release = read()
    except OSError:
        return ""
    family = {release.get("ID", ""), *release.get("ID_LIKE", "").split()}
    return "ubuntu" if "ubuntu" in family else "debian" if "debian" in family else ""


def commands(missing: Collection[str], *, root: bool, distribution: str) -> list[Command]:
    """Return what to run, on such a machine, for the parts that are missing."""
    apt = root and distribution != ""
    from_apt = [p for p in missing if apt and not (p == CHROMIUM and distribution == "ubuntu")]
    todo: list[Command] = []
    if from_apt:
        packages = [package for part in from_apt for package in PACKAGES[part]]
        todo += [("apt-get", "update", "-qq"), (*APT, *packages)]
    if CHROMIUM in missing and CHROMIUM not in from_apt:
        todo.append((*PLAYWRIGHT, *(["--with-deps"] if apt else []), "chromium"))
    return todo


def advice(missing: Collection[str]) -> str:
    """Return the sentence for a person who must install what is missing."""
    packages = [package for part in missing for package in PACKAGES[part]]
    return (
        f"The browser tests miss {' and '.join(missing)}, which could not be installed: on Debian "
        f"run `sudo apt-get satisfy {shlex.join(packages)}`, elsewhere install the same (Google "
        "Chrome will do for Chromium), then run make again."
    )


def main() -> int:
    missing = find_missing()
    todo = commands(missing, root=os.geteuid() == 0, distribution=distribution())
    for command in todo:
        print("Installing for the browser tests:", *command, flush=True)
        # A failure is not the end: what counts is what is found afterwards.
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    missing = find_missing() if todo else missing
    if missing:
        print(advice(missing), file=sys.stderr)
    return len(missing)


if __name__ == "__main__":
    sys.exit(main())
