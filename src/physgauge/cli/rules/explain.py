"""`physgauge rules explain`: what each rule said about one image of a run."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from physgauge.report.printable import printable

if TYPE_CHECKING:
    from physgauge import wire
    from physgauge.types import U8

MAX_NEAR = 20_000
"""Ids of a run among which a near one is looked for: more would take seconds."""


@click.command()
@click.argument("run", metavar="RUN")
@click.argument("image_id", metavar="IMAGE_ID")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="ID",
    help="Only this rule (may be given several times).",
)
@click.option(
    "--draw",
    type=click.Path(dir_okay=False),
    metavar="FILE.png",
    help="Write the picture with the boxes that the rules point at.",
)
@click.option(
    "--image",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The picture, where it is not at the place that the run recorded.",
)
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def explain(
    run: str, image_id: str, rules: tuple[str, ...], draw: str | None, image: str | None, as_json: bool
) -> None:  # fmt: skip
    """Explain an image of RUN (the folder that score or score-boxes wrote with -o): each rule's status,
    measured value, bound, and the boxes it points at. Where the image was read several times
    (docs/readings.md), also in what share of the readings the rule is violated.

    IMAGE_ID is the image's id, or the name of its file where only one image is called so.
    """
    from physgauge.report.witness import explained, in_words

    row = find_row(run, image_id)
    check_rules(row, rules)
    if draw is not None:
        write_picture(row, rules, Path(draw), None if image is None else Path(image))
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(explained(row, rules)), indent=2))
    else:
        click.echo(printable("\n".join(in_words(row, rules)), lines=True))


def find_row(run: str, image_id: str) -> wire.Row:
    """The row of an image of a run folder (or of one Parquet file of rows).

    Raises:
        ConfigError: no rows there, or no such image; suggests a near id.
    """
    from physgauge.clients.runs import read_ids, read_row
    from physgauge.errors import ConfigError

    ids = read_ids(run)
    if image_id in ids:
        return read_row(run, ids.index(image_id))
    called = [n for n, name in enumerate(ids) if _called(name, image_id)]
    if len(called) == 1:
        return read_row(run, called[0])
    raise ConfigError(
        f"{run}: no image {image_id!r}" + _hint(image_id, ids, [ids[n] for n in called[:2]])
    )


def _called(name: str, wanted: str) -> bool:
    """Whether it is the name of the id's file, with or without suffix."""
    return wanted in name and wanted in (Path(name).name, Path(name).stem)


def _hint(image_id: str, ids: list[str], called: list[str]) -> str:
    if called:
        return f"; expected a whole id, such as {called[0]!r} or {called[1]!r}"
    names = {Path(name).name: name for name in ids[:MAX_NEAR]}
    near = difflib.get_close_matches(image_id, [*ids[:MAX_NEAR], *names], n=1, cutoff=0.6)
    if near:
        return f"; did you mean {names.get(near[0], near[0])!r}?"
    return f"; the run has {len(ids)} images" + (f", the first is {ids[0]!r}" if ids else "")


def check_rules(row: wire.Row, rules: tuple[str, ...]) -> None:
    """Raise ConfigError for a rule that the image's pack does not have."""
    from physgauge.errors import ConfigError

    known = [rule.id for rule in row.pcmde.rules]
    for name in rules:
        if name not in known:
            near = difflib.get_close_matches(name.upper(), known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            has = ", ".join(known) or f"none ({row.error or row.pcmde.reason})"
            raise ConfigError(f"--rule: expected a rule of this image, {has}, got {name!r}{hint}")


def write_picture(row: wire.Row, rules: tuple[str, ...], target: Path, image: Path | None) -> None:
    """The picture with the witness boxes, as PNG or what the name of `target` says.

    Raises:
        ConfigError: the picture cannot be read, is another one now, or `target` cannot be written.
    """
    from physgauge.errors import ConfigError
    from physgauge.report.witness import draw

    picture = draw(_pixels(row, image), row, rules)
    try:
        picture.save(target)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "expected a name such as FILE.png"
        raise ConfigError(f"--draw {target}: cannot be written ({reason})") from None


def _pixels(row: wire.Row, image: Path | None) -> U8:
    from physgauge.ensemble.decode import decode_pixels
    from physgauge.errors import ConfigError, ImageError

    place = Path(row.source) if image is None else image
    if image is None and row.pixel_sha256 is None:
        raise ConfigError(
            f"--draw: {row.image_id} has no picture in this run (boxes from {row.source}): "
            "expected --image FILE"
        )
    try:
        decoded = decode_pixels(place.read_bytes())
    except OSError as error:
        raise ConfigError(
            f"--draw: the picture {place} cannot be read ({error.strerror}): "
            "expected it where the run read it, seen from this folder, or --image FILE"
        ) from None
    except ImageError as error:
        raise ConfigError(f"--draw: {place}: {error.message}") from None
    if row.pixel_sha256 is not None and decoded.sha256 != row.pixel_sha256:
        raise ConfigError(
            f"--draw: {place} is not the picture that was scored: its pixels have changed"
        )
    if (decoded.width, decoded.height) != (row.width, row.height):
        got = f"{decoded.width}x{decoded.height}"
        raise ConfigError(f"--draw: {place}: expected {row.width}x{row.height} px, got {got}")
    return decoded.rgb
