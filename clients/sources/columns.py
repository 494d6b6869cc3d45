"""Which column of a manifest or table is what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from physgauge.clients.captions import CAPTION_COLUMNS
from physgauge.errors import ConfigError

ID_COLUMNS: Final = ("image_id", "id")
PATH_COLUMNS: Final = ("path", "image_path", "file_name", "source", "file", "image", "url")
BYTES_COLUMNS: Final = (
    "image", "bytes", "image_bytes", "img", "jpg", "jpeg", "png", "webp", "data", "content",
)  # fmt: skip
DOMAIN_COLUMN: Final = "domain"


@dataclass(frozen=True, slots=True)
class Columns:
    """The roles of a header's columns; None where no column has the role."""

    image_id: str | None
    path: str | None
    data: str | None
    """Holds image bytes; then `path` is read for the id only."""
    caption: str | None
    domain: str | None
    extra: tuple[str, ...]
    """All other columns, in the header's order."""


def roles(names: Sequence[str], where: str, data: Sequence[str] = ()) -> Columns:
    """The roles of a header's columns.

    Args:
        names: all columns that hold text or numbers.
        where: the file, for messages.
        data: columns that hold bytes.

    Raises:
        ConfigError: no column, or a column twice; none that names an image or holds its bytes; several
            that may hold bytes.
    """
    if not any(names) and not data:
        raise ConfigError(f"{where}: expected a header that names the columns, got none")
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{where}: expected each column once, got {name!r:.80} again")
    image_id = _first(ID_COLUMNS, names)
    path = _first(PATH_COLUMNS, names)
    held = _first(BYTES_COLUMNS, data)
    if held is None and path is None and data:
        if len(data) > 1:
            raise ConfigError(
                f"{where}: expected one column with image bytes, got {', '.join(data):.200}: name it "
                f"{BYTES_COLUMNS[0]!r}, or give the table that column alone"
            )
        held = data[0]
    if held is None and path is None:
        got = ", ".join(map(repr, names))
        raise ConfigError(
            f"{where}: expected a column that names the image ({', '.join(PATH_COLUMNS)}) or, in a "
            f"table, holds its bytes ({', '.join(BYTES_COLUMNS)}); got {got:.200}"
        )
    caption = _first(CAPTION_COLUMNS, names)
    domain = _first((DOMAIN_COLUMN,), names)
    taken = {image_id, path, caption, domain}
    extra = tuple(name for name in names if name not in taken)
    return Columns(image_id, path, held, caption, domain, extra)


def _first(wanted: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in wanted if name in names), None)
