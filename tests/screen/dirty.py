"""Small media with a marker in every place that metadata can sit in, and what they decode to."""

from __future__ import annotations

import io
import struct
import tempfile
import wave
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import av
import numpy as np
from PIL import Image, ImageCms, ImageSequence, PngImagePlugin

__all__ = [
    "AUDIO",
    "MARKER",
    "PICTURES",
    "VIDEO",
    "decode_pictures",
    "decode_streams",
    "webm_head",
]

MARKER = b"made by model-x"
TEXT = MARKER.decode()
NOTE = MARKER + b" <x:xmpmeta/>"
RATE = 48_000


def picture(mode: str = "RGB", *, turn: int = 90) -> Image.Image:
    image = Image.linear_gradient("L").resize((40, 30))
    return Image.merge("RGB", (image, image.rotate(turn).resize((40, 30)), image)).convert(mode)


def exif(orientation: int) -> Image.Exif:
    made = Image.Exif()
    made[0x0112] = orientation
    made[0x010E] = TEXT
    return made


@cache
def profile() -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def save(image: Image.Image, format: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


# Pictures


def png_chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(mode: str = "RGB", orientation: int = 6, **options: Any) -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_text("parameters", TEXT)
    info.add_itxt("XML:com.adobe.xmp", TEXT)
    info.add_text("compressed", TEXT, zip=True)
    made = save(
        picture(mode),
        "PNG",
        pnginfo=info,
        exif=exif(orientation),
        icc_profile=profile(),
        dpi=(72, 72),
        **options,
    )
    end = made.index(b"IEND") - 4
    own = b"".join(png_chunk(name, MARKER) for name in (b"caBX", b"mkBT", b"prVW", b"tIME"))
    return made[:end] + own + made[end:] + MARKER


def animated_png() -> bytes:
    return png(save_all=True, append_images=[picture(turn=45)], duration=[80, 120], loop=3)


def jpeg_segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body


def jpeg(mode: str = "RGB", **options: Any) -> bytes:
    plain = save(
        picture(mode), "JPEG", exif=exif(8), icc_profile=profile(), comment=MARKER, **options
    )
    thumbnail = b"JFIF\0\1\2\0\0\1\0\1\1\5" + MARKER
    own = [
        jpeg_segment(0xE0, thumbnail),
        jpeg_segment(0xE0, b"JFXX\0\x10" + MARKER),
        jpeg_segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + MARKER),
        jpeg_segment(0xE2, b"MPF\0" + MARKER),
        jpeg_segment(0xEB, b"JP\0\1" + MARKER),  # C2PA lives in APP11
        jpeg_segment(0xED, b"Photoshop 3.0\0" + MARKER),  # and IPTC in APP13
        *(jpeg_segment(marker, MARKER) for marker in range(0xE3, 0xEF)),
    ]
    return plain[:2] + b"".join(own) + plain[2:] + MARKER


def riff_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def as_riff(kind: bytes, chunks: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + kind + chunks


def webp(**options: Any) -> bytes:
    image = picture()
    if options.pop("see_through", False):
        image.putalpha(Image.linear_gradient("L").resize(image.size))
    made = save(
        image,
        "WEBP",
        exif=exif(6),
        xmp=NOTE,
        icc_profile=profile(),
        **options,
    )
    return as_riff(b"WEBP", made[12:] + riff_chunk(b"C2PA", NOTE)) + MARKER


def animated_webp() -> bytes:
    return webp(save_all=True, append_images=[picture(turn=45)], duration=[80, 120], loop=3)


def gif_blocks(content: bytes) -> bytes:
    return bytes((len(content),)) + content + b"\0"


def gif() -> bytes:
    made = save(
        picture("P"),
        "GIF",
        save_all=True,
        append_images=[picture("P", turn=45)],
        duration=[80, 120],
        loop=3,
        comment=MARKER,
    )
    xmp = b"\x21\xff\x0bXMP DataXMP" + NOTE + b"\1" + bytes(range(255, -1, -1)) + b"\0"
    text = b"\x21\xf9\x04\0\0\0\0\0\x21\x01\x0c" + bytes(12) + gif_blocks(MARKER)
    own = b"\x21\xff\x0bMODELX12345" + gif_blocks(MARKER)
    return made[:-1] + xmp + text + own + b"\x3b" + MARKER


def box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", 8 + len(body)) + kind + body


def avif(**options: Any) -> bytes:
    image = picture()
    if options.pop("see_through", False):
        image.putalpha(Image.linear_gradient("L").resize(image.size))
    made = save(
        image,
        "AVIF",
        exif=exif(1),
        xmp=NOTE,
        icc_profile=profile(),
        quality=60,
        speed=10,
        **options,
    )
    made = made.replace(b"Color", MARKER[:5]).replace(b"Alpha", MARKER[:5])
    return made + box(b"uuid", bytes(16) + MARKER) + box(b"free", MARKER) + MARKER


def animated_avif() -> bytes:
    return avif(save_all=True, append_images=[picture(turn=45)], duration=[80, 120])


PICTURES: dict[str, Callable[[], bytes]] = {
    "png": png,
    "png-animated": animated_png,
    "jpeg": lambda: jpeg(quality=90),
    "jpeg-progressive": lambda: jpeg(progressive=True, restart_marker_blocks=1),
    "jpeg-four-inks": lambda: jpeg("CMYK"),
    "webp": webp,
    "webp-lossless": lambda: webp(see_through=True, lossless=True),
    "webp-animated": animated_webp,
    "gif": gif,
    "avif": avif,
    "avif-alpha": lambda: avif(see_through=True),
    "avif-animated": animated_avif,
}


def decode_pictures(content: bytes) -> list[tuple[str, tuple[int, int], int, bytes]]:
    """Give every frame with its mode, size and duration."""
    with Image.open(io.BytesIO(content)) as image:
        return [
            (frame.mode, frame.size, frame.info.get("duration", 0), frame.tobytes())
            for frame in ImageSequence.Iterator(image)
        ]


# Sound and film

TAGS = {"title": TEXT, "artist": TEXT, "comment": TEXT, "encoder": TEXT, "date": "2021-02-03"}


def tone(layout: str, sample_format: str, size: int) -> Iterator[av.AudioFrame]:
    """A second of two tones, in frames that the encoder takes."""
    time = np.arange(RATE) / RATE
    wave_ = 0.4 * np.sin(2 * np.pi * 440 * time) + 0.2 * np.sin(2 * np.pi * 1330 * time)
    for start in range(0, RATE, size):
        part = wave_[start : start + size]
        if sample_format == "s16":
            values = np.repeat((part * 32767).astype(np.int16), 2)[None, :]
        else:
            values = np.stack([part, part]).astype(np.float32)
        frame = av.AudioFrame.from_ndarray(values, format=sample_format, layout=layout)
        frame.sample_rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
        yield frame


def encode(
    format: str,
    *,
    audio: str | None = None,
    video: str | None = None,
    options: dict[str, str] | None = None,
    chapters: bool = False,
) -> bytes:
    """Encode a second of sound, of film or of both, with tags wherever the container takes them."""
    # Moving the tables to the front needs a file that can be opened again.
    file = tempfile.NamedTemporaryFile()
    with av.open(file.name, "w", format=format, options=options or {}) as container:
        container.metadata.update(TAGS)
        streams: list[Any] = []
        if video:
            streams.append(container.add_stream(video, rate=25))
            streams[-1].width, streams[-1].height, streams[-1].pix_fmt = 64, 48, "yuv420p"
        if audio:
            streams.append(container.add_stream(audio, rate=RATE, layout="stereo"))
            if audio == "vorbis":
                streams[-1].codec_context.options = {"strict": "-2"}
        for stream in streams:
            stream.metadata.update({"title": TEXT, "handler_name": TEXT, "language": "eng"})
        if chapters:
            chapter: Any = {"id": 1, "start": 0, "end": 1000, "time_base": Fraction(1, 1000)}
            container.set_chapters([chapter | {"metadata": {"title": TEXT}}])
        for stream in streams:
            for frame in _frames(stream):
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
    with file:
        return file.read()


def _frames(stream: Any) -> Iterator[Any]:
    if stream.type == "video":
        for number in range(10):
            image = picture(turn=9 * number).resize((64, 48))
            yield av.VideoFrame.from_ndarray(np.asarray(image), format="rgb24")
        return
    sample_format = stream.codec_context.format.name
    if not stream.codec_context.is_open:
        stream.codec_context.open()
    size = stream.codec_context.frame_size or 4096
    yield from tone("stereo", "s16" if sample_format == "s16" else "fltp", size)


def id3() -> bytes:
    body = b"TIT2" + struct.pack(">IH", len(MARKER) + 1, 0) + b"\0" + MARKER
    return b"ID3\x03\0\0" + bytes((0, 0, 0, len(body))) + body


def end_tags() -> bytes:
    """Lyrics3, APE and ID3v1, one behind the other as they stand in files."""
    lyrics = b"LYRICSBEGIN" + b"INF" + b"%05d" % len(MARKER) + MARKER
    lyrics += b"%06dLYRICS200" % len(lyrics)
    item = struct.pack("<II", len(MARKER), 0) + b"Title\0" + MARKER
    ape = [
        b"APETAGEX" + struct.pack("<IIII", 2000, len(item) + 32, 1, flags) + bytes(8)
        for flags in (0xA0000000, 0x80000000)
    ]
    return lyrics + ape[0] + item + ape[1] + b"TAG" + MARKER.ljust(125, b"\0")


def wav() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(1)
        writer.setframerate(8000)
        writer.writeframes(bytes(i % 251 for i in range(801)))
    chunks = file.getvalue()[12:]
    info = riff_chunk(b"LIST", b"INFO" + riff_chunk(b"INAM", MARKER))
    own = (b"bext", b"iXML", b"id3 ", b"JUNK", b"cue ", b"_PMX", b"C2PA", b"abcd")
    before = info + b"".join(riff_chunk(name, MARKER) for name in own)
    return as_riff(b"WAVE", before + chunks + info + riff_chunk(b"axml", NOTE)) + MARKER


def flac() -> bytes:
    made = encode("flac", audio="flac")
    place = 4 + 4 + 34
    blocks = b"".join(
        bytes((kind,)) + len(MARKER).to_bytes(3, "big") + MARKER for kind in (1, 2, 6)
    )
    return id3() + made[:place] + blocks + made[place:] + end_tags()


def mp3(**options: Any) -> bytes:
    made = encode("mp3", audio="libmp3lame", **options)
    return id3() + made + end_tags()


def m4a() -> bytes:
    return _more_boxes(encode("ipod", audio="aac", chapters=True))


def mp4(**options: Any) -> bytes:
    flags = {"movflags": "use_metadata_tags+write_colr", **options}
    made = encode("mp4", audio="aac", video="libx264", options=flags, chapters=True)
    return _more_boxes(made)


def mov() -> bytes:
    return _more_boxes(encode("mov", audio="aac", video="libx264"))


def _more_boxes(made: bytes) -> bytes:
    own = box(b"uuid", bytes(16) + MARKER) + box(b"free", MARKER) + box(b"meta", MARKER * 3)
    return made + own + box(b"abcd", MARKER) + MARKER


def fragments() -> bytes:
    flags = {"movflags": "frag_keyframe+empty_moov+default_base_moof"}
    return encode("mp4", audio="aac", video="libx264", options=flags) + MARKER


def vint(number: int, width: int = 8) -> bytes:
    return (1 << 7 * width | number).to_bytes(width, "big")


def element(id: int, body: bytes) -> bytes:
    return id.to_bytes((id.bit_length() + 7) // 8, "big") + vint(len(body)) + body


def webm(video: str = "libvpx", audio: str | None = "libopus") -> bytes:
    made = encode("webm", audio=audio, video=video, chapters=True)
    place = made.index(b"\x18\x53\x80\x67") + 4
    size = int.from_bytes(made[place : place + 8], "big") - (1 << 56)
    attached = element(0x61A7, element(0x466E, MARKER) + element(0x465C, MARKER))
    own = element(0x1941A469, attached) + element(0xEC, MARKER) + element(0x4DAA, MARKER)
    return made[:place] + vint(size + len(own)) + made[place + 8 :] + own + MARKER


def webm_head(size: int) -> bytes:
    """The beginning of a WebM of this size that holds nothing to remove; one picture follows."""
    head = element(0x1A45DFA3, element(0x4282, b"webm"))
    tracks = element(0x1654AE6B, element(0xAE, element(0x83, b"\1") + element(0x86, b"V_VP8")))
    left = size - len(head) - 12 - len(tracks) - 12 - 9
    block = b"\xa3" + vint(left)
    cluster = b"\x1f\x43\xb6\x75" + vint(left + 9) + block
    return head + b"\x18\x53\x80\x67" + vint(left + 9 + 12 + len(tracks)) + tracks + cluster


AUDIO: dict[str, Callable[[], bytes]] = {
    "wav": wav,
    "flac": flac,
    "mp3": mp3,
    "opus": lambda: encode("ogg", audio="libopus") + MARKER,
    "vorbis": lambda: encode("ogg", audio="vorbis") + MARKER,
    "aac": lambda: id3() + encode("adts", audio="aac") + end_tags(),
    "m4a": m4a,
    "webm-opus": lambda: encode("webm", audio="libopus") + MARKER,
}
VIDEO: dict[str, Callable[[], bytes]] = {
    "mp4": mp4,
    "mp4-fast-start": lambda: mp4(movflags="faststart"),
    "mp4-fragments": fragments,
    "mov": mov,
    "webm-vp8": webm,
    "webm-vp9": lambda: webm("libvpx-vp9", "vorbis"),
}


def decode_streams(content: bytes) -> dict[str, bytes]:
    """Give every picture's and every sound's values, by kind of stream, joined."""
    found: dict[str, list[bytes]] = {}
    with av.open(io.BytesIO(content), "r") as container:
        streams = [one for one in container.streams if one.type in ("audio", "video")]
        for packet in container.demux(*streams):
            try:
                frames: list[Any] = list(packet.decode())
            except av.error.InvalidDataError:  # tags that are taken for sound
                continue
            for frame in frames:
                values = f"{frame.pts}".encode() + frame.to_ndarray().tobytes()
                found.setdefault(type(frame).__name__, []).append(values)
    return {kind: b"".join(parts) for kind, parts in found.items()}
