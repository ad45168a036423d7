"""A browser shows and plays every cleaned file as it does the file itself."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from jurybox.screen.clean import clean_bytes
from jurybox.screen.media_file import media_type
from tests.screen.dirty import AUDIO, MARKER, PICTURES, VIDEO

if TYPE_CHECKING:
    from tests.web.conftest import OpenPage

SHOWN = {**PICTURES, **AUDIO, **VIDEO}
LOOK = """
async ([kind, address]) => {
  if (kind === "image") {
    const image = new Image();
    image.src = address;
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  }
  const player = document.createElement(kind);
  player.src = address;
  player.muted = true;
  await new Promise((resolve, reject) => {
    player.onerror = () => reject(new Error(player.error.message));
    player.oncanplaythrough = resolve;
  });
  return [player.videoWidth ?? 0, player.videoHeight ?? 0, player.duration];
}
"""


@pytest.mark.filterwarnings("ignore:Image appears to be a malformed MPO")
def test_a_browser_shows_every_cleaned_file_as_the_file_itself(open_page: OpenPage) -> None:
    page = open_page()

    def look(content: bytes) -> Any:
        kind = media_type(content[:16])
        address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
        return page.evaluate(LOOK, [kind.partition("/")[0], address])

    for name, make in SHOWN.items():
        content = make()
        clean = clean_bytes(content)
        assert MARKER not in clean
        shown = look(clean)
        assert all(shown[:2]) or name in AUDIO, name
        if name not in ("flac", "aac"):  # their tags make the type and the length a guess
            assert shown == look(content), name
