"""A rule pack in words: what each rule asks, by which bound, where it applies and what it weighs."""

from __future__ import annotations

from typing import Any

from physgauge.rules_kernel import CATEGORIES, VIEWS, Pack, Rule
from physgauge.rules_kernel.pack import Category

_ABSENT = {
    "exclude": "left out",
    "satisfied": "counted as satisfied",
    "violated": "counted as violated",
}


def describe(pack: Pack) -> dict[str, Any]:
    """The pack as plain values, for JSON."""
    return {
        "name": pack.name,
        "version": pack.version,
        "domain": pack.domain,
        "path": pack.path,
        "sha256": pack.content_hash,
        "components": list(pack.components[:-1]),
        "tags": list(pack.tags),
        "aliases": {name: alias.source for name, alias in pack.aliases.items()},
        "weights": dict(zip(CATEGORIES, pack.weights.tolist(), strict=True)),
        "minimum_rules": pack.minimum_rules,
        "min_score": pack.min_score,
        "expect": pack.expect,
        "evidence": {
            "components": pack.evidence.components,
            "boxes": pack.evidence.boxes,
            "any_of": list(pack.evidence.any_of),
        },
        "subject": None
        if pack.single is None
        else {"most": dict(pack.single.most), "least": pack.single.least},
        "visibility": _visibility(pack),
        "rules": [_rule(pack, rule) for rule in pack.rules],
    }


def _visibility(pack: Pack) -> dict[str, dict[str, float]]:
    """Shares of a component's instances that a view may hide, where it may."""
    shares = zip(pack.components, pack.hidden.tolist(), strict=True)
    tables = {
        c: {v: round(s, 6) for v, s in zip(VIEWS, row, strict=True) if s} for c, row in shares
    }
    return {component: table for component, table in tables.items() if table}


def share(pack: Pack, rule: Rule) -> float:
    """What the rule counts for in S_rules, 0..1, where all rules apply."""
    of_category = sum(other.weight for other in pack.rules if other.category == rule.category)
    return float(pack.weights[CATEGORIES.index(rule.category)]) * rule.weight / of_category


def _rule(pack: Pack, rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "category": rule.category,
        "says": rule.says,
        "rule": rule.source,
        "bound": rule.bound,
        "views": None if rule.views is None else [VIEWS[view] for view in rule.views],
        "weight": rule.weight,
        "share": round(share(pack, rule), 6),
        "missing": rule.missing,
        "vacuous": rule.vacuous,
        "components": list(rule.components),
        "reference": rule.reference,
        "line": rule.line,
    }


def in_words(pack: Pack) -> list[str]:
    """The pack as lines of text."""
    first = pack.rules[0]
    follows = (
        "type and view" if pack.expect == "type" else "what the caption says, whatever the type"
    )
    lines = [
        f"{pack.name} (version {pack.version}): domain {pack.domain}, {len(pack.rules)} rules",
        f"  from {pack.path}, SHA-256 {pack.content_hash[:16]}",
        f"  parts: {', '.join(pack.components[:-1])}",
        *(f"  {name} = {alias.source}" for name, alias in pack.aliases.items()),
        f"  asked for: at least {_evidence(pack)}; boxes that score at least {pack.min_score:g}",
        f"  several subjects: {_single(pack)}",
        f"  expected parts follow {follows}",
        f"  a rule whose part is absent is {_ABSENT[first.missing]}; no score from fewer than "
        f"{pack.minimum_rules} applicable rules",
    ]
    for category in CATEGORIES:
        lines += ["", *_category(pack, category, first)]
    return lines


def _single(pack: Pack) -> str:
    if pack.single is None:
        return "all parts of a picture are judged as one subject's"
    most = ", ".join(f"{n} {name}" for name, n in pack.single.most.items())
    return f"one has at most {most}, and at least {pack.single.least} different ones of these"


def _evidence(pack: Pack) -> str:
    floor = pack.evidence
    text = f"{floor.boxes} box{'es' if floor.boxes > 1 else ''}, {floor.components} different part"
    text += "s" if floor.components > 1 else ""
    return f"{text}, one of {', '.join(floor.any_of)}" if floor.any_of else text


def _category(pack: Pack, category: Category, first: Rule) -> list[str]:
    weight = pack.weights[CATEGORIES.index(category)]
    lines = [f"{category}, {100 * weight:g} % of S_rules"]
    for rule in pack.rules:
        if rule.category == category:
            lines += _words(pack, rule, first)
    return lines


def _words(pack: Pack, rule: Rule, first: Rule) -> list[str]:
    about = [f"bound {rule.bound}"] if rule.bound else []
    if rule.views is not None:
        about.append(f"seen from: {', '.join(VIEWS[view] for view in rule.views)}")
    about.append(f"weight {rule.weight:g} ({100 * share(pack, rule):.1f} % of S_rules)")
    if rule.missing != first.missing:
        about.append(f"where its part is absent: {_ABSENT[rule.missing]}")
    if rule.reference:
        about.append(f"from {rule.reference}")
    about.append(f"line {rule.line}")
    return [f"  {rule.id:<4} {rule.says}", f"       {rule.source}", f"       {'; '.join(about)}"]
