"""Rows of two judges, joined: what can be no calibration set is refused, and what is left out is said."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from physgauge import wire
from physgauge.errors import ConfigError
from physgauge.evaluate.cascade_rows import ALONE, BROKEN, CHANGED, COPY, Calibration, joined
from tests.cascade.test_fit import GATE, said

FIRST = wire.TerraVis(
    status="ok",
    mode="onepass",
    eligible=wire.Eligible(answer=True, p=0.9, outcome="answered"),
    answers={"x": wire.Answer(outcome="answered", answer=False, p_yes=0.0, p_major=0.0)},
)
SECOND = said(0.1, mode="paper")


def row(
    name: str, terravis: wire.TerraVis = FIRST, sha: str | None = None, **made: Any
) -> wire.Row:
    provenance = wire.Provenance(physgauge="0", profile="p", engine="e", models={"judge_m": "1"})
    return wire.Row(
        image_id=name, source="", pixel_sha256=sha or name, terravis=terravis,
        pcmde=wire.Pcmde(status="skipped"),
        provenance=msgspec.structs.replace(provenance, **made),
    )  # fmt: skip


def broken(name: str) -> wire.Row:
    return wire.error_row(
        image_id=name,
        source="",
        code="image_unreadable",
        message="",
        provenance=row("a").provenance,
    )


def join(first: list[wire.Row], second: list[wire.Row]) -> Calibration:
    return joined(iter(first), iter(second), GATE)


def test_rows_are_joined_by_image() -> None:
    found = join(
        [*(row(n) for n in "abeg"), row("c", sha="other"), row("copy", sha="a"), broken("f"), broken("h")],
        [*(row(n, SECOND) for n in "acdfg"), row("copy", SECOND, sha="a"), broken("e"), broken("h")],
    )  # fmt: skip
    assert [(one.first.score, one.first.found, one.second) for one in found.judged] == [
        (1.0, "pass", "fail")
    ] * 2
    assert found.left_out == {ALONE: 2, BROKEN: 3, CHANGED: 1, COPY: 1}
    assert found.mode == "paper"
    assert found.first.models == {"m": "1"}


def test_a_run_of_one_judge_and_each_image_once() -> None:
    with pytest.raises(ConfigError, match="first: expected each image once, got 'a' twice"):
        join([row("a")] * 2, [row("a", SECOND)])
    with pytest.raises(ConfigError, match="second: 'a': expected a judge's answers, got none"):
        join([row("a")], [row("a", wire.TerraVis(status="skipped"))])
    with pytest.raises(ConfigError, match="expected images that both judges have looked at"):
        join([row("a")], [row("b", SECOND)])
    with pytest.raises(ConfigError, match="second: expected rows that a judge has looked at"):
        join([row("a")], [broken("a")])
    for other in ({"models": {"judge_m": "2"}}, {"lambda_": 2.0, "alpha": 0.5},
                  {"probe_version": "mine-1"}, {"settings": {"yes_from": 0.7}}):  # fmt: skip
        for runs in (
            ([row("a"), row("b", **other)], [row("a", SECOND)]),
            ([row("a")], [row("a", SECOND), row("b", SECOND, **other)]),
        ):
            with pytest.raises(ConfigError, match="'b': expected rows of one judge that count"):
                join(*runs)


def test_rows_that_were_asked_for_another_way() -> None:
    early: dict[str, Any] = {"settings": {"gate": 0.9}}
    with pytest.raises(ConfigError, match=r"second: expected rows made without judge\.gate"):
        join([row("a")], [row("a", SECOND, **early)])
    same: dict[str, Any] = {"settings": {"gate": GATE}}
    assert join([row("a")], [row("a", SECOND, **same)]).judged
    with pytest.raises(ConfigError, match=r"first: expected rows as \[cascade.first\] makes them"):
        join([row("a", **same)], [row("a", SECOND)])
    with pytest.raises(ConfigError, match=r"first: expected rows as \[cascade.first\] makes them"):
        join([row("a", SECOND)], [row("a", SECOND)])
    with pytest.raises(ConfigError, match="second: expected rows of one judge alone"):
        join([row("a")], [row("a", said(0.1, mode="cascade:first"))])
    with pytest.raises(ConfigError, match="second: expected rows of one judge alone"):
        join([row("a")], [row("a", said(0.1, mode="direct"))])
    with pytest.raises(ConfigError, match="first: expected the grade_from of the second judge"):
        join([row("a", settings={"grade_from": 0.3})], [row("a", SECOND)])
