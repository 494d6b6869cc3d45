"""What the rules said about one image: in words, as plain values, and as a picture with the boxes that
each rule points at."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from physgauge import wire

if TYPE_CHECKING:
    from PIL import Image

    from physgauge.types import U8

_SIGNS = {"satisfied": "ok  ", "violated": "FAIL", "not_applicable": "n/a "}


def explained(row: wire.Row, rules: Collection[str] = ()) -> dict[str, Any]:
    """The image's rules as plain values, each with its boxes in full.

    Args:
        row: a result row.
        rules: only these ids; empty: all.
    """
    pcmde = row.pcmde
    return {
        "image_id": row.image_id,
        "source": row.source,
        "caption": row.caption,
        "status": pcmde.status,
        "reason": row.error or pcmde.reason,
        "domain": pcmde.domain,
        "subtype": pcmde.subtype,
        "view": pcmde.view,
        "pack": row.provenance.pack,
        "pack_hash": row.provenance.pack_hash,
        "s_rules": pcmde.s_rules,
        "s_final": pcmde.s_final,
        "readings": pcmde.readings,
        "verdict": pcmde.verdict,
        "subjects": [_subject(subject) for subject in pcmde.subjects],
        "rules": [_rule(row, rule) for rule in pcmde.rules if not rules or rule.id in rules],
    }


def _subject(subject: wire.SubjectResult) -> dict[str, Any]:
    return {
        "domain": subject.domain,
        "subtype": subject.subtype,
        "view": subject.view,
        "box": list(subject.box),
        "parts": len(subject.parts),
        "status": subject.status,
        "reason": subject.reason,
        "s_final": subject.s_final,
        "verdict": subject.verdict,
    }


def _rule(row: wire.Row, rule: wire.RuleResult) -> dict[str, Any]:
    found = [row.detections[index] for index in rule.boxes if 0 <= index < len(row.detections)]
    return {
        "id": rule.id,
        "category": rule.category,
        "status": rule.status,
        "says": rule.says,
        "measured": rule.measured,
        "bound": rule.bound or None,
        "p_violated": rule.p_violated,
        "boxes": [{"label": d.label, "box": list(d.box), "score": d.score} for d in found],
    }


def in_words(row: wire.Row, rules: Collection[str] = ()) -> list[str]:
    """The same as lines of text, violated rules first."""
    told = explained(row, rules)
    kind = " ".join(filter(None, [told["domain"], told["subtype"], told["view"]]))
    lines = [f"{row.image_id}: {told['verdict'] or told['status']}   {kind}".rstrip()]
    if row.caption is not None:
        lines.append(f"caption: {row.caption}")
    scores = [
        f"{n} {told[k]:.1f}"
        for n, k in (("S_final", "s_final"), ("S_rules", "s_rules"))
        if told[k] is not None
    ]
    if told["pack"]:
        scores.append(f"pack {told['pack']} ({str(told['pack_hash'])[:16]})")
    if scores:
        lines.append(", ".join(scores))
    if told["reason"]:
        lines.append(f"reason: {told['reason']}")
    lines += _subject_lines(told["subjects"])
    several = _several(row)
    if several:
        lines.append(
            f"{row.pcmde.readings} readings of unsure boxes: scores are means over them, what follows is "
            "of the likeliest one"
        )
    order = ("violated", "satisfied", "not_applicable")
    for rule in sorted(told["rules"], key=lambda rule: order.index(rule["status"])):
        lines += _rule_lines(rule, several)
    return lines


def _subject_lines(subjects: list[dict[str, Any]]) -> list[str]:
    lines = [f"{len(subjects)} subjects, the worst first; the rules are about that one:"]
    for number, subject in enumerate(subjects, 1):
        kind = " ".join(filter(None, [subject["domain"], subject["subtype"], subject["view"]]))
        x0, y0, x1, y1 = subject["box"]
        score = "" if subject["s_final"] is None else f", S_final {subject['s_final']:.1f}"
        said = subject["verdict"] or f"{subject['status']} ({subject['reason']})"
        place = f"x {x0:.1f} to {x1:.1f}, y {y0:.1f} to {y1:.1f} px"
        lines.append(f"  {number}. {kind}, {subject['parts']} parts at {place}: {said}{score}")
    return lines if subjects else []


def _several(row: wire.Row) -> bool:
    """Whether a rule can be violated in a share of the readings; with one reading it is or it is not."""
    return row.pcmde.readings is not None and row.pcmde.readings > 1


def _rule_lines(rule: dict[str, Any], several: bool) -> list[str]:
    measured = "" if rule["measured"] is None else f"measured {rule['measured']:.6g}"
    bound = f"bound {rule['bound']}" if rule["bound"] else ""
    share = rule["p_violated"] if several else None
    # A rule that no reading breaks needs no word about it.
    doubt = f"violated in {share:.0%} of the readings" if share else ""
    numbers = ", ".join(filter(None, [measured, bound, doubt]))
    head = f"{_SIGNS[rule['status']]}  {rule['id']:<4} {rule['says']}"
    lines = [f"{head}   ({numbers})" if numbers else head]
    for box in rule["boxes"]:
        x0, y0, x1, y1 = box["box"]
        place = f"x {x0:.1f} to {x1:.1f}, y {y0:.1f} to {y1:.1f} px"
        lines.append(f"             {box['label']} at {place}, score {box['score']:.2f}")
    return lines


def draw(rgb: U8, row: wire.Row, rules: Collection[str] = ()) -> Image.Image:
    """The picture with the boxes that rules point at, each with the ids of those rules: red where one of
    them is violated, green where all are kept. Where there are several readings, a violated rule's
    id comes with the share of them that violate it.

    Args:
        rgb: [H, W, 3] the decoded image.
        row: its result row.
        rules: only these ids; empty: all.
    """
    from physgauge.report.draw import BAD, GOOD, canvas, tag_box

    pointed: dict[int, list[wire.RuleResult]] = {}
    for rule in row.pcmde.rules:
        if not rules or rule.id in rules:
            for index in rule.boxes:
                pointed.setdefault(index, []).append(rule)
    picture, factor, font = canvas(rgb)
    # Violated ones last: on top.
    for bad in (False, True):
        for index, pointing in pointed.items():
            guilty = [_blame(rule, row) for rule in pointing if rule.status == "violated"]
            if bool(guilty) == bad and index < len(row.detections):
                found = row.detections[index]
                part = found.label.rpartition(".")[2]
                label = f"{part} {' '.join(guilty)}" if bad else part
                tag_box(picture, found.box, factor, BAD if bad else GOOD, label, font)
    return picture


def _blame(rule: wire.RuleResult, row: wire.Row) -> str:
    if rule.p_violated is None or not _several(row):
        return rule.id
    return f"{rule.id} {rule.p_violated:.0%}"
