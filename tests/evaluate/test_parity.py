"""`physgauge parity`: the numbers against other people's, and what happens to odd rows."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from physgauge import wire
from physgauge.cli.main import group
from physgauge.errors import ConfigError
from physgauge.evaluate.agreement import measures
from physgauge.evaluate.bootstrap import of_pairs
from physgauge.evaluate.parity import parity
from physgauge.evaluate.ranks import kendall, spearman
from physgauge.evaluate.record import record, unlike
from physgauge.evaluate.result import Parity
from physgauge.parity_record import ParityRecord, claim
from physgauge.settings import read_table
from tests.runs.folders import write_run

PROFILES = Path(__file__).parents[2] / "profiles"
PROBES = ("floats", "melts", "glows")


def row(
    name: str,
    answers: dict[str, bool | None],
    score: float | None = 1.0,
    p: float | None = None,
    severity: wire.Severity | None = None,
    sha: str | None = None,
    mode: str = "onepass",
) -> wire.Row:
    """A row in which a judge has said this; None: he gave no answer."""
    said = {
        probe: wire.Answer(
            answer=answer,
            p_yes=p if answer is not None else None,
            outcome="unparseable" if answer is None else "answered",
            severity=severity if answer else None,
        )
        for probe, answer in answers.items()
    }
    return wire.Row(
        image_id=name,
        source=name,
        pixel_sha256=sha,
        terravis=wire.TerraVis(
            status="ok" if score is not None else "partial",
            mode=mode,
            score=score,
            eligible=wire.Eligible(answer=True, p=0.9, outcome="answered"),
            answers=said,
        ),
        pcmde=wire.Pcmde(status="skipped"),
        provenance=wire.Provenance(
            physgauge="0", profile="x", engine=f"engine-{mode}", probe_version="v1",
            models={"judge_m": "abc", "part_detector": "def"},
        ),
    )  # fmt: skip


def rows(answers: Sequence[tuple[bool | None, ...]], **more: Any) -> list[wire.Row]:
    return [
        row(f"i{k}", dict(zip(PROBES, some, strict=True)), **more) for k, some in enumerate(answers)
    ]


def compare(a: list[wire.Row], b: list[wire.Row], resamples: int = 200) -> Parity:
    return parity(a, b, ("A", "B"), resamples)


def test_agreement_by_category() -> None:
    a = rows([(True, False, True), (True, False, False), (False, False, None), (False, True, True)])
    b = rows([(True, False, True), (False, False, False), (False, True, True), (False, True, True)])
    found = compare(a, b)
    floats = found.categories["floats"]
    assert (floats.pairs, floats.yes_a, floats.yes_b, floats.both_yes) == (4, 2, 1, 1)
    assert floats.agree == 0.75
    assert floats.kappa == pytest.approx(0.5)
    glows = found.categories["glows"]
    assert (glows.pairs, glows.agree, glows.kappa) == (3, 1.0, 1.0)
    assert found.all.pairs == 11
    assert found.all.agree == pytest.approx(9 / 11)
    # Eligibility is a category, but none of the probes; both say yes throughout: kappa is undefined.
    eligible = found.categories["eligible"]
    assert (eligible.agree, eligible.kappa, eligible.kappa_ci) == (1.0, None, None)
    assert (found.a.unanswered, found.b.unanswered) == (1, 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_kappa_is_the_one_of_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    a, b = (np.array(side, int) for side in zip(*pairs, strict=True))
    table = np.array([[np.sum((a == i) & (b == j)) for i in (0, 1) for j in (0, 1)]], float)
    (share,), (kappa,) = measures(table)
    assert share == pytest.approx(np.mean(a == b))
    if len({*a, *b}) == 1:
        assert np.isnan(kappa)
    else:
        assert kappa == pytest.approx(cohen_kappa_score(a, b))


def _mid_ranks(values: list[int]) -> list[float]:
    return [sum(w < v for w in values) + (sum(w == v for w in values) + 1) / 2 for v in values]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
def test_spearman_is_pearson_of_mid_ranks_and_kendall_counts_ties(
    pairs: list[tuple[int, int]],
) -> None:
    a, b = ([pair[k] for pair in pairs] for k in (0, 1))
    rho, tau = (
        spearman(np.array(a, float), np.array(b, float)),
        kendall(np.array(a, float), np.array(b, float)),
    )
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert rho is None
        assert tau is None
        return
    assert rho == pytest.approx(np.corrcoef(_mid_ranks(a), _mid_ranks(b))[0, 1], abs=1e-12)
    n = len(a)
    signs = [(np.sign(a[i] - a[j]), np.sign(b[i] - b[j])) for i in range(n) for j in range(i)]
    both = sum(x * y for x, y in signs)
    assert tau == pytest.approx(
        both / np.sqrt(sum(x * x for x, _ in signs) * sum(y * y for _, y in signs))
    )


def test_scores_and_their_differences() -> None:
    a = [row(f"i{k}", {"floats": False}, score=s) for k, s in enumerate([0.1, 0.2, 0.2, 0.9, None])]
    b = [row(f"i{k}", {"floats": False}, score=s) for k, s in enumerate([0.2, 0.3, 0.4, 1.0, 1.0])]
    found = compare(a, b)
    score = found.scores["terravis.score"]
    assert score.pairs == 4
    assert score.mean_difference == pytest.approx(0.125)
    assert score.spearman == pytest.approx(0.9486832980505138)
    assert "terravis.score_soft" not in found.scores
    flat = compare([row(f"i{k}", {"floats": False}) for k in range(9)], a + b[5:])
    assert flat.scores["terravis.score"].spearman is None
    assert flat.scores["terravis.score"].spearman_ci is None


def test_intervals_hold_what_they_promise() -> None:
    """Of 200 samples from a known population, about 95 % of the intervals must hold its correlation."""
    rng = np.random.default_rng(5)
    held = 0
    for trial in range(200):
        x = rng.normal(size=60)
        y = 0.6 * x + 0.8 * rng.normal(size=60)
        found = of_pairs(lambda a, b: float(np.mean(b - a)), x, y, 200, trial)
        assert found is not None
        held += found.low <= 0 <= found.high
    assert 180 <= held <= 198


def test_intervals_draw_images_whole() -> None:
    # Five images whose 3 probes all agree or all differ: counted as 15 answers, the interval would be
    # far narrower than what 5 images can tell.
    a = rows([(True, True, False)] * 5)
    b = rows([(True, True, False)] * 3 + [(False, False, True)] * 2)
    found = compare(a, b, 2000)
    assert found.all.agree == pytest.approx(0.6)
    assert found.all.agree_ci is not None
    assert found.all.agree_ci.low == pytest.approx(0.2)
    assert found.all.agree_ci.high == pytest.approx(1.0)
    assert compare(a, b, 2000) == found, "the same draws each time"


def test_flips_with_the_surest_first() -> None:
    a = [row("one", {"floats": True}, p=0.55), row("two", {"floats": True}, p=0.99)]
    b = [row("one", {"floats": False}, p=0.45), row("two", {"floats": False}, mode="paper")]
    flips = compare(a, b).flips
    assert [(f.image_id, f.category, f.a, f.b, f.p_a, f.p_b) for f in flips] == [
        ("two", "floats", True, False, 0.99, None),
        ("one", "floats", True, False, 0.55, 0.45),
    ]


def test_severity_of_what_both_found() -> None:
    a = [row("x", {"floats": True}, severity="major"), row("y", {"floats": True}, severity="minor")]
    b = [row("x", {"floats": True}, severity="minor"), row("y", {"floats": False})]
    severity = compare(a, b).severity
    assert (severity.pairs, severity.agree) == (1, 0.0)


def test_images_are_matched_by_name_and_pixels() -> None:
    a = [row(n, {"floats": True}, sha="1") for n in ("x", "y", "z")]
    b = [
        row("x", {"floats": True}, sha="1"),
        row("y", {"floats": True}, sha="2"),
        row("w", {}, sha="1"),
    ]
    found = compare(a, b)
    assert (found.images, found.other_pixels) == (1, ["y"])
    assert (found.a.only_here, found.b.only_here) == (["z"], ["w"])
    with pytest.raises(ConfigError, match="A: expected each image once, got 'x' twice"):
        compare([a[0], a[0]], b)
    with pytest.raises(
        ConfigError, match="expected images that both sides have rows for, got none"
    ):
        compare(a[2:], b)


def test_the_record_is_a_table_of_a_profile_and_says_what_may_be_claimed() -> None:
    a = [row(f"i{k}", {"floats": k % 2 == 0}, score=0.5 + k / 20) for k in range(8)]
    b = [row(f"i{k}", {"floats": k % 4 == 0}, score=0.5 + k / 20, mode="paper") for k in range(8)]
    table = tomllib.loads(record(compare(a, b)) or "")["judge"]["parity"]
    stored = read_table(table, ParityRecord, "test")
    assert (stored.images, stored.agreement, stored.spearman) == (8, 0.75, 1.0)
    assert stored.models == {"m": "abc"}
    good, says = claim(stored, "onepass", {"m": "abc"}, "v1")
    assert good
    assert "on 8 images" in says
    for stale in (
        claim(stored, "onepass", {"m": "new"}, "v1"),
        claim(stored, "onepass", {"m": "abc"}, "v2"),
    ):
        assert not stale[0]
        assert "only its speed may be claimed" in stale[1]
    assert not claim(stored, "direct")[0]
    assert not claim(None, "onepass")[0]
    assert claim(None, "paper")[0]


def test_no_record_of_what_is_no_check() -> None:
    a = [row(f"i{k}", {"floats": k % 2 == 0}) for k in range(4)]
    paper = [
        msgspec.structs.replace(r, terravis=msgspec.structs.replace(r.terravis, mode="paper"))
        for r in a
    ]
    assert record(compare(a, paper)) is not None
    assert record(compare(a, a)) is None
    unread = [row(f"i{k}", {"floats": None}, mode="paper") for k in range(4)]
    assert record(compare(a, unread)) is None, "nothing to agree on"

    def made_with(**changes: Any) -> Parity:
        other = [
            msgspec.structs.replace(r, provenance=msgspec.structs.replace(r.provenance, **changes))
            for r in paper
        ]
        return compare(a, other)

    assert unlike(made_with()) == []
    assert "different probes: A v1, B v2" in unlike(made_with(probe_version="v2"))[0]
    assert "modes and models differ" in unlike(made_with(models={"judge_m": "else"}))[0]
    assert unlike(made_with(models={"judge_m": "abc", "part_detector": "else"})) == []
    assert record(made_with(probe_version="v2")) is None
    assert record(made_with(models={"judge_m": "else"})) is None


def test_doctor_says_what_a_profile_may_claim(tmp_path: Path) -> None:
    text = (
        (PROFILES / "endpoint.toml").read_text("utf-8").replace('"models/', f'"{PROFILES}/models/')
    )
    own = tmp_path / "own.toml"

    def doctor() -> str:
        return (
            CliRunner().invoke(group, ["doctor", "--profile", str(own)], terminal_width=500).output
        )

    own.write_text(text)
    assert (
        "mode onepass has not been checked against its paper mode: only its speed may be claimed"
        in doctor()
    )
    own.write_text(text.replace("[judge.endpoint]", 'mode = "paper"\n[judge.endpoint]'))
    assert "asks as published" in doctor()
    a = [row(f"i{k}", {"floats": k % 2 == 0}, score=k / 9) for k in range(8)]
    b = [row(f"i{k}", {"floats": k % 2 == 0}, score=k / 9, mode="paper") for k in range(8)]
    own.write_text(f"{text}\n{record(compare(a, b))}\n")
    assert "checked against its paper mode on 8 images" in doctor()
    own.write_text(f"{text}\n[judge.parity]\nimages = 8\nagreement = 1.5\n")
    assert "LACK" in doctor()


def test_command_on_stored_rows(tmp_path: Path) -> None:
    a = rows([(True, False, True), (True, False, False)])
    b = rows([(True, False, True), (False, False, None)], mode="paper")
    write_run(tmp_path / "run", a)
    (tmp_path / "b.jsonl").write_bytes(b"\n".join(map(wire.to_json, b)) + b"\n\n")
    out = tmp_path / "out.json"
    sides = [str(tmp_path / "run"), str(tmp_path / "b.jsonl")]
    done = CliRunner().invoke(group, ["parity", *sides, "-o", str(out)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "1 answers differ" in done.output
    assert "[judge.parity]" in done.output
    stored = json.loads(out.read_text())
    assert stored["categories"]["floats"]["agree"] == 0.5
    assert stored["flips"] == [
        {"image_id": "i1", "category": "floats", "a": True, "b": False, "p_a": None, "p_b": None}
    ]
    plain = CliRunner().invoke(group, ["parity", *sides, "--json"], catch_exceptions=False)
    assert json.loads(plain.output) == stored


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tiny", "tiny", "x.png"], "expected one with a judge"),
        (["a.jsonl", "a.jsonl", "x.png"], "expected no PATHs"),
        (["gone.parquet", "a.jsonl"], "expected a file of rows, got none"),
        ([".", "a.jsonl"], "expected a run of physgauge (run.json), got none"),
        (["bad.jsonl", "a.jsonl"], "bad.jsonl: line 2: expected a result row"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = wire.to_json(row("x", {"floats": True}))
    Path("a.jsonl").write_bytes(line)
    Path("bad.jsonl").write_bytes(line + b"\n{}\n")
    done = CliRunner().invoke(group, ["parity", *arguments])
    assert done.exit_code != 0
    assert says in done.output + str(done.exception)
