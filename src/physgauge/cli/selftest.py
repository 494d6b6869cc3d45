"""`physgauge selftest-judge`: a profile's judge on pictures of known truth."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from physgauge.errors import ConfigError

PICTURES: Final = (".png", ".jpg", ".jpeg", ".webp")

if TYPE_CHECKING:
    from physgauge.config import LoadedProfile
    from physgauge.selftest.pairs import PairSet
    from physgauge.selftest.result import Report


@click.command("selftest-judge")
@click.option(
    "--profile", default="tiny", show_default=True, metavar="NAME|FILE.toml", help="Whose judge."
)
@click.option(
    "--pairs",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="A set of pairs (docs/pairs.md)  [default: the small one of the package].",
)
@click.option(
    "--category",
    "categories",
    multiple=True,
    metavar="ID",
    help="Only pairs of this category (may be given several times).",
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most so many pairs of each category.",
)
@click.option(
    "--injections",
    type=click.IntRange(0, 1000),
    default=1,
    show_default=True,
    metavar="N",
    help="Pictures into which all attempts are painted, two looks each; 0: none.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.png",
    help="Draw calibration and categories.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write all numbers here.",
)
@click.option(
    "--resamples",
    type=click.IntRange(100, 100_000),
    default=500,
    show_default=True,
    help="Of the bootstrap that gives the intervals.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def selftest_judge(
    profile: str,
    folder: Path | None,
    categories: tuple[str, ...],
    most: int | None,
    injections: int,
    picture: Path | None,
    json_file: Path | None,
    resamples: int,
    seed: int,
) -> None:  # fmt: skip
    """Check a judge before you trust it: pairs of pictures that differ in one planted violation.

    Prints recall, precision, AUROC, pair and severity accuracy by category, eligibility, abstentions,
    calibration, and how far words in a picture talk the judge into something (docs/selftest.md).
    """
    import msgspec
    from rich.console import Console

    from physgauge.config import load_profile
    from physgauge.report.selftest_table import print_report
    from physgauge.selftest.pairs import SHIPPED, read_pairs

    loaded = load_profile(profile)
    pairs = read_pairs(folder or SHIPPED, categories, most)
    for path in (picture, json_file):
        if path is not None and not path.parent.is_dir():
            raise ConfigError(f"{path}: expected a folder that exists, got {path.parent}")
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise ConfigError(f"{picture}: expected a name in {' or '.join(PICTURES)}, got another")
    report = _report(loaded, pairs, injections, resamples, seed)
    if json_file is not None:
        encoded = msgspec.json.format(msgspec.json.encode(report), indent=2)
        json_file.write_bytes(encoded + b"\n")
    if picture is not None:
        from physgauge.report.selftest_picture import draw

        draw(report).save(picture)
    print_report(Console(), report)


def _report(
    loaded: LoadedProfile, pairs: PairSet, injections: int, resamples: int, seed: int
) -> Report:
    import msgspec
    from rich.console import Console
    from rich.progress import Progress

    from physgauge.cli.run import loading
    from physgauge.selftest.attempts import attempts
    from physgauge.selftest.injection import in_images, resistance
    from physgauge.selftest.looks import asking_all, decoded, judged, open_judge, pictures
    from physgauge.selftest.measure import measured

    with loading():
        looking = open_judge(asking_all(loaded))
    with looking, Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("looking", total=len(pairs.pictures))
        start = time.monotonic()
        images = decoded(pictures(pairs), loaded.profile)
        answers = list(judged(images, looking, lambda: progress.advance(task)))
        seconds = time.monotonic() - start
        card = looking.card
        report = measured(
            pairs.pictures, answers, resamples, seed, judge=card.name, models=card.models,
            probes=card.probe_version, seconds=round(seconds, 3),
        )  # fmt: skip
        # Violated ones: there is something to talk a judge out of.
        chosen = [n for n, one in enumerate(pairs.pictures) if one.twin == "violated"][:injections]
        if not chosen:
            return report
        task = progress.add_task("talking into", total=2 * len(chosen) * len(attempts()))
        views = list(decoded(pictures(pairs, chosen), loaded.profile))
        tried = in_images(views, attempts(), looking, lambda: progress.advance(task))
    return msgspec.structs.replace(report, injection=resistance(tried))
