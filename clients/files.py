"""Finding images: files, folders (recursively) and globs become a sorted list of paths."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from pathlib import Path

from physgauge.errors import ConfigError

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".npy"})
"""What a folder is searched for. A file named directly is taken whatever its name: the decoder goes by
magic bytes."""


def find_images(paths: Iterable[str]) -> list[Path]:
    """The images that `paths` name, each once, in the order given and sorted within a folder or glob.

    Args:
        paths: files, folders (searched recursively for IMAGE_SUFFIXES, hidden entries left out) and
            glob patterns (``**`` recurses).

    Raises:
        ConfigError: a path that does not exist, a pattern or folder without images; says which.
    """
    found: dict[Path, None] = {}
    for text in paths:
        matches = list(_expand(text))
        if not matches:
            kinds = ", ".join(sorted(IMAGE_SUFFIXES))
            raise ConfigError(f"{text}: expected at least one image ({kinds}), found none")
        found.update(dict.fromkeys(matches))
    return list(found)


def _expand(text: str) -> Iterator[Path]:
    path = Path(text)
    if path.is_dir():
        yield from _in_folder(path)
    elif path.exists():
        yield path
    elif glob.has_magic(text):
        for match in sorted(glob.glob(text, recursive=True)):
            if Path(match).is_file():
                yield Path(match)
    else:
        raise ConfigError(f"{text}: expected a file, a folder or a glob pattern; no such path")


def _in_folder(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder).parts
        if (
            path.suffix.lower() in IMAGE_SUFFIXES
            and not any(part.startswith(".") for part in inner)
            and path.is_file()
        ):
            yield path
