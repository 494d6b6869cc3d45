"""Type specifications: what a DC-10, a coupe or a chicken has, read from one TOML file per domain.

A file names the domain's components with their synonyms, the words for any member, groups ("bird",
"tri-jet"), and types with names, tags, component counts and a source note. Shipped files are in
``ensemble/specifications``; a new domain is a new file (docs/specifications.md).

The file says what a thing *has*; what a view may hide is the rule pack's business.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Final

import msgspec

from physgauge.ensemble.specifications.file import SpecificationFile
from physgauge.ensemble.specifications.records import DomainSpec, Group, Range, TypeSpec
from physgauge.ensemble.specifications.resolve import resolve
from physgauge.errors import ConfigError

__all__ = [
    "DomainSpec", "Group", "Range", "TypeSpec", "load_specification", "parse_specification",
    "shipped_specifications",
]  # fmt: skip

MAX_BYTES: Final = 2**20
"""A specification file larger than this is refused before it is parsed."""


def shipped_specifications() -> Path:
    """The folder of the shipped specification files."""
    return Path(__file__).parent


def load_specification(name_or_path: str | Path) -> DomainSpec:
    """Read a shipped specification by name ("aircraft") or a file by path (``*.toml``).

    Raises:
        ConfigError: no such file, not UTF-8 TOML, an unknown key, a value out of range, a name that two
            types share, a component, tag or base that is not declared; says file and place.
    """
    path = Path(name_or_path)
    if path.suffix != ".toml":
        shipped = sorted(p.stem for p in shipped_specifications().glob("*.toml"))
        path = shipped_specifications() / f"{name_or_path}.toml"
        if str(name_or_path) not in shipped:
            known = ", ".join(shipped)
            raise ConfigError(
                f"specification: expected one of {known}, or the path of a .toml file; "
                f"got {str(name_or_path)!r}"
            )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"specification {path}: cannot be read ({error.strerror})") from None
    return parse_specification(data, path.name)


def parse_specification(data: bytes, where: str) -> DomainSpec:
    """Specification TOML to a :class:`DomainSpec`; `where` names the file in errors."""
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{where}: expected at most {MAX_BYTES} bytes, got {len(data)}")
    try:
        raw = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{where}: expected UTF-8 text, got byte {data[error.start]:#04x} at {error.start}"
        ) from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        raise ConfigError(f"{where}: not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{where}: expected plain tables, got arrays nested too deeply") from None
    try:
        file = msgspec.convert(raw, SpecificationFile)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from None
    return resolve(file, where, hashlib.sha256(data).hexdigest())
