"""Equal images are scored once, wherever in a run they are; what is passing is never copied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from physgauge import wire
from physgauge.bulk.index import Index
from physgauge.bulk.twins import Twins, copyable, key_of, key_of_row
from physgauge.types import KNOWN, Item
from tests.bulk import here, rig


def row(name: str, sha: str = "a" * 64, **more: Any) -> wire.Row:
    made = wire.Row(
        image_id=name,
        source=name,
        pixel_sha256=sha,
        terravis=wire.TerraVis(status="ok", score=0.5),
        pcmde=wire.Pcmde(status="ok", verdict="PASS"),
        provenance=wire.Provenance(physgauge="0", profile="p"),
        cost=wire.Cost(calls=3, tokens=9, usd=0.1, ms={"decode": 1.0, "look": 9.0}),
    )
    return msgspec.structs.replace(made, **more)


def stub(name: str, sha: str = "a" * 64) -> wire.Row:
    return row(
        name, sha,
        terravis=wire.TerraVis(status="skipped", reason=KNOWN),
        pcmde=wire.Pcmde(status="skipped", reason=KNOWN),
        cost=wire.Cost(ms={"decode": 1.0}),
    )  # fmt: skip


def asked(twins: Twins, name: str, sha: str = "a" * 64, **more: str) -> bool:
    return twins.known(Item(name, None, name, **more), sha, ())  # type: ignore[arg-type]


def nowhere(unit: int, generation: int, number: int) -> wire.Row | None:
    raise AssertionError("expected no look into a file")


def test_an_image_in_flight_has_twins() -> None:
    twins = Twins(None, nowhere)
    assert [asked(twins, name) for name in "abc"] == [False, True, True]
    first = twins.settle(row("a"), stub=False)
    assert first == row("a")
    for name in "bc":
        got = twins.settle(stub(name), stub=True)
        assert got is not None
        assert (got.image_id, got.same_as, got.pcmde.verdict) == (name, "a", "PASS")
        assert got.cost == wire.Cost(ms={"decode": 1.0})  # nothing was asked for it


def test_caption_and_domain_decide_too() -> None:
    twins = Twins(None, nowhere)
    assert not asked(twins, "a")
    assert not asked(twins, "b", caption="a car")
    assert not asked(twins, "c", domain="car")
    assert asked(twins, "d", caption="a car")
    assert len({key_of("a", None, None), key_of("a", "x", None), key_of("a", None, "x")}) == 3


PASSING = (
    {"terravis": wire.TerraVis(status="error", fault="the judge failed")},
    {"terravis": wire.TerraVis(status="partial", answers={"p": wire.Answer(outcome="timeout")})},
    {"terravis": wire.TerraVis(status="ok", eligible=wire.Eligible(outcome="unparseable"))},
    {"pcmde": wire.Pcmde(status="ok", llm_runs=[wire.LlmRun(round=1, outcome="timeout")])},
    {"pcmde": wire.Pcmde(status="ok", observers=[wire.Observer(source="m", outcome="blocked")])},
    {"error_code": "internal", "error": "x"},
)


@pytest.mark.parametrize("fault", PASSING)
def test_what_is_passing_is_nobodys(fault: dict[str, Any]) -> None:
    spoilt = row("a", **fault)
    assert copyable(row("a"))
    assert not copyable(spoilt)
    twins = Twins(None, nowhere)
    assert [asked(twins, name) for name in "ab"] == [False, True]
    assert twins.settle(spoilt, stub=False) == spoilt
    assert twins.settle(stub("b"), stub=True) is None  # it is scored itself
    assert not asked(twins, "b")


def test_equal_images_that_all_fail_are_decoded_twice_at_most() -> None:
    twins = Twins(None, nowhere)
    waiting, rounds = [f"{n}" for n in range(40)], 0
    scored: list[str] = []
    while waiting:
        rounds += 1
        known = [(name, asked(twins, name)) for name in waiting]
        waiting = []
        for name, stubbed in known:
            made = stub(name) if stubbed else row(name, error_code="internal", error="x")
            if twins.settle(made, stub=stubbed) is None:
                waiting.append(name)
            elif not stubbed:
                scored.append(name)
    assert rounds == 2
    assert scored == [f"{n}" for n in range(40)]
    assert not asked(twins, "later")
    assert twins.settle(row("later"), stub=False) == row("later")
    assert asked(twins, "last")  # and what is sound is copied again


def test_committed_rows_are_found_in_files_and_files_count(tmp_path: Path) -> None:
    files = {(3, 0, 1): row("a"), (3, 0, 0): row("z", "c" * 64)}
    index = Index(tmp_path / "twins.sqlite")
    twins = Twins(index, lambda *place: files.get(place))
    assert not asked(twins, "a")
    twins.settle(row("a"), stub=False)
    twins.committed(3, 0, [row("z", "c" * 64), row("a")])
    later = Twins(Index(tmp_path / "twins.sqlite"), lambda *place: files.get(place))
    assert asked(later, "b")
    got = later.settle(stub("b"), stub=True)
    assert got is not None
    assert got.same_as == "a"
    files[3, 0, 1] = row("a", "d" * 64)  # the index is behind the files
    assert not asked(Twins(index, lambda *place: files.get(place)), "b")
    files.clear()
    assert not asked(Twins(index, lambda *place: files.get(place)), "b")
    index.close()


def test_memory_holds_what_is_waited_for_only(tmp_path: Path) -> None:
    twins = Twins(Index(tmp_path / "twins.sqlite"), lambda *place: None)
    for unit in range(50):
        rows = [row(f"{unit}-{n}", f"{unit:032}{n:032}") for n in range(10)]
        for one in rows:
            assert one.pixel_sha256 is not None
            asked(twins, one.image_id, one.pixel_sha256)
            twins.settle(one, stub=False)
        twins.committed(unit, 0, rows)
    assert not twins._held
    assert not twins._flying


def test_rows_that_were_waited_for_at_a_commit_are_forgotten_in_time(tmp_path: Path) -> None:
    twins = Twins(Index(tmp_path / "twins.sqlite"), lambda *place: None)
    for unit in range(600):
        sha = f"{unit:064}"
        assert [asked(twins, f"{unit}", sha), asked(twins, f"{unit} again", sha)] == [False, True]
        one = row(f"{unit}", sha)
        twins.settle(one, stub=False)
        twins.committed(unit, 0, [one])
        assert twins.settle(stub(f"{unit} again", sha), stub=True) is not None
    assert len(twins._held) < 300


def test_duplicates_of_a_run_across_units_and_sessions(tmp_path: Path) -> None:
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(20))
    for copy, of in ((21, 3), (22, 21), (23, 19)):
        rig.save(tmp_path / f"in/{copy:05}.npy", rig.picture({21: 3, 22: 3, 23: 19}[copy]))
        assert of < copy
    with (tmp_path / "list.jsonl").open("w") as file:
        for number in [*range(20), 21, 22, 23]:
            caption = {"caption": "a wheel"} if number == 22 else {}
            where = {"path": f"in/{number:05}.npy", "id": f"n{number}", "prompt_set": f"s{number}"}
            file.write(json.dumps(where | caption) + "\n")
    inputs = [str(tmp_path / "list.jsonl")]
    here.score(tmp_path, inputs, profile=profile)
    found = {one.image_id: one for one in rig.rows(tmp_path / "out")}
    copied = {name: one.same_as for name, one in found.items() if one.same_as is not None}
    assert copied == {"n21": "n3", "n23": "n19"}  # n22 has a caption of its own
    mine, its = found["n21"], found["n3"]
    assert (mine.extra["prompt_set"], its.extra["prompt_set"]) == ("s21", "s3")
    assert (mine.detections, mine.pcmde) == (its.detections, its.pcmde)
    assert mine.cost.ms.keys() == {"decode"}
    with (tmp_path / "list.jsonl").open("a") as file:
        file.write(json.dumps({"path": "in/00000.npy", "id": "n99"}) + "\n")
    here.score(tmp_path, inputs, profile=profile, update=True)
    again = {one.image_id: one for one in rig.rows(tmp_path / "out")}
    assert again["n99"].same_as == "n0"


def test_key_of_a_row_is_that_of_its_image() -> None:
    one = row(
        "a", caption="x", provenance=wire.Provenance(physgauge="0", profile="p", domain="car")
    )
    assert key_of_row(one) == key_of("a" * 64, "x", "car")
    assert key_of_row(row("a", pixel_sha256=None)) is None
