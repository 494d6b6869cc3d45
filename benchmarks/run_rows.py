"""Rows like those of a bulk run, drawn at random: for benchmarks of what reads a million of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Final

import msgspec

from physgauge import wire
from physgauge.bulk.fingerprint import fingerprint
from physgauge.bulk.watch.events import UnitDone
from physgauge.bulk.watch.session import Journal
from physgauge.bulk.watch.tally import Tally
from physgauge.clients.runs import Run
from physgauge.clients.runs.names import count_key, rows_key
from physgauge.clients.sources import Sourcing, make_plan
from physgauge.clients.storage import open_store
from physgauge.config import load_profile
from physgauge.rules_kernel import load_pack

PROBES: Final = (
    "object_identity", "structural_distortion", "biological_anatomy", "nonbiological_structure",
    "texture_surface", "symbolic_content", "object_context", "contact_state", "support_stability",
    "dynamic_response", "medium_interaction", "optical_effect", "energy_source", "thermal_response",
    "behavior_event", "relative_scale", "depth_order_occlusion", "region_continuity",
)  # fmt: skip
_PROVENANCE: Final = wire.Provenance(
    physgauge="0.1.0", profile="tiny", models={"parts": "0" * 64, "judge": "1" * 64}, pack="car",
    pack_hash="2" * 64, probe_version="probes@1 0123456789abcdef", lambda_=1.0, alpha=0.5,
    decoder="Pillow 12", engine="student",
    settings={"yes_from": 0.5, "grade_from": 0.1, "tau": 60.0, "tau_c": 40.0},
)  # fmt: skip


class Maker:
    """Draws rows.

    Args:
        seed: of the draws.
        worse: added to the share of images on which a probe finds something.
    """

    def __init__(self, seed: int, worse: float = 0.0) -> None:
        self._rng = random.Random(seed)
        self._worse = worse
        self._packs = {name: load_pack(name) for name in ("aircraft", "car", "animal")}

    def row(self, image_id: str) -> wire.Row:
        """One image's."""
        rng = self._rng
        if rng.random() < 0.002:
            return wire.error_row(
                image_id=image_id, source=image_id, code="image_truncated",
                message=f"{image_id}: the data ends early", provenance=_PROVENANCE,
            )  # fmt: skip
        domain = rng.choice(list(self._packs))
        return wire.Row(
            image_id=image_id, source=image_id, caption=f"a photograph of {domain} in the street",
            extra={"generator": rng.choice(("alpha", "beta", "gamma"))}, width=1024, height=1024,
            pixel_sha256=f"{rng.getrandbits(256):064x}", terravis=self._terravis(),
            pcmde=self._pcmde(domain), provenance=_PROVENANCE,
            detections=[
                wire.Detection(label=f"{domain}.head", score=round(rng.random(), 4),
                               box=[round(rng.random() * 1024, 2) for _ in range(4)])
                for _ in range(8)
            ],
            cost=wire.Cost(calls=1, ms={"decode": rng.random() * 9, "judge": rng.random() * 20}),
        )  # fmt: skip

    def _terravis(self) -> wire.TerraVis:
        rng, answers, score = self._rng, {}, 1.0
        for probe in PROBES:
            p = min(1.0, rng.random() ** 6 + self._worse)
            severity: Any = rng.choice(("major", "minor")) if p > 0.5 else None
            score *= {"major": 0.3679, "minor": 0.6065, None: 1.0}[severity]
            answers[probe] = wire.Answer(
                answer=p > 0.5, p_yes=round(p, 6), outcome="answered", severity=severity,
                p_major=round(rng.random(), 6) if p > 0.1 else None,
            )  # fmt: skip
        return wire.TerraVis(
            status="ok", mode="onepass", score=score, score_soft=score * 0.9, low=score, high=score,
            soft_low=score * 0.9, soft_high=score, answers=answers,
            eligible=wire.Eligible(answer=True, p=0.97, outcome="answered"),
        )  # fmt: skip

    def _pcmde(self, domain: str) -> wire.Pcmde:
        rng = self._rng
        states: Any = ("satisfied", "violated", "not_applicable")
        rules = [
            wire.RuleResult(
                id=rule.id, category=rule.category, says=rule.says, bound=rule.bound, boxes=[0, 1],
                status=rng.choices(states, (80, 5 + 100 * self._worse, 15))[0],
                measured=round(rng.random() * 100, 4),
            )
            for rule in self._packs[domain].rules
        ]  # fmt: skip
        s_rules, s_llm = round(rng.random() * 60 + 40, 4), round(rng.random() * 60 + 40, 4)
        s_final = 0.6 * s_rules + 0.4 * s_llm
        return wire.Pcmde(
            status="ok", domain=domain, view="side", counts={"head": 1.0, "tail": 1.0}, rules=rules,
            s_presence=s_rules, s_spatial=s_rules, s_relational=s_rules, s_rules=s_rules, s_llm=s_llm,
            s_final=s_final, low=s_final, high=s_final, verdict="PASS" if s_final >= 60 else "FAIL",
            reasoner="specification", explanation="Judged against any type of this domain.",
        )  # fmt: skip


def make_run(
    folder: Path, manifest: Path, unit_size: int, distinct: int, seed: int, worse: float
) -> int:
    """A finished run over a manifest, as ``physgauge score MANIFEST -o FOLDER`` leaves it; returns how
    many rows it has.

    So many units are drawn and committed through `Run.commit`; the files of the others are copies of
    those (ids come again, then): drawing and writing a million rows would take an hour on this machine.
    """
    store = open_store(folder)
    sourcing = Sourcing(unit_size=unit_size)
    parts = fingerprint(load_profile("tiny"), domain="auto", packs=(), method="both")
    options = {
        "command": "score", "engine": "local", "folder": str(manifest.parent),
        "inputs": [str(manifest)], "sourcing": msgspec.to_builtins(sourcing), "setup": {},
    }  # fmt: skip
    run = Run.create_or_open(store, parts, options)
    plan = make_plan([str(manifest)], store, sourcing)
    journal = Journal(store, "benchmark")
    maker = Maker(seed, worse)
    tallies: list[Tally] = []
    for number, count in enumerate(plan.counts()):
        size = count or 0
        if number < distinct or size != unit_size:
            rows = [maker.row(entry.image_id) for entry in plan.unit(number).entries]
            run.commit(number, 0, rows)
            tally = Tally()
            for row in rows:
                tally.add(row)
            tallies.append(tally)
        else:
            drawn = number % distinct
            source = Path(store.where(rows_key(drawn, 0)))
            store.create(rows_key(number, 0), source.read_bytes(), durable=False)
            store.create(count_key(number, 0, size), b"", durable=False)
            tally = tallies[drawn]
        journal.add(
            UnitDone(unit=number, worker="0", entries=size, scored=size, seconds=1.0, tally=tally)
        )
        journal.flush()
    return sum(one.entries for one in run.committed().values())
