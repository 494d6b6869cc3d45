"""Rows of two runs, drawn at random."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from physgauge import wire
from tests.gate.rows import answer, judged, row

PROBES = ("structural_distortion", "contact_state", "optical_effect", "relative_scale")
KINDS: list[Any] = ["clean", "minor", "major", None, "lost"]
RULES = {"car": ["P1", "S1", "C1"], "animal": ["P1", "R2"]}


def draw(rng: random.Random, image_id: str, bad: float = 0.2) -> wire.Row:
    """One row of any kind; `bad`: how often a probe finds something."""
    if rng.random() < 0.05:
        return wire.error_row(
            image_id=image_id, source=image_id, code=rng.choice(["image_corrupt", "image_empty"]),
            message="broken", provenance=row().provenance, extra={"generator": rng.choice("ab")},
        )  # fmt: skip
    weights = [1 - bad, bad / 3, bad / 3, bad / 6, bad / 6]
    answers = {
        probe: answer(rng.choices(KINDS, weights)[0])
        for probe in PROBES
        if probe != "relative_scale" or rng.random() < 0.9
    }
    said = judged(**answers)
    if rng.random() < 0.1:
        said = wire.TerraVis(
            status="not_applicable", eligible=wire.Eligible(answer=False, outcome="answered")
        )
    domain = rng.choice(["car", "animal", None])
    return row(
        image_id, terravis=said, pcmde=_pcmde(rng, domain), pixel_sha256=f"{rng.getrandbits(3):x}".ljust(64, "0"),
        extra={"generator": rng.choice("abc"), "prompt": image_id} if rng.random() < 0.9 else {},
    )  # fmt: skip


def _pcmde(rng: random.Random, domain: str | None) -> wire.Pcmde:
    if domain is None:
        return wire.Pcmde(status="not_applicable", reason="no known domain")
    states: Any = ["satisfied", "violated", "not_applicable"]
    rules = [
        wire.RuleResult(id=name, category="presence", status=rng.choice(states))
        for name in RULES[domain]
        if rng.random() < 0.9
    ]
    s_rules, s_llm = float(rng.randint(0, 4) * 25), rng.choice([None, 50.0, 80.0])
    s_final = None if s_llm is None else 0.6 * s_rules + 0.4 * s_llm
    return wire.Pcmde(
        status="ok" if s_llm is not None else "partial", domain=domain, rules=rules, s_rules=s_rules,
        s_llm=s_llm, s_final=s_final,
        verdict=None if s_final is None else "PASS" if s_final >= 60 else "FAIL",
    )  # fmt: skip


def rename(rows: list[wire.Row], names: list[str]) -> list[wire.Row]:
    return [
        msgspec.structs.replace(one, image_id=name) for one, name in zip(rows, names, strict=True)
    ]
