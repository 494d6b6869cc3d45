"""`physgauge parity`: two judges, or two modes of one, compared on the same images."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import click

from physgauge.clients.runs import open_run, read_run
from physgauge.clients.storage import is_remote
from physgauge.errors import ConfigError, ImageError
from physgauge.types import Item

if TYPE_CHECKING:
    from physgauge import wire
    from physgauge.config import LoadedProfile

STORED: Final = (".parquet", ".jsonl")


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE.json",
    help="Write all numbers and all flips here.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print them on standard output instead.")
@click.option(
    "--resamples", type=click.IntRange(100, 100_000), default=1000, show_default=True,
    help="Of the bootstrap that gives the intervals.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def parity(
    a: str,
    b: str,
    paths: tuple[str, ...],
    output: str | None,
    as_json: bool,
    resamples: int,
    seed: int,
) -> None:  # fmt: skip
    """Compare A and B on images: agreement by category, correlation of scores, answers that differ.

    A and B are profiles with a judge (NAME, FILE.toml, or either with @MODE for another of its modes,
    as in endpoint@paper), or rows of an earlier run (DIR, FILE.parquet or FILE.jsonl). Profiles need the
    PATHs of images to look at.
    """
    import msgspec
    from rich.console import Console

    from physgauge.evaluate.parity import parity as compare
    from physgauge.evaluate.record import record, unlike
    from physgauge.report.parity_table import print_parity

    sides = [_stored(name) or _profile(name) for name in (a, b)]
    images = [side for side in sides if not isinstance(side, str)]
    if images and not paths:
        raise click.UsageError(
            f"{images[0].profile.name} is a profile: expected the PATHs of images"
        )
    if paths and not images:
        raise click.UsageError("A and B are stored rows: expected no PATHs of images")
    rows = [list(_rows(side, paths)) for side in sides]
    found = compare(rows[0], rows[1], (a, b), resamples, seed)
    encoded = msgspec.json.format(msgspec.json.encode(found), indent=2)
    if output is not None:
        Path(output).write_bytes(encoded + b"\n")
    if as_json:
        click.echo(encoded)
    else:
        print_parity(Console(), found)
        for said in unlike(found):
            click.echo(f"Note: {said}.")
        if (table := record(found)) is not None:
            click.echo(f"\nFor the profile, if this is good enough for you:\n\n{table}")


def stored_rows(name: str) -> Iterator[wire.Row]:
    """Rows of an earlier run.

    Raises:
        ConfigError: there are none under that name.
    """
    path = _stored(name)
    if path is None:
        raise ConfigError(
            f"{name}: expected rows (DIR, FILE.parquet or FILE.jsonl), got something else"
        )
    yield from _read(path)


def _stored(name: str) -> str | None:
    """The name, if it is one of rows."""
    path = Path(name)
    if is_remote(name) or path.is_dir():
        open_run(name)  # says so if there is none
        return name
    if path.suffix not in STORED:
        return None
    if not path.is_file():
        raise ConfigError(f"{path}: expected a file of rows, got none")
    return name


def _profile(name: str) -> LoadedProfile:
    import msgspec

    from physgauge.config import load_profile
    from physgauge.judge_settings import Mode

    base, at, mode = name.rpartition("@")
    loaded = load_profile(base if at else name)
    judge = loaded.profile.judge
    if judge is None:
        raise ConfigError(f"profile {name}: expected one with a judge, got none")
    if not at:
        return loaded
    if mode not in get_args(Mode):
        raise ConfigError(
            f"{name}: expected one of the modes {', '.join(get_args(Mode))}; got {mode!r}"
        )
    judge = msgspec.structs.replace(judge, mode=mode)
    profile = msgspec.structs.replace(loaded.profile, judge=judge)
    return msgspec.structs.replace(loaded, profile=profile)


def _rows(side: str | LoadedProfile, paths: tuple[str, ...]) -> Iterator[wire.Row]:
    if isinstance(side, str):
        yield from _read(side)
        return
    from physgauge.cli.run import loading
    from physgauge.clients.files import find_images
    from physgauge.ensemble.pipeline import Options, Pipeline

    limits = side.profile.decode
    most = max(limits.max_encoded_bytes, limits.max_npy_bytes)
    images = find_images(paths)
    with loading():
        made = Pipeline(side, Options())
    with made as pipeline, _progress(len(images)) as done:
        for one in pipeline.score(_item(path, most) for path in images):
            done()
            yield one.row


def _item(path: Path, most: int) -> Item:
    from physgauge.clients.files import name_of, read_image

    name = name_of(path)
    try:
        return Item(name, read_image(path, most), name)
    except ImageError as error:
        return Item(name, None, name, error=error)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("looking", total=total)
        yield lambda: progress.advance(task)


def _read(name: str) -> Iterator[wire.Row]:
    if Path(name).suffix != ".jsonl":
        return read_run(name)
    return _read_lines(Path(name))


def _read_lines(path: Path) -> Iterator[wire.Row]:
    import msgspec

    from physgauge import wire

    where = str(path)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                where = f"{path}: line {number}"
                if line.strip():
                    yield wire.from_json(line)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{where}: expected a result row ({error})") from None
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror or type(error).__name__})"
        ) from None
