"""Finding images (files, folders and globs become a sorted list of paths) and reading them."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from physgauge.errors import ConfigError, ImageError

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".npy"})
"""What a folder is searched for. A file named directly is taken whatever its name: the decoder goes by
magic bytes."""

DRAWN = "annotated"
"""The folder of annotated pictures in a run's folder."""
SCHEMA_FILE = "row.schema.json"
"""What every run's folder holds."""
RUN_TABLES = ("plan", "rows")
"""The folders of a run's own tables."""


def find_images(paths: Iterable[str]) -> list[Path]:
    """The images that `paths` name, each once, in the order given and sorted within a folder or glob.

    Args:
        paths: files, folders (searched recursively for IMAGE_SUFFIXES, hidden entries and the pictures
            that a run drew left out) and glob patterns (``**`` recurses).

    Raises:
        ConfigError: a path that does not exist, a pattern or folder without images, or a folder that
            cannot be read; says which.
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
    try:
        if not text:
            raise ConfigError("expected a file, a folder or a glob pattern, got an empty path")
        if path.is_dir():
            yield from _in_folder(path)
        elif os.path.lexists(path):  # a link to nothing is an image that cannot be read
            yield path
        elif glob.has_magic(text):
            found = (Path(match) for match in sorted(glob.glob(text, recursive=True)))
            yield from (m for m in found if not m.is_dir() and not drawn(m.parent))
        else:
            raise ConfigError(f"{text}: expected a file, a folder or a glob pattern; no such path")
    except OSError as error:
        place = text if error.filename is None else os.fsdecode(error.filename)
        raise ConfigError(f"{place:.300}: cannot be read ({error.strerror})") from None


def _in_folder(folder: Path) -> Iterator[Path]:
    return (Path(path) for path in walk(os.fspath(folder), tuple(IMAGE_SUFFIXES)))


def walk(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """The files below a folder that end in one of `suffixes`, sorted part by part. Hidden entries,
    folders that are links, and what a run made (its pictures, its tables) are left out. Memory holds the
    names of one folder of each level.

    Raises:
        OSError: a folder that cannot be read: it may hold images, which are not left out quietly.
    """
    names: list[str] = []
    folders: set[str] = set()
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.add(entry.name)
                names.append(entry.name)
            elif entry.name.lower().endswith(suffixes) and not (
                entry.is_symlink() and os.path.isdir(entry.path)
            ):
                names.append(entry.name)
    names.sort()
    for name in names:
        path = name if folder == "." else os.path.join(folder, name)
        if name not in folders:
            yield path
        elif not (drawn(Path(path)) or (name in RUN_TABLES and in_run(Path(path)))):
            yield from walk(path, suffixes)


def drawn(folder: Path) -> bool:
    """Whether an earlier run drew its pictures there: they are no input of the next."""
    return folder.name == DRAWN and in_run(folder)


def in_run(folder: Path) -> bool:
    """Whether a folder lies in a run's folder."""
    return (folder.parent / SCHEMA_FILE).exists()


def name_of(path: str | os.PathLike[str]) -> str:
    """A path as text that fits in a row: bytes that are not UTF-8 are escaped."""
    try:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half of a surrogate pair that stands for no byte
        return os.fsdecode(path).encode("utf-8", "backslashreplace").decode()


def read_image(path: Path, most_bytes: int) -> bytes:
    """An image file's bytes.

    Raises:
        ImageError: it cannot be read, is no regular file, or is larger than `most_bytes`.
    """
    name = name_of(path)
    try:
        about_file = path.stat()
        if not stat.S_ISREG(about_file.st_mode):  # a pipe or device may never end
            raise ImageError("image_unreadable", f"{name}: expected a regular file")
        size, data = about_file.st_size, b""
        if size <= most_bytes:
            with path.open("rb") as file:
                # The file may grow, or be of a kind that tells no size.
                data = file.read(most_bytes + 1)
            size = max(size, len(data))
    except OSError as problem:
        raise ImageError(
            "image_unreadable", f"{name}: cannot be read ({problem.strerror})"
        ) from None
    except ValueError:  # a NUL in the name, or half of a surrogate pair
        raise ImageError(
            "image_unreadable", f"{name!a}: expected a path that a file can have"
        ) from None
    if size > most_bytes:
        raise ImageError(
            "image_too_large", f"{name}: expected at most {most_bytes} bytes, got {size}"
        )
    return data
