"""Options of whoever watches a run, and what they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from physgauge.cli.options import Number

if TYPE_CHECKING:
    from physgauge.bulk.watch.watched import Wishes
    from physgauge.config import LoadedProfile
    from physgauge.cost_settings import CostSettings

_USD = Number(0, 1e9)


class Threshold(Number):
    """A TerraVis score of two decimals: scores are counted in steps of 0.01."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """See `click.ParamType.convert`."""
        number = super().convert(value, param, ctx)
        if abs(number * 100 - round(number * 100)) > 1e-9:
            self.fail(f"expected at most two decimals, got {value}", param, ctx)
        return round(number, 2)


_LOOK = (
    click.option("--by", multiple=True, metavar="COLUMN",
                 help="Verdicts and mean scores by a carried column or pcmde.domain (may be repeated)."),
    click.option("--below", type=Threshold(0, 1), default=0.6, show_default=True, metavar="X",
                 help="Count images whose TerraVis score is below this."),
    click.option("--cost-per-hour", type=_USD, metavar="USD",
                 help="Price of an hour of all that the run occupies  [default: the profile's]."),
    click.option("--token-price", type=_USD, metavar="USD",
                 help="Price of a million tokens of the judge  [default: the profile's]."),
    click.option("--cached-token-price", type=_USD, metavar="USD",
                 help="Price of a million tokens from the server's cache  [default: the profile's]."),
)  # fmt: skip
_RUN = (
    click.option("--metrics-port", type=click.IntRange(0, 65_535), metavar="PORT",
                 help="Serve the run's numbers to Prometheus; 0 takes any free port and says which."),
    click.option("--metrics-host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
                 help="With --metrics-port: where to listen."),
    click.option("--fail-on-error-share", type=Number(0, 1), metavar="X",
                 help="Exit with 5 if a larger share of the rows than this has an error."),
)  # fmt: skip
_LOOK_NAMES = ("by", "below", "cost_per_hour", "token_price", "cached_token_price")
_RUN_NAMES = ("metrics_port", "metrics_host", "fail_on_error_share")


@dataclass(frozen=True, slots=True)
class Watching:
    """What the options say."""

    by: tuple[str, ...] = ()
    below: float = 0.6
    cost_per_hour: float | None = None
    token_price: float | None = None
    cached_token_price: float | None = None
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
    fail_on_error_share: float | None = None

    def prices(self, profile: CostSettings | None = None) -> CostSettings:
        """The prices: an option's, else the profile's."""
        from physgauge.cost_settings import CostSettings

        own = profile or CostSettings()
        return CostSettings(
            per_hour=_given(self.cost_per_hour, own.per_hour),
            per_million_tokens=_given(self.token_price, own.per_million_tokens),
            per_million_cached_tokens=_given(
                self.cached_token_price, own.per_million_cached_tokens
            ),
        )


def _given(option: float | None, profile: float | None) -> float | None:
    return profile if option is None else option


def look_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of whoever looks; the command gets them as `watching`."""
    return _add(command, _LOOK, _LOOK_NAMES)


def watch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a run that is watched; the command gets them as `watching`."""
    return _add(command, (*_LOOK, *_RUN), (*_LOOK_NAMES, *_RUN_NAMES))


def _add(
    command: Callable[..., Any], options: tuple[Any, ...], names: tuple[str, ...]
) -> Callable[..., Any]:
    @wraps(command)
    def wrapped(**given: Any) -> Any:
        ours = {name: given.pop(name) for name in names}
        return command(**given, watching=Watching(**ours))

    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped


def wishes(watching: Watching, loaded: LoadedProfile | None) -> Wishes:
    """How a session is to be watched."""
    from physgauge.bulk.watch.watched import Wishes

    port = watching.metrics_port
    return Wishes(
        by=watching.by,
        below=watching.below,
        prices=watching.prices(None if loaded is None else loaded.profile.cost),
        metrics=None if port is None else (watching.metrics_host, port),
    )
