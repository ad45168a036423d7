"""What ``make test`` installs for the browser tests, on machines this one is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts import install_browser
from scripts.install_browser import (
    APT,
    CHROMIUM,
    DRIVER,
    FONTS,
    PACKAGES,
    PLAYWRIGHT,
    advice,
    commands,
    distribution,
    find_chromium,
)

UPDATE = ("apt-get", "update", "-qq")


def script(path: Path, text: str) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return str(path)


def test_a_snap_and_its_stub_are_no_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    found = {
        "chromium": script(tmp_path / "snap" / "chromium", "ELF"),
        "chromium-browser": script(tmp_path / "stub", "#!/bin/sh\nexec /snap/bin/chromium"),
    }
    assert find_chromium(found.get) is None
    found["google-chrome"] = script(tmp_path / "chrome", "ELF")
    assert find_chromium(found.get) == found["google-chrome"]


def test_the_browser_that_playwright_installed_is_found_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    assert find_chromium(lambda _: None) is None
    own = tmp_path / "chromium-1" / "chrome-linux64" / "chrome"
    own.parent.mkdir(parents=True)
    own.touch()
    assert find_chromium(lambda _: None) == str(own)
    real = script(tmp_path / "chromium", "#!/bin/sh\nexec /usr/lib/chromium/chromium")
    assert find_chromium(lambda _: real) == real


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ({"ID": "debian"}, "debian"),
        ({"ID": "raspbian", "ID_LIKE": "debian"}, "debian"),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, "ubuntu"),
        ({"ID": "pop", "ID_LIKE": "ubuntu debian"}, "ubuntu"),
        ({"ID": "fedora"}, ""),
    ],
)
def test_a_distribution_counts_by_the_chromium_its_apt_has(
    release: Mapping[str, str], name: str
) -> None:
    assert distribution(lambda: release) == name


def test_a_system_without_os_release_has_no_apt() -> None:
    def missing() -> Mapping[str, str]:
        raise OSError

    assert distribution(missing) == ""


def test_nothing_is_run_when_all_is_there() -> None:
    for root in (True, False):
        for name in ("debian", "ubuntu", ""):
            assert not commands([], root=root, distribution=name)


def test_root_on_debian_uses_apt() -> None:
    assert commands(PACKAGES, root=True, distribution="debian") == [
        UPDATE,
        (
            *APT,
            "chromium-headless-shell | chromium",
            "fontconfig",
            "fonts-noto-core",
            "fonts-noto-cjk",
            "libatomic1",
        ),
    ]
    assert commands([DRIVER], root=True, distribution="debian") == [UPDATE, (*APT, "libatomic1")]


def test_root_on_ubuntu_uses_apt_for_all_but_the_browser() -> None:
    assert commands(PACKAGES, root=True, distribution="ubuntu") == [
        UPDATE,
        (*APT, "fontconfig", "fonts-noto-core", "fonts-noto-cjk", "libatomic1"),
        (*PLAYWRIGHT, "--with-deps", "chromium"),
    ]


@pytest.mark.parametrize("name", ["debian", "ubuntu", ""])
def test_without_root_playwright_brings_the_browser(name: str) -> None:
    assert commands(PACKAGES, root=False, distribution=name) == [(*PLAYWRIGHT, "chromium")]
    assert commands([FONTS], root=False, distribution=name) == []


def test_root_without_apt_is_like_anyone() -> None:
    assert commands(PACKAGES, root=True, distribution="") == [(*PLAYWRIGHT, "chromium")]


def test_what_cannot_be_installed_is_one_sentence() -> None:
    said = advice([CHROMIUM, FONTS])
    assert (
        "`sudo apt-get satisfy 'chromium-headless-shell | chromium' fontconfig fonts-noto" in said
    )
    assert "miss Chromium, which" in advice([CHROMIUM])


def test_what_counts_is_what_is_found_afterwards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install_browser, "commands", lambda *_, **__: [("false",)])
    monkeypatch.setattr(install_browser, "find_missing", lambda: [CHROMIUM])
    assert install_browser.main() != 0
    assert capsys.readouterr().err == advice([CHROMIUM]) + "\n"

    answers = iter([[CHROMIUM], []])
    monkeypatch.setattr(install_browser, "find_missing", lambda: next(answers))
    assert install_browser.main() == 0
    assert capsys.readouterr().err == ""
