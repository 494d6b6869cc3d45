"""The judge's first pass in vLLM: one prompt a question, one token an answer, prefix caching on.

    VENV_WITH_VLLM/bin/python -m benchmarks.judge_vllm MODEL [--images 32] [--side 512] [--in-flight 16]

MODEL is a folder in Hugging Face form or "tiny:NAME". It asks the shipped probe set (eligibility and 18
probes; with --graded K also K severity questions in a second round) about random pictures. The last line
is ``RESULT {json}``: images/s, and tokens computed and taken from the cache an image. vLLM needs an
environment of its own (.ci/vllm_env).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from physgauge.config import LoadedProfile, Profile
from physgauge.ensemble.judge.engine import Engine, Question, Spent
from physgauge.ensemble.judge.engines import vllm
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.ensemble.judge.terravis.probes import ProbeSet
from physgauge.types import U8


def pictures(count: int, side: int, seed: int) -> list[U8]:
    """Random ones: no two share a pixel, so nothing is cached between images."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 256, (side, side, 3), dtype=np.uint8) for _ in range(count)]


async def look(engine: Engine, image: U8, probes: ProbeSet, graded: int) -> Spent:
    """All questions about one image, each a prompt of its own."""
    asked = [Question("eligible?", probes.eligible)]
    asked += [Question(probe.id, probe.text) for probe in probes.probes]
    async with engine.open(image, probes.preamble) as session:
        replies = list(await session.yes_no(asked))
        if graded:
            second = [
                Question(probe.id, probes.severity_of(probe.thing))
                for probe in probes.probes[:graded]
            ]
            replies += await session.yes_no(second)
        missing = sum(reply.p is None for reply in replies)
        if missing:
            raise SystemExit(f"expected {len(replies)} probabilities, got {missing} fewer")
        return session.spent


async def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Load, warm up, and time all images with so many in flight."""
    settings = vllm.Settings(
        model=arguments.model,
        dtype=arguments.dtype,
        enforce_eager=arguments.eager,
        prefix_caching=not arguments.no_prefix_caching,
        kv_cache_bytes=None if arguments.cache_gib is None else arguments.cache_gib * 2**30,
        max_model_len=4096,
    )
    loaded = LoadedProfile(profile=Profile(name="benchmark"), folder=Path())
    probes = load_probes("terravis", Path())
    start = time.perf_counter()
    engine = await vllm.from_settings(settings, loaded)
    load_s = time.perf_counter() - start
    try:
        for image in pictures(2, arguments.side, seed=1):
            await look(engine, image, probes, arguments.graded)
        slots = asyncio.Semaphore(arguments.in_flight)

        async def one(image: U8) -> Spent:
            async with slots:
                return await look(engine, image, probes, arguments.graded)

        images = pictures(arguments.images, arguments.side, seed=0)
        start = time.perf_counter()
        spent = await asyncio.gather(*(one(image) for image in images))
        took_s = time.perf_counter() - start
    finally:
        await engine.close()
    count = len(images)
    return {
        "engine": engine.name,
        "images": count,
        "in_flight": arguments.in_flight,
        "images_per_s": count / took_s,
        "prompts_per_image": sum(s.calls for s in spent) / count,
        "tokens_per_image": sum(s.tokens for s in spent) / count,
        "cached_tokens_per_image": sum(s.cached_tokens for s in spent) / count,
        "load_s": load_s,
    }


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--images", type=int, default=32)
    parser.add_argument("--side", type=int, default=512, help="px")
    parser.add_argument("--in-flight", type=int, default=16, help="images at a time")
    parser.add_argument("--graded", type=int, default=0, help="severity questions an image")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--eager", action="store_true", help="no compiling: starts sooner")
    parser.add_argument("--no-prefix-caching", action="store_true")
    parser.add_argument("--cache-gib", type=int, help="for keys and values")
    result = asyncio.run(measure(parser.parse_args()))
    for name, value in result.items():
        print(f"{name:24} {value:.4g}" if isinstance(value, float) else f"{name:24} {value}")
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    main()
