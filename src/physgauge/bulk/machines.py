"""How many workers a machine gets, and what each of them sees of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from physgauge.config import Profile

_CPU: Final = frozenset({"CPUExecutionProvider"})
_ON_GPU: Final = frozenset({"onepass", "vllm"})
_GPUS: Final = Path("/proc/driver/nvidia/gpus")
VISIBLE: Final = "CUDA_VISIBLE_DEVICES"


def gpus() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    visible = os.environ.get(VISIBLE)
    if visible is not None:
        return [one.strip() for one in visible.split(",") if one.strip()]
    try:
        return [str(number) for number in range(len(list(_GPUS.iterdir())))]
    except OSError:
        return []


def wants_gpu(profile: Profile) -> bool:
    """Whether anything in a profile runs on a GPU where there is one."""
    detectors = any(not _CPU.issuperset(one.providers) for one in profile.detectors)
    engines = {one.engine for one in (profile.judge, *profile.observers) if one is not None}
    return detectors or bool(engines & _ON_GPU)


def environments(profile: Profile, processes: int | None) -> list[dict[str, str]]:
    """One a worker: variables over this process's own.

    Args:
        profile: what they run.
        processes: how many; None: one a GPU (or a group of GPUs, where the judge takes several) that the
            profile uses, else one.
    """
    found = gpus() if wants_gpu(profile) else []
    if not found:
        return [{}] * (processes or 1)
    group = _group(profile)
    groups = [",".join(found[k : k + group]) for k in range(0, len(found) - group + 1, group)]
    groups = groups or [",".join(found)]
    return [{VISIBLE: groups[k % len(groups)]} for k in range(processes or len(groups))]


def _group(profile: Profile) -> int:
    """GPUs that one judge takes."""
    judge = profile.judge
    if judge is None or judge.engine != "vllm":
        return 1
    several = judge.vllm.get("tensor_parallel", 1)
    return several if isinstance(several, int) and several > 0 else 1


def share(processes: int) -> int:
    """Cores of each of so many workers, at least one."""
    return max(1, len(os.sched_getaffinity(0)) // processes)
