"""`physgauge status` from another shell: on runs that go on, that are done, and that were killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import msgspec
import pytest

from physgauge.bulk.watch import pulse
from physgauge.bulk.watch.pulse import Pulse
from physgauge.bulk.watch.report import Report, report_schema
from physgauge.bulk.watch.session import SessionState
from physgauge.cli.main import main
from tests.watch.session import SIZE
from tests.watch.session import main as work

ROOT = Path(__file__).parents[2]
STATUS = (sys.executable, "-c", "from physgauge.cli.main import main; main()", "status")


def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [*STATUS, *arguments], capture_output=True, text=True, timeout=120, check=False, cwd=ROOT
    )


@dataclass
class Said:
    code: int
    out: str
    err: str


class Status:
    """The command in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Said:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(["status", *arguments])
        shown = self._capsys.readouterr()
        return Said(int(end.value.code or 0), shown.out, shown.err)

    def report(self, folder: Path, *arguments: str, code: int = 0) -> Report:
        said = self(str(folder), "--json", *arguments)
        assert said.code == code, said.err
        return read(said.out)


@pytest.fixture
def status(capsys: pytest.CaptureFixture[str]) -> Status:
    return Status(capsys)


def read(text: str) -> Report:
    jsonschema.validate(json.loads(text), report_schema())
    return msgspec.json.decode(text, type=Report)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A session at work on tmp_path / "run", with its first units committed."""
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "tests.watch.session", str(folder), "1000", "1000", "0.3"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while len(list(folder.glob("rows/*.parquet"))) < 2:
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.05)
        yield process
        process.kill()


def test_a_run_that_goes_on_and_one_that_was_killed(
    tmp_path: Path, session: subprocess.Popen[bytes], status: Status
) -> None:
    folder = tmp_path / "run"
    from_outside = shell(str(folder), "--json")
    assert from_outside.returncode == 0, from_outside.stderr
    report = read(from_outside.stdout)
    assert report.status == "running"
    assert report.living == [one.token for one in report.sessions]
    assert report.sessions[0].pid == session.pid
    assert (report.entries, report.units) == (1000 * SIZE, 1000)
    assert report.rows == report.rows_counted >= 2 * SIZE
    assert report.total.rows == report.rows
    assert report.sessions[0].in_flight == SIZE // 2
    assert "running" in status(str(folder)).out

    session.send_signal(signal.SIGKILL)
    session.wait()
    shown = status(str(folder))
    assert shown.code == 1
    assert "unfinished" in shown.out
    assert "the same command goes on" in shown.out
    killed = status.report(folder, code=1)
    assert (killed.status, killed.living, killed.images_per_s_now) == ("unfinished", [], None)
    assert killed.rows == killed.rows_counted == len(list(folder.glob("rows/*.parquet"))) * SIZE
    assert killed.total.rows == killed.rows


def test_a_session_that_stands_still_does_not_live(
    tmp_path: Path,
    session: subprocess.Popen[bytes],
    status: Status,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "run"
    session.send_signal(signal.SIGSTOP)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(pulse, "PATIENCE_HERE_S", 1.0)
            assert status.report(folder, code=1).status == "unfinished"
    finally:
        session.send_signal(signal.SIGCONT)
    assert status.report(folder).status == "running"


def test_a_run_that_is_interrupted_and_goes_on(
    tmp_path: Path, session: subprocess.Popen[bytes], status: Status
) -> None:
    folder = tmp_path / "run"
    session.send_signal(signal.SIGINT)
    session.wait(timeout=30)
    first = status.report(folder, code=1)
    assert first.sessions[0].status == "stopped"
    assert first.rows == first.rows_counted
    work(folder, 3, 1000, 0.0)
    second = status.report(folder, code=1)
    assert second.rows == second.rows_counted == first.rows + 3 * SIZE
    assert second.total.rows == second.rows
    assert [one.rows for one in second.sessions] == [first.rows, 3 * SIZE]
    hours = sum(one.elapsed_s for one in second.sessions) / 3600
    assert second.costs.usd == pytest.approx(hours * 3.0)


def test_a_run_that_is_done(tmp_path: Path, status: Status) -> None:
    folder = tmp_path / "run"
    work(folder, 5, 5, 0.0)
    shown = status(str(folder), "--below", "0.7", "--by", "pcmde.domain", "--by", "nothing")
    assert (shown.code, shown.err) == (0, "")
    assert "100 of 100 images, done" in shown.out
    assert "By pcmde.domain" in shown.out
    assert "By nothing: the column is in no row" in shown.out
    assert "By generator" in status(str(folder)).out  # whoever started it asked for it
    assert status.report(folder, "--verify").damaged == []
    report = status.report(folder, "--below", "0.7")
    written = msgspec.json.decode((folder / "report.json").read_bytes(), type=Report)
    assert report.threshold == 0.7
    assert report.total.terravis_below > written.total.terravis_below
    assert report.total.rows == written.total.rows
    assert report.costs == written.costs


def test_the_run_is_watched_until_it_ends(tmp_path: Path, status: Status) -> None:
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "tests.watch.session", str(folder), "8", "8", "0.5"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE):
        while not list(folder.glob("rows/*.parquet")):
            time.sleep(0.05)
        shown = status(str(folder), "--watch")
    assert shown.code == 0
    assert "160 of 160 images, done" in shown.out


def test_a_damaged_run(tmp_path: Path, status: Status) -> None:
    folder = tmp_path / "run"
    work(folder, 2, 2, 0.0)
    (folder / "rows" / "unit-00000001.parquet").write_bytes(b"PAR1 no more PAR1")
    shown = status(str(folder), "--verify")
    assert shown.code == 4
    assert "unit-00000001.parquet" in shown.out.replace("\n", "")


def test_prices_given_afterwards(tmp_path: Path, status: Status) -> None:
    folder = tmp_path / "run"
    work(folder, 2, 2, 0.0)
    plain = status.report(folder)
    assert (plain.costs.usd_tokens, plain.costs.covers) == (None, ["machine"])
    prices = ("--token-price", "1000000", "--cached-token-price", "0", "--cost-per-hour", "99999")
    priced = status.report(folder, *prices)
    assert priced.costs.usd_tokens == plain.costs.tokens
    assert priced.costs.usd_machine == plain.costs.usd_machine  # the session had its own price


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--below", "0.123"), "expected at most two decimals"),
        (("--below", "nan"), "expected a finite number"),
        (("--cost-per-hour", "-1"), "-1.0 is not in the range"),
        (("--cost-per-hour", "inf"), "inf is not in the range"),
        (("--watch", "--json"), "--watch: not with --json"),
        ((), "expected a run of physgauge (run.json), got none"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, arguments: tuple[str, ...], said: str, status: Status
) -> None:
    done = status(str(tmp_path), *arguments)
    assert done.code == 2
    assert said in done.err.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


def test_the_published_schema() -> None:
    published = (ROOT / "docs" / "report.schema.json").read_text("utf-8")
    assert json.loads(published) == report_schema()


def state(
    beats: int, status: str = "running", host: str = "elsewhere", pid: int = 1
) -> SessionState:
    return SessionState(
        token="s", host=host, pid=pid, physgauge="0", started="", started_unix_s=0.0, elapsed_s=1.0,
        beats=beats, status=status,  # type: ignore[arg-type]
    )  # fmt: skip


def test_whoever_moves_lives_whatever_the_clock_says(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "time", lambda: pytest.fail("the wall clock"))
    watch = Pulse()
    assert watch.look({"s": state(5)}) == ({}, False)
    now[0] += 2.0
    assert watch.look({"s": state(5)}) == ({}, False)
    assert watch.look({"s": state(4)})[0] != {}  # another number is another beat: stores may lag
    now[0] += 3.0
    assert watch.look({"s": state(4)})[0] != {}
    now[0] += 1.0
    assert watch.look({"s": state(4)}) == ({}, True)
    assert watch.look({"s": state(6, "done")}) == ({}, True)


def test_a_process_on_this_machine_has_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    here = state(5, host=socket.gethostname(), pid=os.getpid())
    watch = Pulse()
    watch.look({"s": here})
    now[0] += 5.0
    assert watch.look({"s": here}) == ({}, False)
    now[0] += 6.0
    assert watch.look({"s": here}) == ({}, True)
