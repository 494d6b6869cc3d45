"""vLLM in this process (the only file that imports it): an AsyncLLM behind `vllm_core.Core`.

Each prompt goes through vLLM's own renderer and the model's own chat template, as in its server. The
image goes with every prompt of its session under one id, so its pixels are processed once, its encoder
runs once, and the prefix cache keeps the keys and values of what the prompts share.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

# Read when vLLM is imported. Its statistics would go to its makers; and its children must not inherit
# threads and locks of this process by a fork.
os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
os.environ.setdefault("VLLM_WORKER_MULTIPROCESSING_METHOD", "spawn")

import msgspec
from PIL import Image
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.exceptions import VLLMClientError
from vllm.platforms import current_platform
from vllm.renderers.params import ChatParams
from vllm.sampling_params import RequestOutputKind, SamplingParams, StructuredOutputsParams
from vllm.v1.engine.async_llm import AsyncLLM
from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError

from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.engine import Engine, EngineFault
from physgauge.ensemble.judge.engines.families import families
from physgauge.ensemble.judge.engines.folders import folder_hash
from physgauge.ensemble.judge.engines.onepass.tiny import resolve
from physgauge.ensemble.judge.engines.vllm_core import Core, Given, Shown, Wanted
from physgauge.ensemble.judge.engines.vllm_engine import VllmEngine
from physgauge.ensemble.judge.engines.vllm_settings import VllmSettings as Settings
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.errors import ConfigError
from physgauge.log import log
from physgauge.types import U8

__all__ = ["Settings", "from_settings"]

CPU_CACHE_BYTES = 4 * 2**30


async def from_settings(settings: Settings, loaded: LoadedProfile) -> Engine:
    """Load the model; takes from seconds to minutes.

    Raises:
        ConfigError: no such model, or settings that vLLM refuses.
        EngineFault: vLLM does not start.
    """
    where = f"profile {loaded.profile.name}: judge.vllm"
    folder = resolve(settings.model) or loaded.path(settings.model)
    local = (folder / "config.json").is_file()
    if not local and settings.model.startswith((".", "/", "~")):
        raise ConfigError(f"{where}.model: expected a folder with a config.json, got {folder}")
    model = str(folder) if local else settings.model

    if (judge := loaded.profile.judge) is not None:
        shots = len(load_probes(judge.probes, loaded.folder).shots)
        settings = msgspec.structs.replace(settings, examples=max(settings.examples, shots))

    async def start() -> Core:
        return await _started(settings, model, where)

    core = await _started(settings, model, where)
    name = folder.name if local else settings.model
    dtype = str(core.llm.model_config.dtype).removeprefix("torch.")
    version = await asyncio.to_thread(folder_hash, folder) if local else core.revision
    label = ":".join(["vllm", name, settings.quantization or dtype, settings.layout])
    return VllmEngine(settings, label, {name: version}, core, start)


async def _started(settings: Settings, model: str, where: str) -> AsyncCore:
    arguments: dict[str, Any] = {
        "max_model_len": settings.max_model_len,
        "quantization": settings.quantization,
        "kv_cache_memory_bytes": settings.kv_cache_bytes
        or (CPU_CACHE_BYTES if current_platform.is_cpu() else None),
        "max_num_seqs": settings.max_num_seqs,
        "max_num_batched_tokens": settings.max_num_batched_tokens,
        "mm_processor_kwargs": settings.image_options or None,
    }
    try:
        options = AsyncEngineArgs(
            model=model,
            dtype=settings.dtype,
            tensor_parallel_size=settings.tensor_parallel,
            gpu_memory_utilization=settings.memory,
            enforce_eager=settings.enforce_eager,
            enable_prefix_caching=settings.prefix_caching,
            limit_mm_per_prompt={"image": 1 + settings.examples},
            max_logprobs=64,
            disable_log_stats=True,
            **{key: value for key, value in arguments.items() if value is not None},
        )
        config = await asyncio.to_thread(options.create_engine_config)
    except (ValueError, OSError, TypeError) as error:
        raise ConfigError(f"{where}: vLLM refuses {model}: {_first_line(error)}") from None
    try:
        # In a thread: it waits for its processes, up to minutes, and the loop has other images.
        llm = await asyncio.to_thread(AsyncLLM.from_vllm_config, config, disable_log_stats=True)
    except Exception as error:
        raise EngineFault(f"{where}: vLLM does not start: {_first_line(error)}") from error
    try:
        return AsyncCore(llm, settings, where)
    except BaseException:
        await asyncio.to_thread(llm.shutdown)
        raise


class AsyncCore:
    """One AsyncLLM and its processes."""

    def __init__(self, llm: AsyncLLM, settings: Settings, where: str) -> None:
        self._llm: AsyncLLM | None = llm
        self._chat = ChatParams(
            chat_template_kwargs={"add_generation_prompt": True, **settings.template_options}
        )
        tokenizer: Any = llm.get_tokenizer()
        if not tokenizer.chat_template:
            raise ConfigError(f"{where}.model: expected one with a chat template, got none")
        known = families(tokenizer, where)
        self.families: Mapping[bool, tuple[int, ...]] = {True: known.yes, False: known.no}
        self.special: Sequence[str] = [str(token) for token in tokenizer.all_special_tokens] + [
            token.content for token in tokenizer.added_tokens_decoder.values() if token.special
        ]
        self._words = (*known.yes, *known.no)
        self._numbers = itertools.count()
        self._log_failures = True

    @property
    def llm(self) -> AsyncLLM:
        """While it runs.

        Raises:
            EngineFault: it was stopped.
        """
        if self._llm is None:
            raise EngineFault("vLLM was stopped")
        return self._llm

    @property
    def revision(self) -> str:
        """Of a model from a hub."""
        config: Any = self.llm.model_config.hf_config
        return str(getattr(config, "_commit_hash", None) or self.llm.model_config.revision or "")

    @property
    def dead(self) -> bool:
        """Whether its processes have ended, or its loop."""
        return self._llm is None or bool(self._llm.errored)

    def picture(self, image: U8) -> Any:
        """Pixels as vLLM takes them."""
        return Image.fromarray(image)

    async def ask(self, wanted: Wanted) -> Given:
        """One prompt.

        A prompt that vLLM will not take (too long, an image that its processor can't cut) is `blocked`;
        one that fails inside it, `timeout`.

        Raises:
            EngineFault: the engine is dead.
        """
        try:
            prompt = await self._rendered(wanted)
        except (EngineDeadError, EngineFault):
            raise EngineFault("vLLM has died") from None
        except Exception as error:  # whatever the model's processor raises over this image
            return self._failed("blocked", error)
        # Ids are unique for as long as the engine lives: a second one of a kind would end it.
        number = f"physgauge-{next(self._numbers)}"
        try:
            async for output in self.llm.generate(prompt, self._sampling(wanted), number):
                if output.finished:
                    return self._given(output)
        except EngineDeadError:
            raise EngineFault("vLLM has died") from None
        except (VLLMClientError, ValueError) as error:
            return self._failed("blocked", error)
        except EngineGenerateError as error:
            if self.dead:
                raise EngineFault("vLLM has died") from None
            return self._failed("timeout", error.__cause__ or error)
        return Given("timeout")

    async def stop(self) -> None:
        """End its processes, and wait for them."""
        llm, self._llm = self._llm, None
        if llm is None:
            return
        if llm.output_handler is not None and llm.get_num_unfinished_requests() == 0:
            llm.output_handler.cancel()  # or it would log the end of its processes as their death
        await asyncio.to_thread(llm.shutdown, 10.0)

    async def _rendered(self, wanted: Wanted) -> Any:
        content: list[Any] = []
        if wanted.before:
            content.append({"type": "text", "text": wanted.before})
        for example, said in wanted.examples:
            content += [_picture(example), {"type": "text", "text": said}]
        if wanted.shown is not None:
            content.append(_picture(wanted.shown))
        content.append({"type": "text", "text": wanted.behind})
        messages: Any = [{"role": "user", "content": content}]
        _, (prompt,) = await self.llm.renderer.render_chat_async([messages], self._chat)
        return prompt

    def _sampling(self, wanted: Wanted) -> SamplingParams:
        prompt, last = wanted.prompt, RequestOutputKind.FINAL_ONLY
        if prompt is None:
            words = list(self._words)
            return SamplingParams(
                max_tokens=1, temperature=0.0, logprob_token_ids=words, allowed_token_ids=words,
                output_kind=last,
            )  # fmt: skip
        held = None
        if prompt.schema is not None:
            # Without this a small model may write blanks until its tokens are used up.
            held = StructuredOutputsParams(json=dict(prompt.schema), disable_any_whitespace=True)
        return SamplingParams(
            max_tokens=prompt.max_tokens, temperature=prompt.temperature, seed=prompt.seed,
            structured_outputs=held, output_kind=last,
        )  # fmt: skip

    def _given(self, output: Any) -> Given:
        (one,) = output.outputs
        if one.finish_reason == "abort":
            return Given("timeout")
        first = one.logprobs[0] if one.logprobs else None
        logs = None if first is None else {token: found.logprob for token, found in first.items()}
        return Given(
            "answered", one.text, one.finish_reason != "length", logs,
            len(output.prompt_token_ids or ()), output.num_cached_tokens or 0, len(one.token_ids),
        )  # fmt: skip

    def _failed(self, outcome: Any, error: BaseException) -> Given:
        if self._log_failures:  # the first tells enough
            self._log_failures = False
            log("vllm", what=outcome, kind=type(error).__name__, why=_first_line(error))
        return Given(outcome)


def _picture(shown: Shown) -> dict[str, Any]:
    return {"type": "image_pil", "image_pil": shown.picture, "uuid": shown.id}


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:300]
