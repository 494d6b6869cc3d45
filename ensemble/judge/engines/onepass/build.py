"""From settings to an engine: the one place that knows all parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from physgauge.ensemble.judge.engines.families import Families, check_reached, families
from physgauge.ensemble.judge.engines.onepass.architectures import PACKED, Architecture
from physgauge.ensemble.judge.engines.onepass.check import Check
from physgauge.ensemble.judge.engines.onepass.engine import OnePassEngine
from physgauge.ensemble.judge.engines.onepass.load import Loaded, load
from physgauge.ensemble.judge.engines.onepass.packed import Packed
from physgauge.ensemble.judge.engines.onepass.prompts import Prompts
from physgauge.ensemble.judge.engines.onepass.reader import Reader
from physgauge.ensemble.judge.engines.onepass.running import Runner
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.ensemble.judge.engines.onepass.tiny import resolve
from physgauge.ensemble.judge.engines.onepass.worker import Worker
from physgauge.errors import ConfigError


def build(
    settings: OnePassSettings, folder: Path, shared: bool = True, where: str = "judge.onepass"
) -> OnePassEngine:
    """Load the model, check it, start its worker.

    Args:
        settings: the profile's.
        folder: where relative paths start.
        shared: whether an image's prompts share its prefix.
        where: names the settings in errors.

    Raises:
        ConfigError: settings that are wrong, a model that cannot be used or fails its check.
        EnvironmentProblem: the device is missing.
    """
    path = resolve(settings.model) or (folder / settings.model).resolve()
    return assemble(load(settings, path, tuple(PACKED), where), settings, shared, where)


def assemble(
    loaded: Loaded, settings: OnePassSettings, shared: bool = True, where: str = "judge.onepass"
) -> OnePassEngine:
    """An engine around a model in memory; arguments and errors as for `build`."""
    tokenizer = loaded.tokenizer
    known = families(tokenizer, where)
    ways = _ways(loaded, settings, where)
    prompts = Prompts(tokenizer, ways.mark, settings.layout, where)
    check_reached(tokenizer, prompts.written("p", "q", True, "yes_no"), known, where)
    runner = _runner(loaded, settings, ways, known)
    check = Check(runner, prompts, ways)
    if settings.check:
        check.exact(loaded.dtype, where)
    worker = Worker(
        runner, check.alive, settings.max_images, settings.max_tokens, settings.cache_bytes
    )

    def decode(ids: Sequence[int]) -> str:
        text: str = tokenizer.decode(list(ids), skip_special_tokens=True)
        return text

    return OnePassEngine(
        _name(loaded, settings, shared), loaded.models, runner, worker, prompts, ways.prepare, decode,
        shared, loaded.model.config.get_text_config().max_position_embeddings,
        settings.max_sessions, settings.prepare_workers,
    )  # fmt: skip


def reader(settings: OnePassSettings, folder: Path, where: str) -> Reader:
    """The model without its answers: what it holds at the ends of questions. Errors as for `build`, and
    ConfigError for a model that cannot be packed."""
    path = resolve(settings.model) or (folder / settings.model).resolve()
    loaded = load(settings, path, tuple(PACKED), where)
    ways = _ways(loaded, settings, where)
    prompts = Prompts(loaded.tokenizer, ways.mark, settings.layout, where)
    runner = _runner(loaded, settings, ways, families(loaded.tokenizer, where))
    if not isinstance(runner, Packed):
        raise ConfigError(
            f"{where}: model: expected one whose questions can be packed ({', '.join(PACKED)}), got "
            f"{loaded.model.config.model_type!r}"
        )
    return Reader(runner, prompts, ways.prepare, loaded.models)


def _runner(
    loaded: Loaded, settings: OnePassSettings, ways: Architecture, known: Families
) -> Runner:
    ends = frozenset(i for i in (loaded.tokenizer.eos_token_id, *_ends(loaded)) if i is not None)
    if loaded.packed:
        return Packed(loaded.model, ways, known, loaded.kernels, ends, settings.threads)
    from physgauge.ensemble.judge.engines.onepass.cached import Cached

    return Cached(loaded.model, ways, known, ends, settings.threads)


def _ways(loaded: Loaded, settings: OnePassSettings, where: str) -> Architecture:
    kind = loaded.model.config.model_type
    if kind in PACKED:
        return PACKED[kind](loaded.model, loaded.tokenizer, loaded.processor, settings.image_tokens)
    from physgauge.ensemble.judge.engines.onepass.gemma import Gemma3

    return Gemma3(loaded.model, loaded.tokenizer, loaded.processor, where)


def _ends(loaded: Loaded) -> list[int]:
    """What the model itself calls the end of a text."""
    given = loaded.model.generation_config.eos_token_id
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _name(loaded: Loaded, settings: OnePassSettings, shared: bool) -> str:
    """Everything that changes answers."""
    parts = [
        "onepass",
        loaded.name,
        str(loaded.dtype).removeprefix("torch."),
        "packed" if loaded.packed else "cache",
    ]
    if settings.weights != "as_is":
        parts.append(settings.weights)
    if settings.layout != "image_first":
        parts.append(settings.layout)
    if settings.image_tokens is not None:
        parts.append(f"{settings.image_tokens}-image-tokens")
    if not shared:
        parts.append("paper")
    return ":".join(parts)
