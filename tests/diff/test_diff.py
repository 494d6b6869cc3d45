"""Runs compared: every number against a plain count over rows, and what the command says."""

from __future__ import annotations

import io
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from rich.console import Console
from scipy import stats

from physgauge import wire
from physgauge.cli.main import group
from physgauge.clients.runs.files import row_files
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.evaluate.diff.compare import How, Pairing, diff
from physgauge.evaluate.diff.result import Compared, Diff, ScoreCompared
from physgauge.report.diff_table import print_diff
from tests.diff.make import draw, rename
from tests.gate.rows import answer, judged, row
from tests.query.runs import make_run

Rows = list[wire.Row]


def drawn(seed: int, names: list[str], bad: float = 0.2) -> Rows:
    rng = random.Random(seed)
    return [draw(rng, name, bad) for name in names]


def compared(
    tmp_path: Path, a: Rows, b: Rows, how: How | None = None, size: int = 80, parts: Any = None
) -> Diff:
    files = []
    for name, rows in (("a", a), ("b", b)):
        units = [rows[k : k + size] for k in range(0, len(rows), size)]
        make_run(tmp_path / name, units, (parts or {}).get(name))
        files.append(row_files(tmp_path / name))
    return diff(files[0], files[1], how or How())


def pairs_of(a: Rows, b: Rows) -> list[tuple[wire.Row, wire.Row]]:
    """By id, the n-th with an id to the n-th with it."""

    def keyed(rows: Rows) -> dict[tuple[str, int], wire.Row]:
        seen: Counter[str] = Counter()
        found = {}
        for one in rows:
            found[one.image_id, seen[one.image_id]] = one
            seen[one.image_id] += 1
        return found

    of_b = keyed(b)
    return [(one, of_b[key]) for key, one in keyed(a).items() if key in of_b]


def found(probe: str) -> Callable[[wire.Row], bool | None]:
    def say(one: wire.Row) -> bool | None:
        said = one.terravis.answers.get(probe)
        return None if said is None else said.answer

    return say


def major(probe: str) -> Callable[[wire.Row], bool | None]:
    def say(one: wire.Row) -> bool | None:
        said = one.terravis.answers.get(probe)
        if said is None or said.answer is None or (said.answer and said.severity is None):
            return None
        return said.severity == "major"

    return say


def violated(name: str) -> Callable[[wire.Row], bool | None]:
    domain, rule = name.split()

    def say(one: wire.Row) -> bool | None:
        mine = [r.status for r in one.pcmde.rules if one.pcmde.domain == domain and r.id == rule]
        if not mine or mine == ["not_applicable"]:
            return None
        return mine == ["violated"]

    return say


def outcome(name: str) -> Callable[[wire.Row], bool | None]:
    method, what = name.split() if " " in name else (name, "")

    def say(one: wire.Row) -> bool | None:
        if what == "PASS":
            return None if one.pcmde.verdict is None else one.pcmde.verdict == "PASS"
        if name == "eligible":
            return None if one.terravis.eligible is None else one.terravis.eligible.answer
        return bool(getattr(one, method).status == what)

    return say


def check(
    line: Compared, say: Callable[[wire.Row], bool | None], a: Rows, b: Rows, pairs: Any
) -> None:
    """Counts of one line, by going through the rows."""
    for side, rows in ((line.a, a), (line.b, b)):
        said = [say(one) for one in rows]
        assert (side.n, side.hits) == (
            sum(x is not None for x in said),
            sum(x is True for x in said),
        ), line.name
    if pairs is None:
        assert (line.pairs, line.only_a, line.only_b) == (None, None, None)
        return
    said_both = [(say(x), say(y)) for x, y in pairs]
    both = [(x, y) for x, y in said_both if x is not None and y is not None]
    counts = len(both), sum(x > y for x, y in both), sum(x < y for x, y in both)
    assert (line.pairs, line.only_a, line.only_b) == counts, line.name
    assert line.difference == (
        None if not both else pytest.approx((counts[2] - counts[1]) / counts[0])
    )


SCORES: dict[str, Callable[[wire.Row], float | None]] = {
    "terravis.score": lambda one: one.terravis.score,
    "terravis.score_soft": lambda one: one.terravis.score_soft,
    "pcmde.s_final": lambda one: one.pcmde.s_final,
    "pcmde.s_rules": lambda one: one.pcmde.s_rules,
    "pcmde.s_llm": lambda one: one.pcmde.s_llm,
}


def check_all(made: Diff, a: Rows, b: Rows) -> None:
    pairs = pairs_of(a, b) if made.paired else None
    tables = made.tables
    assert {line.name for line in tables.probes} == {
        p for one in (*a, *b) for p in one.terravis.answers
    }
    for line in tables.probes:
        check(line, found(line.name), a, b, pairs)
    for line in tables.major:
        check(line, major(line.name), a, b, pairs)
    assert {line.name for line in tables.rules} == {
        f"{one.pcmde.domain} {rule.id}" for one in (*a, *b) for rule in one.pcmde.rules
    }
    for line in tables.rules:
        check(line, violated(line.name), a, b, pairs)
    for line in tables.outcomes:
        check(line, outcome(line.name), a, b, pairs)
    for score in tables.scores:
        check_score(score, SCORES[score.name], a, b, pairs)


def check_score(
    score: ScoreCompared, say: Callable[[wire.Row], float | None], a: Rows, b: Rows, pairs: Any
) -> None:
    """Means, quantiles and tests of one score, by NumPy and SciPy."""
    sides = [[v for one in rows if (v := say(one)) is not None] for rows in (a, b)]
    for side, values in zip((score.a, score.b), sides, strict=True):
        assert side.n == len(values)
        assert side.mean == (pytest.approx(np.mean(values)) if values else None)
        for q, value in side.quantiles.items():
            assert value == pytest.approx(np.quantile(values, float(q)))
    if pairs is not None:
        both = [(say(x), say(y)) for x, y in pairs]
        changes = [y - x for x, y in both if x is not None and y is not None]
        assert score.pairs == len(changes)
        if len(changes) < 2 or np.std(changes) == 0:
            return
        expected = stats.ttest_1samp(changes, 0)
    elif min(map(len, sides)) > 1:
        expected = stats.ttest_ind(sides[1], sides[0], equal_var=False)
    else:
        return
    assert score.p == pytest.approx(expected.pvalue, rel=1e-6)
    assert score.ci == pytest.approx(expected.confidence_interval(), rel=1e-6)


NAMES = [f"i{n}" for n in range(160)]


@pytest.mark.parametrize("pairing", ["auto", "none"])
@pytest.mark.parametrize(
    "case", ["same order", "shuffled", "overlap", "repeated", "apart", "sizes"]
)
def test_numbers_are_plain_counts(tmp_path: Path, case: str, pairing: Pairing) -> None:
    a, b = drawn(1, NAMES), drawn(2, NAMES, bad=0.35)
    if case == "shuffled":
        random.Random(3).shuffle(b)
    elif case == "overlap":
        b = rename(b, [f"i{n + 60}" for n in range(160)])
    elif case == "repeated":
        a = rename(a, [f"i{n % 50}" for n in range(160)])
        b = rename(b, [f"i{n % 70}" for n in range(160)])
        random.Random(4).shuffle(b)
    elif case == "apart":
        b = rename(b, [f"j{n}" for n in range(160)])
    elif case == "sizes":
        b = b[:7]
    made = compared(tmp_path, a, b, How(pairing=pairing))
    pairs = pairs_of(a, b)
    assert made.matched == len(pairs)
    assert made.paired == (pairing == "auto" and case != "apart")
    assert (made.a.unmatched, made.b.unmatched) == (len(a) - len(pairs), len(b) - len(pairs))
    assert (made.a.repeated, made.b.repeated) == tuple(
        len(rows) - len({one.image_id for one in rows}) for rows in (a, b)
    )
    same = [x.pixel_sha256 == y.pixel_sha256 for x, y in pairs if x.pixel_sha256 and y.pixel_sha256]
    assert made.same_pixels == (pytest.approx(np.mean(same)) if same else None)
    errors = Counter(one.error_code for one in a if one.error_code)
    assert made.a.errors == dict(errors)
    moves = Counter((x.terravis.status, y.terravis.status) for x, y in pairs)
    assert moves == Counter(
        {
            (was, now): n
            for was, after in made.status_moves["terravis.status"].items()
            for now, n in after.items()
        }
    )
    check_all(made, a, b)


def test_few_matching_ids_are_compared_as_independent_samples(tmp_path: Path) -> None:
    a, b = drawn(1, NAMES), rename(drawn(2, NAMES), [f"i{n + 100}" for n in range(160)])
    made = compared(tmp_path, a, b)
    assert (made.matched, made.paired) == (60, False)
    check_all(made, a, b)
    forced = diff(row_files(tmp_path / "a"), row_files(tmp_path / "b"), How(pairing="ids"))
    assert forced.paired
    check_all(forced, a, b)


@pytest.mark.parametrize("by", ["generator", "pcmde.domain"])
@pytest.mark.parametrize("pairing", ["auto", "none"])
def test_groups(tmp_path: Path, by: str, pairing: Pairing) -> None:
    def of(one: wire.Row) -> str | None:
        return one.extra.get("generator") if by == "generator" else one.pcmde.domain

    a, b = drawn(5, NAMES), drawn(6, NAMES)
    made = compared(tmp_path, a, b, How(by=by, pairing=pairing))
    shared = {of(one) for one in a} & {of(one) for one in b} - {None}
    assert set(made.groups) == shared
    pairs = pairs_of(a, b) if made.paired else None
    for name, tables in made.groups.items():
        in_a, in_b = ([one for one in rows if of(one) == name] for rows in (a, b))
        inside = None if pairs is None else [(x, y) for x, y in pairs if of(x) == of(y) == name]
        for line in tables.probes:
            check(line, found(line.name), in_a, in_b, inside)
        for line in tables.outcomes:
            check(line, outcome(line.name), in_a, in_b, inside)


def test_a_column_with_a_value_for_each_row_is_cut(tmp_path: Path) -> None:
    a = drawn(5, NAMES)
    made = compared(tmp_path, a, a, How(by="prompt"))
    assert len(made.groups) == 50
    assert made.groups_left_out == len({one.extra.get("prompt") for one in a} - {None}) - 50


def line(made: Diff, table: str, name: str) -> Compared:
    (one,) = [one for one in getattr(made.tables, table) if one.name == name]
    assert isinstance(one, Compared)
    return one


def planted(n: int, worse: int, better: int = 0) -> tuple[Rows, Rows]:
    """n pairs; in `worse` of them B alone has a major contact violation, in `better` A alone."""
    clean = judged(contact_state=answer("clean"), optical_effect=answer("clean"))
    bad = judged(contact_state=answer("major"), optical_effect=answer("clean"))
    a = [row(f"i{k}", terravis=bad if k < better else clean) for k in range(n)]
    b = [row(f"i{k}", terravis=bad if n - k <= worse else clean) for k in range(n)]
    return a, b


def test_what_is_planted_is_found_and_nothing_else(tmp_path: Path) -> None:
    made = compared(tmp_path, *planted(200, worse=14, better=2))
    contact = line(made, "probes", "contact_state")
    assert (contact.pairs, contact.only_a, contact.only_b, contact.change) == (200, 2, 14, "worse")
    # McNemar's mid-p by hand: 2 (P(X < 2) + P(X = 2) / 2), X binomial (16, 1/2)
    assert contact.p == pytest.approx(2 * (1 + 16 + 120 / 2) / 2**16)
    assert contact.p_adjusted == pytest.approx(2 * (contact.p or 0))
    assert line(made, "probes", "optical_effect").change == "none"
    assert line(made, "probes", "optical_effect").p == 1.0
    (score, *_) = made.tables.scores
    assert score.change == "worse"
    assert score.difference == pytest.approx(-12 / 200 * (1 - math.exp(-1)))
    back = diff(row_files(tmp_path / "b"), row_files(tmp_path / "a"), How())
    assert line(back, "probes", "contact_state").change == "better"
    small = diff(row_files(tmp_path / "a"), row_files(tmp_path / "b"), How(margin=0.07))
    assert line(small, "probes", "contact_state").change == "none"


def test_many_comparisons_of_equal_runs_find_nothing(tmp_path: Path) -> None:
    """Under no difference, Holm's correction lets chance find something in at most 5 % of comparisons."""
    finds = 0
    for seed in range(10):
        a, b = drawn(100 + seed, NAMES), drawn(200 + seed, NAMES)
        made = compared(tmp_path / str(seed), a, b, size=160)
        finds += any(one.change != "none" for one in made.tables.probes)
    assert finds <= 2


def test_the_largest_movers_say_what_moved(tmp_path: Path) -> None:
    a, b = planted(50, worse=2)
    b[10] = msgspec.structs.replace(
        b[10], terravis=judged(contact_state=answer("major"), optical_effect=answer("major"))
    )
    made = compared(tmp_path, a, b, How(movers=2))
    assert [(one.image_id, one.appeared, one.gone) for one in made.movers] == [
        ("i10", ["contact_state", "optical_effect"], []), ("i48", ["contact_state"], []),
    ]  # fmt: skip
    assert made.movers[0].b == pytest.approx(math.exp(-2))
    assert compared(tmp_path / "same", a, a, How()).movers == []


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(tmp_path: Path, n: int) -> None:
    """Constants, one row, no answers: no number is made up."""
    a = [
        row(f"i{k}", terravis=wire.TerraVis(status="ok", score=0.5, low=0.5, high=0.5))
        for k in range(n)
    ]
    b = [
        row(f"i{k}", terravis=wire.TerraVis(status="ok", score=0.25, low=0.25, high=0.25))
        for k in range(n)
    ]
    made = compared(tmp_path, a, b)
    score = made.tables.scores[0]
    assert score.difference == -0.25
    assert score.p == (
        None if n == 1 else pytest.approx(0.5**n)
    )  # all moved one way: the sign test, mid-p
    assert score.change == "none"
    assert (made.tables.probes, made.tables.rules) == ([], [])
    verdict = made.tables.outcomes[0]
    assert (verdict.a.n, verdict.a.share, verdict.pairs, verdict.difference, verdict.p) == (
        0,
        None,
        0,
        None,
        None,
    )
    apart = diff(row_files(tmp_path / "a"), row_files(tmp_path / "b"), How(pairing="none"))
    assert apart.tables.scores[0].p is None  # no spread on either side to measure by
    json.loads(msgspec.json.encode(apart))


def shell(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["diff", *arguments])


def test_the_command(tmp_path: Path) -> None:
    a, b = planted(200, worse=14)
    compared(tmp_path, a, b, parts={"a": {"probes": "p1"}, "b": {"probes": "p2\x1b[31m"}})
    out = tmp_path / "diff.json"
    done = shell(str(tmp_path / "a"), str(tmp_path / "b"), "-o", str(out), "--movers", "3")
    assert (done.exit_code, done.exception) == (0, None)
    first = done.stdout.splitlines()[0]
    assert first.startswith("made otherwise: probes: p1 in A, p2")
    assert "\x1b" not in done.stdout
    assert "200 rows of each match by id; compared in pairs" in done.stdout.replace("\n", " ")
    assert json.loads(out.read_text())["tables"]["probes"][0]["change"] == "worse"
    as_json = shell(str(tmp_path / "a"), str(tmp_path / "b"), "--json", "--movers", "3")
    assert json.loads(as_json.stdout) == json.loads(out.read_text())
    for arguments, code in (
        (("--fail-on", "worse"), 5), (("--fail-on", "worse", "--margin", "0.5"), 0), (("--fail-on", "change"), 5),
    ):  # fmt: skip
        assert shell(str(tmp_path / "a"), str(tmp_path / "b"), *arguments).exit_code == code
    better = shell(str(tmp_path / "b"), str(tmp_path / "a"), "--fail-on", "worse")
    assert better.exit_code == 0
    failing = shell(str(tmp_path / "a"), str(tmp_path / "b"), "--fail-on", "worse")
    assert "--fail-on worse: contact_state, contact_state, terravis.score" in failing.stderr


def test_runs_that_cannot_be_compared(tmp_path: Path) -> None:
    compared(tmp_path, drawn(1, NAMES[:60]), drawn(2, [f"j{n}" for n in range(60)]))
    with pytest.raises(
        ConfigError, match="--pairing ids: expected ids that both runs have, got none"
    ):
        diff(row_files(tmp_path / "a"), row_files(tmp_path / "b"), How(pairing="ids"))
    with pytest.raises(ConfigError, match=r"--by nocol: expected a carried column, got none .*/a"):
        diff(row_files(tmp_path / "a"), row_files(tmp_path / "b"), How(by="nocol"))
    pq.write_table(pa.table({"image": [b"x"]}), tmp_path / "other.parquet")
    with pytest.raises(ConfigError, match=r"other\.parquet: expected rows of physgauge"):
        diff(row_files(tmp_path / "a"), row_files(tmp_path / "other.parquet"), How())
    alone = row_files(tmp_path / "b/rows/unit-00000000.parquet")
    found = diff(row_files(tmp_path / "a"), alone, How())
    assert found.made_otherwise is None
    print_diff(Console(file=io.StringIO()), found)
    # One bit of one id, in a page that decodes all the same: only its checksum tells.
    file = tmp_path / "b/rows/unit-00000000.parquet"
    table = pq.read_table(file)
    pq.write_table(table, file, compression="none", use_dictionary=False, write_page_checksum=True)
    data = bytearray(file.read_bytes())
    data[data.index(b"j17") + 1] ^= 1
    file.write_bytes(data)
    with pytest.raises(EnvironmentProblem, match=r"unit-00000000\.parquet: cannot be read"):
        diff(row_files(tmp_path / "a"), row_files(tmp_path / "b"), How())


def test_a_run_in_an_object_store(tmp_path: Path) -> None:
    a, b = drawn(1, NAMES), drawn(2, NAMES)
    make_run("memory://diff/a", [a[:100], a[100:]])
    make_run(tmp_path / "b", [b])
    check_all(diff(row_files("memory://diff/a"), row_files(tmp_path / "b"), How()), a, b)
