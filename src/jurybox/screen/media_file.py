"""One media file: what it really is, whether a browser can show it, and how it is mended.

The file's content decides, never its name.
"""

from __future__ import annotations

import shlex
import warnings
from pathlib import Path
from typing import Literal

from jurybox.errors import InputError

__all__ = ["Kind", "check_cleaning", "check_file", "kind_of", "media_type"]

Kind = Literal["image", "audio", "video"]

_IMAGES = {"JPEG", "MPO", "PNG", "WEBP", "AVIF", "GIF"}
_AUDIO = {
    ("Wave", "PCM"), ("FLAC", "FLAC"), ("MPEG Audio", "MPEG Audio"), ("Ogg", "Opus"),
    ("ADTS", "AAC"), ("MPEG-4", "AAC"), ("WebM", "Opus"),
}  # fmt: skip
_VIDEO = {("MPEG-4", "AVC"), ("WebM", "VP8"), ("WebM", "VP9"), ("WebM", "AV1")}
_SOUND_OF = {"MPEG-4": {"AAC", "MPEG Audio"}, "WebM": {"Opus", "Vorbis"}}
_SHOWN = {
    "image": "JPEG, PNG, WebP, AVIF and GIF",
    "audio": "WAV, FLAC, MP3, Opus and AAC",
    "video": "MP4 with H.264 (8 bit, 4:2:0) and WebM",
}


def kind_of(path: Path) -> Kind:
    """What a file is by its content; what nobody knows is taken for a picture."""
    with path.open("rb") as file:
        kind = media_type(file.read(16)).partition("/")[0]
    return "audio" if kind == "audio" else "video" if kind == "video" else "image"


def check_file(path: Path, kind: Kind, *, shown_as: str) -> str | None:
    """Say what is wrong with one file, as a phrase, or nothing when a browser can show it."""
    if not path.is_file():
        return "there is no such file; add it or correct its name"
    if path.stat().st_size == 0:
        return "the file is empty; export it again"
    if kind == "image":
        wrong = _check_image(path, shown_as)
    else:
        wrong = _check_recording(path, kind, shown_as)
    return wrong or check_cleaning(path, kind, shown_as)


def check_cleaning(path: Path, kind: Kind, name: str) -> str | None:
    """Say why metadata cannot be taken out of a file, and the line that does it elsewhere."""
    from jurybox.screen.clean import clean_file

    try:
        clean_file(path)
    except InputError as error:
        source = shlex.quote(name)
        match kind:
            case "image":
                command = f"magick {source} -auto-orient -strip"
            case "audio":
                command = f"ffmpeg -i {source} -map 0:a -map_metadata -1 -c copy"
            case "video":
                command = f"ffmpeg -i {source} -map 0:v -map '0:a?' -map_metadata -1 -c copy"
        return (
            "tags and notes, which may name a system, cannot be removed from the file as it is "
            f"({error}); strip it: {_converted(name, command, Path(name).suffix)}"
        )
    return None


def _check_image(path: Path, name: str) -> str | None:
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                found = image.format or "unknown"
                if found not in _IMAGES:
                    return _cannot_show(name, f"{found} image", "image")
                image.load()
    except UnidentifiedImageError:
        other = _other_image(path)
        if other is not None:
            return _cannot_show(name, other, "image")
        return "this is not a readable image; export it again as PNG or JPEG"
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        resized = f"magick {shlex.quote(name)} -resize 4096x4096"
        return (
            f"the image has more than {Image.MAX_IMAGE_PIXELS or 0:,} pixels; make it smaller: "
            f"{_converted(name, resized, Path(name).suffix)}"
        )
    except (OSError, SyntaxError, ValueError) as error:
        return f"the image is truncated or damaged ({error}); export it again"
    return None


def _other_image(path: Path) -> str | None:
    """What an image is that can be converted though not read here."""
    with path.open("rb") as file:
        head = file.read(4096)
    if head[4:8] == b"ftyp" and head[8:12] in _HEIF:
        return "HEIC image"
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return "SVG image" if text.startswith((b"<svg", b"<?xml")) and b"<svg" in text else None


_HEIF = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}


def _check_recording(path: Path, kind: Kind, name: str) -> str | None:
    from jurybox.screen.tracks import tracks_of

    tracks = tracks_of(path)
    container = next((t.format for t in tracks if t.track_type == "General"), None)
    truncated = any(t.to_data().get("istruncated") == "Yes" for t in tracks)
    wanted = [t for t in tracks if t.track_type == kind.capitalize()]
    if not wanted:
        return f"this is not a readable {kind} file; shown are {_SHOWN[kind]}"
    if truncated and not _is_whole_with_more(path):
        return f"the {kind} is truncated: its end is missing; export it again"
    track = wanted[0]
    if (container, track.format) not in (_AUDIO if kind == "audio" else _VIDEO):
        return _cannot_show(name, f"{track.format} in {container}", kind)
    if kind == "audio":
        layer = track.format_profile
        if track.format == "MPEG Audio" and layer != "Layer 3":
            return _cannot_show(name, f"MPEG audio {layer}", kind)
        return None
    if track.format == "AVC" and (track.chroma_subsampling, track.bit_depth) != ("4:2:0", 8):
        found = f"H.264 with {track.bit_depth} bit and {track.chroma_subsampling}"
        return _cannot_show(name, found, kind)
    for sound in (t.format for t in tracks if t.track_type == "Audio"):
        if sound not in _SOUND_OF[str(container)]:
            return _cannot_show(name, f"{sound} sound in {container}", kind)
    return None


def _is_whole_with_more(path: Path) -> bool:
    """Whether other bytes follow a whole recording, which the probe takes for a missing end."""
    from jurybox.screen.clean import clean_file

    try:
        return clean_file(path).size < path.stat().st_size
    except InputError:
        return False


def _cannot_show(name: str, found: str, kind: Kind) -> str:
    """Say what was got, what is shown, and the command that makes one from the other."""
    source = shlex.quote(name)
    match kind:
        case "image":
            command, ending = f"magick {source}", ".png"
        case "audio":
            command, ending = f"ffmpeg -i {source}", ".flac"
        case "video":
            command = f"ffmpeg -i {source} -c:v libx264 -pix_fmt yuv420p -c:a aac"
            command, ending = f"{command} -movflags +faststart", ".mp4"
    article = "an" if found.startswith((*"AEIOH", "SVG")) else "a"
    target = Path(name).with_suffix(ending)
    advice = "" if target == Path(name) else f", then remove it and name {target} instead"
    return (
        f"browsers do not show {article} {found}; shown are {_SHOWN[kind]}. "
        f"Convert it{advice}: {_converted(name, command, ending)}"
    )


def _converted(name: str, command: str, ending: str) -> str:
    """The line that puts the result beside the file, or in its place where both have one name."""
    path = Path(name)
    target = path.with_suffix(ending)
    if target != path:
        return f"{command} {shlex.quote(str(target))}"
    made = shlex.quote(str(path.with_name(f"{path.stem}-new{ending}")))
    return f"{command} {made} && mv {made} {shlex.quote(name)}"


def media_type(head: bytes) -> str:
    """The MIME type that a file's first bytes tell, whatever its name.

    >>> media_type(b"RIFF....WAVEfmt ")
    'audio/wav'
    """
    if head[:4] in (b"RIFF", b"RF64"):
        return "image/webp" if head[8:12] == b"WEBP" else "audio/wav"
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        if brand in (b"avif", b"avis", b"mif1", b"msf1"):
            return "image/avif"
        return "audio/mp4" if brand == b"M4A " else "video/mp4"
    if head[:1] == b"\xff" and head[1:2] in (b"\xf1", b"\xf9"):
        return "audio/aac"
    for start, name in _MAGIC.items():
        if head.startswith(start):
            return name
    return "application/octet-stream"


_MAGIC = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"fLaC": "audio/flac",
    b"OggS": "audio/ogg",
    b"\x1aE\xdf\xa3": "video/webm",
    b"ID3": "audio/mpeg",
    b"\xff\xfb": "audio/mpeg",
    b"\xff\xf3": "audio/mpeg",
    b"\xff\xf2": "audio/mpeg",
    b"\xff\xfa": "audio/mpeg",
    b"\xff\xe3": "audio/mpeg",
    b"\xff\xe2": "audio/mpeg",
}
