"""The scripts and styles of the pages, sent compressed."""

from __future__ import annotations

import gzip
import os
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

__all__ = ["Static"]


@lru_cache(maxsize=200)
def _packed(path: str, changed: int) -> bytes:
    """The compressed content of a file, kept until the file changes."""
    return gzip.compress(Path(path).read_bytes(), mtime=0)


class Static(StaticFiles):
    """Files that a browser keeps, and asks each time whether they are still the same."""

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
