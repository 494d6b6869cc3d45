"""Small real models with random weights, in Hugging Face form: for tests, CI and benchmarks.

    python -m physgauge.ensemble.judge.engines.onepass.tiny smolvlm DIR

They have the layers, tokenizers and image processors of real ones, so whatever is exact on them is
exact by construction; what they say means nothing. Weights are drawn by name and seed, the same
everywhere. `resolve("tiny:smolvlm")` builds one into the user's cache folder at first use.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from physgauge.errors import ConfigError, EnvironmentProblem

VERSION: Final = 2
"""Raise it when a built model changes: caches then build anew."""
PREFIX: Final = "tiny:"


def builders() -> dict[str, Callable[[Path, int], None]]:
    """Name to a function that builds the model into a folder."""
    try:
        from physgauge.ensemble.judge.engines.onepass import tiny_models
    except ImportError as error:
        raise EnvironmentProblem(
            f"tiny models: expected the packages of physgauge[judge], got {error}"
        ) from None
    return tiny_models.BUILDERS


def build(name: str, folder: Path, seed: int = 0) -> None:
    """Build a model into a new folder.

    Raises:
        ConfigError: no such model, or the folder is there already.
        EnvironmentProblem: torch or transformers is missing.
    """
    known = builders()
    if name not in known:
        raise ConfigError(f"tiny model: expected one of {', '.join(known)}; got {name!r}")
    if folder.exists():
        raise ConfigError(f"tiny model: expected a folder that is not there yet, got {folder}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Built aside and renamed: a folder with a model's name always holds a whole model.
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        known[name](aside, seed)
        aside.chmod(0o755)
        try:
            aside.rename(folder)
        except OSError:
            if not (folder / "config.json").is_file():  # not another process that was quicker
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def resolve(model: str) -> Path | None:
    """The folder of "tiny:NAME", built at first use; None for any other name."""
    if not model.startswith(PREFIX):
        return None
    name = model.removeprefix(PREFIX)
    folder = _cache() / f"{name}-{VERSION}"
    if not (folder / "config.json").is_file():
        build(name, folder)
    return folder


def _cache() -> Path:
    given = os.environ.get("PHYSGAUGE_CACHE_DIR")
    if given:
        return Path(given) / "models"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "physgauge" / "models"


def main(arguments: list[str]) -> int:
    """NAME DIR [SEED]"""
    if len(arguments) not in {2, 3}:
        print(f"usage: tiny NAME DIR [SEED]; names: {', '.join(builders())}", file=sys.stderr)
        return 2
    try:
        build(arguments[0], Path(arguments[1]), int((arguments[2:] or ["0"])[0]))
    except (ConfigError, EnvironmentProblem, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
