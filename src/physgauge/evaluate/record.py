"""A comparison with the paper mode as the table of a profile."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from physgauge.evaluate.result import Parity, Side

JUDGE = "judge_"
"""How provenance marks the judge's models."""


def unlike(found: Parity) -> list[str]:
    """What else differs between the sides than what is compared: their answers may differ for that."""
    said = []
    if found.a.probes != found.b.probes:
        said.append(
            f"the sides were asked different probes: A {found.a.probes}, B {found.b.probes}"
        )
    if found.a.mode != found.b.mode and _judges(found.a) != _judges(found.b):
        said.append("modes and models differ, so neither can be told from the other")
    return said


def record(found: Parity) -> str | None:
    """TOML of ``[judge.parity]`` (see :class:`physgauge.parity_record.ParityRecord`).

    None where the comparison is no check of a mode: not against `paper`, other things differ too, or
    there was nothing to agree on.
    """
    modes = {found.a.mode, found.b.mode}
    if "paper" not in modes or len(modes) == 1 or unlike(found) or found.all.agree is None:
        return None
    quick = found.b if found.a.mode == "paper" else found.a
    score = found.scores.get("terravis.score")
    lines = [
        "[judge.parity]",
        f"images = {found.images}",
        f"agreement = {found.all.agree:.4f}",
    ]
    if found.all.kappa is not None:
        lines.append(f"kappa = {found.all.kappa:.4f}")
    if score is not None and score.spearman is not None:
        lines.append(f"spearman = {score.spearman:.4f}")
    models = _judges(quick)
    held = ", ".join(f"{json.dumps(name)} = {json.dumps(sha)}" for name, sha in models.items())
    lines += [
        f"probes = {json.dumps(quick.probes or '')}",
        f"models = {{ {held} }}",
        f'date = "{datetime.now(UTC).date()}"',
    ]
    return "\n".join(lines)


def _judges(side: Side) -> dict[str, str]:
    return {
        name.removeprefix(JUDGE): sha for name, sha in side.models.items() if name.startswith(JUDGE)
    }
