"""Where generated modules are kept, so that Numba finds its compiled code again.

A module's name carries the hash of its text and of the code that generated it; equal names mean
equal contents, so writing twice is harmless. The text that runs is always the one generated in
this process: the file only gives Numba a place and a time stamp for its cache.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

CACHE_VARIABLE = "PHYSGAUGE_CACHE_DIR"
_STAMP = 1_700_000_000
"""One modification time for all generated files: Numba drops what it compiled when it changes, and
two processes may race to write the same file."""


def cache_dir() -> Path:
    """$PHYSGAUGE_CACHE_DIR, else physgauge's folder in the user's cache."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given) / "rules"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "physgauge" / "rules"


def usable() -> bool:
    """Whether the folder can hold what another process is to find there."""
    try:
        folder = cache_dir()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.access(folder, os.W_OK)
    except (OSError, RuntimeError):
        return False


def keep(name: str, text: str, suffix: str = ".py") -> Path | None:
    """Write `text` as NAME + suffix unless it is there; None where the folder cannot hold it."""
    try:
        folder = cache_dir()
        path = folder / f"{name}{suffix}"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return path if os.access(folder, os.W_OK) else None
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.utime(temporary, (_STAMP, _STAMP))
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except (OSError, RuntimeError, UnicodeDecodeError):
        # RuntimeError: no home directory. Everything still works, compiled anew in each process.
        return None
    return path
