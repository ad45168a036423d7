"""A film of a moving square, made without a browser: the same one on every machine."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import Any

import av
import numpy as np

SECONDS = 8
"""So long that it still plays when a slow machine looks at it."""
RATE = 10
"""Pictures a second."""


@cache
def film(*, codec: str = "libvpx", container: str = "webm", seconds: float = SECONDS) -> bytes:
    """Give the film; as WebM it does not say how long it is, like one recorded by a browser."""
    made = BytesIO()
    options = {"live": "1"} if container == "webm" else {}
    with av.open(made, "w", format=container, options=options) as file:
        stream: Any = file.add_stream(codec, rate=RATE)
        stream.width, stream.height, stream.pix_fmt = 160, 120, "yuv420p"
        for step in range(round(RATE * seconds)):
            picture = np.full((120, 160, 3), 230, np.uint8)
            left = 10 * (step % 12)
            picture[40:80, left : left + 40] = (30, 111, 179)
            file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        file.mux(stream.encode())
    return made.getvalue()
