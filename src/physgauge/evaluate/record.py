"""A comparison with the paper mode as the table of a profile."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from physgauge.evaluate.parity import Parity

JUDGE = "judge_"
"""How provenance marks the judge's models."""


def record(found: Parity) -> str:
    """TOML of ``[judge.parity]`` (see :class:`physgauge.parity_record.ParityRecord`)."""
    quick = found.b if found.a.mode == "paper" else found.a
    score = found.scores.get("terravis.score")
    models = {
        name.removeprefix(JUDGE): sha
        for name, sha in quick.models.items()
        if name.startswith(JUDGE)
    }
    lines = [
        "[judge.parity]",
        f"images = {found.images}",
        f"agreement = {0.0 if found.all.agree is None else found.all.agree:.4f}",
    ]
    if found.all.kappa is not None:
        lines.append(f"kappa = {found.all.kappa:.4f}")
    if score is not None and score.spearman is not None:
        lines.append(f"spearman = {score.spearman:.4f}")
    held = ", ".join(f"{json.dumps(name)} = {json.dumps(sha)}" for name, sha in models.items())
    lines += [
        f"probes = {json.dumps(quick.probes or '')}",
        f"models = {{ {held} }}",
        f'date = "{datetime.now(UTC).date()}"',
    ]
    return "\n".join(lines)
