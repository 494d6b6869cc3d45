"""What a run's rows depend on, part by part, found without loading a model.

A part is a setting of the profile, the hash of a file that it names, a pack, the probes, or an option of
the command. Settings of how fast or where something runs are none: a run may go on with others.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

import physgauge
from physgauge import __version__
from physgauge.config import LoadedProfile
from physgauge.errors import ConfigError
from physgauge.wire import Method

_TABLES: Final = frozenset({"run", "cost"})
_HOW: Final = frozenset(
    {
        *("description", "parity", "promise", "providers", "device", "workers", "threads", "batch"),
        *("timeout_s", "max_in_flight", "worker_memory_bytes", "prepare_workers", "check"),
        *(
            "url",
            "key_env",
            "headers",
            "ca_file",
            "proxy",
            "price",
            "concurrency",
            "send",
            "faults",
        ),
        *("requests_per_minute", "tokens_per_minute", "tokens_per_request", "tries", "restarts"),
        *("wait_s", "max_wait_s", "again_s", "connect_s", "read_s", "start_s", "tensor_parallel"),
        *("memory", "kv_cache_bytes", "cache_bytes", "max_num_seqs", "max_num_batched_tokens"),
        *("max_requests", "max_images", "max_sessions", "enforce_eager", "prefix_caching"),
    }
)
"""Names of settings that say how, and not what; those of secrets are among them."""
_HERE: Final = Path(physgauge.__file__).parent
_SHIPPED: Final = {
    "packs": _HERE / "rules_kernel" / "packs",
    "specifications": _HERE / "ensemble" / "specifications",
}
_DIGITS: Final = 16
_MOST_TEXT: Final = 200


def fingerprint(
    loaded: LoadedProfile, *, domain: str, packs: tuple[str, ...], method: Method
) -> dict[str, str]:
    """The parts, by name.

    Args:
        loaded: the profile.
        domain: the run's, or "auto".
        packs: that take the place of the profile's.
        method: what images are scored by.

    Raises:
        ConfigError: a probe file or pack that cannot be read.
    """
    settings = msgspec.to_builtins(loaded.profile)
    parts = {"physgauge": __version__, "pillow": _pillow(), "domain": domain, "method": method}
    for name, value in _leaves(settings, ()):
        if name[0] in _TABLES or _HOW & set(name):
            continue
        parts[".".join(name)] = _file_hash(loaded, name, value) or _text(value)
    for number, pack in enumerate(packs):
        path = Path(pack) if pack.endswith(".toml") else _SHIPPED["packs"] / f"{pack}.toml"
        parts[f"pack {number}"] = _hash(path) or pack
    parts |= _probes(loaded)
    return parts


def _leaves(value: Any, name: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Settings by their path; items of a list by their name, if they have one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*name, str(key)))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*name, str(inner.get("name", number))))
    elif value is not None and name[-1] != "name":
        yield name, value


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    if len(text) <= _MOST_TEXT:
        return text
    return "sha256 " + hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _file_hash(loaded: LoadedProfile, name: tuple[str, ...], value: Any) -> str | None:
    """Of the file or folder that a setting names; None: it names none."""
    if not isinstance(value, str) or not value:
        return None
    if (shipped := _SHIPPED.get(name[0])) is not None and not value.endswith(".toml"):
        return _hash(shipped / f"{value}.toml")
    return _hash(loaded.path(value))


def _hash(path: Path) -> str | None:
    whole = hashlib.sha256()
    try:
        if path.is_dir():
            for inner in sorted(one for one in path.iterdir() if one.is_file()):
                whole.update(inner.name.encode())
                whole.update(_digest(inner))
        elif path.is_file():
            whole.update(_digest(path))
        else:
            return None
    except (OSError, ValueError):  # what is missing is said by who needs it
        return None
    return "sha256 " + whole.hexdigest()[:_DIGITS]


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _probes(loaded: LoadedProfile) -> dict[str, str]:
    profile = loaded.profile
    if profile.judge is None:
        return {}
    from physgauge.ensemble.judge.terravis.file import load_probes

    found = {"judge.probes": load_probes(profile.judge.probes, loaded.folder).tag}
    if profile.cascade is not None:
        first = profile.cascade.first.probes
        found["cascade.first.probes"] = load_probes(first, loaded.folder).tag
    return found


def _pillow() -> str:
    """It makes the pixels."""
    try:
        return importlib.metadata.version("pillow")
    except importlib.metadata.PackageNotFoundError:
        raise ConfigError(
            "scoring here needs Pillow: pip install 'physgauge[local]', or --server"
        ) from None
