"""``run.json``: what a run was made with. One record a generation, created exclusively, never changed."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec

from physgauge import __version__, wire
from physgauge.clients.runs.names import SCHEMA, run_key
from physgauge.clients.storage import Missing, Store
from physgauge.errors import ConfigError

FORMAT: Final = 1
MOST_SHOWN: Final = 10
"""Differences that a message lists."""

Reason = Literal["score", "update", "retry"]


class RunFile(msgspec.Struct, frozen=True, kw_only=True):
    """The record of one generation."""

    format: int
    """Of the folder; readers refuse a higher one."""
    generation: int
    reason: Reason
    token: str
    """Of this record alone."""
    physgauge: str
    when: str
    """UTC, ISO 8601; for people only."""
    fingerprint: dict[str, str]
    """What rows depend on, by part: ``model parts``, ``pack car``, ``probes``, ``judge mode`` ..."""
    options: dict[str, Any]
    """Of the command, for `--update`, `retry` and people."""
    units: list[int] | None = None
    """The units that this generation makes again; None: all, those that are added too."""


class Difference(msgspec.Struct, frozen=True):
    """A part of the fingerprint that is another one now."""

    part: str
    was: str | None
    """None: the run has no such part."""
    now: str | None


def differences(was: Mapping[str, str], now: Mapping[str, str]) -> list[Difference]:
    """The parts that differ, sorted."""
    return [
        Difference(part, was.get(part), now.get(part))
        for part in sorted({*was, *now})
        if was.get(part) != now.get(part)
    ]


def digest(fingerprint: Mapping[str, str]) -> str:
    """SHA-256 of a fingerprint, as hexadecimal digits."""
    text = msgspec.json.encode(dict(sorted(fingerprint.items())))
    return hashlib.sha256(text).hexdigest()


def make_record(
    generation: int,
    reason: Reason,
    fingerprint: Mapping[str, str],
    options: Mapping[str, Any],
    units: Sequence[int] | None = None,
) -> RunFile:
    """A new record, of now."""
    return RunFile(
        format=FORMAT,
        generation=generation,
        reason=reason,
        token=secrets.token_hex(16),
        physgauge=__version__,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        fingerprint=dict(fingerprint),
        options=dict(options),
        units=None if units is None else sorted(units),
    )


def write_record(store: Store, record: RunFile) -> bool:
    """Create it; False: somebody else's is there."""
    data = msgspec.json.format(msgspec.json.encode(record), indent=2)
    return store.create(run_key(record.generation), data + b"\n")


def write_schema(store: Store) -> None:
    """Put the schema of a row beside the rows."""
    schema = msgspec.json.format(msgspec.json.encode(wire.row_schema()), indent=2)
    store.replace(SCHEMA, schema + b"\n")


def read_records(store: Store, known: Sequence[RunFile] = ()) -> tuple[RunFile, ...]:
    """The records of all generations, from 0; none: no run.

    Args:
        store: the run folder.
        known: those that are known already; the first one is looked at again.

    Raises:
        ConfigError: not a record, of a later version, or of another run than `known`.
    """
    if known:
        first = _read(store, 0)
        if first is None or first.token != known[0].token:
            raise replaced(store)
    records = list(known)
    while (record := _read(store, len(records))) is not None:
        records.append(record)
    return tuple(records)


def replaced(store: Store) -> ConfigError:
    """For who works on a run that is no longer there."""
    return ConfigError(
        f"{store.address}: expected the run that this session began with, got another one or none: it "
        "was overwritten meanwhile, and what this session had in hand is dropped"
    )


def _read(store: Store, generation: int) -> RunFile | None:
    key = run_key(generation)
    try:
        return _record(store.get(key), store.where(key))
    except Missing:
        return None


def _record(data: bytes, where: str) -> RunFile:
    try:
        version = msgspec.json.decode(data, type=_Version).format
        if version > FORMAT:
            raise ConfigError(
                f"{where}: expected a run folder of format {FORMAT}, got {version}: a later version "
                "of physgauge made it"
            )
        return msgspec.json.decode(data, type=RunFile)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{where}: expected the record of a run ({error})") from None


class _Version(msgspec.Struct):
    format: int


def in_words(found: Sequence[Difference]) -> str:
    """Differences, one a line."""
    lines = [
        f"  {one.part}: was {_short(one.was)}, is {_short(one.now)}" for one in found[:MOST_SHOWN]
    ]
    if len(found) > MOST_SHOWN:
        lines.append(f"  and {len(found) - MOST_SHOWN} more")
    return "\n".join(lines)


def _short(value: str | None) -> str:
    if value is None:
        return "nothing"
    if re.fullmatch(r"[0-9a-f]{40,}", value):
        return f"{value[:12]}..."
    return value if len(value) <= 60 else f"{value[:57]}..."
