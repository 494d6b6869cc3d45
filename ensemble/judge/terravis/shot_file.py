"""``[[example]]`` of a probe file: pictures that are shown first, with the answers they deserve."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from physgauge.clients.files import read_image
from physgauge.config import DecodeLimits
from physgauge.ensemble.decode import decode_pixels
from physgauge.ensemble.judge.terravis.probes import Probe, Shot
from physgauge.errors import ConfigError, ImageError
from physgauge.settings import Settings
from physgauge.types import U8

MAX_SHOTS: Final = 8
"""Pictures before the one that is asked about."""


class ShotEntry(Settings, frozen=True, kw_only=True):
    """One table."""

    image: str
    """Path, relative to the file."""
    yes: tuple[Annotated[str, msgspec.Meta(min_length=1, max_length=64)], ...] = ()
    """Ids of probes; all others are no."""
    eligible: bool = True


def read_shots(entries: Sequence[ShotEntry], folder: Path, where: str) -> tuple[Shot, ...]:
    """The examples of a file.

    Raises:
        ConfigError: too many, or a picture that cannot be read.
    """
    if len(entries) > MAX_SHOTS:
        raise ConfigError(f"{where}: example: expected at most {MAX_SHOTS}, got {len(entries)}")
    return tuple(
        Shot(
            path=str((folder / one.image).absolute()),
            sha256=hashlib.sha256(_bytes(folder / one.image, where)).hexdigest(),
            yes=one.yes,
            eligible=one.eligible,
        )
        for one in entries
    )


def check_shots(shots: Sequence[Shot], probes: Sequence[Probe], where: str) -> None:
    """The answers of examples are about probes that are asked."""
    ids = {probe.id for probe in probes}
    for shot in shots:
        for name in shot.yes:
            if name not in ids or not shot.eligible or shot.yes.count(name) > 1:
                raise ConfigError(
                    f"{where}: example {shot.path!r}: yes: expected different ids of enabled probes, and "
                    f"none where the picture is not eligible; got {name!r}"
                )


def pixels_of(shot: Shot, where: str) -> U8:
    """[H, W, 3] the picture.

    Raises:
        ConfigError: no image, or another file than the one whose hash is in rows.
    """
    data = _bytes(Path(shot.path), where)
    if hashlib.sha256(data).hexdigest() != shot.sha256:
        raise ConfigError(f"{where}: example {shot.path}: expected the file as it was read first")
    try:
        return decode_pixels(data).rgb
    except ImageError as error:
        raise ConfigError(f"{where}: example {shot.path}: {error}") from None


def _bytes(path: Path, where: str) -> bytes:
    limits = DecodeLimits()
    try:
        return read_image(path, max(limits.max_encoded_bytes, limits.max_npy_bytes))
    except ImageError as error:
        raise ConfigError(f"{where}: example: image: {error}") from None
