"""What ``make test`` installs for the browser tests, on machines this one is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts import install_browser
from scripts.install_browser import FONTS, PLAYWRIGHT, advice, commands, distribution, find_chromium

UPDATE = ("apt-get", "update", "-qq")
INSTALL = ("apt-get", "install", "-y", "-qq")


@pytest.fixture
def no_playwright_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_browser, "find_playwright_chromium", lambda: None)


def script(path: Path, text: str) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return str(path)


@pytest.mark.usefixtures("no_playwright_browser")
def test_a_snap_and_its_stub_are_no_browser(tmp_path: Path) -> None:
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
    monkeypatch.setattr(install_browser, "find_playwright_chromium", lambda: "own")
    assert find_chromium(lambda _: None) == "own"
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
            assert not commands(chromium=True, fonts=True, root=root, distribution=name)


def test_root_on_debian_uses_apt() -> None:
    assert commands(chromium=False, fonts=False, root=True, distribution="debian") == [
        UPDATE,
        (*INSTALL, "chromium", *FONTS),
    ]
    assert commands(chromium=True, fonts=False, root=True, distribution="debian") == [
        UPDATE,
        (*INSTALL, *FONTS),
    ]


def test_root_on_ubuntu_uses_playwrights_browser_and_apts_fonts() -> None:
    assert commands(chromium=False, fonts=False, root=True, distribution="ubuntu") == [
        UPDATE,
        (*INSTALL, *FONTS),
        (*PLAYWRIGHT, "--with-deps", "chromium"),
    ]


@pytest.mark.parametrize("name", ["debian", "ubuntu", ""])
def test_without_root_playwright_brings_the_browser(name: str) -> None:
    own = (*PLAYWRIGHT, "chromium")
    assert commands(chromium=False, fonts=False, root=False, distribution=name) == [own]
    assert commands(chromium=True, fonts=False, root=False, distribution=name) == []


def test_what_cannot_be_installed_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = advice(chromium=False, fonts=False)
    assert "sudo apt-get install chromium fontconfig fonts-noto-core fonts-noto-cjk" in sentence
    assert "install fontconfig fonts" in advice(chromium=True, fonts=False)
    assert "install chromium'" in advice(chromium=False, fonts=True)


def test_the_script_ends_with_the_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install_browser, "find_chromium", lambda: None)
    monkeypatch.setattr(install_browser, "commands", lambda **_: [("false",)])
    assert install_browser.main() == 1
    assert capsys.readouterr().err.startswith("The browser tests miss Chromium")
    monkeypatch.setattr(install_browser, "find_chromium", lambda: "chromium")
    monkeypatch.setattr(install_browser, "find_fonts", lambda: True)
    assert install_browser.main() == 0
