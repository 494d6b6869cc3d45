"""Folders of models in Hugging Face form."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

MATTER: Final = frozenset({".safetensors", ".json", ".jinja", ".model", ".txt"})


def folder_hash(folder: Path) -> str:
    """SHA-256 over names and contents of a model's files, first 16 digits."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in MATTER:
            whole.update(path.name.encode())
            with path.open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
    return whole.hexdigest()[:16]
