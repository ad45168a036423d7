"""Find, or else install, what the browser tests need: Chromium, and fonts for Arabic and Chinese.

Debian's apt has a real Chromium. Ubuntu's is a stub that installs a snap, which Playwright cannot
drive, and without root there is no apt at all: in both cases Playwright brings its own.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FONTS = ("fontconfig", "fonts-noto-core", "fonts-noto-cjk")
PLAYWRIGHT = (sys.executable, "-m", "playwright", "install")

Command = tuple[str, ...]


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
    """Return the path of the Chromium that Playwright installed for this user, if it did."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def find_fonts() -> bool:
    """Tell whether the machine can draw Arabic and Chinese."""
    if sys.platform != "linux":  # other systems come with both
        return True
    if not shutil.which("fc-list"):
        return False
    return all(
        subprocess.run(["fc-list", f":lang={language}"], capture_output=True, check=True).stdout
        for language in ("ar", "zh")
    )


def distribution(read: Callable[[], Mapping[str, str]] = platform.freedesktop_os_release) -> str:
    """Return "debian" where apt has a real Chromium, "ubuntu" where it has a stub, else ""."""
    try:
        release = read()
    except OSError:
        return ""
    family = {release.get("ID", ""), *release.get("ID_LIKE", "").split()}
    return "ubuntu" if "ubuntu" in family else "debian" if "debian" in family else ""


def commands(*, chromium: bool, fonts: bool, root: bool, distribution: str) -> list[Command]:
    """Return what to run for the parts that are missing, given what is there and who we are."""
    apt = root and distribution in ("debian", "ubuntu")
    packages = [] if fonts else [*FONTS]
    if not chromium and distribution == "debian":
        packages.insert(0, "chromium")
    todo: list[Command] = []
    if apt and packages:
        todo += [("apt-get", "update", "-qq"), ("apt-get", "install", "-y", "-qq", *packages)]
    if not chromium and not (apt and distribution == "debian"):
        todo.append((*PLAYWRIGHT, *(["--with-deps"] if apt else []), "chromium"))
    return todo


def advice(*, chromium: bool, fonts: bool) -> str:
    """Return the sentence for a person who must install what is missing."""
    missing = [] if chromium else ["Chromium"]
    missing += [] if fonts else ["a font for Arabic and Chinese"]
    packages = [] if chromium else ["chromium"]
    packages += [] if fonts else [*FONTS]
    return (
        f"The browser tests miss {' and '.join(missing)}, and it could not be installed: on Debian "
        f"run 'sudo apt-get install {' '.join(packages)}', elsewhere install Google Chrome and the "
        "Noto fonts, then run make again."
    )


def main() -> int:
    chromium, fonts = find_chromium() is not None, find_fonts()
    todo = commands(
        chromium=chromium, fonts=fonts, root=os.geteuid() == 0, distribution=distribution()
    )
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in todo:
        print("+", *command, flush=True)
        # A failure is not the end: what counts is what is found afterwards.
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    if todo:
        chromium, fonts = find_chromium() is not None, find_fonts()
    if chromium and fonts:
        return 0
    print(advice(chromium=chromium, fonts=fonts), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
