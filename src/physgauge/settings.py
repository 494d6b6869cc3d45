"""What all tables of settings share: base, ranges, and reading one with errors that name it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec

from physgauge.errors import ConfigError

Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]
Points = Annotated[float, msgspec.Meta(ge=0, le=100)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Weight = Annotated[float, msgspec.Meta(gt=0, le=1000)]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the settings tables."""


Table = TypeVar("Table", bound=Settings)


def read_table(raw: Mapping[str, Any], kind: type[Table], where: str) -> Table:
    """A table of a TOML file as settings.

    Args:
        raw: as TOML gave it.
        kind: what it is to be.
        where: names file and table in errors.

    Raises:
        ConfigError: an unknown key, or a value of the wrong type or out of range; says which.
    """
    try:
        return msgspec.convert(dict(raw), kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from None
