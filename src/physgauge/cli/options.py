"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click


class Number(click.FloatRange):
    """A number in a range; unlike click's own, neither NaN nor infinity is in it."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """See `click.ParamType.convert`."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"expected a finite number, got {value}", param, ctx)
        return number


Command = TypeVar("Command", bound=Callable[..., Any])

_SHARED = (
    click.option("--profile", default="tiny", show_default=True, metavar="NAME|FILE.toml",
                 help="Models, packs, limits and thresholds to use."),
    click.option("--domain", default="auto", show_default=True, metavar="auto|NAME",
                 help="What the images show; auto asks the detector, image by image."),
    click.option("--pack", "packs", multiple=True, metavar="NAME|FILE.toml",
                 help="Use this rule pack for its domain (may be given several times)."),
    click.option("-o", "--output", type=click.Path(file_okay=False), metavar="DIR",
                 help="Run folder, a path or s3://BUCKET/PREFIX (docs/bulk.md)."),
    click.option("--json", "as_json", is_flag=True,
                 help="Print each row as one line of JSON on standard output."),
    click.option("--overwrite", is_flag=True, help="Replace the run in DIR."),
)  # fmt: skip


def shared_options(command: Command) -> Command:
    """Add the options that `score` and `score-boxes` share."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


_WORKERS = (
    click.option("--processes", type=click.IntRange(1, 256), metavar="N",
                 help="Workers on this machine  [default: one per GPU that the profile uses, else one]."),
    click.option("--stall", "stall_s", type=Number(1, 86_400), default=300.0, show_default=True,
                 metavar="SECONDS", help="A worker without a sign of life for so long is replaced."),
)  # fmt: skip


def worker_options(command: Command) -> Command:
    """Add the options that `score` and `retry` share about workers."""
    for option in reversed(_WORKERS):
        command = option(command)
    return command
