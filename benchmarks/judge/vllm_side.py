"""Run by vLLM's own Python, which has nothing of ours: separate prompts about the same images.

    VLLM_PYTHON vllm_side.py MODEL_FOLDER REQUESTS.json RESULT.json

REQUESTS: {"side", "images", "max_model_len", "stages": [[prompt, ...], ...]}. Stages are barriers, as
in the workflow; all images' prompts of a stage are given at once, which suits vLLM best. Image first, one
token an answer, its log-probabilities asked for, prefix cache on, an image known by its id. RESULT:
{"images_per_s", "tokens_per_image", "cached_tokens_per_image", "version"}.
"""

import json
import os
import sys
import time


def main() -> None:
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")
    import numpy as np
    import vllm
    from PIL import Image

    folder, path, out = sys.argv[1:4]
    with open(path, encoding="utf-8") as stream:
        given = json.load(stream)
    engine = vllm.LLM(
        folder, max_model_len=given["max_model_len"], dtype="bfloat16", enforce_eager=True,
        enable_prefix_caching=True, limit_mm_per_prompt={"image": 1}, disable_log_stats=True,
    )  # fmt: skip
    side = given["side"]
    pictures = [
        Image.fromarray(np.random.default_rng(i).integers(0, 256, (side, side, 3), np.uint8))
        for i in range(given["images"] + 1)
    ]
    params = vllm.SamplingParams(max_tokens=1, temperature=0.0, logprobs=5)
    counted = {"tokens": 0, "cached": 0}

    def run(indices: "list[int]") -> None:
        for stage in given["stages"]:
            requests = [
                {
                    "prompt": prompt,
                    "multi_modal_data": {"image": pictures[i]},
                    "multi_modal_uuids": {"image": f"image-{i}"},
                }
                for i in indices
                for prompt in stage
            ]
            for made in engine.generate(requests, params, use_tqdm=False):
                cached = made.num_cached_tokens or 0
                counted["cached"] += cached
                counted["tokens"] += len(made.prompt_token_ids) - cached + 1

    run([given["images"]])  # warm
    counted.update(tokens=0, cached=0)
    start = time.perf_counter()
    run(list(range(given["images"])))
    seconds = time.perf_counter() - start
    with open(out, "w", encoding="utf-8") as stream:
        json.dump(
            {
                "images_per_s": given["images"] / seconds,
                "tokens_per_image": counted["tokens"] / given["images"],
                "cached_tokens_per_image": counted["cached"] / given["images"],
                "version": vllm.__version__,
            },
            stream,
        )


if __name__ == "__main__":
    main()
