"""How fast is the whole 18-probe workflow? ``python -m benchmarks.judge``

(a) the published call pattern: one image at a time, read again for each call, three-line answers written,
three barriers; its calls one after another, and its 18 calls batched; (b) vLLM with separate prompts
(with --vllm-python: on an Idefics3 of the same size, which vLLM runs on a CPU without torchvision; one
pass is measured on that model too); (c) one pass. Each comparison: same model, same machine, one run.

On a GPU: ``--device cuda --config qwen3-vl-4b`` (or 8b): random weights of the real size. Not run yet.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from benchmarks.judge import against_vllm, load, shapes
from benchmarks.judge.patterns import Measured, one_pass, published
from physgauge.ensemble.judge.engines.onepass.build import assemble, build
from physgauge.ensemble.judge.engines.onepass.check import Check
from physgauge.ensemble.judge.engines.onepass.engine import OnePassEngine
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.ensemble.judge.engines.onepass.tiny import resolve

SMALL, SMALL_VLLM = "tiny:qwen3vl-50m", "tiny:smolvlm-50m"


def options() -> argparse.Namespace:
    """Of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--config", choices=list(shapes.CONFIGS), help=f"else {SMALL}")
    parser.add_argument("--weights", choices=["as_is", "fp8"], default="as_is")
    parser.add_argument("--images", type=int, help="of one pass")
    parser.add_argument("--in-flight", type=int, help="images of one pass at a time")
    parser.add_argument("--max-images", type=int, help="new images a forward pass")
    parser.add_argument(
        "--baseline-images", type=int, default=1, help="of each form of (a); 0: none"
    )
    parser.add_argument(
        "--vllm-python",
        default=os.environ.get("PHYSGAUGE_VLLM_PYTHON"),
        help="a Python that has vLLM; default: $PHYSGAUGE_VLLM_PYTHON",
    )
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    cuda = given.device.startswith("cuda")
    given.images = given.images or (512 if cuda else 16)
    given.in_flight = given.in_flight or (64 if cuda else 4)
    given.max_images = given.max_images or (16 if cuda else 2)
    return given


def engine(given: argparse.Namespace, model: str, shared: bool) -> OnePassEngine:
    """Of the load's model; texts never end early."""
    settings = OnePassSettings(
        model=model, device=given.device, dtype="bfloat16", weights=given.weights,
        max_images=given.max_images, threads=given.threads, max_tokens=65_536, cache_bytes=2**35,
        prepare_workers=8 if given.device.startswith("cuda") else 1,
        check=False,
    )  # fmt: skip
    if given.config is None:
        made = build(settings, Path(), shared)
    else:
        device = torch.device(given.device)
        made = assemble(
            shapes.made(given.config, settings, device, torch.bfloat16), settings, shared
        )
    made.runner.ends = frozenset()  # type: ignore[attr-defined]
    return made


async def measure(given: argparse.Namespace, model: str) -> Measured:
    """(c), the faster of two runs."""
    made = engine(given, model, True)
    check = Check(made.runner, made.prompts, made.runner._ways)  # type: ignore[attr-defined]
    differs = float(np.abs(check.together() - check.apart()).max())
    print(
        f"log-odds of one pass and of separate prompts differ by at most {differs:.3g} (bfloat16)"
    )
    await one_pass(made, given.in_flight, given.in_flight)
    runs = [await one_pass(made, given.images, given.in_flight) for _ in range(2)]
    await made.close()
    return max(runs, key=lambda run: run.images_per_s)


async def baselines(given: argparse.Namespace, model: str) -> dict[str, Measured]:
    """(a)."""
    if given.baseline_images == 0:
        return {}
    made = engine(given, model, False)
    async with made.open(load.image(0)) as session:
        await session.write(load.reports(made.prompts, 1))  # warm
    rows = {
        "serial": await published(made, given.baseline_images, batched=False),
        "batched": await published(made, given.baseline_images, batched=True),
    }
    await made.close()
    return rows


async def vllm(given: argparse.Namespace) -> tuple[dict[str, Any], Measured | None]:
    """(b), and (c) on the same model."""
    if given.vllm_python is None:
        return against_vllm.run(None, Path(), None, 0), None  # type: ignore[arg-type]
    ours = await measure(given, SMALL_VLLM)
    made = engine(given, SMALL_VLLM, True)
    folder = resolve(SMALL_VLLM)
    assert folder is not None
    theirs = await asyncio.to_thread(
        against_vllm.run, given.vllm_python, folder, made, min(given.images, 8)
    )
    await made.close()
    return theirs, ours


async def main() -> None:
    """Measure, print a table and the result line."""
    given = options()
    rows = await baselines(given, SMALL)
    rows["onepass"] = await measure(given, SMALL)
    theirs, beside = await vllm(given)
    table = Table("way", "images/s", "tokens computed an image", title=given.config or SMALL)
    shown = dict(rows)
    if beside is not None:
        shown[f"onepass ({SMALL_VLLM})"] = beside
    if "images_per_s" in theirs:
        shown[f"vLLM ({SMALL_VLLM})"] = Measured(theirs["images_per_s"], theirs["tokens_per_image"])
    for name, row in shown.items():
        table.add_row(name, f"{row.images_per_s:.3f}", f"{row.tokens_per_image:,.0f}")
    Console().print(table)
    print("RESULT " + json.dumps(result(given, rows, theirs, beside)))


def result(
    given: argparse.Namespace,
    rows: dict[str, Measured],
    theirs: dict[str, Any],
    beside: Measured | None,
) -> dict[str, Any]:
    """Ratios within this run; null where a side was not run."""
    fast = rows["onepass"].images_per_s

    def over(name: str) -> float | None:
        return round(fast / rows[name].images_per_s, 2) if name in rows else None

    tokens: dict[str, float | None] = {
        name: round(rows[name].tokens_per_image) if name in rows else None
        for name in ("serial", "batched", "onepass")
    }
    tokens["vllm"] = theirs.get("tokens_per_image")
    against = None
    if beside is not None and "images_per_s" in theirs:
        against = round(beside.images_per_s / theirs["images_per_s"], 2)
    return {
        "onepass_vs_serial": over("serial"),
        "onepass_vs_batched": over("batched"),
        "onepass_vs_vllm": against,
        "vllm_reason": theirs.get("reason"),
        "vllm_cached_tokens_per_image": theirs.get("cached_tokens_per_image"),
        "images_per_s": round(fast, 3),
        "tokens_per_image": tokens,
        "model": given.config or SMALL,
        "device": torch.cuda.get_device_name() if given.device.startswith("cuda") else "cpu",
    }


if __name__ == "__main__":
    asyncio.run(main())
