"""`physgauge gate` on run folders: what is delivered, what is counted, what is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from physgauge import wire
from physgauge.cli.main import group
from physgauge.clients.runs import Run
from physgauge.clients.sources import Sourcing, make_plan, read_unit
from physgauge.clients.storage import open_store
from physgauge.errors import PhysgaugeError
from tests.gate.rows import PROVENANCE, row

PNG = b"\x89PNG\r\n\x1a\n"


def with_score(image_id: str, score: float, **fields: Any) -> wire.Row:
    said = wire.TerraVis(status="ok", score=score, low=score, high=score)
    return row(image_id, terravis=said, **fields)


def score_run(
    folder: str | Path,
    inputs: list[str],
    scores: dict[str, Any],
    *,
    units: int | None = None,
    **sourcing: Any,
) -> Run:
    """A run over inputs as bulk runs make it, with a score by the end of each id: a number, or a row."""
    options = Sourcing(unit_size=3, **sourcing)
    recorded = {"folder": os.getcwd(), "sourcing": msgspec.to_builtins(options)}
    run = Run.create_or_open(open_store(folder), {"probes": "p1"}, recorded)
    plan = make_plan(inputs, run.store, options)
    for number in range(plan.units if units is None else units):
        rows = []
        for loaded in read_unit(plan.unit(number), options):
            entry = loaded.entry
            (score,) = [value for name, value in scores.items() if entry.image_id.endswith(name)]
            made = with_score(entry.image_id, score) if isinstance(score, float) else score
            rows.append(msgspec.structs.replace(
                made, image_id=entry.image_id, source=entry.source, caption=entry.caption, extra=entry.extra,
            ))  # fmt: skip
        assert run.commit(number, 0, rows)
    return run


def shell(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["gate", *arguments])


def counts(done: Result) -> dict[str, Any]:
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in/deep").mkdir(parents=True)
    for name in ("a.png", "b.png", "c.png", "deep/a.png", "deep/d.png"):
        (tmp_path / "in" / name).write_bytes(PNG + name.encode())
    return tmp_path


SCORES = {"in/a.png": 0.9, "b.png": 0.1, "c.png": 0.6, "deep/a.png": 0.7, "d.png": 0.5}
GATE = ("--min-terravis", "0.6", "--json")


def test_what_passes_is_copied_and_listed(images: Path) -> None:
    score_run("run", ["in"], SCORES)
    done = shell("run", *GATE, "--copy", "clean", "--list", "good.jsonl", "--rejects", "bad.csv")
    assert done.exit_code == 5
    assert counts(done) == {
        "images": 5, "passed": 3, "rejected": 2, "missing": 0, "share": 0.6,
        "reasons": {"terravis:fails": 2}, "let_through": {},
    }  # fmt: skip
    assert files(images / "clean") == {
        f"in/{name}": PNG + name.encode() for name in ("a.png", "c.png", "deep/a.png")
    }
    assert sorted(os.listdir("clean")) == ["in"]
    good = [json.loads(line) for line in Path("good.jsonl").read_text().splitlines()]
    assert [(one["image_id"], one["path"]) for one in good] == [
        (f"in/{name}", str(images / "in" / name)) for name in ("a.png", "c.png", "deep/a.png")
    ]
    with open("bad.csv", encoding="utf-8", newline="") as file:
        bad = list(csv.DictReader(file))
    assert [(one["image_id"], json.loads(one["reasons"])) for one in bad] == [
        ("in/b.png", ["terravis:fails: expected score of at least 0.6, got 0.1"]),
        ("in/deep/d.png", ["terravis:fails: expected score of at least 0.6, got 0.5"]),
    ]
    assert not [name for name in os.listdir() if name.endswith(".partial")]


@pytest.mark.parametrize("name", ["good.jsonl", "good.csv", "good.txt"])
def test_a_list_of_what_passes_is_an_input(images: Path, name: str) -> None:
    score_run("run", ["in"], SCORES)
    shell("run", *GATE, "--list", name)
    run = Run.create_or_open(open_store("again"), {}, {})
    given = f"@{name}" if name.endswith(".txt") else name
    plan = make_plan([given], run.store, Sourcing())
    data = [loaded.data for loaded in read_unit(plan.unit(0), Sourcing())]
    assert data == [PNG + one for one in (b"a.png", b"c.png", b"deep/a.png")]


def test_links(images: Path) -> None:
    score_run("run", ["in"], SCORES)
    assert shell("run", *GATE, "--link", "clean").exit_code == 5
    assert sorted(files(images / "clean")) == ["in/a.png", "in/c.png", "in/deep/a.png"]
    assert os.path.samefile("clean/in/deep/a.png", "in/deep/a.png")


def test_exit_codes_are_for_pipelines(images: Path) -> None:
    score_run("run", ["in"], SCORES)
    assert shell("run", "--min-terravis", "0.1").exit_code == 0
    assert shell("run", "--min-terravis", "0.6", "--min-pass-share", "0.6").exit_code == 0
    assert shell("run", "--min-terravis", "0.6", "--min-pass-share", "0.61").exit_code == 5
    text = shell("run", "--min-terravis", "0.6").stdout
    assert text == "3 of 5 images pass (60.00%)\n  rejected, terravis:fails: 2\n"


def test_rows_without_a_number_follow_the_rules(images: Path) -> None:
    error = wire.error_row(
        image_id="", source="", code="image_corrupt", message="broken", provenance=PROVENANCE
    )
    score_run("run", ["in"], {
        "in/a.png": row(terravis=wire.TerraVis(status="partial", low=0.7, high=1.0)),
        "b.png": row(terravis=wire.TerraVis(status="partial", low=0.1, high=1.0)),
        "c.png": row(terravis=wire.TerraVis(status="not_applicable")),
        "deep/a.png": error,
        "d.png": row(terravis=wire.TerraVis(status="partial", low=0.1, high=0.5)),
    })  # fmt: skip
    assert counts(shell("run", *GATE))["reasons"] == {
        "terravis:undecided": 1, "terravis:not_applicable": 1, "error:image_corrupt": 1, "terravis:fails": 1,
    }  # fmt: skip
    found = counts(shell("run", *GATE, "--partial", "accept", "--not-applicable", "accept"))
    assert (found["passed"], found["let_through"]) == (
        3,
        {"terravis:undecided": 1, "terravis:not_applicable": 1},
    )


def test_an_unfinished_run_lacks_images(images: Path) -> None:
    score_run("run", ["in"], SCORES, units=1)
    done = shell("run", "--min-terravis", "0.05")
    assert done.exit_code == 5
    assert done.stdout.splitlines() == [
        "3 of 5 images pass (60.00%)", "  2 have no row yet: the run is not finished", "  rejected, no_row: 2",
    ]  # fmt: skip


def test_files_that_are_not_what_was_scored(images: Path) -> None:
    score_run("run", ["in"], dict.fromkeys(SCORES, 0.9))
    (images / "in/a.png").write_bytes(PNG + b"other")  # same size, newer
    (images / "in/b.png").write_bytes(PNG + b"longer than before")
    (images / "in/c.png").unlink()
    for how in ("--copy", "--link"):
        done = shell("run", *GATE, how, f"clean{how}", "--rejects", "bad.jsonl")
        found = counts(done)
        assert (done.exit_code, found["passed"]) == (5, 2)
        assert found["reasons"] == {"source:replaced": 2, "source:unreadable": 1}
        assert sorted(files(images / f"clean{how}")) == ["in/deep/a.png", "in/deep/d.png"]
        bad = [json.loads(line) for line in Path("bad.jsonl").read_text().splitlines()]
        assert [one["image_id"] for one in bad] == ["in/a.png", "in/b.png", "in/c.png"]


def test_names_that_meet(images: Path) -> None:
    """An id twice, an id that is a folder of another, one that leads out of the folder, one without suffix."""
    manifest = [("x.png", "a.png"), ("x.png", "b.png"), ("../../x.png", "c.png"), ("x.png/y", "deep/a.png"),
                ("/", "deep/d.png"), ("q:\x07?" + "long" * 100 + ".png", "a.png")]  # fmt: skip
    Path("m.jsonl").write_text(
        "\n".join(json.dumps({"id": name, "path": f"in/{path}"}) for name, path in manifest),
        "utf-8",
    )
    score_run("run", ["m.jsonl"], {"": 0.9})
    assert shell("run", *GATE, "--copy", "clean").exit_code == 0
    found = files(images / "clean")
    long = next(name for name in found if name.startswith("q"))
    assert long.startswith("q___longlong")
    assert len(long) == 200
    assert long.endswith(".png")
    assert found == {
        "x.png": PNG + b"a.png", "x~2.png": PNG + b"b.png", "x~3.png": PNG + b"c.png",
        "x.png~y.png": PNG + b"deep/a.png", "image.png": PNG + b"deep/d.png", long: PNG + b"a.png",
    }  # fmt: skip
    assert sorted(os.listdir(images)) == ["clean", "in", "m.jsonl", "run"]


def shard(path: str, members: Iterable[str]) -> None:
    with tarfile.open(path, "w") as tar:
        for name in members:
            data = PNG + name.encode()
            about = tarfile.TarInfo(f"{name}.png")
            about.size = len(data)
            tar.addfile(about, io.BytesIO(data))


def test_members_of_archives_and_cells_of_tables(images: Path) -> None:
    shard("s.tar", ["k1", "k2", "k3", "k4"])
    cells = [PNG + b"r%d" % k for k in range(4)]
    pq.write_table(pa.table({"id": [f"r{k}" for k in range(4)], "image": cells}), "t.parquet")
    run = score_run("run", ["s.tar", "t.parquet"], {
        "k1": 0.9, "k2": 0.1, "k3": 0.8, "k4": 0.2, "k1.png": 0.9, "k2.png": 0.1, "k3.png": 0.8, "k4.png": 0.2,
        "r0": 0.1, "r1": 0.9, "r2": 0.1, "r3": 0.9,
    })  # fmt: skip
    ids = [one.image_id for one in run.rows()]
    found = counts(shell("run", *GATE, "--copy", "clean"))
    assert (found["passed"], found["reasons"]) == (4, {"terravis:fails": 4})
    assert sorted(files(images / "clean").values()) == [
        PNG + one for one in (b"k1", b"k3", b"r1", b"r3")
    ]
    assert all(Path(name).stem in {"k1", "k3", "r1", "r3"} for name in files(images / "clean")), ids
    linked = counts(shell("run", *GATE, "--link", "linked"))
    assert (linked["passed"], linked["reasons"]["source:no_file"]) == (0, 4)
    shard("s.tar", ["k1", "k2"])
    cut = counts(shell("run", *GATE, "--copy", "cut"))
    assert (cut["passed"], cut["reasons"]["source:unreadable"]) == (3, 1)


def test_a_run_without_a_plan_and_one_in_a_store(images: Path) -> None:
    for address in ("run", "memory://gate/run"):
        run = Run.create_or_open(open_store(address), {}, {"folder": str(images)})
        rows = [with_score(f"in/{name}", 0.9) for name in ("a.png", "nowhere.png")]
        assert run.commit(0, 0, rows)
        found = counts(shell(address, *GATE, "--copy", f"clean-{address[0]}"))
        assert (found["passed"], found["reasons"]) == (1, {"source:unknown": 1})
        assert files(images / f"clean-{address[0]}") == {"in/a.png": PNG + b"a.png"}
        assert counts(shell(address, *GATE))["passed"] == 2


def test_copies_into_a_store(images: Path) -> None:
    score_run("run", ["in"], SCORES)
    assert shell("run", *GATE, "--copy", "memory://gate/clean").exit_code == 5
    store = open_store("memory://gate/clean")
    assert [one.key for one in store.list("")] == ["in/a.png", "in/c.png", "in/deep/a.png"]
    assert store.get("in/c.png") == PNG + b"c.png"


def failing(*arguments: str) -> str:
    done = shell(*arguments)
    assert isinstance(done.exception, PhysgaugeError | SystemExit)
    assert done.exit_code != 0
    return str(done.exception) + done.output


def test_what_cannot_be(images: Path) -> None:
    score_run("run", ["in"], SCORES)
    assert "expected a condition" in failing("run")
    assert "expected one of them" in failing("run", *GATE, "--copy", "x", "--link", "y")
    assert "expected a new or empty folder, got one with files in it" in failing(
        "run", *GATE, "--copy", "in"
    )
    assert "expected a new or empty folder, got a file" in failing(
        "run", *GATE, "--copy", "in/a.png"
    )
    assert "expected a name in .txt, .csv, .jsonl, or -" in failing("run", *GATE, "--list", "x.doc")
    assert "expected a folder that exists" in failing("run", *GATE, "--rejects", "no/x.csv")
    for one in ("l.csv", "-"):
        both = failing("run", *GATE, "--list", one, "--rejects", one)
        assert f"expected two places, got {one} twice" in both
    assert "expected -o DIR" in failing("run", "in", *GATE)
    assert "--profile: expected -o DIR" in failing("run", *GATE, "--profile", "tiny")
    assert "expected a run of physgauge" in failing("in", *GATE)
    assert sorted(os.listdir(images)) == ["in", "run"]


def test_inputs_are_scored_first(images: Path) -> None:
    """The real pipeline: the examples that ship, and a file that is no image."""
    examples = Path(__file__).parents[2] / "examples/scenes"
    pictures = [str(examples / name) for name in ("car_01.jpg", "animal_03.jpg")]
    done = shell(*pictures, "in/a.png", "--require-pcmde", "PASS", "--json", "-o", "run", "--copy", "clean",
                 "--processes", "1", "--workers", "1")  # fmt: skip
    assert done.exit_code == 5, done.output
    found = json.loads(done.stdout)
    verdicts = [one.pcmde.verdict for one in Run.open(open_store("run")).rows()]
    assert found["passed"] == verdicts.count("PASS") == len(files(images / "clean"))
    assert found["images"] == 3
    assert any(code.startswith("error:image_") for code in found["reasons"])
