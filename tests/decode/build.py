"""Image files made by hand for the tests: chunks, segments, profiles, damage."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
_CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}


def chunk(kind: bytes, body: bytes) -> bytes:
    """A PNG chunk."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(samples: NDArray[Any], colour: int, depth: int = 8, extra: bytes = b"") -> bytes:
    """A PNG of [H, W, C] samples, without Pillow; `extra` chunks go between IHDR and IDAT."""
    height, width = samples.shape[:2]
    flat = samples.reshape(height, width * _CHANNELS[colour])
    if depth == 16:
        rows = [row.astype(">u2").tobytes() for row in flat]
    elif depth == 8:
        rows = [row.astype(np.uint8).tobytes() for row in flat]
    else:
        bits = (flat[..., None] >> np.arange(depth)[::-1]) & 1
        rows = [np.packbits(row.reshape(-1).astype(np.uint8)).tobytes() for row in bits]
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    packed = zlib.compress(b"".join(b"\0" + row for row in rows))
    return PNG_MAGIC + chunk(b"IHDR", header) + extra + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def noise(
    height: int, width: int, channels: int = 3, top: int = 255, seed: int = 0
) -> NDArray[Any]:
    """[H, W, C] of all values 0..top."""
    kind = np.uint16 if top > 255 else np.uint8
    return np.random.default_rng(seed).integers(0, top + 1, (height, width, channels)).astype(kind)


def blocks(colours: Sequence[Sequence[int]], block: int = 32) -> NDArray[np.uint8]:
    """A row of flat blocks, one per colour: [block, block * N, C]; JPEG keeps their centres."""
    row = np.array(colours, dtype=np.uint8)[None, :, :]
    return row.repeat(block, axis=0).repeat(block, axis=1)


def save(pixels: NDArray[np.uint8], kind: str, mode: str | None = None, **options: Any) -> bytes:
    """A file written by Pillow."""
    out = io.BytesIO()
    named = mode or {1: "L", 3: "RGB", 4: "RGBA"}[pixels.shape[2]]
    image = Image.frombytes(named, (pixels.shape[1], pixels.shape[0]), pixels.tobytes())
    image.save(out, kind, **options)
    return out.getvalue()


def npy(array: NDArray[Any], version: tuple[int, int] | None = None) -> bytes:
    """A .npy file."""
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version)
    return out.getvalue()


def exif(orientation: int, order: str = "<") -> bytes:
    """A TIFF block with the orientation, behind another tag."""
    head = b"II*\0" if order == "<" else b"MM\0*"
    entries = struct.pack(f"{order}HHIHH", 0x0100, 3, 1, 7, 0)
    entries += struct.pack(f"{order}HHIHH", 0x0112, 3, 1, orientation, 0)
    return head + struct.pack(f"{order}IH", 8, 2) + entries + bytes(4)


def segments(jpeg: bytes) -> list[tuple[int, bytes]]:
    """(marker, whole segment) of a JPEG; a scan's entropy-coded data belongs to its SOS."""
    found, at = [], 2
    while jpeg[at + 1] != 0xD9:
        marker, end = jpeg[at + 1], at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if marker == 0xDA:
            while not (jpeg[end] == 0xFF and jpeg[end + 1] not in (0, *range(0xD0, 0xD8))):
                end += 1
        found.append((marker, jpeg[at:end]))
        at = end
    return found


def jpeg(parts: list[tuple[int, bytes]]) -> bytes:
    """A JPEG of these segments."""
    return b"\xff\xd8" + b"".join(body for _, body in parts) + b"\xff\xd9"


def scan_bomb(side: int = 2048, repeats: int = 3000) -> bytes:
    """A small progressive JPEG that repeats its last scan and so takes seconds to decode."""
    flat = np.full((side, side, 1), 90, dtype=np.uint8)
    parts = segments(save(flat, "JPEG", quality=50, progressive=True))
    last = [number for number, (marker, _) in enumerate(parts) if marker == 0xDA][-1]
    return jpeg(parts[: last + 1] + [parts[last]] * repeats)


def with_profile(jpeg_file: bytes, icc: bytes) -> bytes:
    """The JPEG with the profile in APP2 segments of at most 60,000 bytes, the last part first."""
    parts = [icc[at : at + 60_000] for at in range(0, len(icc), 60_000)]
    made = []
    for number, part in enumerate(parts, 1):
        body = b"ICC_PROFILE\0" + bytes([number, len(parts)]) + part
        made.append((0xE2, b"\xff\xe2" + struct.pack(">H", len(body) + 2) + body))
    return jpeg(made[::-1] + segments(jpeg_file))


def iccp(icc: bytes) -> bytes:
    """A PNG profile chunk."""
    return chunk(b"iCCP", b"test\0\0" + zlib.compress(icc))


def _profile(space: bytes, pcs: bytes, kind: bytes, tags: dict[bytes, bytes]) -> bytes:
    """An ICC version 2 profile (ICC.1:2001-04) of these tags."""
    table, body, at = b"", b"", 128 + 4 + 12 * len(tags)
    for name, data in tags.items():
        padded = data + bytes(-len(data) % 4)
        table += name + struct.pack(">II", at + len(body), len(data))
        body += padded
    size = at + len(body)
    header = struct.pack(">I", size) + b"\0\0\0\0\x02\x40\0\0" + kind + space + pcs
    header += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28)
    header += struct.pack(">3i", 0xF6D6, 0x10000, 0xD32D) + bytes(48)
    return header + struct.pack(">I", len(tags)) + table + body


def _fixed(value: float) -> int:
    return round(value * 65536)


def matrix_profile(columns: NDArray[np.float64], gamma: float) -> bytes:
    """An RGB display profile: [3, 3] XYZ (D50) with one column per primary, and one gamma."""
    tags = {b"wtpt": b"XYZ \0\0\0\0" + struct.pack(">3i", 0xF6D6, 0x10000, 0xD32D)}
    for name, xyz in zip((b"rXYZ", b"gXYZ", b"bXYZ"), columns.T, strict=True):
        tags[name] = b"XYZ \0\0\0\0" + struct.pack(">3i", *map(_fixed, xyz))
    for name in (b"rTRC", b"gTRC", b"bTRC"):
        tags[name] = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + bytes(2)
    return _profile(b"RGB ", b"XYZ ", b"mntr", tags)


def cmyk_profile() -> bytes:
    """A printer whose paper is white, whose black ink is black and whose every other mix is L* = 50."""
    identity = bytes(range(256))
    grid = []
    for corner in range(16):  # C slowest, K fastest; 0 = no ink
        lightness = 255 if corner == 0 else 0 if corner & 1 else 128
        grid.append(bytes([lightness, 128, 128]))
    lut = b"mft1\0\0\0\0" + bytes([4, 3, 2, 0])
    lut += struct.pack(">9i", *(65536 if n % 4 == 0 else 0 for n in range(9)))
    lut += identity * 4 + b"".join(grid) + identity * 3
    white = b"XYZ \0\0\0\0" + struct.pack(">3i", 0xF6D6, 0x10000, 0xD32D)
    return _profile(b"CMYK", b"Lab ", b"prtr", {b"wtpt": white, b"A2B0": lut})


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    """A WebP of these chunks."""
    body = b"WEBP"
    for kind, data in chunks:
        body += kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_chunks(webp: bytes) -> list[tuple[bytes, bytes]]:
    """(type, body) of each chunk of a WebP."""
    found, at = [], 12
    while at < len(webp):
        size = int.from_bytes(webp[at + 4 : at + 8], "little")
        found.append((webp[at : at + 4], webp[at + 8 : at + 8 + size]))
        at += 8 + size + size % 2
    return found
