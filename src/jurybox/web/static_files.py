"""The scripts and styles of the pages, sent compressed."""

from __future__ import annotations

import gzip
import os
import re
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from jurybox.web.modules import join_modules

__all__ = ["Static"]


@lru_cache(maxsize=200)
def _packed(path: str, changed: int) -> bytes:
    """The compressed content of a file, kept until the file changes."""
    return gzip.compress(Path(path).read_bytes(), mtime=0)


JOINED: Final = re.compile(r"([\w-]+)\.all\.js")
"""How a script is asked for together with all it imports; none of another folder."""


@lru_cache(maxsize=10)
def _joined(folder: Path, name: str, changed: int) -> tuple[bytes, bytes, str]:
    """A script with all it imports, plain and compressed, and its tag; kept until one changes."""
    content = join_modules(folder, name).encode()
    return content, gzip.compress(content, mtime=0), f'"{sha256(content).hexdigest()[:32]}"'


class Static(StaticFiles):
    """Files that a browser keeps, and asks each time whether they are still the same."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or a script together with all it imports."""
        folder, asked_for = Path(str(self.directory)), JOINED.fullmatch(path)
        if not asked_for or not (folder / f"{asked_for[1]}.js").is_file():
            return await super().get_response(path, scope)
        changed = max(one.stat().st_mtime_ns for one in folder.glob("*.js"))
        plain, packed, tag = _joined(folder, asked_for[1], changed)
        asked = Headers(scope=scope)
        headers = {"Cache-Control": "no-cache", "ETag": tag, "Vary": "Accept-Encoding"}
        if asked.get("if-none-match", "").removeprefix("W/") == tag:
            return Response(status_code=304, headers=headers)
        if "gzip" not in asked.get("accept-encoding", ""):
            return Response(plain, headers=headers, media_type="text/javascript")
        headers |= {"Content-Encoding": "gzip", "ETag": f"W/{tag}"}
        return Response(packed, headers=headers, media_type="text/javascript")

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """The file, or that it has not changed, by its ETag."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        accepted = Headers(scope=scope).get("accept-encoding", "")
        if not isinstance(response, FileResponse) or "gzip" not in accepted:
            return response
        packed = Response(
            _packed(str(full_path), stat_result.st_mtime_ns), media_type=response.media_type
        )
        for name in ("last-modified", "cache-control"):
            packed.headers[name] = response.headers[name]
        packed.headers["ETag"] = f"W/{response.headers['etag']}"  # the same words, other bytes
        packed.headers["Content-Encoding"] = "gzip"
        packed.headers["Vary"] = "Accept-Encoding"
        return packed
