"""What a container holds besides the pixels, as the format readers hand it to the policy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MAX_ICC_BYTES: Final = 8 * 2**20
"""Larger embedded profiles are ignored with a warning; print profiles have 0.5 to 3 MiB."""


@dataclass(slots=True)
class Container:
    """A JPEG, PNG or WebP taken apart."""

    payload: bytes
    """The same image with nothing in it but what makes pixels; all that the decoder gets to see."""
    icc: bytes | None = None
    """The embedded ICC profile."""
    exif: bytes | None = None
    """The EXIF block, from its TIFF header on."""
    warnings: list[str] = field(default_factory=list)
    adobe: bool = False
    """JPEG only: an Adobe marker is there, so CMYK samples are stored inverted."""
    depth: int = 8
    """PNG only: bits a sample."""
    colour: int = 2
    """PNG only: the colour type of IHDR."""
    interlaced: bool = False
    """PNG only: Adam7."""
    palette: bytes = b""
    """PNG only: PLTE, three bytes an entry."""
    transparency: bytes | None = None
    """PNG only: tRNS."""
