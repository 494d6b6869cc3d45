"""`physgauge rules`: check a pack, show it in words, explain an image of a run."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from physgauge import wire
from physgauge.cli.main import main
from physgauge.ensemble.decode import pixel_sha256
from physgauge.report.draw import BAD, GOOD
from tests.runs.folders import write_run

PACK = """name = "boat"
version = 3
domain = "boat"
components = ["hull", "mast", "sail"]
weights = { presence = 0.4, spatial = 0.3, relational = 0.2, caption = 0.1 }
minimum_rules = 1
[aliases]
rig = "union(mast, sail)"
[[presence]]
id = "P1"
says = "one hull"
rule = "count(hull) == 1"
weight = 0.5
reference = "common sense"
[[presence]]
id = "P2"
says = "up to three masts"
rule = "count(mast) <= 3"
views = ["side", "front"]
missing = "violated"
"""


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(["rules", *arguments])
    code = done.value.code
    assert isinstance(code, int)
    return code


def test_check_says_all_problems_with_their_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "boat.toml"
    file.write_text(PACK, encoding="utf-8")
    assert run("check", str(file)) == 0
    assert capsys.readouterr().out == f"{file}: a good pack: boat, domain boat, 2 rules\n"
    wrong = PACK.replace("count(hull)", "count(hul)").replace("version", "verison")
    file.write_text(wrong.replace("union(mast, sail)", "union(mast)\\t / 0"), encoding="utf-8")
    assert run("check", str(file)) == 2
    out, err = capsys.readouterr()
    assert "4 problems in" in err
    assert (
        f"{file}:12:15: rule P1: unknown component 'hul', expected a component, an alias or a bound "
        "name; did you mean 'hull'?\n"
        '   12 | rule = "count(hul) == 1"\n'
        "      |               ^\n"
    ) in out
    assert f"{file}:2:11: unknown key 'verison'" in out
    assert f"{file}: the key 'version' is missing" in out
    assert f"{file}:8:" in out


def test_check_shows_a_piece_of_a_long_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "boat.toml"
    rule = "count(hull) == 1 or " * 40 + "count(mat) == 1"
    file.write_text(PACK.replace("count(hull) == 1", rule), encoding="utf-8")
    assert run("check", str(file)) == 2
    line, caret = capsys.readouterr().out.splitlines()[1:3]
    assert len(line) < 140
    assert line[caret.index("^") :].startswith("mat)")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check", "none.toml"), "cannot read the pack: No such file or directory"),
        (("check", "carr"), "no pack named 'carr'"),
        (("show", "carr"), "did you mean 'car'?"),
        (
            ("explain", "nowhere", "a.png"),
            "nowhere: expected a run of physgauge (run.json), got none",
        ),
        (
            ("explain", "bad", "a.png"),
            "got rows of an earlier version: give the file itself, bad/rows.parquet",
        ),
    ],
)
def test_wrong_use_says_what_was_expected(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/rows.parquet").write_bytes(b"PAR1 not really")
    assert run(*arguments) == 2
    assert says in capsys.readouterr().err


def test_show_puts_a_pack_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "boat.toml"
    file.write_text(PACK, encoding="utf-8")
    assert run("show", str(file)) == 0
    text = capsys.readouterr().out
    for words in (
        "boat (version 3): domain boat, 2 rules",
        "rig = union(mast, sail)",
        "presence, 40 % of S_rules",
        "  P1   one hull\n       count(hull) == 1\n"
        "       bound == 1; weight 0.5 (13.3 % of S_rules); from common sense; line 10\n",
        "seen from: side, front; weight 1 (26.7 % of S_rules); "
        "where its part is absent: counted as violated; line 16",
    ):
        assert words in text, words


def test_show_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "aircraft@paper", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["weights"] == {
        "presence": 0.35,
        "spatial": 0.25,
        "relational": 0.25,
        "caption": 0.15,
    }
    assert told["expect"] == "caption"
    rule = {rule["id"]: rule for rule in told["rules"]}["S3"]
    assert (rule["rule"], rule["bound"], rule["views"]) == ("cx(tail) > 0.7 * W", "> 0.7 * W", None)
    assert rule["share"] == 0.0625
    assert rule["missing"] == "violated"
    assert sum(rule["share"] for rule in told["rules"]) == pytest.approx(1, abs=1e-5)


RGB = np.full((60, 100, 3), 90, np.uint8)


def row(name: str, source: str, sha256: str | None, **changes: object) -> wire.Row:
    rules = [
        wire.RuleResult(id="P1", category="presence", status="satisfied", measured=1, bound="== 1",
                        says="one hull", boxes=[0]),
        wire.RuleResult(id="S1", category="spatial", status="violated", measured=0.125, bound=">= 0.5",
                        says="the mast stands on the hull", boxes=[1, 0]),
        wire.RuleResult(id="S2", category="spatial", status="not_applicable", says="a sail at the mast"),
    ]  # fmt: skip
    return wire.Row(
        image_id=name, source=source, caption="a boat", width=100, height=60, pixel_sha256=sha256,
        terravis=wire.TerraVis(status="skipped"),
        pcmde=wire.Pcmde(status="ok", domain="boat", view="side", s_rules=62.5, s_llm=50, s_final=57.5,
                         verdict="FAIL", rules=rules),
        detections=[
            wire.Detection(label="boat.hull", box=[10, 30, 90, 50], score=0.9),
            wire.Detection(label="boat.mast", box=[40, 5, 50, 20], score=0.75),
        ],
        provenance=wire.Provenance(physgauge="0", profile="tiny", pack="boat", pack_hash="0" * 64),
    )  # fmt: skip


@pytest.fixture
def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pictures").mkdir()
    Image.fromarray(RGB).save(tmp_path / "pictures/boat_1.png")
    Image.fromarray(255 - RGB).save(tmp_path / "pictures/boat_2.png")
    (tmp_path / "out").mkdir()
    sha = pixel_sha256(RGB)
    rows = [
        row("pictures/boat_1.png", "pictures/boat_1.png", sha),
        row("pictures/boat_2.png", "pictures/boat_2.png", sha),  # changed since
        row("pictures/gone.png", "pictures/gone.png", sha),
        row("record 7", "boxes.json", None),
        row("a/twin.png", "a/twin.png", sha),
        row("b/twin.png", "b/twin.png", sha),
    ]
    write_run(tmp_path / "out", rows)
    return tmp_path


def test_explain_in_words(scored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("pictures/boat_1.png", "boat_1.png", "boat_1"):
        assert run("explain", "out", name) == 0
        assert capsys.readouterr().out.splitlines() == [
            "pictures/boat_1.png: FAIL   boat side",
            "caption: a boat",
            "S_final 57.5, S_rules 62.5, pack boat (0000000000000000)",
            "FAIL  S1   the mast stands on the hull   (measured 0.125, bound >= 0.5)",
            "             boat.mast at x 40.0 to 50.0, y 5.0 to 20.0 px, score 0.75",
            "             boat.hull at x 10.0 to 90.0, y 30.0 to 50.0 px, score 0.90",
            "ok    P1   one hull   (measured 1, bound == 1)",
            "             boat.hull at x 10.0 to 90.0, y 30.0 to 50.0 px, score 0.90",
            "n/a   S2   a sail at the mast",
        ]


def several_readings(scored: Path, readings: int | None) -> None:
    """Of boat_1: S1 is violated in five of eight, P1 in a quarter, S2 in none."""
    given = row("pictures/boat_1.png", "pictures/boat_1.png", pixel_sha256(RGB))
    shares = {"P1": 0.25, "S1": 0.625, "S2": 0.0}
    rules = [msgspec.structs.replace(r, p_violated=shares[r.id]) for r in given.pcmde.rules]
    pcmde = msgspec.structs.replace(given.pcmde, rules=rules, readings=readings)
    write_run(scored / "out", [msgspec.structs.replace(given, pcmde=pcmde)])


def test_explain_says_how_sure_a_violation_is(
    scored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    several_readings(scored, 8)
    assert run("explain", "out", "boat_1") == 0
    text = capsys.readouterr().out
    assert (
        "\n8 readings of unsure boxes: scores are means over them, what follows is of the likeliest one\nFAIL"
        in text
    )
    assert "(measured 0.125, bound >= 0.5, violated in 62% of the readings)" in text
    assert "(measured 1, bound == 1, violated in 25% of the readings)" in text
    assert text.endswith("n/a   S2   a sail at the mast\n")
    assert run("explain", "out", "boat_1", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["readings"] == 8
    assert [rule["p_violated"] for rule in told["rules"]] == [0.25, 0.625, 0.0]
    assert run("explain", "out", "boat_1", "--draw", "several.png") == 0
    several_readings(scored, 1)
    capsys.readouterr()
    assert run("explain", "out", "boat_1") == 0
    text = capsys.readouterr().out
    assert "reading" not in text
    assert run("explain", "out", "boat_1", "--draw", "one.png") == 0
    assert (scored / "one.png").read_bytes() != (scored / "several.png").read_bytes()


def test_explain_as_json(scored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "out", "record 7", "--rule", "S1", "--rule", "S2", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["image_id"], told["verdict"], told["s_rules"]) == ("record 7", "FAIL", 62.5)
    assert [rule["id"] for rule in told["rules"]] == ["S1", "S2"]
    assert told["rules"][0]["boxes"][0] == {
        "label": "boat.mast",
        "box": [40, 5, 50, 20],
        "score": 0.75,
    }
    assert told["rules"][1] == {
        "id": "S2", "category": "spatial", "status": "not_applicable", "says": "a sail at the mast",
        "measured": None, "bound": None, "p_violated": None, "boxes": [],
    }  # fmt: skip


def test_explain_draws_the_boxes_that_rules_point_at(scored: Path) -> None:
    assert run("explain", "out", "boat_1", "--draw", "why.png") == 0
    with Image.open(scored / "why.png") as picture:
        sheet = np.asarray(picture)
    assert sheet.shape == (300, 500, 3)
    assert tuple(sheet[5 * 45, 5 * 10]) == BAD  # the hull's left edge: S1 points at it, too
    assert tuple(sheet[5 * 15, 5 * 40]) == BAD  # the mast's
    assert tuple(sheet[5 * 55, 5 * 95]) == (90, 90, 90)
    assert run("explain", "out", "boat_1", "--rule", "P1", "--draw", "why.png") == 0
    with Image.open(scored / "why.png") as picture:
        sheet = np.asarray(picture)
    assert tuple(sheet[5 * 45, 5 * 10]) == GOOD
    assert tuple(sheet[5 * 15, 5 * 40]) == (90, 90, 90)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("boat_3.png",), "no image 'boat_3.png'; did you mean 'pictures/boat_"),
        (("pictures/bot_1.png",), "did you mean 'pictures/boat_1.png'?"),
        (("zzz",), "the run has 6 images, the first is 'pictures/boat_1.png'"),
        (("twin",), "expected a whole id, such as 'a/twin.png' or 'b/twin.png'"),
        (("boat_1", "--rule", "s1"), "got 's1'; did you mean 'S1'?"),
        (("boat_2", "--draw", "why.png"), "not the picture that was scored: its pixels have changed"),
        (("gone", "--draw", "why.png"), "pictures/gone.png cannot be read (No such file or directory)"),
        (("record 7", "--draw", "why.png"), "has no picture in this run (boxes from boxes.json): expected --image FILE"),
        (("record 7", "--draw", "why.png", "--image", "out/run.json"), "out/run.json: "),
        (("boat_1", "--draw", "why.xyz"), "--draw why.xyz: cannot be written"),
    ],
)  # fmt: skip
def test_explain_says_what_it_lacks(
    scored: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    assert run("explain", "out", *arguments) == 2
    assert says in capsys.readouterr().err
    assert not (scored / "why.png").exists()


def test_explain_takes_a_picture_from_elsewhere(scored: Path) -> None:
    picture = "pictures/boat_1.png"
    assert run("explain", "out", "record 7", "--draw", "why.png", "--image", picture) == 0
    assert (scored / "why.png").is_file()
