"""A session's record: written while it works, read by others, whole however it ends."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest

from physgauge.bulk.watch import standing
from physgauge.bulk.watch import watcher as watching
from physgauge.bulk.watch.events import Beat, Quarantined, Retried, Waiting, WorkerLost
from physgauge.bulk.watch.folder import Folder
from physgauge.bulk.watch.money import NO_PRICES
from physgauge.bulk.watch.report import Report
from physgauge.bulk.watch.session import EVENTS, PART_BYTES, Journal, decode_state, state_key
from physgauge.bulk.watch.status import Onlooker
from physgauge.bulk.watch.tally import Tally
from physgauge.bulk.watch.watched import Wishes, close, watched
from physgauge.bulk.watch.watcher import Watcher
from physgauge.clients.runs import Run, RunWriter
from physgauge.clients.storage import open_store
from physgauge.cost_settings import CostSettings
from physgauge.errors import EnvironmentProblem
from tests.watch.rows import commit, mixed, new_run, tally_of
from tests.watch.test_tally import same

QUIET = Wishes(line=False)


def rows_of(unit: int, size: int = 20) -> list[int]:
    return list(range(unit * size, (unit + 1) * size))


def work(
    run: Run, token: str, units: range, of: int, wishes: Wishes = QUIET, size: int = 20
) -> Report:
    """A session that does some units of a run."""
    with watched(run, token, wishes, total=of * size, total_units=of, gpus=0) as watch:
        for unit in units:
            watch.tell(commit(run, unit, [mixed(n) for n in rows_of(unit, size)]))
        if units.stop < of:
            watch.end("drained")
    return close(watch, wishes)


def test_the_report_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "TOO_SHORT_S", 0.0)  # rows of a test are made at once
    run = new_run(tmp_path)
    report = work(
        run, "s1", range(5), of=5, wishes=Wishes(line=False, prices=CostSettings(per_hour=36.0))
    )
    whole = tally_of(mixed(n) for n in range(100))
    assert (report.status, report.why) == ("done", None)
    assert (report.entries, report.rows, report.rows_counted, report.missing) == (100, 100, 100, 0)
    assert (report.units, report.units_committed, report.units_pending) == (5, 5, 0)
    assert report.session_scored == 100
    assert report.total.errors == sum(whole.errors.values()) > 0
    assert {code: error.rows for code, error in report.errors.items()} == whole.errors
    assert all(error.hint for error in report.errors.values())
    assert report.fingerprint == {"model parts": "00ff"}
    assert report.by["prompt"] is None or len(report.by["prompt"]) == 100
    groups = report.by["generator"]
    assert groups is not None
    assert {name: one.rows for name, one in groups.items()} == {
        "alpha": 34,
        "beta": 33,
        "gamma": 33,
    }
    assert report.costs.usd == pytest.approx(report.worked_s * 0.01)
    assert report.costs.usd_per_million_images == pytest.approx(report.worked_s * 0.01 * 1e4)
    assert report.images_per_s == pytest.approx(100 / report.worked_s)
    written = msgspec.json.decode((tmp_path / "report.json").read_bytes(), type=Report)
    assert written == report


def test_two_sessions_count_once(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    first = work(run, "s1", range(2), of=4)
    assert (first.status, first.why, first.missing) == ("unfinished", None, 40)
    assert first.sessions[0].status == "drained"
    report = work(Run.open(open_store(tmp_path)), "s2", range(2, 4), of=4)
    assert (report.status, report.rows, report.rows_counted) == ("done", 80, 80)
    assert [one.rows for one in report.sessions] == [40, 40]
    assert report.total.rows == 80
    assert report.costs.tokens == tally_of(mixed(n) for n in range(80)).spent.tokens


def test_a_retry_does_not_count_twice(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    first = work(run, "s1", range(3), of=3)
    run = run.revise("retry", {"model parts": "00ff"}, {}, [1])
    assert Onlooker(run.store).look().status == "unfinished"
    kept = [mixed(n) for n in rows_of(1)]
    again = [*kept[:18], mixed(1000), mixed(1001)]
    with watched(run, "s2", QUIET, total=60, total_units=3, gpus=0) as watch:
        watch.tell(commit(run, 1, again, generation=1, kept=18))
    report = close(watch, QUIET)
    assert (report.status, report.generation, report.reason) == ("done", 1, "retry")
    assert (report.rows, report.rows_counted, report.total.rows) == (60, 60, 60)
    assert (report.session_rows, report.session_scored) == (62, 62)
    assert report.costs.tokens == first.costs.tokens + tally_of(again[18:]).spent.tokens
    wanted = tally_of([*(mixed(n) for n in (*rows_of(0), *rows_of(2))), *again])
    assert {code: error.rows for code, error in report.errors.items()} == wanted.errors


def test_what_a_session_did_not_get_to_tell_is_counted_from_the_rows(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    work(run, "s1", range(2), of=4)
    commit(
        run, 2, [mixed(n) for n in rows_of(2)]
    )  # committed by a worker whose session was killed then
    status = Onlooker(run.store).look()
    assert (status.rows, status.rows_counted) == (60, 60)
    work(run, "s2", range(3, 4), of=4)
    folder = Folder(run)
    folder.refresh()
    assert folder.uncounted() == []  # the next session has noted it
    same(folder.ledger.tally(), tally_of(mixed(n) for n in range(80)))


def test_a_later_generation_that_nobody_told_of_is_not_spent_again(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    first = work(run, "s1", range(1), of=1)
    run = run.revise("retry", {"model parts": "00ff"}, {}, [0])
    commit(run, 0, [*(mixed(n) for n in range(19)), mixed(1000)], generation=1, kept=19)
    report = Onlooker(run.store).look()
    assert (report.status, report.total.rows, report.session_rows) == ("done", 20, 20)
    assert report.costs.tokens == first.costs.tokens


def test_a_folder_without_events_is_counted_from_its_rows(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    before = work(run, "s1", range(3), of=3)
    for listed in list(run.store.list(EVENTS)):
        run.store.delete(listed.key)
    report = Onlooker(run.store).look()
    assert (report.rows, report.rows_counted) == (60, 60)
    assert report.total == before.total
    assert report.sessions == []
    assert report.status == "done"


def test_a_folder_that_was_written_at_once(tmp_path: Path) -> None:
    with RunWriter(open_store(tmp_path), {"command": "rescore"}) as writer:
        for number in range(40):
            writer.write(mixed(number))
    report = Onlooker(open_store(tmp_path)).look()
    assert (report.status, report.entries, report.rows, report.missing) == ("done", 40, 40, 0)
    assert report.worked_s == 0.0
    assert not report.images_per_s  # nothing in next to no time


def test_rows_of_what_is_gone_are_not_missing(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    work(run, "s1", range(2), of=2)
    run = run.revise("update", {"model parts": "00ff"}, {}, [1])
    with watched(run, "s2", QUIET, total=40, total_units=2) as watch:
        watch.tell(commit(run, 1, [mixed(n) for n in rows_of(1)[:15]], generation=1, kept=15))
    report = close(watch, QUIET)
    assert (report.status, report.entries, report.rows, report.missing) == ("done", 35, 35, 0)


def test_a_record_that_is_damaged_is_said_and_counted_from_the_rows(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    before = work(run, "s1", range(3), of=3)
    part = tmp_path / "events" / "s1" / "000000.json"
    part.write_bytes(part.read_bytes()[:-40])
    report = Onlooker(run.store).look()
    assert report.total == before.total
    assert len(report.damaged) == 1
    assert "events/s1/000000.json" in report.damaged[0]


def test_verify_finds_what_is_damaged(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    work(run, "s1", range(3), of=3)
    sound = Onlooker(run.store).look(verify=True)
    assert (sound.damaged, sound.rows_counted) == ([], 60)
    file = tmp_path / "rows" / "unit-00000001.parquet"
    ids = pq.ParquetFile(file).metadata.row_group(0).column(0)
    data = bytearray(file.read_bytes())
    data[ids.data_page_offset + ids.total_compressed_size // 2] ^= 0x10
    file.write_bytes(bytes(data))
    assert Onlooker(run.store).look().damaged == []  # nobody has read it
    seen: list[tuple[int, int]] = []
    report = Onlooker(run.store).look(verify=True, each=lambda done, of: seen.append((done, of)))
    assert len(report.damaged) == 1
    assert "unit-00000001.parquet" in report.damaged[0]
    assert (report.rows, report.rows_counted, report.total.rows) == (60, 40, 40)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert report.session_scored == sound.session_scored
    assert report.costs.tokens == sound.costs.tokens


def test_the_record_is_cut_into_parts(tmp_path: Path) -> None:
    store, big = open_store(tmp_path), Tally(errors={f"code {n:0>200}": n for n in range(200)})
    journal = Journal(store, "s")
    run = new_run(tmp_path / "other")
    done = msgspec.structs.replace(commit(run, 0, [mixed(0)]), tally=big)
    for unit in range(10):
        journal.add(msgspec.structs.replace(done, unit=unit))
        journal.flush()
    before = list(store.list("events/s/"))
    journal.flush()  # nothing is new: nothing is written
    assert list(store.list("events/s/")) == before
    sizes = [listed.size for listed in before]
    assert len(sizes) > 1
    assert all(size < 2 * PART_BYTES for size in sizes)


def test_a_store_that_refuses_does_not_stop_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run(tmp_path)
    monkeypatch.setattr(watching, "BEAT_S", 0.02)
    refuse = threading.Event()
    replace = run.store.replace

    def full(key: str, data: bytes) -> None:
        if refuse.is_set():
            raise EnvironmentProblem("no space left")
        replace(key, data)

    monkeypatch.setattr(run.store, "replace", full)
    with Watcher(run, "s", total=40, total_units=2) as watch:
        refuse.set()
        watch.tell(commit(run, 0, [mixed(n) for n in rows_of(0)]))
        until = time.monotonic() + 10
        while watch.failed_writes < 3 and time.monotonic() < until:
            time.sleep(0.01)
        refuse.clear()
        watch.tell(commit(run, 1, [mixed(n) for n in rows_of(1)]))
    assert watch.failed_writes >= 3
    folder = Folder(Run.open(open_store(tmp_path)))
    folder.refresh()
    assert folder.uncounted() == []  # what could not be written was written later


def test_what_a_watcher_hears(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    with Watcher(run, "s", total=40, total_units=2) as watch:
        watch.tell(Waiting(units=2, workers=2))
        watch.tell(Beat(worker="0", unit=0, done=12, resident_bytes=10**9, cpu_s=3.0))
        watch.tell(Beat(worker="1", unit=1, done=5, resident_bytes=10**9, cpu_s=4.0))
        now = watch.progress()
        assert (now.done, now.in_flight, now.workers, now.waiting_units) == (0, 17, 2, 2)
        assert now.resident_bytes is not None
        assert now.resident_bytes > 2 * 10**9
        assert now.costs.cpu_s is not None
        before = now.costs.cpu_s
        watch.tell(WorkerLost(worker="1", unit=1))
        assert (watch.progress().resident_bytes or 0) < now.resident_bytes - 5 * 10**8
        watch.tell(Beat(worker="1", unit=1, done=1, cpu_s=0.5))  # its successor
        watch.tell(Quarantined(unit=1, image_id="x"))
        watch.tell(Retried(what="storage"))
        watch.tell(commit(run, 0, [mixed(n) for n in rows_of(0)]))
        now = watch.progress()
        assert (now.done, now.in_flight, now.restarts, now.retries) == (20, 1, 1, 1)
        assert now.costs.cpu_s is not None
        assert now.costs.cpu_s >= before + 0.5
        assert now.tally.rows == 20
        watch.drain()
        assert watch.progress().draining
    state = decode_state(run.store.get(state_key("s")))
    assert (state.status, state.units, state.rows, state.quarantined) == ("done", 1, 20, 1)
    assert (state.restarts, state.retries) == ({"died": 1}, {"storage": 1})
    assert state.in_flight == 0


@pytest.mark.parametrize(
    ("error", "status", "why"),
    [
        (KeyboardInterrupt(), "stopped", None),
        (SystemExit(143), "stopped", None),
        (EnvironmentProblem("no space left"), "failed", "no space left"),
    ],
)
def test_how_a_session_ended(
    tmp_path: Path, error: BaseException, status: str, why: str | None
) -> None:
    run = new_run(tmp_path)
    with pytest.raises(type(error)), watched(run, "s", QUIET, total=9, total_units=1):
        raise error
    state = decode_state(run.store.get(state_key("s")))
    assert (state.status, state.why) == (status, why)
    report = Onlooker(run.store).look()
    assert (report.status, report.why, report.rows) == ("unfinished", why, 0)
    assert report.total.error_share is None
    assert not report.images_per_s  # nothing in next to no time


def test_what_others_commit_is_seen(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    with Watcher(run, "s1", total=60, total_units=3) as watch:
        watch.tell(commit(run, 0, [mixed(n) for n in rows_of(0)]))
        with Watcher(Run.open(open_store(tmp_path)), "s2", total=60, total_units=3) as other:
            assert other.progress().done == 20
            other.tell(commit(run, 1, [mixed(n) for n in rows_of(1)]))
        watch.folder.refresh()
        now = watch.progress()
        assert (now.done, now.units, now.tally.rows) == (40, 2, 40)


def test_a_unit_committed_while_the_folder_is_listed_stays(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    folder = Folder(run, own="s")
    listing = run.committed

    def slow() -> object:
        found = listing()
        folder.add(commit(run, 0, [mixed(0)]), "s")
        return found

    run.committed = slow  # type: ignore[method-assign, assignment]
    folder.refresh()
    assert (folder.rows, len(folder.ledger)) == (1, 1)
    run.committed = listing  # type: ignore[method-assign]
    folder.refresh()
    assert (folder.rows, len(folder.ledger)) == (1, 1)


def test_a_report_before_anything_happened(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    report = Onlooker(run.store, prices=NO_PRICES).look()
    assert (report.status, report.rows, report.units, report.entries) == (
        "unfinished",
        0,
        None,
        None,
    )
    assert (report.worked_s, report.images_per_s, report.left_s) == (0.0, None, None)
    assert report.costs.usd is None
