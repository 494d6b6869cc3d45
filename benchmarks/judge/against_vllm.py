"""The same model in vLLM with separate prompts, in a process and a Python of its own."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.judge import load
from physgauge.ensemble.judge.engines.onepass.engine import OnePassEngine

TIMEOUT_S = 240


def run(python: str | None, folder: Path, engine: OnePassEngine, images: int) -> dict[str, Any]:
    """Speed of vLLM, or {"reason"}: why there is none.

    Args:
        python: that has vLLM; None: nobody named one.
        folder: of the model.
        engine: with the same model's prompts.
        images: asked about.
    """
    if python is None:
        return {"reason": "no --vllm-python"}
    stages = [
        [engine.prompts.written(load.PREAMBLE, q.text, True, "yes_no") for q in questions]
        for questions in (
            load.probes(engine.prompts, 1 + load.PROBES),
            load.probes(engine.prompts, load.HITS, 1 + load.PROBES),
        )
    ]
    given = {"side": load.SIDE, "images": images, "max_model_len": 1024, "stages": stages}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "requests.json"
        out = Path(place) / "result.json"
        path.write_text(json.dumps(given), encoding="utf-8")
        side = Path(__file__).with_name("vllm_side.py")
        try:
            done = subprocess.run(
                [python, str(side), str(folder), str(path), str(out)],
                capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return {"reason": f"{type(error).__name__}: {error!s:.300}"}
        if not out.is_file():
            return {"reason": f"exit {done.returncode}: {(done.stdout + done.stderr)[-300:]}"}
        made: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return made
