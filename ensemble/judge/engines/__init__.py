"""The engines a judge can run on, by the name a profile gives them.

An engine is a module of this package (or a package of its own in it), imported only when a profile names
it. It has

    class Settings(physgauge.settings.Settings, frozen=True, kw_only=True): ...
    def from_settings(settings: Settings, loaded: LoadedProfile) -> Engine: ...

`Settings` is the profile's table ``[judge.NAME]``. `from_settings` is called once, in the thread of the
event loop that will run the engine, while it runs (so an engine may bind to it); it may be a coroutine
function. It raises `ConfigError` for settings that are wrong, `EnvironmentProblem` for what the machine
lacks.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, Final

from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.engine import Engine
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.settings import Settings, read_table

ENGINES: Final = {
    "onepass": "physgauge.ensemble.judge.engines.onepass",
    "vllm": "physgauge.ensemble.judge.engines.vllm",
    "endpoint": "physgauge.ensemble.judge.engines.endpoint",
}
"""Name to module."""
EXTRAS: Final = {"onepass": "judge", "vllm": "vllm", "endpoint": "endpoint"}
"""Name to the extra of the package that brings what it imports."""


async def load_engine(loaded: LoadedProfile) -> Engine:
    """The engine of a profile's judge, ready; to be awaited in the loop that will run it.

    Raises:
        ConfigError: the profile has no judge, or its settings are wrong.
        EnvironmentProblem: the engine's library or model is missing.
    """
    judge = loaded.profile.judge
    if judge is None:
        raise ConfigError(f"profile {loaded.profile.name}: judge: expected a table, got none")
    return await make_engine(judge.engine, getattr(judge, judge.engine), "judge", loaded)


async def make_engine(
    kind: str, table: Mapping[str, Any], of: str, loaded: LoadedProfile
) -> Engine:
    """An engine, ready.

    Args:
        kind: one of ENGINES.
        table: its settings, as the profile has them.
        of: whose it is, for errors.
        loaded: the profile.

    Raises:
        ConfigError: its settings are wrong.
        EnvironmentProblem: its library or model is missing.
    """
    module, settings = _checked(kind, table, of, loaded)
    made = module.from_settings(settings, loaded)
    engine: Engine = await made if inspect.isawaitable(made) else made
    return engine


def check_engine(loaded: LoadedProfile) -> None:
    """Look at the settings of a profile's judge, and for the library of its engine; load nothing. A
    profile without a judge is fine.

    Raises:
        ConfigError, EnvironmentProblem: as `make_engine`, as far as this shows.
    """
    judge = loaded.profile.judge
    if judge is not None:
        _checked(judge.engine, getattr(judge, judge.engine), "judge", loaded)


def _checked(
    kind: str, table: Mapping[str, Any], of: str, loaded: LoadedProfile
) -> tuple[Any, Settings]:
    module = _import(kind)
    return module, read_table(table, module.Settings, f"profile {loaded.profile.name}: {of}.{kind}")


def _import(kind: str) -> Any:
    try:
        return importlib.import_module(ENGINES[kind])
    except ImportError as error:
        raise EnvironmentProblem(
            f"the engine {kind!r} cannot be loaded ({error}): pip install 'physgauge[{EXTRAS[kind]}]'"
        ) from None
